package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/web"
	"samepage/web/webtest"
)

// TestLimitsSayWhoseTheyAre reaches limits of every kind. The refusal names the limit that is reached.
func TestLimitsSayWhoseTheyAre(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t, limited, func(c *web.Config) { c.Pause = func(context.Context, time.Duration) {} })
	all := param.Input{}
	for of, most := range map[string]int{"token": 2, "member": 4, "organization": 9} {
		for _, use := range []string{"reads", "actions", "searches"} {
			all[of+"_"+use] = most
		}
	}
	if r := w.As("alice").JSON("/orgs/acme/settings", "update_limits", webtest.Call{Params: all}); r.Status != 200 {
		t.Fatal(r.Status, r.Body)
	}
	w.Clock.Advance(time.Hour)
	reads := func(who string) func(int) *webtest.Response {
		return func(int) *webtest.Response { return w.As(who).Get("/whoami", "text/markdown") }
	}
	signIn := func(email string) func(int) *webtest.Response {
		return func(n int) *webtest.Response {
			if n == 0 {
				w.Clock.Advance(time.Hour) // nothing was asked in this minute
			}
			r, _ := w.SignIn("/login", strings.ReplaceAll(email, "N", fmt.Sprint(n)), "wrong")
			return r
		}
	}
	for _, c := range []struct {
		of   string
		ask  func(n int) *webtest.Response
		want string
	}{
		{"a token", reads("scribe"), "Too many requests with this token:"},
		{"a member", reads("alice"), "Too many requests by this member and their agents:"},
		{"a member", reads("bob"), "Too many requests by this member and their agents:"},
		{"an organization", reads("erin"), "Too many requests by members of this organization:"},
		{"a person in two organizations", reads("mia"), "Too many requests by this account:"},
		{"an address", reads("anonymous"), "Too many requests from this address:"},
		{"a login", signIn("bob@acme.example"), "Too many attempts at this account:"},
		{"an address of logins", signIn("nobody-N@acme.example"), "Too many attempts from this address:"},
	} {
		for n := 0; ; n++ {
			if r := c.ask(n); r.Status == 429 && strings.Contains(r.Body, c.want) {
				break
			} else if r.Status == 429 || n > 2000 {
				t.Errorf("%s: %d after %d\n%s", c.of, r.Status, n, r.Body)
				break
			}
		}
	}
}
