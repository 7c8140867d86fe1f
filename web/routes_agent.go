package web

import (
	"cmp"
	"context"
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/store/governance"
	"samepage/views"
	"samepage/views/page"
	"samepage/web/hook"
	"time"
)

func (s *Site) agentRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[*store.Organization, *store.AgentsPage]{
			Pattern: "/orgs/{org}/agents",
			Query:   []string{"after"},
			Find:    FindOrganization,
			Show:    From("after", (*store.Tx).ShowAgents),
			View:    views.Agents,
		}.Close(),
		Route[*store.AgentPage, *store.AgentPage]{
			Pattern: "/orgs/{org}/agents/{agent}",
			Version: ByJournals,
			Find:    ByArgs("org", "agent", (*store.Tx).FindAgent),
			Show:    withVerbs(s, Whole((*store.Tx).ShowAgent), func(p *store.AgentPage) []store.Entry { return p.Entries }),
			View:    views.Agent,
			Actions: []*action.Spec[*store.AgentPage]{actions.PauseAgent, actions.ResumeAgent, actions.RevokeAgent},
		}.Close(),
		Route[*store.Organization, *store.OrganizationTokens]{
			Pattern: "/orgs/{org}/tokens",
			Version: ByJournals,
			Query:   []string{"after"},
			Find:    FindOrganization,
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
			Version: ByJournals,
			Query:   []string{"after"},
			Find:    FindOrganization,
			Show:    withVerbs(s, From("after", (*store.Tx).ShowActivity), func(p *store.ActivityPage) []store.Entry { return p.Entries }),
			View:    views.Activity,
		}.Close(),
	}
}

func webhookRoutes() []*BoundRoute {
	return []*BoundRoute{
		Route[*governance.Webhooks, *governance.Webhooks]{
			Pattern: "/orgs/{org}/webhooks",
			Version: ByJournals,
			Find:    ByArg("org", governance.FindWebhooks),
			Show:    Same[*governance.Webhooks],
			View:    views.Webhooks,
			Actions: []*action.Spec[*governance.Webhooks]{actions.CreateWebhook},
		}.Close(),
		Route[*governance.Webhook, *governance.WebhookPage]{
			Pattern: "/orgs/{org}/webhooks/{webhook}",
			Version: ByJournals,
			Query:   []string{"before"},
			Find:    ByArgs("org", "webhook", governance.FindWebhook),
			Show:    From("before", governance.ShowWebhook),
			View:    views.Webhook,
			Actions: []*action.Spec[*governance.Webhook]{actions.SendTest, actions.Redeliver, actions.UpdateWebhook,
				actions.RotateSecret, actions.PauseWebhook, actions.ResumeWebhook, actions.DeleteWebhook},
		}.Close(),
		Route[*governance.OwnWebhook, *governance.OwnWebhookPage]{
			Pattern: governance.OwnWebhookURL,
			Version: ByOwn,
			Query:   []string{"before"},
			Find: func(tx *store.Tx, by store.Actor, _ *Location) (*governance.OwnWebhook, error) {
				return governance.FindOwnWebhook(tx, by)
			},
			Show: From("before", governance.ShowOwnWebhook),
			View: views.OwnWebhook,
			Actions: []*action.Spec[*governance.OwnWebhook]{actions.SendOwnTest, actions.RedeliverOwn, actions.ChangeAddress,
				actions.RotateOwnSecret, actions.PauseOwnWebhook, actions.ResumeOwnWebhook, actions.DeleteOwnWebhook},
		}.Close(),
	}
}

// runWebhooks sends the events of organizations and the notifications of people to their webhooks until ctx is done.
func (s *Site) runWebhooks(ctx context.Context, interval time.Duration) {
	if s.config.NoWebhooks {
		return
	}
	hook.New(hook.Config{Store: s.store, Origin: s.links, Did: s.did, Allow: s.config.Documents.Allow,
		Stop: actions.StopWebhook, StopOwn: actions.StopOwnWebhook, MayRead: s.mayRead, Log: s.log,
		Done: func(err error) { s.meters.job(jobWebhooks, err) }}).Run(ctx, interval)
}

// links returns the scheme and host of links in messages that answer no request, such as deliveries to webhooks.
func (s *Site) links() string { return cmp.Or(s.config.Origin, s.config.Local, "http://127.0.0.1") }
