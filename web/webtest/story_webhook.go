package webtest

import (
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// webhooks adds a webhook with a delivery in every state, and one that is paused.
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
	results := []governance.Attempt{{Status: 204, Took: 31 * time.Millisecond},
		{Status: 503, Problem: "the receiver answered 503", Took: 12 * time.Millisecond}}
	for _, a := range results {
		m.write(func(tx *store.Tx) error {
			d, err := governance.LeaseDelivery(tx, url[strings.LastIndexByte(url, '/')+1:], "fixture")
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
	url = add("paused", param.Input{"address": "https://chat.example.org/hooks/1"})
	m.do("alice", url, actions.PauseWebhook.Name, nil)
	m.urls["acme webhooks"] = "/orgs/acme/webhooks"
}
