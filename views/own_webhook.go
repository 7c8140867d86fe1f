package views

import (
	"samepage/store"
	"samepage/store/governance"
	"samepage/store/notice"
	"samepage/views/page"
)

// OwnWebhook returns the page of a person's own webhook, with its delivery log.
func OwnWebhook(_ store.Actor, v *governance.OwnWebhookPage) page.Page {
	p := page.Page{
		Title:    "Your webhook",
		Kind:     "Webhook",
		Trail:    page.Line(page.Link("Notifications", notice.SettingsURL)),
		Audience: "you alone",
	}
	facts := page.Facts{
		{Label: "Tells of", Value: page.Line(page.T("your notifications, as "),
			page.Link("you have chosen", notice.SettingsURL))},
		{Label: "Made", Value: page.Line(page.When(v.CreatedAt.Time))},
	}
	fillWebhook(&p, &v.Endpoint, &v.Log, governance.OwnWebhookURL, facts)
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.T("Messages have the format of Standard Webhooks. "),
		page.Link("What a receiver gets and checks", "/help/webhooks"), page.T("."))))
	return p
}

func noticeWebhook(s *notice.Notifications) page.Section {
	section := page.Section{ID: "webhook", Title: "Webhook"}
	w := s.Webhook
	if w == nil {
		section.Blocks = []page.Block{page.Para(page.Line(page.T("No program of yours is told of your notifications. "),
			page.Link("What one would get", "/help/webhooks"), page.T(".")))}
		return section
	}
	line := page.Line(page.T("What you choose above is also sent to "), page.Link(governance.HostOf(w.Address),
		governance.OwnWebhookURL), page.T(", with what a mail would say of it."))
	if !w.PausedAt.IsZero() {
		line = page.Line(page.Link("Your webhook", governance.OwnWebhookURL), page.Sentence(" to "+
			governance.HostOf(w.Address)+" is paused since "), page.When(w.PausedAt.Time).Dated(), page.T(", so nothing is sent to it."))
		if w.PausedWhy != "" {
			line = append(line, page.T(" "+w.PausedWhy))
		}
	}
	section.Blocks = []page.Block{page.Para(line)}
	return section
}
