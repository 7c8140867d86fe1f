package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
)

// agentRoutes are the agents of an organization.
func agentRoutes() []*place {
	return []*place{
		route[*store.Organization, *store.AgentsPage]{
			pattern: "/orgs/{org}/agents",
			query:   []string{"after"},
			find:    findOrganization,
			show:    from("after", (*store.Tx).ShowAgents),
			view:    views.Agents,
		}.close(),
		route[*store.AgentPage, *store.AgentPage]{
			pattern: "/orgs/{org}/agents/{agent}",
			find: func(tx *store.Tx, by store.Actor, at *location) (*store.AgentPage, error) {
				return tx.FindAgent(by, at.arg("org"), at.arg("agent"))
			},
			show:    whole((*store.Tx).ShowAgent),
			view:    views.Agent,
			actions: []*action.Spec[*store.AgentPage]{actions.PauseAgent, actions.ResumeAgent, actions.RevokeAgent},
		}.close(),
	}
}
