package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
)

// agentRoutes are the agents of an organization.
func agentRoutes() []*boundRoute {
	return []*boundRoute{
		route[*store.Organization, *store.AgentsPage]{
			pattern: "/orgs/{org}/agents",
			query:   []string{"after"},
			find:    findOrganization,
			show:    from("after", (*store.Tx).ShowAgents),
			view:    views.Agents,
		}.close(),
		route[*store.AgentPage, *store.AgentPage]{
			pattern: "/orgs/{org}/agents/{agent}",
			version: byJournals,
			find: func(tx *store.Tx, by store.Actor, at *location) (*store.AgentPage, error) {
				return tx.FindAgent(by, at.arg("org"), at.arg("agent"))
			},
			show:    whole((*store.Tx).ShowAgent),
			view:    views.Agent,
			actions: []*action.Spec[*store.AgentPage]{actions.PauseAgent, actions.ResumeAgent, actions.RevokeAgent},
		}.close(),
		route[*store.Organization, *store.OrganizationTokens]{
			pattern: "/orgs/{org}/tokens",
			version: byJournals,
			query:   []string{"after"},
			find:    findOrganization,
			show:    from("after", (*store.Tx).ShowTokens),
			view: func(by store.Actor, v *store.OrganizationTokens) page.Page {
				return views.OrganizationTokens(by, v, views.AgentVerbs{
					Pause:  views.Verb{Name: actions.PauseAgent.Name, Title: "Pause"},
					Resume: views.Verb{Name: actions.ResumeAgent.Name, Title: "Resume"},
					Revoke: views.Verb{Name: actions.RevokeAgent.Name, Title: "Revoke"},
				})
			},
		}.close(),
		route[*store.Organization, *store.ActivityPage]{
			pattern: "/orgs/{org}/activity",
			version: byJournals,
			query:   []string{"after"},
			find:    findOrganization,
			show:    from("after", (*store.Tx).ShowActivity),
			view:    views.Activity,
		}.close(),
	}
}
