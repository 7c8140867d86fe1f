package web_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

var address = regexp.MustCompile(`[a-z0-9.-]+@(acme|globex)\.example`)

// TestAddressesToSignInWith reads every page as every actor. Nobody finds the email address with which another person
// signs in. Only the owner and the inviter see an invited address, until the invitation is accepted.
func TestAddressesToSignInWith(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	pages := []string{"/orgs/acme/invitations", "/orgs/acme/members", "/orgs/acme/journal", "/search?q=example", "/search?q=bob",
		"/", "/inbox", "/whoami"}
	for _, name := range w.Fixtures() {
		if !strings.Contains(name, " file") {
			pages = append(pages, w.URL(name))
		}
	}
	if len(pages) < 100 {
		t.Fatalf("there are %d pages", len(pages))
	}
	read := 0
	for _, actor := range []string{"alice", "bob", "carol", "mia", "oscar", "scribe", "scout", "owl", "anonymous"} {
		for _, page := range pages {
			for _, format := range []string{"text/html", "application/json"} {
				r := w.As(actor).Get(page, format)
				if r.Status != http.StatusOK {
					continue
				}
				read++
				for _, found := range slices.Compact(address.FindAllString(r.Body, -1)) {
					owner := actor == "alice" && page == "/orgs/acme/invitations"
					if owner && !strings.HasPrefix(found, "kim@") || strings.HasPrefix(found, actor+"@") {
						continue
					}
					t.Errorf("@%s reads %s at %s (%s)", actor, found, page, format)
				}
			}
		}
	}
	t.Logf("%d pages read", read)
}

// TestContact sets and clears the contact in a profile. Other members see the contact until it is cleared. The
// journal never contains the contact.
func TestContact(t *testing.T) {
	w := webtest.New(t)
	bob := w.URL("@bob")
	set := func(params param.Input) {
		t.Helper()
		if r := w.As("bob").PostJSON(bob, "update_profile", params); r.Status != http.StatusOK {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	shown := func(actor string) bool {
		return strings.Contains(w.As(actor).Get(bob, "text/html").Body, "extension 12")
	}
	set(param.Input{"name": "Bob Brown", "contact": "extension 12"})
	if !shown("carol") || !shown("bob") {
		t.Error("the contact is not shown")
	}
	set(param.Input{"name": "Bob Braun"})
	if !shown("carol") {
		t.Error("a change of the name takes the contact away")
	}
	if entry := w.As("carol").Get("/orgs/acme/journal", "application/json").Body; strings.Contains(entry, "extension 12") {
		t.Error("the journal has the contact")
	}
	set(param.Input{"name": "Bob Braun", "contact": ""})
	if shown("carol") || shown("bob") {
		t.Error("the contact is still shown")
	}
}
