package actions

import (
	"errors"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// CreateStudio makes a studio in an organization.
var CreateStudio = action.New(action.Action[*store.Organization, CreateStudioParams]{
	Name:      "create_studio",
	Title:     "Create a studio",
	Doc:       "Make a place for a team. You are its first member.",
	Scope:     store.ScopeGovernance,
	Who:       store.InOrganization,
	HumanOnly: true,
	Aliases:   []string{"create_team", "create_collective"},
	Guard:     func(store.Actor, *store.Organization) error { return nil },
	Check: func(tx *store.Tx, by store.Actor, o *store.Organization, p CreateStudioParams, _ param.Errors) (errs param.Errors) {
		if _, err := store.Handle(p.Handle); err != nil {
			errs = append(errs, param.Error{Field: "handle", Message: err.Error()})
		}
		return append(errs, p.check(tx, by, o.ID, nil)...)
	},
	Run: func(tx *store.Tx, by store.Actor, o *store.Organization, p CreateStudioParams) (action.Done, error) {
		n, err := p.studio(tx, by, o.ID, nil)
		if err != nil {
			return action.Done{}, err
		}
		n.Handle = p.Handle
		s, err := tx.CreateStudio(by, n)
		if store.KindOf(err) == store.Conflict {
			return action.Done{}, param.Errors{{Field: "handle", Message: err.Error()}}
		}
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The studio is created.", URL: s.URL(), Made: []action.Subject{s}}, nil
	},
})

// StudioParams describe a studio.
type StudioParams struct {
	Name        string `param:"name,text" max:"80" doc:"What people call it."`
	Description string `param:"description,markdown,optional" max:"5000" doc:"What it is for."`
	Visibility  string `param:"visibility,choice,optional" options:"organization=Everyone in the organization,members=Its members,public=Anyone with the link" doc:"Who can see it and what is in it. Of a new one everyone in the organization if you do not say."`
	Tempo       string `param:"tempo,choice,optional" options:"weekly=Weekly,daily=Daily,monthly=Monthly" doc:"The length of its cycles. Of a new one weekly if you do not say."`
	Parent      string `param:"parent,ref,optional" doc:"The studio it belongs under, by handle or URL."`
}

// CreateStudioParams are what a new studio takes.
type CreateStudioParams struct {
	Handle string `param:"handle,text" max:"40" doc:"Its name in URLs: lower-case letters, digits and hyphens."`
	StudioParams
}

// check names what is wrong with params that decoded; the studio they change is nil for a new one.
func (p StudioParams) check(tx *store.Tx, by store.Actor, orgID string, now *store.Studio) param.Errors {
	_, err := p.studio(tx, by, orgID, now)
	bad, _ := errors.AsType[param.Errors](err) // any other error comes again when it is done
	return bad
}

// studio is what the params describe; the parent must be one that the actor may see in the same organization, or the one
// that the studio has.
func (p StudioParams) studio(tx *store.Tx, by store.Actor, orgID string, now *store.Studio) (store.NewStudio, error) {
	n := store.NewStudio{OrgID: orgID, Name: p.Name, Description: p.Description, Visibility: p.Visibility, Tempo: p.Tempo}
	if n.Visibility == "" {
		n.Visibility = "organization"
	}
	if n.Tempo == "" {
		n.Tempo = "weekly"
	}
	switch {
	case p.Parent == "":
		return n, nil
	case now != nil && p.Parent == now.Parent:
		n.ParentID = now.ParentID
		return n, nil
	}
	parent, err := tx.FindStudio(by, lastSegment(p.Parent))
	if store.KindOf(err) == store.NotFound || err == nil && parent.OrgID != orgID {
		return n, param.Errors{{Field: "parent", Message: "There is no such studio here. Give its handle, such as team."}}
	}
	if err != nil {
		return n, err
	}
	n.ParentID = parent.ID
	return n, nil
}

// lastSegment is the handle in a URL or path that ends with it.
func lastSegment(ref string) string {
	for i := len(ref) - 1; i >= 0; i-- {
		if ref[i] == '/' {
			return ref[i+1:]
		}
	}
	return ref
}

// UpdateStudio changes how a studio is described and who may see it.
var UpdateStudio = action.New(action.Action[*store.Studio, StudioParams]{
	Name:      "update_studio",
	Title:     "Change the studio",
	Doc:       "Change its name, description, visibility, tempo or place. What you leave out stays as it is.",
	Scope:     store.ScopeGovernance,
	Who:       store.Keeper,
	HumanOnly: true,
	Versioned: true,
	Guard:     func(by store.Actor, s *store.Studio) error { return s.MustBeEditableBy(by) },
	Offers: func(_ store.Actor, s *store.Studio) param.Offers {
		o := param.Offers{"name": {Value: s.Name}, "description": {Value: s.Description}, "visibility": {Value: s.Visibility}, "tempo": {Value: s.Tempo},
			"parent": {Value: s.Parent}}
		if s.General {
			o["visibility"] = param.Offered{Omit: true} // every member is in it
			o["parent"] = param.Offered{Omit: true}
		}
		return o
	},
	Check: func(tx *store.Tx, by store.Actor, s *store.Studio, p StudioParams, _ param.Errors) param.Errors {
		return p.check(tx, by, s.OrgID, s)
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p StudioParams) (action.Done, error) {
		if p.Visibility == "" {
			p.Visibility = s.Visibility // who can see it never changes unasked
		}
		if p.Tempo == "" {
			p.Tempo = s.Tempo
		}
		n, err := p.studio(tx, by, s.OrgID, s)
		if err != nil {
			return action.Done{}, err
		}
		err = tx.UpdateStudio(s, n)
		if store.KindOf(err) == store.Conflict {
			return action.Done{}, param.Errors{{Field: "parent", Message: err.Error()}}
		}
		return action.Done{Message: "The studio is changed."}, err
	},
})

// Join makes the actor's member a member of the studio.
var Join = action.New(action.Action[*store.Studio, struct{}]{
	Name:  join,
	Title: "Join",
	Doc:   "Become a member of this studio.",
	Scope: store.ScopeWrite,
	Who:   store.InOrganization,
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

// Leave takes the actor's member out of the studio.
var Leave = action.New(action.Action[*store.Studio, struct{}]{
	Name:        leave,
	Title:       "Leave",
	Doc:         "Stop being a member of this studio. Your words and ballots stay.",
	Scope:       store.ScopeWrite,
	Who:         store.InStudio,
	Destructive: true,
	Guard: func(_ store.Actor, s *store.Studio) error {
		switch {
		case !s.Joined():
			return store.Errorf(store.Conflict, "You are not in %s.", s.Name)
		case s.General:
			return store.Errorf(store.Conflict, "Everyone in the organization is in %s.", s.Name)
		case s.People == 1 && s.Visibility == "members":
			return store.Errorf(store.Conflict, "You are the last member of %s, and nobody else could see it. Archive it instead.", s.Name)
		}
		return s.MustBeActive()
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, _ struct{}) (action.Done, error) {
		done := action.Done{Message: "You have left.", URL: "/"}
		if s.Visibility == "members" {
			left := *s
			left.People--
			done.After = left.Record() // the actor cannot see it any more
		}
		return done, tx.LeaveStudio(by.Member, s)
	},
})

// ArchiveStudio closes a studio for writing.
var ArchiveStudio = action.New(action.Action[*store.Studio, struct{}]{
	Name:        "archive",
	Title:       "Archive the studio",
	Doc:         "Close this studio: all of it stays readable to those who could read it, and nothing can be changed.",
	Scope:       store.ScopeGovernance,
	Who:         store.Keeper,
	HumanOnly:   true,
	Destructive: true,
	Guard: func(by store.Actor, s *store.Studio) error {
		if s.General {
			return store.Errorf(store.Conflict, "The general studio cannot be archived.")
		}
		return s.MustBeEditableBy(by)
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The studio is archived."}, tx.ArchiveStudio(by, s)
	},
})
