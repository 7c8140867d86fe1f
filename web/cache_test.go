package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

func etagOf(t *testing.T, c *webtest.Client, target string, headers ...string) string {
	t.Helper()
	r := request(c, "GET", target, headers...)
	tag := r.Header.Get("Etag")
	if r.Status != 200 || len(tag) < 10 || tag[:3] != `W/"` || tag[len(tag)-1] != '"' {
		t.Fatalf("%s reads %s: %d, ETag %s", c.Name, target, r.Status, tag)
	}
	return tag
}

// TestNotModified sends the ETag of a page back and gets 304.
func TestNotModified(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	for _, as := range []string{"bob", "scout", "oscar", "mia", "anonymous"} {
		for _, target := range []string{"/help", w.URL("plaza"), w.URL("plaza open"), "/studios", "/login",
			w.URL("plaza") + "/actions"} {
			for _, accept := range []string{"text/html", "text/markdown", "application/json"} {
				c := w.As(as)
				c.Get(target, "text/html") // marks the page's notifications as read, so that the page stays the same
				tag := etagOf(t, c, target, "Accept: "+accept)
				for _, match := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
					r := request(c, "GET", target, "Accept: "+accept, "If-None-Match: "+match)
					if r.Status != 304 || r.Body != "" || r.Header.Get("Etag") != tag ||
						r.Header.Get("Vary") != "Accept, Accept-Encoding" || r.Header.Get("Cache-Control") != "private, no-cache" {
						t.Errorf("%s, %s as %s, If-None-Match: %s: %d %v", as, target, accept, match,
							r.Status, r.Header)
					}
					for name := range r.Header {
						if !slices.Contains([]string{"Etag", "Vary", "Cache-Control", "Set-Cookie"}, name) &&
							!strings.HasPrefix(name, "X-Ratelimit-") {
							t.Errorf("%s, %s as %s, If-None-Match: %s: says %s again", as, target, accept, match, name)
						}
					}
				}
				for _, match := range []string{"", `"x"`, strings.Trim(tag, `W/"`), "W/x"} {
					if r := request(c, "GET", target, "Accept: "+accept, "If-None-Match: "+match); r.Status != 200 ||
						r.Header.Get("Cache-Control") != "private, no-cache" {
						t.Errorf("%s, %s as %s, If-None-Match: %s: %d", as, target, accept, match, r.Status)
					}
				}
			}
		}
	}
	// The answer for a page that does not exist is never 304.
	for _, target := range []string{"/studios/nowhere", w.URL("lab"), "/orgs/globex", w.URL("team") + "/d/0000000000",
		w.URL("team") + "/actions/nothing"} {
		if r := request(w.As("bob"), "GET", target, "If-None-Match: *"); r.Status != 404 {
			t.Errorf("%s: %d", target, r.Status)
		}
	}
}

// TestETagTellsApart checks that requests with different answers get different ETags.
func TestETagTellsApart(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	page := w.URL("plaza open")
	seen := map[string]string{}
	for _, as := range []string{"alice", "bob", "scribe", "scout", "reader", "mia", "oscar", "owl", "anonymous"} {
		for _, accept := range []string{"text/html", "text/markdown", "application/json"} {
			for _, extra := range [][]string{{}, {"Prefer: relative-links"}} {
				for _, target := range []string{page, page + "?full=1", page + "/actions", page + "/actions/comment",
					page + "/actions/comment?text=x", page + "/comments"} {
					tag := etagOf(t, w.As(as), target, append(extra, "Accept: "+accept)...)
					r := request(w.As(as), "GET", target, append(extra, "Accept: "+accept)...)
					if other, ok := seen[tag]; ok && other != r.Body {
						t.Errorf("%s: %s by %s %v has the ETag of other bytes", accept, target, as, extra)
					}
					seen[tag] = r.Body
				}
			}
		}
	}
	t.Logf("%d ETags", len(seen))
}

