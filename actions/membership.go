package actions

import (
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// AddMember adds a member of the organization to a studio.
var AddMember = action.New(action.Action[*store.Studio, MemberParams]{
	Name:       "add_member",
	Undo:       "A person can undo it: remove_from_studio.",
	Title:      "Add a member",
	Doc:        "Put somebody of the organization into this studio. They are told, and can leave again.",
	Told:       "added you to",
	Past:       "added a member to",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.InStudio | store.Keeper,
	HumanOnly:  true,
	Guard:      func(by store.Actor, s *store.Studio) error { return s.MustTakeMembersFrom(by) },
	Check: func(tx *store.Tx, by store.Actor, s *store.Studio, p MemberParams, bad param.Errors) param.Errors {
		if bad.Has("member") {
			return nil
		}
		m, errs := colleague(tx, by, s, "member", p.Member)
		if errs != nil {
			return errs
		}
		if _, err := tx.StudioMemberID(s, m.Handle); err == nil {
			return param.Errors{{Field: "member", Message: "@" + m.Handle + " is in " + s.Name + " already."}}
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p MemberParams) (action.Done, error) {
		m, err := tx.FindMember(by, s.Org, lastSegment(p.Member))
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{
			Message: "@" + m.Handle + " is in.",
			Before:  membership{m.Handle, "not in"},
			After:   membership{m.Handle, "in"},
			Notice:  &store.Notice{Reason: store.ReasonAssignment, To: []string{m.ID}},
		}, tx.JoinStudio(m, s)
	},
})

// MemberParams has the handle of a member.
type MemberParams struct {
	Member string `param:"member,ref" doc:"Who, by @handle."`
}

// membership is the journal's record of a member in a studio. State is "in" or "not in".
type membership struct {
	Member string `json:"member"`
	State  string `json:"state"`
}

// RemoveFromStudio removes another member from a studio and from roles in it.
var RemoveFromStudio = action.New(action.Action[*store.Studio, MemberParams]{
	Name:  "remove_from_studio",
	Title: "Take a member out",
	Told:  "took you out of",
	Past:  "took a member out of",
	Doc: "Take somebody out of this studio. They are told. Their words and ballots stay; open consents and elections " +
		"go on without their answers. Roles that they hold here go to the leader of the studio above, to stand in, or " +
		"are vacant.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Keeper,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, s *store.Studio) error { return s.MustLoseMembersTo(by) },
	Check: func(tx *store.Tx, by store.Actor, s *store.Studio, p MemberParams, bad param.Errors) param.Errors {
		if bad.Has("member") {
			return nil
		}
		id, err := tx.StudioMemberID(s, lastSegment(p.Member))
		switch {
		case err == nil && by.Is(id):
			err = store.Errorf(store.Invalid, "That is you. Leave the studio on %s.", store.Address(s.URL()))
		case err == nil:
			err = tx.MustBeFree(s, id)
		}
		if err != nil {
			return param.Errors{{Field: "member", Message: err.Error()}}
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p MemberParams) (action.Done, error) {
		m, err := tx.FindMember(by, s.Org, lastSegment(p.Member))
		if err != nil {
			return action.Done{}, err
		}
		given, err := tx.LeaveStudio(m, s)
		notice := &store.Notice{Reason: store.ReasonAssignment, To: []string{m.ID}}
		// The removed member cannot see this studio any more, so the notification links to the list of studios.
		if s.Visibility == "members" {
			notice.About = &store.Ref{OrgID: s.OrgID, URL: "/orgs/" + s.Org + "/studios", Title: s.Name}
		}
		return action.Done{
			Message: "@" + m.Handle + " is no longer in.",
			Before:  membership{m.Handle, "in"},
			After:   membership{m.Handle, "not in"},
			Also:    RoleChanges(given),
			Notice:  notice,
		}, err
	},
})

// colleague finds a present member of the studio's organization by a handle, or by a URL that ends with one.
func colleague(tx *store.Tx, by store.Actor, s *store.Studio, field, ref string) (*store.Member, param.Errors) {
	m, err := tx.FindMember(by, s.Org, lastSegment(ref))
	if err != nil || m.Ended() {
		return nil, param.Errors{{
			Field:   field,
			Message: "Nobody in " + s.OrgName + " is called that. Name a member by @handle.",
		}}
	}
	return m, nil
}

// RoleChanges returns journal entries about roles that changed as a result of another change. Acting holders are
// notified.
func RoleChanges(changes []store.RoleChange) []action.Also {
	var list []action.Also
	for _, c := range changes {
		a := action.Also{Subject: c.Role, Before: c.Before}
		if c.State() == store.RoleActing {
			a.Told, a.Notice = "left you to stand in as", &store.Notice{
				Reason: store.ReasonAssignment,
				To:     []string{c.HolderID},
			}
		}
		list = append(list, a)
	}
	return list
}
