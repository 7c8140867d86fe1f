package web

import (
	"maps"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

// noun is the part of one kind of item in the site.
type noun struct {
	routes func() []*boundRoute
	create *action.Spec[*store.Studio] // creates an item, on the page of a studio
	begin  string                      // the key of create among the first steps of a home page
	answer map[string]views.Verb       // the actions that end the waits of this kind
}

// nouns are in the order of a studio's offers to create them.
func nouns() []noun { return []noun{decisionNoun, noteNoun, commitmentNoun} }

// answers are the actions that a home page names: the ones that end a wait, and the first steps of
// a new organization.
func answers() map[string]views.Verb {
	verbs := map[string]views.Verb{
		views.ToName:    {Name: actions.UpdateSettings.Name, Title: "Name it"},
		views.ToInvite:  {Name: actions.Invite.Name, Title: actions.Invite.Title},
		views.ToConnect: {Name: actions.CreateToken.Name, Title: "Connect an agent"},
	}
	for _, n := range nouns() {
		verbs[n.begin] = verbOf(n.create)
		maps.Copy(verbs, n.answer)
	}
	return verbs
}

func verbOf[S action.Subject](a *action.Spec[S]) views.Verb {
	return views.Verb{Name: a.Name, Title: a.Title}
}
