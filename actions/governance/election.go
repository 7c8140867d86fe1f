package governance

import (
	"path"
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// Election is the subject of the actions on one election.
type Election = governance.Election

var _ = action.Describe[*Election]("How a studio fills a role without candidates: everybody nominates in secret, and then "+
	"one of the nominees is chosen if nobody objects.", governance.ElectionKind.States...)

// CommonElection has the actions of [actions.Common] on an election.
var CommonElection = actions.Common(governance.ElectionKind.Name, func(
	tx *store.Tx, by store.Actor, e *Election,
) (*Election, error) {
	r, err := tx.FindRole(by, e.Studio.Handle, e.Role.ID)
	if err != nil {
		return nil, err
	}
	return governance.CreateElection(tx, by, e.Studio, governance.NewElection{Role: r, Title: e.Title, Body: e.Body,
		Term: time.Duration(e.Term) * time.Millisecond, ConsentRules: e.Consent.Rules()})
})

const (
	createElection    = "create_election"
	advanceElection   = "advance_election"
	respondToElection = "respond_to_election"
)

// CreateElection creates an election for a role of a studio.
var CreateElection = election[*store.Studio](true,
	func(s *store.Studio) *store.Studio { return s },
	func(tx *store.Tx, s *store.Studio, p CreateElectionParams) (*store.Role, param.Errors) {
		return roleByName(tx, s, p.Role)
	},
	func(p CreateElectionParams) ElectionParams { return p.ElectionParams })

// ElectRole creates an election for a role, on the page of that role.
var ElectRole = election[*store.Role](false,
	func(r *store.Role) *store.Studio { return r.Studio },
	func(_ *store.Tx, r *store.Role, _ ElectionParams) (*store.Role, param.Errors) { return r, nil },
	func(p ElectionParams) ElectionParams { return p })

// election declares the action that creates an election, on pages with the subject type S. The functions studio and
// role return the studio and the role to fill. The function more returns the params other than the role.
func election[S action.Subject, P any](side bool, studio func(S) *store.Studio,
	role func(*store.Tx, S, P) (*store.Role, param.Errors), more func(P) ElectionParams,
) *action.Spec[S] {
	return action.New(action.Action[S, P]{
		Name: createElection,
		Effects: []action.Effect{action.Makes(governance.ElectionKind.Name),
			action.Opens(governance.ElectionKind.Name)},
		Undo:  "Change: update_election. A draft: discard. A person can cancel_election.",
		Title: "Elect somebody",
		Past:  "began",
		Doc: "Fill a role of the studio without candidates: everybody nominates in secret, nominations are discussed, and " +
			"one nominee is chosen if nobody objects.",
		Scope:      store.ScopeGovernance,
		AllowedFor: store.InStudio,
		Side:       side,
		Guard: func(_ store.Actor, s S) error {
			if r, ok := any(s).(*store.Role); ok {
				return mustBeElective(r)
			}
			return studio(s).MustBeJoined()
		},
		Check: func(tx *store.Tx, _ store.Actor, s S, p P, bad param.Errors) param.Errors {
			errs := more(p).check()
			if bad.Has("role") {
				return errs
			}
			_, wrong := role(tx, s, p)
			return append(wrong, errs...)
		},
		Run: func(tx *store.Tx, by store.Actor, s S, p P) (action.Done, error) {
			r, wrong := role(tx, s, p)
			if wrong != nil {
				return action.Done{}, wrong
			}
			return beginElection(tx, by, studio(s), r, more(p))
		},
	})
}

// mustBeElective returns an error if the actor is not in the role's studio, or if nobody can be elected to the role.
func mustBeElective(r *store.Role) error {
	if err := r.Studio.MustBeJoined(); err != nil {
		return err
	}
	if r.State() == store.RoleDeleted {
		return store.Errorf(store.Conflict, "This role was deleted. Create another.")
	}
	return r.MustStandAlone()
}

// roleByName returns the studio's role with this title, id or URL. It returns errors if not exactly one role matches,
// or if the role mirrors another role.
func roleByName(tx *store.Tx, s *store.Studio, name string) (*store.Role, param.Errors) {
	list, err := tx.Roles(s)
	if err != nil {
		return nil, param.Errors{{Field: "role", Message: "The roles cannot be read now. Try again."}}
	}
	var found []*store.Role
	for i := range list {
		if r := &list[i]; r.ID == path.Base(name) || strings.EqualFold(r.Title, name) {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 0:
		return nil, param.Errors{{Field: "role",
			Message: "There is no such role here. Give a title from " + s.URL() + "/roles."}}
	case len(found) > 1:
		return nil, param.Errors{{Field: "role",
			Message: "Several roles have this title. Give the address of the page of one."}}
	}
	if err := found[0].MustStandAlone(); err != nil {
		return nil, param.Bad("role", err)
	}
	return found[0], nil
}

func beginElection(
	tx *store.Tx, by store.Actor, s *store.Studio, r *store.Role, p ElectionParams,
) (action.Done, error) {
	e, err := governance.CreateElection(tx, by, s, governance.NewElection{Role: r,
		Title: "Who becomes " + r.Title + "?",
		Body:  p.Qualifications, Term: p.Term, ConsentRules: p.rules()})
	if err != nil {
		return action.Done{}, err
	}
	return actions.DraftOrOpen(tx, by, e, p.Draft, governance.OpenElection, governance.FindElection,
		"The election has begun. Members can nominate.")
}

// CreateElectionParams has the role to fill and the fields of a new election.
type CreateElectionParams struct {
	Role string `param:"role,ref" doc:"The role to fill, by its title or the address of its page."`
	ElectionParams
}

// ElectionParams has the fields of a new election.
type ElectionParams struct {
	QualificationParams
	ConsentParams
	Draft bool `param:"draft,flag,optional" doc:"Keep it as a draft of yours."`
}

// QualificationParams has the qualifications for the role, and the term.
type QualificationParams struct {
	Qualifications string        `param:"qualifications,markdown,optional" max:"5000"`
	_              struct{}      `doc:"What the role takes, for those who nominate."`
	Term           time.Duration `param:"term,duration,optional"`
	_              struct{}      `doc:"How long the term is, such as 365d. Without, it has no end."`
}

func (p ElectionParams) check() param.Errors {
	return append(p.ConsentParams.check(), p.QualificationParams.check()...)
}

func (p QualificationParams) check() (errs param.Errors) {
	if p.Term != 0 && p.Term < 24*time.Hour {
		errs = append(errs, param.Error{Field: "term", Message: "Choose a day or more, such as 180d."})
	}
	return errs
}

// OpenElection shows a draft to the studio.
var OpenElection = action.New(action.Action[*Election, struct{}]{
	Name:       "open_election",
	Effects:    []action.Effect{action.Opens(governance.ElectionKind.Name)},
	Undo:       "Change: update_election. A person can cancel_election.",
	Title:      "Open the election",
	Past:       "began",
	Doc:        "Show this election to the studio, so that members can nominate.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Author,
	Guard:      func(by store.Actor, e *Election) error { return e.MustBeDraftOf(by) },
	Run: func(tx *store.Tx, _ store.Actor, e *Election, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The election has begun.", Notice: e.OpeningNotice()}, governance.OpenElection(tx,
			e)
	},
})

// UpdateElection changes the qualifications and the term of an election.
var UpdateElection = action.New(action.Action[*Election, QualificationParams]{
	Name:       "update_election",
	Effects:    []action.Effect{action.Edits(governance.ElectionKind.Name)},
	Undo:       "Change again: update_election.",
	Title:      "Change what is asked for",
	Past:       "changed",
	Doc:        "Change the qualifications or the term, before the nominations are revealed. What you leave out stays.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Chair,
	Versioned:  true,
	Guard:      func(by store.Actor, e *Election) error { return e.MustBeEditableBy(by) },
	Offers: func(_ store.Actor, e *Election) param.Offers {
		o := param.Offers{"qualifications": {Value: e.Body}}
		if e.Term > 0 {
			o["term"] = &param.Offered{Value: (time.Duration(e.Term) * time.Millisecond).String()}
		}
		return o
	},
	Check: func(_ *store.Tx, _ store.Actor, _ *Election, p QualificationParams, _ param.Errors) param.Errors {
		return p.check()
	},
	Run: func(tx *store.Tx, _ store.Actor, e *Election, p QualificationParams) (action.Done, error) {
		return action.Done{
			Message: "The election is changed.",
			Notice:  &store.Notice{Reason: store.ReasonChange, Text: p.Qualifications, Was: e.Body},
		}, governance.UpdateElection(tx, e, p.Qualifications, p.Term)
	},
})

// nominee returns the member of the election's studio with this handle or URL.
func nominee(tx *store.Tx, e *Election, ref string) (*store.Member, param.Errors) {
	handle := path.Base(ref)
	id, err := tx.StudioMemberID(e.Studio, strings.TrimPrefix(handle, "@"))
	if err != nil {
		return nil, param.Errors{{Field: "nominee",
			Message: "Nobody in " + e.Studio.Name + " is called that. Name a member of the studio by @handle."}}
	}
	return &store.Member{ID: id, Handle: handle}, nil
}

// NominationParams has a nominee and the reason.
type NominationParams struct {
	Nominee string `param:"nominee,ref" doc:"A member of the studio, by @handle. You may name yourself."`
	Reason  string `param:"reason,markdown" max:"2000" doc:"What speaks for them."`
}

func (p NominationParams) check(tx *store.Tx, e *Election, bad param.Errors) param.Errors {
	if bad.Has("nominee") {
		return nil
	}
	_, errs := nominee(tx, e, p.Nominee)
	return errs
}

// Nominate stores a secret nomination. No record of the call has the nominee or the reason.
var Nominate = action.New(action.Action[*Election, NominationParams]{
	Name:  "nominate_member",
	Slot:  "nomination",
	Undo:  "Nominate again: it replaces your nomination.",
	Title: "Nominate",
	Past:  "nominated in",
	Doc: "Say who should hold the role, and why. Nobody but you sees it until all nominations are revealed. Nominating again " +
		"replaces it.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.InStudio,
	Ballot:     true,
	Discreet:   true,
	Aliases:    []string{"nominate"},
	Guard:      func(by store.Actor, e *Election) error { return e.MustTakeNominationOf(by) },
	Offers: func(_ store.Actor, e *Election) param.Offers {
		return param.Offers{"nominee": {Value: e.Own.Nominee}, "reason": {Value: e.Own.Reason}}
	},
	Check: func(tx *store.Tx, _ store.Actor, e *Election, p NominationParams, bad param.Errors) param.Errors {
		return p.check(tx, e, bad)
	},
	Run: func(tx *store.Tx, by store.Actor, e *Election, p NominationParams) (action.Done, error) {
		m, errs := nominee(tx, e, p.Nominee)
		if errs != nil {
			return action.Done{}, errs
		}
		return action.Done{
			Message:  "Your nomination is kept. Nobody else sees it until all are revealed.",
			Echo:     "Your nomination: @" + m.Handle + ".",
			Unlinked: true,
		}, governance.Nominate(tx, by, e, m, p.Reason)
	},
})

// ChangeNomination replaces the actor's nomination. In the change round, nominations are not secret any more.
var ChangeNomination = action.New(action.Action[*Election, NominationParams]{
	Name:       "change_nomination",
	Slot:       "nomination",
	Undo:       "Change again: change_nomination.",
	Title:      "Change your nomination",
	Past:       "changed a nomination in",
	Doc:        "After what you have heard, name another member, openly and with the reason. Whom you named first stays known.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.InStudio,
	Ballot:     true,
	Guard:      func(by store.Actor, e *Election) error { return e.MustTakeChangeOf(by) },
	Check: func(tx *store.Tx, _ store.Actor, e *Election, p NominationParams, bad param.Errors) param.Errors {
		return p.check(tx, e, bad)
	},
	Run: func(tx *store.Tx, by store.Actor, e *Election, p NominationParams) (action.Done, error) {
		m, errs := nominee(tx, e, p.Nominee)
		if errs != nil {
			return action.Done{}, errs
		}
		return action.Done{
			Message: "Your nomination is changed.",
			Echo:    "Your nomination: @" + m.Handle + ".",
			Notice:  &store.Notice{Reason: store.ReasonReply, Text: p.Reason},
		}, governance.ChangeNomination(tx, by, e, m, p.Reason)
	},
})
