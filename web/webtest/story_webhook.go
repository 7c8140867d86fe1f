package webtest

import (
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
	"samepage/store/notice"
)

// webhooks adds webhooks of an organization and of people: one with deliveries in several states, and a paused one.
func (m *maker) webhooks() {
	add := func(name string, in param.Input) string {
		url := m.do("alice", "/orgs/acme/webhooks", actions.CreateWebhook.Name, in)
		m.urls["webhook "+name] = url
		m.names[url[strings.LastIndexByte(url, '/')+1:]] = "webhook-" + name
		return url
	}
	url := add("active", param.Input{"address": "https://hooks.example.org/in?key=4711", "kinds": []string{"decision", "note"},
		"studio": "team"})
	for range 3 {
		m.do("alice", url, actions.SendTest.Name, nil)
	}
	m.attempts(&governance.Endpoint{ID: url[strings.LastIndexByte(url, '/')+1:]})
	url = add("paused", param.Input{"address": "https://chat.example.org/hooks/1"})
	m.do("alice", url, actions.PauseWebhook.Name, nil)
	m.urls["acme webhooks"] = "/orgs/acme/webhooks"
	m.ownWebhooks()
}

func (m *maker) attempts(e *governance.Endpoint) {
	for _, a := range []governance.Attempt{{Status: 204, Took: 31 * time.Millisecond},
		{Status: 503, Problem: "the receiver answered 503", Took: 12 * time.Millisecond}} {
		m.write(func(tx *store.Tx) error {
			d, err := governance.LeaseDelivery(tx, e, "fixture")
			if err != nil {
				return err
			}
			if a.Problem != "" {
				d.Attempts = 8
			}
			_, err = governance.RecordAttempt(tx, d, a)
			return err
		})
	}
}

// ownWebhooks adds a webhook for Bob's notifications with a delivery in every state. Erin has a paused one.
func (m *maker) ownWebhooks() {
	m.do("bob", notice.SettingsURL, actions.SetWebhook.Name, param.Input{"address": "https://bob.example.org/in?key=4711"})
	m.do("bob", notice.SettingsURL, actions.ChooseStudioNotifications.Name,
		param.Input{"not_to_webhook": []string{"commons"}})
	for range 4 {
		m.do("bob", governance.OwnWebhookURL, actions.SendOwnTest.Name, nil)
	}
	m.do("erin", notice.SettingsURL, actions.SetWebhook.Name, param.Input{"address": "https://erin.example.org/"})
	m.do("erin", governance.OwnWebhookURL, actions.PauseOwnWebhook.Name, nil)
	var w *governance.OwnWebhook
	m.write(func(tx *store.Tx) (err error) {
		w, err = governance.FindOwnWebhook(tx, m.actors["bob"])
		return err
	})
	if m.err != nil {
		return
	}
	m.attempts(&w.Endpoint)
	m.write(func(tx *store.Tx) error {
		d, err := governance.LeaseDelivery(tx, &w.Endpoint, "fixture")
		if err != nil {
			return err
		}
		return governance.LeaveOut(tx, d, "you may not see the page any more")
	})
}
