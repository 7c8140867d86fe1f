package web_test

import (
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestNewTokenConnects creates a token and takes the command for curl from the answer. With the token in that
// command, an agent opens the start page. The token's page first says that no agent has connected, and then that one
// has.
func TestNewTokenConnects(t *testing.T) {
	w := webtest.New(t)
	r := w.As("bob").Form("/settings/tokens", "create_token", webtest.Call{Accept: "text/html",
		Params: param.Input{"label": "Pen", "scopes": []string{"read"}}})
	if r.Status != http.StatusOK || r.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s %s", r.Status, r.Header.Get("Cache-Control"), r.Body)
	}
	blocks := map[string]string{}
	for _, m := range regexp.MustCompile(`(?s)<section id="connect-([a-z-]+)">.*?<pre [^>]*data-copy><code[^>]*>(.*?)</code>`).
		FindAllStringSubmatch(r.Body, -1) {
		blocks[m[1]] = html.UnescapeString(m[2])
	}
	token := regexp.MustCompile(`sp_[A-Za-z0-9_-]+`).FindString(blocks["curl"])
	for _, id := range []string{"claude-code", "codex", "gemini-cli", "cursor", "vs-code", "stdio", "curl"} {
		if text := blocks[id]; token == "" || !strings.Contains(text, token) || !strings.Contains(text, webtest.Origin) ||
			strings.Contains(text, "$") || strings.Contains(text, "127.0.0.1") {
			t.Errorf("%s: %q", id, text)
		}
	}
	for _, id := range []string{"cursor", "vs-code"} {
		if !json.Valid([]byte(blocks[id])) {
			t.Errorf("%s is no JSON: %s", id, blocks[id])
		}
	}
	named := regexp.MustCompile(`href="(/orgs/acme/agents/[a-z0-9]+)">(?:<img[^>]*><span>)?Pen<`).FindStringSubmatch(r.Body)
	if named == nil {
		t.Fatal("the agent is not named")
	}
	link := named[1]
	if text := w.As("bob").Get(link, "text/markdown").Body; !strings.Contains(text, "It has not connected yet.") {
		t.Errorf("before: %s", text)
	}
	if r := webtest.Request(w.As("anonymous"), "GET", "/", "Authorization: Bearer "+token); r.Status != http.StatusOK {
		t.Errorf("with the token: %d", r.Status)
	}
	if text := w.As("bob").Get(link, "text/markdown").Body; !strings.Contains(text, "It has connected, and was last seen ") {
		t.Errorf("after: %s", text)
	}
}

// TestTokensLiveAsSaid creates a token with the default lifetime, and one that lives an hour. Each is refused from
// the end of its lifetime on, and the list of tokens shows that time.
func TestTokensLiveAsSaid(t *testing.T) {
	w := webtest.New(t)
	bob := w.As("bob")
	form := bob.Get("/settings/tokens/actions/create_token", "text/markdown").Body
	if !strings.Contains(form, "30 days unless set") {
		t.Fatalf("the form says:\n%s", form)
	}
	for _, c := range []struct {
		in    param.Input
		lives time.Duration
		until string
	}{
		{param.Input{"label": "Brief", "expires_in": "1h"}, time.Hour, "Fri 20 Nov 2026 11:00 CET"},
		{param.Input{"label": "Pen"}, 30 * 24 * time.Hour, "Sun 20 Dec 2026 11:00 CET"},
	} {
		c.in["scopes"] = []string{"read"}
		r := bob.Form("/settings/tokens", "create_token", webtest.Call{Accept: "text/html", Params: c.in})
		token := regexp.MustCompile(`sp_[A-Za-z0-9_-]+`).FindString(r.Body)
		if list := bob.Get("/settings/tokens", "text/markdown").Body; !strings.Contains(list, c.until) {
			t.Errorf("the list has no token until %s:\n%s", c.until, list)
		}
		for _, step := range []struct {
			later  time.Duration
			status int
		}{{c.lives - time.Second, http.StatusOK}, {time.Second, http.StatusUnauthorized}} {
			w.Clock.Advance(step.later)
			if r := webtest.Request(w.As("anonymous"), "GET", "/", "Authorization: Bearer "+token); r.Status != step.status {
				t.Errorf("%v: %d after %v more, want %d", c.in, r.Status, step.later, step.status)
			}
		}
	}
}
