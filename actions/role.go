package actions

import (
	"cmp"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

var _ = action.Describe[*store.Role](
	"What a studio asks of one of its members: a mission, duties, a term.", store.RoleStates()...)

func structureAction[S action.Subject, P any](a action.Action[S, P]) *action.Spec[S] {
	a.Scope, a.AllowedFor, a.HumanOnly, a.Structural = store.ScopeGovernance, store.InStudio|store.Owner, true, true
	return action.New(a)
}

// CreateRole adds a role to a studio.
var CreateRole = structureAction(action.Action[*store.Studio, CreateRoleParams]{
	Name:  "create_role",
	Undo:  "Change: update_role. A person can take it back: delete_role.",
	Title: "Create a role",
	Doc:   "Say what the studio asks of one of its members, and of whom.",
	Past:  "assigned",
	Guard: func(by store.Actor, s *store.Studio) error { return s.MustBeGovernedBy(by) },
	Check: func(
		tx *store.Tx, by store.Actor, s *store.Studio, p CreateRoleParams, bad param.Errors,
	) (errs param.Errors) {
		if p.Kind == store.Leader {
			errs = onlyLeader(tx, s, "")
		}
		return append(errs, p.check(tx, by, s, bad)...)
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p CreateRoleParams) (action.Done, error) {
		seat, err := p.seat(tx, by, s)
		if err != nil {
			return action.Done{}, err
		}
		r, err := tx.CreateRole(by, s, p.role(), seat)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{
			Message: "The role is created.",
			URL:     r.URL(),
			Made:    []action.Subject{r},
			Notice:  assignmentNotice(by, r.HolderID),
		}, nil
	},
})

// RoleParams has the contents of a role.
type RoleParams struct {
	Title   string   `param:"title,text" max:"80" doc:"What it is called, such as Treasurer."`
	Kind    string   `param:"kind,choice,optional" options:"none=None in particular,leader=Leader,secretary=Secretary"`
	_       struct{} `options:"referee=Referee"`
	_       struct{} `doc:"Leader and secretary add members, close votes, change who can see the studio and archive it;"`
	_       struct{} `doc:"a studio has one leader."`
	Mission string   `param:"mission,markdown,optional" max:"2000" doc:"What it is for, in a sentence or two."`
	Duties  string   `param:"duties,markdown,optional" max:"5000" doc:"What is expected of who holds it."`
}

func (p RoleParams) role() store.NewRole {
	n := store.NewRole{Kind: p.Kind, Title: p.Title, Mission: p.Mission, Duties: p.Duties}
	n.Kind = cmp.Or(n.Kind, store.PlainRole)
	return n
}

// SeatParams has the new holder of a role and the end of the term.
type SeatParams struct {
	Holder string    `param:"holder,ref" doc:"Who is to hold it, by @handle. They are in the studio from then on."`
	Until  time.Time `param:"until,time,optional"`
	_      struct{}  `doc:"When the term ends, such as 2027-06-30."`
	_      struct{}  `doc:"Who holds it goes on until somebody is assigned, and the studio is told."`
}

// CreateRoleParams has the fields of a new role.
type CreateRoleParams struct {
	RoleParams
	Holder string    `param:"holder,ref,optional" doc:"Who is to hold it, by @handle. Without, it is vacant."`
	Until  time.Time `param:"until,time,optional" doc:"When the term ends, such as 2027-06-30."`
}

func (p CreateRoleParams) check(tx *store.Tx, by store.Actor, s *store.Studio, bad param.Errors) param.Errors {
	if p.Holder == "" && !p.Until.IsZero() && !bad.Has("holder") {
		return param.Errors{{
			Field:   "until",
			Message: "Only who holds the role has a term. Name a holder, or leave this empty.",
		}}
	}
	return SeatParams{Holder: p.Holder, Until: p.Until}.check(tx, by, s, bad)
}

func (p CreateRoleParams) seat(tx *store.Tx, by store.Actor, s *store.Studio) (store.Seat, error) {
	if p.Holder == "" {
		return store.Seat{}, nil
	}
	return SeatParams{Holder: p.Holder, Until: p.Until}.seat(tx, by, s)
}

func (p SeatParams) check(tx *store.Tx, by store.Actor, s *store.Studio, bad param.Errors) (errs param.Errors) {
	if p.Holder != "" && !bad.Has("holder") {
		_, errs = colleague(tx, by, s, "holder", p.Holder)
	}
	if !p.Until.IsZero() && !p.Until.After(tx.Now) {
		errs = append(errs, param.Error{
			Field:   "until",
			Message: "That has passed already. Name a time in the future, such as 180d.",
		})
	}
	return errs
}

func (p SeatParams) seat(tx *store.Tx, by store.Actor, s *store.Studio) (store.Seat, error) {
	m, err := tx.FindMember(by, s.Org, lastSegment(p.Holder))
	if err != nil {
		return store.Seat{}, err
	}
	return store.Seat{MemberID: m.ID, Until: p.Until, By: by.MemberID()}, nil
}

// onlyLeader returns an error if the studio has a leader's role with another id than except.
func onlyLeader(tx *store.Tx, s *store.Studio, except string) param.Errors {
	r, err := tx.LeaderOf(s)
	if err != nil || r.ID == except {
		return nil
	}
	return param.Errors{{
		Field:   "kind",
		Message: s.Name + " has a leader already: " + r.Title + ". Change that role instead.",
	}}
}

// assignmentNotice returns the notice to members about a change of a role. It leaves out the acting member.
func assignmentNotice(by store.Actor, ids ...string) *store.Notice {
	n := &store.Notice{Reason: store.ReasonAssignment, To: []string{}}
	for _, id := range ids {
		if id != "" && !by.Is(id) {
			n.To = append(n.To, id)
		}
	}
	return n
}

// UpdateRole changes the contents of a role.
var UpdateRole = structureAction(action.Action[*store.Role, RoleParams]{
	Name:      "update_role",
	Undo:      "Change again: update_role.",
	Title:     "Change the role",
	Doc:       "Change its title, kind, mission or duties. What you leave out stays as it is.",
	Past:      "changed",
	Versioned: true,
	Guard: func(by store.Actor, r *store.Role) error {
		if err := r.MustBeChangeableBy(by); err != nil {
			return err
		}
		return r.MustStandAlone()
	},
	Offers: func(_ store.Actor, r *store.Role) param.Offers {
		return param.Offers{
			"title": {Value: r.Title}, "kind": {Value: r.Kind}, "mission": {Value: r.Mission},
			"duties": {Value: r.Duties},
		}
	},
	Check: func(tx *store.Tx, _ store.Actor, r *store.Role, p RoleParams, _ param.Errors) param.Errors {
		if p.Kind == store.Leader {
			return onlyLeader(tx, r.Studio, r.ID)
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, r *store.Role, p RoleParams) (action.Done, error) {
		n := p.role()
		if p.Kind == "" {
			n.Kind = r.Kind
		}
		mirrors, err := tx.UpdateRole(r, n)
		return action.Done{
			Message: "The role is changed.",
			Also:    RoleChanges(mirrors),
			Notice:  assignmentNotice(by, r.HolderID),
		}, err
	},
})

// AssignRole makes a member the holder of a role.
var AssignRole = structureAction(action.Action[*store.Role, SeatParams]{
	Name:    "assign_role",
	Undo:    "Change: assign_role. Empty it: vacate_role.",
	Title:   "Assign the role",
	Doc:     "Say who holds this role from now on, and until when. Naming who holds it already begins a new term.",
	Past:    "assigned",
	Aliases: []string{"appoint"},
	Guard:   func(by store.Actor, r *store.Role) error { return r.MustBeAssignableBy(by) },
	Check: func(tx *store.Tx, by store.Actor, r *store.Role, p SeatParams, bad param.Errors) param.Errors {
		return p.check(tx, by, r.Studio, bad)
	},
	Run: func(tx *store.Tx, by store.Actor, r *store.Role, p SeatParams) (action.Done, error) {
		seat, err := p.seat(tx, by, r.Studio)
		if err != nil {
			return action.Done{}, err
		}
		mirrors, err := tx.AssignRole(r, seat)
		return action.Done{
			Message: "The role is assigned.",
			Also:    RoleChanges(mirrors),
			Notice:  assignmentNotice(by, seat.MemberID, r.HolderID),
		}, err
	},
})

// VacateRole makes a role vacant, which ends the term of its holder.
var VacateRole = structureAction(action.Action[*store.Role, struct{}]{
	Name:  "vacate_role",
	Undo:  "Fill it again: assign_role.",
	Title: "Make it vacant",
	Doc:   "End the term of who holds this role, and leave it open. They stay in the studio.",
	Past:  "made vacant",
	Guard: func(by store.Actor, r *store.Role) error { return r.MustBeHeldFor(by) },
	Run: func(tx *store.Tx, by store.Actor, r *store.Role, _ struct{}) (action.Done, error) {
		mirrors, err := tx.AssignRole(r, store.Seat{})
		return action.Done{
			Message: "The role is vacant.",
			Also:    RoleChanges(mirrors),
			Notice:  assignmentNotice(by, r.HolderID),
		}, err
	},
})

// MirrorRole makes a leader's role mirror a role of the parent studio. The holder of that role then leads this studio.
var MirrorRole = structureAction(action.Action[*store.Role, MirrorRoleParams]{
	Name:  "mirror_role",
	Undo:  "Undo: stop_mirroring.",
	Title: "Let it mirror a role above",
	Doc: "From then on this says what a role of the studio above says, and whoever holds that leads " +
		"this studio. Both are changed there only.",
	Past: "changed",
	Guard: func(by store.Actor, r *store.Role) error {
		if err := r.MustBeChangeableBy(by); err != nil {
			return err
		}
		return r.MustMirror()
	},
	Offers: func(_ store.Actor, r *store.Role) param.Offers {
		options := make([]param.Option, len(r.Above))
		for i, above := range r.Above {
			options[i] = param.Option{Value: above.ID, Label: above.Title}
		}
		return param.Offers{"source": {Options: options}}
	},
	Run: func(tx *store.Tx, by store.Actor, r *store.Role, p MirrorRoleParams) (action.Done, error) {
		for i := range r.Above {
			if source := &r.Above[i]; source.ID == p.Source {
				mirrors, err := tx.UpdateRole(r, store.NewRole{Kind: r.Kind, Source: source})
				return action.Done{
					Message: "The role mirrors the one above.",
					Also:    RoleChanges(mirrors),
					Notice:  assignmentNotice(by, r.HolderID, source.HolderID),
				}, err
			}
		}
		return action.Done{}, store.Missing()
	},
})

// MirrorRoleParams has the id of the role that is mirrored.
type MirrorRoleParams struct {
	Source string `param:"source,choice" doc:"The role of the studio above."`
}

// StopMirroring makes a role that mirrors another role independent again.
var StopMirroring = structureAction(action.Action[*store.Role, struct{}]{
	Name:  "stop_mirroring",
	Undo:  "Undo: mirror_role.",
	Title: "Let it stand alone",
	Doc:   "It stays as it is, with who holds it, and is changed here from then on.",
	Past:  "changed",
	Guard: func(by store.Actor, r *store.Role) error {
		if err := r.MustBeChangeableBy(by); err != nil {
			return err
		}
		if !r.Mirrored() {
			return store.Errorf(store.Conflict, "This role mirrors no other.")
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, r *store.Role, _ struct{}) (action.Done, error) {
		return action.Done{
			Message: "The role stands on its own.",
			Notice:  assignmentNotice(by, r.HolderID),
		}, tx.StopMirroring(r)
	},
})

// DeleteRole deletes a role.
var DeleteRole = structureAction(action.Action[*store.Role, struct{}]{
	Name:  "delete_role",
	Title: "Delete the role",
	Doc: "The studio asks this of nobody any more. Its page stays, with who held it. Its policies go to the leader of the " +
		"studio.",
	Past:        "deleted",
	Destructive: true,
	Guard:       func(by store.Actor, r *store.Role) error { return r.MustBeChangeableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, r *store.Role, _ struct{}) (action.Done, error) {
		cut, handed, err := tx.DeleteRole(by, r)
		return action.Done{
			Message: "The role is deleted." + heirs(handed),
			URL:     r.Studio.URL() + "/roles",
			Also:    append(RoleChanges(cut), handedOver(by, handed)...),
			Notice:  assignmentNotice(by, r.HolderID),
		}, err
	},
})

// TermEnds reminds the holder of a role and the studio's leader and secretaries that the term ends soon. Only the
// scheduler takes this action.
var TermEnds = action.New(action.Action[*store.Role, struct{}]{
	Name:  Remind,
	Title: "Remind",
	Doc: "Remind who holds this role, and the leader and the secretary of the studio, that the term ends within two " +
		"weeks. The scheduler does it.",
	Past:       "says the term ends soon:",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Clock,
	ByClock:    true,
	Guard: func(by store.Actor, r *store.Role) error {
		if !by.System {
			return store.Errorf(store.Forbidden, "Only the scheduler reminds.")
		}
		return r.MustEndSoon()
	},
	Run: func(tx *store.Tx, _ store.Actor, r *store.Role, _ struct{}) (action.Done, error) {
		keepers, err := tx.KeeperIDs(r.Studio)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{
			Message: "They are reminded.",
			Notice:  &store.Notice{Reason: store.ReasonDue, To: append(keepers, r.HolderID)},
		}, tx.TellTermEnds(r)
	},
})

// TellTermOver tells the members of a studio that the term of a role is over. Only the scheduler takes this
// action.
var TellTermOver = action.New(action.Action[*store.Role, struct{}]{
	Name:       "tell_term_over",
	Title:      "Tell that the term is over",
	Doc:        "Tell the studio that the term of this role is over. The scheduler does it.",
	Past:       "says the term is over:",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Clock,
	ByClock:    true,
	Guard: func(by store.Actor, r *store.Role) error {
		if !by.System {
			return store.Errorf(store.Forbidden, "Only the scheduler tells that.")
		}
		return r.MustBeOver()
	},
	Run: func(tx *store.Tx, _ store.Actor, r *store.Role, _ struct{}) (action.Done, error) {
		return action.Done{
			Message: "They are told.",
			Notice:  &store.Notice{Reason: store.ReasonDue, Studio: true},
		}, tx.TellTermOver(r)
	},
})
