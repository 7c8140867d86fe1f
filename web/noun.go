package web

import (
	"maps"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

// noun is the place of one kind of item in the site.
type noun struct {
	routes func() []*boundRoute
	create *action.Spec[*store.Studio] // makes one, on the page of a studio
	begin  string                      // names create on a home page that shows how to begin
	answer map[string]views.Verb       // the action that ends each of its kind's waits
}

// nouns are in the order in which a studio's page offers to create them.
func nouns() []noun { return []noun{decisionNoun, noteNoun, commitmentNoun} }

// answers are the actions that a home page names: those that end a wait, and those with which one begins.
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
