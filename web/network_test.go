package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"samepage/web"
	"samepage/web/webtest"
)

// limitedFrom sends a request up to n times, the i-th from the address from(i). It returns the number of requests
// that were answered before one was refused with 429.
func limitedFrom(w *webtest.World, as, method, path string, n int, from func(i int) string, headers ...string) int {
	for i := range n {
		body := ""
		if method == http.MethodPost {
			body = url.Values{"email": {fmt.Sprintf("n%d@n.example", i)}, "password": {"wrong"}}.Encode()
		}
		r := httptest.NewRequest(method, webtest.Origin+path, strings.NewReader(body))
		r.RemoteAddr = from(i)
		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		for j := 0; j < len(headers); j += 2 {
			r.Header.Set(headers[j], headers[j+1])
		}
		if w.As(as).Do(r).Status == http.StatusTooManyRequests {
			return i
		}
	}
	return n
}

// TestNetworks checks that all addresses of one network count as one client, for requests of every kind.
func TestNetworks(t *testing.T) {
	subscriber := func(i int) string { return fmt.Sprintf("[2001:db8:1:2::%x]:1", i+1) }
	organization := func(i int) string { return fmt.Sprintf("[2001:db8:1:%x::1]:1", i+1) }
	strangers := func(i int) string { return fmt.Sprintf("192.0.%d.%d:1", 2+i/200, 1+i%200) }
	one := func(int) string { return "192.0.2.9:1" }
	wrong := []string{"Authorization", "Bearer sp_wrong"}
	for _, c := range []struct {
		name, as, method, path string
		from                   func(int) string
		headers                []string
		most, least            int // bounds of the number of answered requests
	}{
		{"sign-ins from a /64", "anonymous", "POST", "/login", subscriber, nil, 30, 30},
		{"sign-ins from a /48", "anonymous", "POST", "/login", organization, nil, 240, 240},
		{"the page to sign in", "anonymous", "GET", "/login", one, nil, 300, 300},
		{"the page to sign in, from a /64", "anonymous", "GET", "/login", subscriber, nil, 300, 300},
		{"the page to sign in, by many", "anonymous", "GET", "/login", strangers, nil, 320, 320},
		{"guessed invitations", "anonymous", "GET", "/invitations/guess", one, nil, 300, 300},
		{"guessed resets", "anonymous", "GET", "/reset/guess", one, nil, 300, 300},
		{"wrong tokens", "anonymous", "GET", "/studios/team", one, wrong, 300, 300},
		{"downloads", "anonymous", "GET", "/files/none/download", one, nil, 300, 300},
		{"downloads with a token", "scribe", "GET", "/files/none/download", one, nil, 60, 60},
		{"calendars with a token", "scribe", "GET", "event.ics", one, nil, 60, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t, func(c *web.Config) { c.Unlimited = false })
			path := c.path
			if path == "event.ics" {
				path = w.URL("commitment event") + ".ics"
			}
			if n := limitedFrom(w, c.as, c.method, path, 320, c.from, c.headers...); n > c.most || n < c.least {
				t.Errorf("%d requests are answered, not %d to %d", n, c.least, c.most)
			}
		})
	}
}

// TestAgentsStayInPrivateStudios checks that an agent cannot leave a private studio, because its member could not
// rejoin without an invitation.
func TestAgentsStayInPrivateStudios(t *testing.T) {
	w := webtest.New(t)
	r := w.As("owl").PostJSON(w.URL("lab"), "leave", nil)
	if r.Status != http.StatusForbidden || !strings.Contains(r.Body, "Only a person can leave a studio") {
		t.Errorf("an agent leaves a private studio: %d %s", r.Status, r.Body)
	}
}

// TestHandlesTellNothing checks that a reserved handle and a handle that another organization uses get the same answer.
// Each refusal is journalled, and the number of tries in a minute is limited.
func TestHandlesTellNothing(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	answer := func(handle string) string {
		r := w.As("alice").JSON(w.URL("acme organization"), "create_studio", webtest.Call{DryRun: true,
			Params: map[string]any{"handle": handle, "name": "Ours"}})
		if r.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", handle, r.Status, r.Body)
		}
		return strings.ReplaceAll(r.Body, handle, "HANDLE")
	}
	if reserved, other := answer("actions"), answer("lab"); reserved != other {
		t.Errorf("a reserved handle is refused with\n%s\nand one of another organization with\n%s", reserved, other)
	}
	for _, handle := range []string{"actions", "lab"} {
		if list := w.As("carol").Get("/orgs/acme/journal", "text/markdown").Body; !strings.Contains(list,
			"was refused create_studio in [Acme]") || !strings.Contains(list, "Refused: handle: The handle "+handle+" cannot be had") {
			t.Errorf("the refusal of %s is not in the journal:\n%s", handle, list)
		}
	}
	w = webtest.New(t, limited)
	tries, _ := until(t, 200, func() *webtest.Response {
		return w.As("alice").JSON(w.URL("acme organization"), "create_studio", webtest.Call{DryRun: true,
			Params: map[string]any{"handle": "lab", "name": "Ours"}})
	})
	if tries != 120 {
		t.Errorf("%d refused tries in a minute", tries)
	}
}
