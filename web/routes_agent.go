package web

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
)

// agentRoutes returns the routes of the pages about an organization's agents and their tokens.
func (s *Site) agentRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[*store.Organization, *store.AgentsPage]{
			Pattern: "/orgs/{org}/agents",
			Query:   []string{"after"},
			Find:    findOrganization,
			Show:    From("after", (*store.Tx).ShowAgents),
			View:    views.Agents,
		}.Close(),
		Route[*store.AgentPage, *store.AgentPage]{
			Pattern: "/orgs/{org}/agents/{agent}",
			version: byJournals,
			Find: func(tx *store.Tx, by store.Actor, at *Location) (*store.AgentPage, error) {
				return tx.FindAgent(by, at.Arg("org"), at.Arg("agent"))
			},
			Show:    withVerbs(s, Whole((*store.Tx).ShowAgent), func(p *store.AgentPage) []store.Entry { return p.Entries }),
			View:    views.Agent,
			Actions: []*action.Spec[*store.AgentPage]{actions.PauseAgent, actions.ResumeAgent, actions.RevokeAgent},
		}.Close(),
		Route[*store.Organization, *store.OrganizationTokens]{
			Pattern: "/orgs/{org}/tokens",
			version: byJournals,
			Query:   []string{"after"},
			Find:    findOrganization,
			Show:    From("after", (*store.Tx).ShowTokens),
			View: func(by store.Actor, v *store.OrganizationTokens) page.Page {
				return views.OrganizationTokens(by, v, views.AgentVerbs{
					Pause:  views.Verb{Name: actions.PauseAgent.Name, Title: "Pause"},
					Resume: views.Verb{Name: actions.ResumeAgent.Name, Title: "Resume"},
					Revoke: views.Verb{Name: actions.RevokeAgent.Name, Title: "Revoke"},
				})
			},
		}.Close(),
		Route[*store.Organization, *store.ActivityPage]{
			Pattern: "/orgs/{org}/activity",
			version: byJournals,
			Query:   []string{"after"},
			Find:    findOrganization,
			Show:    withVerbs(s, From("after", (*store.Tx).ShowActivity), func(p *store.ActivityPage) []store.Entry { return p.Entries }),
			View:    views.Activity,
		}.Close(),
	}
}
