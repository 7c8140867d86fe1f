// Package governance has the routes of the pages about topics, elections, policies and channels.
package governance

import (
	"slices"

	"samepage/actions/action"
	actions "samepage/actions/governance"
	"samepage/store/governance"
	"samepage/views"
	view "samepage/views/governance"
	"samepage/web"
)

var _ = web.DeclareNoun(web.Noun{
	Kind:   governance.TopicKind,
	Routes: topicRoutes,
	Create: actions.CreateTopic,
	Answer: map[string]views.Verb{governance.WaitsForResponse: web.ButtonOf(actions.Respond)},
})

var findTopic = web.ByID(governance.FindTopic)

func topicRoutes() []*web.BoundRoute {
	own := web.Route[*governance.Topic, *governance.TopicPage]{
		Kind: governance.TopicKind,
		Due:  actions.EndPeriod,
		Find: findTopic,
		Show: web.Whole(governance.ShowTopic),
		View: view.Topic,
		Actions: []*action.Spec[*governance.Topic]{actions.Respond, actions.React, actions.Ask, actions.Answer,
			actions.OpenTopic, actions.Advance,
			actions.AddChange, actions.RemoveChange, actions.MarkIntegrated, actions.WithdrawObjection, actions.RuleInvalid,
			actions.Amend, actions.StepBack, actions.Accept, actions.Escalate, actions.Withdraw, actions.EndPeriod},
	}
	return slices.Concat(web.Versions(governance.TopicKind, findTopic), web.Items(own, actions.CommonTopic),
		[]*web.BoundRoute{web.Briefing(own, governance.BriefTopic, view.TopicBriefing)})
}
