package actions

import (
	"cmp"
	"errors"
	"slices"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

var _ = action.Describe[*store.Studio](
	"A team and its place, with its members, roles and pages.", store.StudioStates()...)

// CreateStudio creates a studio. The actor becomes its first member and its leader.
var CreateStudio = action.New(action.Action[*store.Organization, CreateStudioParams]{
	Name:       "create_studio",
	Past:       "created",
	Undo:       "Change: update_studio. A person can end it: archive_studio.",
	Title:      "Create a studio",
	Doc:        "Make a place for a team. You are its first member and lead it.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.InOrganization,
	HumanOnly:  true,
	Structural: true,
	Probing: func(bad param.Errors) bool {
		return slices.ContainsFunc(bad, func(e param.Error) bool { return store.IsHandleGone(e.Message) })
	},
	Aliases: []string{"create_team", "create_collective"},
	Guard:   func(store.Actor, *store.Organization) error { return nil },
	Check: func(
		tx *store.Tx, by store.Actor, o *store.Organization, p CreateStudioParams, _ param.Errors,
	) (errs param.Errors) {
		errs = badHandle("handle", p.Handle, tx.StudioHandleFree)
		return append(errs, p.check(tx, by, o.ID, nil)...)
	},
	Run: func(tx *store.Tx, by store.Actor, o *store.Organization, p CreateStudioParams) (action.Done, error) {
		n, err := p.studio(tx, by, o.ID, nil)
		if err != nil {
			return action.Done{}, err
		}
		n.Handle, n.Visibility = p.Handle, p.Visibility
		n.Visibility = cmp.Or(n.Visibility, "organization")
		s, err := tx.CreateStudio(by, n)
		if store.CodeOf(err) == store.Conflict {
			return action.Done{}, param.Bad("handle", err)
		}
		if err != nil {
			return action.Done{}, err
		}
		leader, err := tx.LeaderOf(s)
		return action.Done{Message: "The studio is created.", URL: s.URL(), Made: []action.Subject{s, leader}}, err
	},
})

// badHandle returns the error for a malformed or taken handle. The function free returns an error for a taken one. For
// any other error, badHandle returns nil, because Run then returns that error.
func badHandle(field, text string, free func(handle string) error) param.Errors {
	handle, err := store.Handle(text)
	if err == nil {
		err = free(handle)
	}
	if kind := store.CodeOf(err); kind != store.Invalid && kind != store.Conflict {
		return nil
	}
	return param.Bad(field, err)
}

// StudioParams has the contents of a studio.
type StudioParams struct {
	Name        string   `param:"name,text" max:"80" doc:"What people call it."`
	Description string   `param:"description,markdown,optional" max:"5000" doc:"What it is for."`
	Tempo       string   `param:"tempo,choice,optional" options:"weekly=Weekly,daily=Daily,monthly=Monthly"`
	_           struct{} `doc:"The length of its cycles. A new studio has weekly ones unless you choose."`
	Parent      string   `param:"parent,ref,optional" doc:"The studio it belongs under, by handle or URL."`
}

// CreateStudioParams has the fields of a new studio.
type CreateStudioParams struct {
	Handle string `param:"handle,text" max:"40" doc:"Its name in URLs: lower-case letters, digits and hyphens."`
	StudioParams
	Visibility string   `param:"visibility,choice,optional" options:"organization=Everyone in the organization"`
	_          struct{} `options:"members=Its members,public=Anyone with the link"`
	_          struct{} `doc:"Who can see it and what is in it. Everyone in the organization unless set."`
}

// check returns the errors in decoded params. The studio before the change is now, or nil for a new studio.
func (p StudioParams) check(tx *store.Tx, by store.Actor, orgID string, now *store.Studio) param.Errors {
	_, err := p.studio(tx, by, orgID, now)
	bad, _ := errors.AsType[param.Errors](err) // Run returns any other error
	return bad
}

// studio converts params to a studio. The parent must be an active studio of the organization that the actor can see. A
// present parent that the actor cannot see is not changed.
func (p StudioParams) studio(tx *store.Tx, by store.Actor, orgID string, now *store.Studio) (store.NewStudio, error) {
	n := store.NewStudio{OrgID: orgID, Name: p.Name, Description: p.Description, Tempo: p.Tempo}
	n.Tempo = cmp.Or(n.Tempo, "weekly")
	switch {
	case now != nil && (p.Parent == now.Parent || hasHiddenParent(now)):
		n.ParentID = now.ParentID
		return n, nil
	case p.Parent == "":
		return n, nil
	}
	parent, err := tx.FindStudio(by, lastSegment(p.Parent))
	if store.CodeOf(err) == store.NotFound || err == nil && parent.OrgID != orgID {
		return n, param.Errors{{
			Field:   "parent",
			Message: "There is no such studio here. Give its handle, such as team.",
		}}
	}
	if err != nil {
		return n, err
	}
	if err := parent.MustBeActive(); err != nil {
		return n, param.Bad("parent", err)
	}
	n.ParentID = parent.ID
	return n, nil
}

// hasHiddenParent reports whether the studio has a parent that the actor cannot see.
func hasHiddenParent(s *store.Studio) bool { return s.ParentID != "" && s.Parent == "" }

func lastSegment(ref string) string {
	for i := len(ref) - 1; i >= 0; i-- {
		if ref[i] == '/' {
			return ref[i+1:]
		}
	}
	return ref
}

// UpdateStudio changes the name, the description, the tempo and the parent of a studio.
var UpdateStudio = structureAction(action.Action[*store.Studio, StudioParams]{
	Name:      "update_studio",
	Past:      "changed",
	Undo:      "Change again: update_studio.",
	Title:     "Change the studio",
	Doc:       "Change its name, description, tempo or place. What you leave out stays as it is.",
	Versioned: true,
	Guard:     func(by store.Actor, s *store.Studio) error { return s.MustBeGovernedBy(by) },
	Offers: func(_ store.Actor, s *store.Studio) param.Offers {
		return param.Offers{"name": {Value: s.Name}, "description": {Value: s.Description}, "tempo": {Value: s.Tempo},
			// The general studio has no parent, because everyone in the organization is in it.
			"parent": {Value: s.Parent, Omit: s.General || hasHiddenParent(s)}}
	},
	Check: func(tx *store.Tx, by store.Actor, s *store.Studio, p StudioParams, _ param.Errors) param.Errors {
		return p.check(tx, by, s.OrgID, s)
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p StudioParams) (action.Done, error) {
		p.Tempo = cmp.Or(p.Tempo, s.Tempo)
		n, err := p.studio(tx, by, s.OrgID, s)
		if err != nil {
			return action.Done{}, err
		}
		cut, err := tx.UpdateStudio(s, n)
		if store.CodeOf(err) == store.Conflict {
			return action.Done{}, param.Bad("parent", err)
		}
		done := action.Done{Message: "The studio is changed.", Also: RoleChanges(cut)}
		if len(cut) > 0 {
			done.Message = "The studio is changed. Its leader mirrors no role any more."
		}
		return done, err
	},
})

// ChangeVisibility changes which people can see a studio.
var ChangeVisibility = action.New(action.Action[*store.Studio, VisibilityParams]{
	Name:  "change_visibility",
	Past:  "changed who can see",
	Undo:  "Change again: change_visibility.",
	Title: "Change who can see it",
	Doc: "All who can see the studio can read all of it, also what was written before. All others " +
		"lose sight of it at once; what they have read stays read.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Keeper,
	HumanOnly:  true,
	Carried:    true,
	Guard: func(by store.Actor, s *store.Studio) error {
		if s.General {
			return store.Errorf(store.Conflict, "Everyone in the organization is in %s and sees it.", s.Name)
		}
		return s.MustBeKeptBy(by)
	},
	Offers: func(_ store.Actor, s *store.Studio) param.Offers {
		return param.Offers{"visibility": {Value: s.Visibility}}
	},
	Check: func(_ *store.Tx, _ store.Actor, s *store.Studio, p VisibilityParams, _ param.Errors) param.Errors {
		if p.Visibility == "members" && !s.Joined() {
			return param.Errors{{Field: "visibility", Message: "You are not in " + s.Name +
				", so you would lose sight of it too. Join it first."}}
		}
		if p.Visibility == "public" && s.Visibility != "public" && !p.Confirm {
			return param.Errors{{Field: "confirm", Message: "is required to show " + s.Name +
				" to everybody: they can then read all of it, also what was written before"}}
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, s *store.Studio, p VisibilityParams) (action.Done, error) {
		message := map[string]string{
			"members":      "Only its members see it now.",
			"organization": "Everyone in the organization sees it now.",
			"public":       "Anyone with the link sees it now, signed in or not.",
		}
		return action.Done{Message: message[p.Visibility]}, tx.SetVisibility(s, p.Visibility)
	},
})

// VisibilityParams has the new visibility of a studio. Only "public" needs the confirmation.
type VisibilityParams struct {
	Visibility string   `param:"visibility,choice"`
	_          struct{} `options:"organization=Everyone in the organization: they can read it and join"`
	_          struct{} `options:"members=Its members alone: all others lose sight of it"`
	_          struct{} `options:"public=Anyone with the link: also people who are not signed in"`
	_          struct{} `doc:"Who can see it and what is in it."`
	Confirm    bool     `param:"confirm,flag,optional"`
	_          struct{} `doc:"Needed only for anyone with the link: everybody can then read all of it, also what was written before."`
}

// Join makes the acting member a member of the studio.
var Join = action.New(action.Action[*store.Studio, struct{}]{
	Name:       join,
	Past:       "joined",
	Slot:       "people",
	Undo:       "Undo: leave.",
	Title:      "Join",
	Doc:        "Become a member of this studio.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InOrganization,
	Guard: func(_ store.Actor, s *store.Studio) error {
		if err := s.MustBeActive(); err != nil {
			return err
		}
		if s.Joined() {
			return store.Errorf(store.Conflict, "You are in %s already.", s.Name)
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, _ struct{}) (action.Done, error) {
		return action.Done{Message: "You are in."}, tx.JoinStudio(by.Member, s)
	},
})

// Leave removes the acting member from the studio.
var Leave = action.New(action.Action[*store.Studio, struct{}]{
	Name:  leave,
	Past:  "left",
	Title: "Leave",
	Doc: "Stop being a member of this studio. Your words and ballots stay; open consents and elections go on without " +
		"your answers. Roles that you hold here go to the leader of the studio above, to stand in, or are vacant.",
	Scope:       store.ScopeWrite,
	AllowedFor:  store.InStudio,
	Destructive: true,
	Side:        true,
	Guard: func(by store.Actor, s *store.Studio) error {
		if by.IsAgent() && s.Visibility == "members" {
			return store.Errorf(store.Forbidden, "Only a person can leave a studio that its members alone see, because "+
				"nobody can join it again by themselves. Ask @%s to do it at %s.", by.Member.Handle,
				store.Address(s.URL()+"/actions/"+leave))
		}
		return s.MustLetGo(by)
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, _ struct{}) (action.Done, error) {
		given, err := tx.LeaveStudio(by.Member, s)
		done := action.Done{Message: "You have left.", URL: "/", Also: RoleChanges(given)}
		if s.Visibility == "members" {
			left := *s
			left.People--
			done.After = left.Record() // the actor can no longer see the studio
		}
		return done, err
	},
})

// ArchiveStudio closes a studio. It can be read but not changed.
var ArchiveStudio = action.New(action.Action[*store.Studio, struct{}]{
	Name:  "archive_studio",
	Past:  "archived",
	Title: "Archive the studio",
	Doc: "Close this studio: all of it stays readable to those who could read it, and nothing can be changed. " +
		"What is open stays undecided: no deadline ends it any more. The studios below it stay open.",
	Scope:       store.ScopeGovernance,
	AllowedFor:  store.Keeper,
	HumanOnly:   true,
	Structural:  true,
	Destructive: true,
	Guard:       func(by store.Actor, s *store.Studio) error { return s.MustBeArchivableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The studio is archived."}, tx.ArchiveStudio(by, s)
	},
})