// TestETagFollowsChanges makes changes and then sends the old ETag. The answer is the new page, or 304 if the page
// still has the same content.
func TestETagFollowsChanges(t *testing.T) {
	post := func(as, page, action string, in param.Input) func(*testing.T, *webtest.World) {
		return func(t *testing.T, w *webtest.World) {
			if u, ok := strings.CutPrefix(page, "fixture "); ok {
				page = w.URL(u)
			}
			if r := w.As(as).PostJSON(page, action, in); r.Status != 200 {
				t.Fatalf("%s: %d %s", action, r.Status, r.Body)
			}
		}
	}
	after := func(d time.Duration) func(*testing.T, *webtest.World) {
		return func(_ *testing.T, w *webtest.World) { w.Clock.Advance(d) }
	}
	for _, c := range []struct {
		name, as, page string
		change         func(*testing.T, *webtest.World)
		differs        bool // whether the page shows the change
	}{
		{"a vote", "alice", "fixture standups",
			post("erin", "fixture standups", "cast_vote", param.Input{"accept": []any{"3"}}), true},
		{"a comment", "scout", "fixture standups",
			post("erin", "fixture standups", "comment", param.Input{"text": "New."}), true},
		{"a member joins (audience)", "bob", "fixture commons", post("carol", "/studios/commons", "join", nil), true},
		{"a member leaves (audience)", "bob", "fixture commons open",
			post("mia", "/studios/commons", "leave", nil), true},
		{"an agent more (audience)", "erin", "fixture standups", post("bob", "/settings/tokens", "create_token",
			param.Input{"label": "Third", "scopes": []any{"read"}}), true},
		{"a member is renamed", "bob", "fixture @erin",
			post("erin", "fixture @erin", "update_profile", param.Input{"name": "Erin Elmore"}), true},
		{"a member is renamed, in a list", "bob", "/orgs/acme/members",
			post("erin", "fixture @erin", "update_profile", param.Input{"name": "Erin Elmore"}), true},
		{"a studio is renamed, on a page in it", "bob", "fixture commons open",
			post("bob", "/studios/commons", "update_studio", param.Input{"name": "Shed"}), true},
		{"the organization is renamed, anywhere", "bob", "fixture standups",
			post("alice", "/orgs/acme/settings", "update_settings", param.Input{"name": "Acme & Co"}), false},
		{"one's own token", "bob", "/settings/tokens", post("bob", "/settings/tokens", "create_token",
			param.Input{"label": "Third", "scopes": []any{"read"}}), true},
		{"something elsewhere in the organization", "bob", "fixture standups",
			post("carol", "fixture general open", "comment", param.Input{"text": "x"}), false},
		{"the other organization of a member of two", "mia", "/", post("oscar", "/studios/globex", "create_decision",
			param.Input{"question": "New?", "options": []any{"A", "B"}}), true},
		{"a new decision, at home", "bob", "/", post("alice", "fixture team", "create_decision",
			param.Input{"question": "New?", "options": []any{"A", "B"}}), true},
		{"a public page, to nobody", "anonymous", "fixture plaza open",
			post("mia", "fixture plaza open", "comment", param.Input{"text": "x"}), true},
		{"a public page, to an outsider", "oscar", "fixture plaza open",
			post("mia", "fixture plaza open", "comment", param.Input{"text": "x"}), true},
		{"a public page, to an outsider's agent", "owl", "fixture plaza open",
			post("mia", "fixture plaza open", "comment", param.Input{"text": "x"}), true},
		{"a public studio, to an outsider", "oscar", "fixture plaza",
			post("alice", "fixture plaza", "update_studio", param.Input{"name": "Square"}), true},
		{"a new public studio, to an outsider", "oscar", "/studios", post("bob", "/orgs/acme", "create_studio",
			param.Input{"handle": "arcade", "name": "Arcade", "visibility": "public"}), true},
		{"a public studio closes, to an outsider", "oscar", "/studios",
			post("alice", "fixture plaza", "change_visibility", param.Input{"visibility": "members"}), true},
		{"a minute", "bob", "fixture standups", after(time.Minute), false},
		{"a day: the distance", "bob", "fixture standups", after(30 * time.Hour), true},
		{"the deadline", "bob", "fixture standups", after(75 * time.Hour), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t)
			w.Clock.Advance(20 * time.Second)
			page := c.page
			if u, ok := strings.CutPrefix(page, "fixture "); ok {
				page = w.URL(u)
			}
			type had struct{ tag, body string }
			before := map[string]had{}
			for _, accept := range []string{"text/html", "text/markdown", "application/json"} {
				r := request(w.As(c.as), "GET", page, "Accept: "+accept)
				before[accept] = had{r.Header.Get("Etag"), r.Body}
			}
			c.change(t, w)
			for accept, b := range before {
				r := request(w.As(c.as), "GET", page, "Accept: "+accept, "If-None-Match: "+b.tag)
				now := request(w.As(c.as), "GET", page, "Accept: "+accept)
				if r.Status == 304 && now.Body != b.body || r.Status == 200 && r.Body != now.Body {
					t.Errorf("%s: stale: %d", accept, r.Status)
				}
				if c.differs && now.Body == b.body {
					t.Errorf("%s: the page does not show it", accept)
				}
			}
		})
	}
}

// TestTokenExpiryIsShown requests the page of tokens while a token expires. The page is never out of date.
func TestTokenExpiryIsShown(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	bob := w.As("bob")
	w.Clock.Advance(20 * time.Second)
	if r := bob.PostJSON("/settings/tokens", "create_token",
		param.Input{"label": "Brief", "scopes": []any{"read"}, "expires_in": "1h"}); r.Status != 200 {
		t.Fatal(r.Body)
	}
	tag, body := "", ""
	for range 8 * 65 {
		r := request(bob, "GET", "/settings/tokens", "Accept: text/markdown", "If-None-Match: "+tag)
		now := bob.Get("/settings/tokens", "text/markdown").Body
		if r.Status == 304 && now != body {
			t.Fatalf("stale at %s", w.Clock.Now())
		}
		tag, body = r.Header.Get("Etag"), now
		w.Clock.Advance(7500 * time.Millisecond)
	}
	if !strings.Contains(body, "expired") {
		t.Error("it never expired")
	}
}

