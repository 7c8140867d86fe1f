package web_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

// TestOperator checks that the operator of the installation can act as a member at the command line, and can issue
// and revoke that member's tokens.
func TestOperator(t *testing.T) {
	w := webtest.New(t)
	for _, c := range []struct{ org, handle, says string }{
		{"acme", "alice", ""}, {"globex", "oscar", ""}, {"", "alice",
			"There are 2 organizations. Name one with --org."}, {"acme", "oscar", "no member oscar in acme"},
		{"nowhere", "alice", "no member alice in nowhere"}, {"acme", "", "no member"},
	} {
		by, err := w.Site.Person(t.Context(), c.org, c.handle)
		if c.says == "" && (err != nil || by.Name() != "@"+c.handle || by.IsAgent()) ||
			c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s in %s: %s, %v", c.handle, c.org, by.Name(), err)
		}
	}
	bob, err := w.Site.Person(t.Context(), "acme", "bob")
	if err != nil {
		t.Fatal(err)
	}
	token, err := w.Site.IssueToken(t.Context(), bob, web.Issue{Label: "Clerk", Scopes: "read, write", Expires: "1h"})
	if err != nil || !store.WellFormedToken(token) {
		t.Fatalf("%q, %v", token, err)
	}
	var by store.Actor
	find := func() error {
		return w.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
			by, err = tx.ActorByToken(token)
			return err
		})
	}
	if err := find(); err != nil || by.Name() != "Clerk, agent of @bob" ||
		!slices.Equal(by.Grant.Scopes, []store.Scope{"read", "write"}) {
		t.Errorf("%s %v, %v", by.Name(), by.Grant.Scopes, err)
	}
	for _, c := range [][3]string{{"", "read", "1h"}, {"X", "everything", "1h"}, {"X", "", "1h"}, {"X", "read", "2y"},
		{"X", "read", "soon"}, {strings.Repeat("x", 41), "read", ""}} {
		if token, err := w.Site.IssueToken(t.Context(), bob, web.Issue{Label: c[0], Scopes: c[1],
			Expires: c[2]}); err == nil || token != "" || param.ErrorsOf(err) == nil {
			t.Errorf("%v: %q, %v", c, token, err)
		}
	}
	if err := w.Site.RevokeToken(t.Context(), by.Token); err != nil {
		t.Error(err)
	}
	if store.CodeOf(find()) != store.NotFound {
		t.Error("the token is still good")
	}
	for _, id := range []string{by.Token, "", "nothing"} {
		if err := w.Site.RevokeToken(t.Context(), id); err == nil {
			t.Errorf("revoked %q", id)
		}
	}
	md := w.As("bob").Get("/orgs/acme/journal?action=create_token", "text/markdown").Body
	if !strings.Contains(md, "Clerk") || strings.Contains(md, "sp_") {
		t.Errorf("the journal:\n%s", md)
	}
}

// TestCloseDue runs the scheduler. The scheduler closes each due item once, and no other items. It may take no
// actions but those that are due.
func TestCloseDue(t *testing.T) {
	w := webtest.New(t)
	state := func(name string) string {
		_, s, _ := strings.Cut(w.As("bob").Get(w.URL(name), "text/markdown").Body, "\nversion: ")
		return s
	}
	due, open := state("due"), state("standups")
	entries := head(t, w, "bob")
	for range 3 {
		w.Site.CloseDue(t.Context())
	}
	if n := head(t, w, "bob") - entries; n != 8 { // three decisions, two commitments, a role, a topic, a turn without a runner
		t.Errorf("%d entries", n)
	}
	if state("due") == due || state("standups") != open {
		t.Error("what was due is not closed, or what was not is")
	}
	if md := w.As("bob").Get("/orgs/acme/journal?action=close_decision", "text/markdown").Body; strings.Count(md,
		"Samepage") < 2 {
		t.Errorf("the journal does not name the scheduler:\n%s", md)
	}
	for _, action := range []string{"cast_vote", "comment", "close_decision", "extend_decision", "pin"} {
		if _, err := w.Site.Do(t.Context(), web.As(store.System()),
			web.Call{URL: w.URL("standups"), Action: action}); err == nil {
			t.Errorf("the scheduler may %s", action)
		}
	}
	w.Clock.Advance(4 * 24 * time.Hour)
	w.Site.CloseDue(t.Context())
	if md := w.As("bob").Get(w.URL("standups"), "text/markdown").Body; !strings.Contains(md, "Decided: ") ||
		strings.Contains(md, "cast_vote") {
		t.Errorf("four days later:\n%s", md)
	}
	if r := w.As("bob").Get("/orgs/acme/journal/verify", "text/markdown"); r.Status != 200 ||
		!strings.Contains(r.Body, "whole") && !strings.Contains(r.Body, "intact") &&
			!strings.Contains(r.Body, "holds") {
		t.Errorf("verify: %s", r.Body)
	}
}
