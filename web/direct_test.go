package web_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store/archive"
	"samepage/store/effort"
	"samepage/web/webtest"
)

// TestDirectMessagesReachNoAgent reads pages in every form, as agents and as people outside the conversation, and
// exports the organization. Neither an answer nor the export contains any part of a direct message.
func TestDirectMessagesReachNoAgent(t *testing.T) {
	slow(t)
	read := func(t *testing.T, w *webtest.World, who string, urls []string) (answers int) {
		c := w.As(who).Ahead()
		for _, u := range urls {
			for _, accept := range []string{"text/markdown", "text/html", "application/json"} {
				r := c.Get(u, accept)
				answers++
				if strings.Contains(strings.ToLower(r.Body), webtest.Secret) {
					t.Errorf("%s reads a direct message at %s as %s:\n%s", who, u, accept, r.Body)
				}
			}
		}
		return answers
	}
	answers, actors := 0, []string{"scribe", "scout", "reader", "owl", "clerk", "anonymous"}
	if !thorough {
		actors = actors[:1]
		effort.LeftOut(t, "what all but %q read", actors)
	}
	for _, who := range actors {
		w := webtest.New(t)
		urls := []string{"/", "/inbox", "/search?q=surprise",
			"/search?q=wanted", "/search?q=by:bob", "/search?q=-type:member",
			"/orgs/acme/dm", "/orgs/acme/dm/bob", "/orgs/acme/dm/alice", "/orgs/acme/dm/erin",
			"/orgs/acme/dm/bob/actions",
			"/orgs/acme/dm/bob/actions/send_direct_message", "/orgs/acme/journal", "/orgs/acme/activity",
			"/llms.txt", "/sitemap.xml"}
		for _, v := range pages(survey(t, who)) {
			urls = append(urls, v.url)
		}
		answers += read(t, w, who, urls)
	}
	for _, who := range []string{"carol", "oscar", "mia"} {
		answers += read(t, webtest.New(t), who, []string{"/", "/inbox", "/search?q=surprise", "/orgs/acme/dm",
			"/orgs/acme/dm/bob",
			"/orgs/acme/dm/alice", "/orgs/acme/journal"})
	}
	if answers < 100*len(actors) {
		t.Errorf("only %d answers", answers)
	}
	w := webtest.New(t)
	var out bytes.Buffer
	if _, err := archive.Export(t.Context(), w.Store, "acme", &out); err != nil {
		t.Fatal(err)
	}
	if leaks := bytes.Contains(out.Bytes(), []byte(webtest.Secret)); leaks || out.Len() < 100_000 {
		t.Errorf("the export has %d bytes, and direct messages: %t", out.Len(), leaks)
	}
	for _, place := range w.Rows("journal", "notifications", "documents", "answers", "approvals", "calls", "items",
		"comments") {
		if strings.Contains(place, webtest.Secret) {
			t.Errorf("a row has a direct message: %s", place)
		}
	}
	if r := w.As("alice").Get("/orgs/acme/dm/bob", "text/html"); !strings.Contains(r.Body, webtest.Secret) {
		t.Error("Alice cannot read her own messages, so the test finds nothing")
	}
}

// TestDirectPagesAreMissingForAgents checks that an agent gets the same answer for a conversation as for a page that
// does not exist.
func TestDirectPagesAreMissingForAgents(t *testing.T) {
	w := webtest.New(t)
	for _, accept := range []string{"text/markdown", "text/html", "application/json"} {
		missing := w.As("scribe").Get("/orgs/acme/members/nobody-here", accept)
		for _, u := range []string{"/orgs/acme/dm", "/orgs/acme/dm/bob"} {
			r := w.As("scribe").Get(u, accept)
			if r.Status != http.StatusNotFound || r.Status != missing.Status {
				t.Errorf("%s answers %d at %s", accept, r.Status, u)
			}
		}
	}
	for _, action := range []string{actions.SendDirectMessage.Name, actions.EditDirectMessage.Name,
		actions.DeleteDirectMessage.Name} {
		r := w.As("scribe").PostJSON("/orgs/acme/dm/bob", action, param.Input{"text": "Hello.", "message": "1"})
		if r.Status != http.StatusNotFound {
			t.Errorf("%s is answered %d: %s", action, r.Status, r.Body)
		}
	}
	for who, u := range map[string]string{"alice": "/orgs/acme/dm/alice", "bob": "/orgs/acme/dm/nobody-here",
		"oscar": "/orgs/acme/dm/bob"} {
		if r := w.As(who).Get(u, "text/html"); r.Status != http.StatusNotFound {
			t.Errorf("%s gets %d at %s", who, r.Status, u)
		}
	}
}

// TestDirectMessage sends a direct message. The other person is notified without the text, reads it, and answers.
func TestDirectMessage(t *testing.T) {
	w := webtest.New(t)
	bob, erin := w.As("bob"), w.As("erin")
	agent := w.As("clerk").Get("/inbox", "text/markdown").Body
	bob.Post("/orgs/acme/dm/erin", actions.SendDirectMessage.Name, param.Input{"text": "Is the shed *open*?"})
	inbox := w.As("erin").Ahead().Get("/inbox", "text/html").Body
	if !strings.Contains(inbox, "@bob wrote to you") || strings.Contains(inbox, "shed") {
		t.Error("the inbox of Erin does not say that Bob wrote, or says what:", inbox)
	}
	if after := w.As("clerk").Get("/inbox", "text/markdown").Body; after != agent {
		t.Errorf("the inbox of Erin's agent changes from\n%s\nto\n%s", agent, after)
	}
	r := erin.Get("/orgs/acme/dm/bob", "text/html").Body
	if !strings.Contains(r, "<em>open</em>") || !strings.Contains(r, "1 new since you left") {
		t.Error("Erin does not read the message:", r)
	}
	if r := w.As("erin").Ahead().Get("/inbox", "text/html").Body; strings.Contains(r, "@bob wrote to you") {
		t.Error("the message is still new after Erin has read it")
	}
	erin.Post("/orgs/acme/dm/bob", actions.SendDirectMessage.Name, param.Input{"text": "Yes."})
	if r := w.As("bob").Ahead().Get("/orgs/acme/dm/erin", "text/html").Body; !strings.Contains(r, "Yes.") {
		t.Error("Bob does not read the answer")
	}
	if n := len(w.Rows("direct_messages")); n < 6 {
		t.Errorf("%d direct messages", n)
	}
	gone := erin.PostJSON("/orgs/acme/dm/bob", actions.DeleteDirectMessage.Name, param.Input{"message": "1"})
	if gone.Status != http.StatusUnprocessableEntity {
		t.Errorf("Erin deletes Bob's message: %d", gone.Status)
	}
}