// TestDeadlineIsShown requests the pages of a decision and its studio while the decision becomes due. The pages are
// never out of date.
func TestDeadlineIsShown(t *testing.T) {
	w := webtest.New(t)
	bob := w.As("bob")
	w.Clock.Advance(20 * time.Second)
	r := bob.Post(w.URL("team"), "create_decision",
		param.Input{"question": "Soon?", "options": []any{"A", "B"}, "closes_at": "10m", "results": "shown"})
	for _, page := range []string{r.Location(), w.URL("team") + "?full=1", "/"} {
		w.Clock.Set(webtest.Start.Add(10 * time.Minute))
		tag, body, seen := "", "", map[string]bool{}
		for range 16 {
			r := request(bob, "GET", page, "Accept: text/markdown", "If-None-Match: "+tag)
			now := bob.Get(page, "text/markdown").Body
			if r.Status == 304 && now != body {
				t.Fatalf("%s: stale at %s", page, w.Clock.Now())
			}
			tag, body = r.Header.Get("Etag"), now
			seen[body] = true
			w.Clock.Advance(7500 * time.Millisecond)
		}
		if len(seen) < 2 {
			t.Errorf("%s never changed", page)
		}
	}
}

// TestFlash checks that the message after a form is shown once, on a page that is not cached.
func TestFlash(t *testing.T) {
	w := webtest.New(t)
	bob := w.As("bob")
	r := bob.Post(w.URL("standups"), "comment", param.Input{"text": "Hello"})
	cookie := r.Header.Get("Set-Cookie")
	if r.Status != 303 || r.Location() != w.URL("standups") || r.Header.Get("Vary") != "Accept" ||
		!strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "Secure") ||
		!strings.Contains(cookie, "SameSite=Lax") {
		t.Fatalf("%d to %s, cookie %s", r.Status, r.Location(), cookie)
	}
	tag := etagOf(t, bob, w.URL("standups"))
	value, _, _ := strings.Cut(cookie, ";")
	bob.Header = http.Header{"Cookie": {value}}
	for _, match := range []string{tag, "*", ""} {
		r = request(bob, "GET", w.URL("standups"), "If-None-Match: "+match)
		if r.Status != 200 || !strings.Contains(r.Body, "Your comment is added.") || r.Header.Get("Etag") != "" ||
			!strings.Contains(r.Header.Get("Set-Cookie"), "Max-Age=0") {
			t.Errorf("If-None-Match: %s: %d, ETag %q, cookie %q", match, r.Status, r.Header.Get("Etag"),
				r.Header.Get("Set-Cookie"))
		}
	}
	bob.Header = http.Header{"Cookie": {"samepage-done=%3Cscript%3Ealert(1)%3C/script%3E"}}
	if r := request(bob, "GET", w.URL("standups")); strings.Contains(r.Body, "<script>alert") {
		t.Error("a forged message is markup")
	}
}

// TestReadsWithoutWriting checks that pages can be read while the database cannot be written. The requests are
// prefetches, because opening a page marks its notifications as read; see TestReadingDoesNotWait.
func TestReadsWithoutWriting(t *testing.T) {
	w := webtest.New(t)
	blocked, release := make(chan struct{}), make(chan struct{})
	go w.Store.Write(t.Context(), func(*store.Tx) error { close(blocked); <-release; return nil })
	<-blocked
	before := w.Digests()
	for _, as := range []string{"bob", "scout", "anonymous"} {
		for _, target := range []string{w.URL("plaza"), w.URL("plaza open"), "/studios", "/help", "/whoami",
			w.URL("due"), w.URL("plaza") + "/actions", "/login"} {
			if as == "anonymous" && target == w.URL("due") {
				continue
			}
			if r := w.As(as).Ahead().Get(target, "text/html"); r.Status != 200 {
				t.Errorf("%s reads %s: %d", as, target, r.Status)
			}
		}
	}
	if changed := webtest.Changed(before, w.Digests()); len(changed) > 0 {
		t.Errorf("reading changed %v", changed)
	}
	close(release)
}

// TestUnavailable checks that a server that is stopping says so in every format.
func TestUnavailable(t *testing.T) {
	w := webtest.New(t, func(c *web.Config) { c.Version = "test" })
	w.Store.Close()
	for accept, want := range map[string]string{"text/html": "is stopping", "text/markdown": "is stopping",
		"application/json": `"code":"unavailable"`} {
		for _, r := range []*webtest.Response{w.As("bob").Get("/help", accept), requestBody(w.As("scout"), "POST",
			w.URL("standups")+"/actions/comment", `{}`, jsonMedia, "Accept: "+accept)} {
			if r.Status != 503 || !strings.Contains(r.Body, want) ||
				r.Header.Get("Vary") != "Accept, Accept-Encoding" {
				t.Errorf("%s: %d\n%s", accept, r.Status, r.Body)
			}
		}
	}
	if r := w.As("anonymous").Get("/readyz", ""); r.Status != 503 {
		t.Errorf("readyz: %d", r.Status)
	}
}
