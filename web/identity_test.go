package web_test

import (
	"testing"
	"time"

	"samepage/web/webtest"
)

// TestCallersAreLookedUpAnew changes the database from outside the process. The next request of the same caller sees
// the change.
func TestCallersAreLookedUpAnew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, as, page, statement string
		arg                       any
		status                    int
	}{
		{"the token is revoked", "scout", "team",
			`UPDATE tokens SET revoked_at = 1 WHERE id = (SELECT t.id
				FROM tokens t JOIN agents a ON a.id = t.agent_id WHERE a.label = ?)`, "Scout", 401},
		{"the token is paused", "scout", "team",
			`UPDATE tokens SET paused_at = 1 WHERE id = (SELECT t.id
				FROM tokens t JOIN agents a ON a.id = t.agent_id WHERE a.label = ?)`, "Scout", 401},
		{"the agent's member has left", "scout", "team",
			`UPDATE members SET ended_at = 1 WHERE handle = ?`, "bob", 401},
		{"the member has left", "bob", "team", `UPDATE members SET ended_at = 1 WHERE handle = ?`, "bob", 404},
		{"the login has ended", "bob", "team",
			`DELETE FROM logins WHERE user_id IN (SELECT user_id FROM members WHERE handle = ?)`, "bob", 401},
		{"the page says something else", "bob", "team",
			`UPDATE organizations SET journal_seq = journal_seq + 1, name = ?`, "Acme & Sons", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t)
			as, page := w.As(c.as), w.URL(c.page)
			db := w.Database()
			var tag string
			for range 3 {
				tag = etagOf(t, as, page, "Accept: text/markdown")
				if r := request(as, "GET", page, "Accept: text/markdown", "If-None-Match: "+tag); r.Status != 304 {
					t.Fatal(r.Status)
				}
			}
			if _, err := db.Exec(db.Rebind(c.statement), c.arg); err != nil {
				t.Fatal(err)
			}
			for _, headers := range [][]string{{"If-None-Match: " + tag}, {}} {
				if r := request(as, "GET", page, append(headers, "Accept: text/markdown")...); r.Status != c.status {
					t.Errorf("%v: %d, not %d: %s", headers, r.Status, c.status, r.Body)
				}
			}
		})
	}
}

// TestCredentialsEndByTheClock lets tokens and logins expire while nothing is written. Each ends at its time.
func TestCredentialsEndByTheClock(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	db := w.Database()
	ends := w.Clock.Now().Add(30 * time.Second)
	for _, statement := range []string{`UPDATE tokens SET expires_at = ?`, `UPDATE logins SET expires_at = ?`} {
		if _, err := db.Exec(db.Rebind(statement), ends.UnixMilli()); err != nil {
			t.Fatal(err)
		}
	}
	page, markdown := w.URL("team"), "Accept: text/markdown"
	tags := map[string]string{}
	for _, name := range []string{"scout", "bob"} {
		etagOf(t, w.As(name), page, markdown) // the first request records that the credentials were used
		tags[name] = etagOf(t, w.As(name), page, markdown)
	}
	// Each use extends a login, so its end is set back.
	if _, err := db.Exec(db.Rebind(`UPDATE logins SET expires_at = ?`), ends.UnixMilli()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		to     time.Time
		status int
	}{{ends.Add(-time.Millisecond), 304}, {ends, 401}} {
		for name, tag := range tags {
			w.Clock.Set(ends.Add(-time.Second))
			etagOf(t, w.As(name), page, markdown)
			w.Clock.Set(step.to)
			if r := request(w.As(name), "GET", page, markdown, "If-None-Match: "+tag); r.Status != step.status {
				t.Errorf("%s at %v: %d, not %d", name, step.to, r.Status, step.status)
			}
		}
	}
}

// TestUnknownLogin sends a cookie with an unknown login. Nothing is written, and no cookie is set.
func TestUnknownLogin(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	before := w.Digests()
	for range 2 {
		r := request(w.As("anonymous"), "GET", "/help", "Cookie: __Host-samepage=bogus")
		if r.Status != 200 || r.Header.Get("Set-Cookie") != "" {
			t.Errorf("%d, Set-Cookie: %s", r.Status, r.Header.Get("Set-Cookie"))
		}
	}
	if changed := webtest.Changed(before, w.Digests()); len(changed) > 0 {
		t.Errorf("changed: %s", changed)
	}
}
