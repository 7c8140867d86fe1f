package mcp

import (
	"strings"
	"testing"
)

func TestBareName(t *testing.T) {
	tests := []struct {
		name   string
		opened []string
		action string
		want   string // the page on which the action is taken, or a part of the error
		ok     bool
	}{
		{"the last page", []string{"/", "/d/1"}, "comment", "/d/1", true},
		{"the last, beside one that does not offer it", []string{"/d/2", "/d/1"}, "comment", "/d/1", true},
		{"opened twice", []string{"/d/1", "/d/1?x=1", "/d/1/"}, "comment", "/d/1", true},
		{"opened by another name", []string{"/cycles/today"}, "plan", "/cycles/2026-11-20", true},
		{"a page opened before", []string{"/d/1", "/n/1"}, "comment", "If you mean /d/1 (Page /d/1), give it as url.", false},
		{"two pages opened before", []string{"/d/1", "/d/2", "/"}, "cast_vote",
			"the one you mean: /d/2 (Page /d/2), /d/1 (Page /d/1).", false},
		{"a vote", []string{"/d/1"}, "cast_vote", "If you mean /d/1 (Page /d/1), give it as url.", false},
		{"none", []string{"/"}, "cast_vote", "No page that you opened", false},
		{"destructive", []string{"/n/1"}, "delete_note", "If you mean /n/1 (Page /n/1), give it as url.", false},
		{"missing pages are not remembered", []string{"/d/1", "/nowhere"}, "comment", "/d/1", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site := newStub()
			s := inMemory(t, site, alice)
			for _, url := range tt.opened {
				call(t, s, "navigate", args{"url": url})
			}
			got, isError := call(t, s, "execute_action", args{"action": tt.action})
			if tt.ok != !isError {
				t.Fatalf("got %s", got)
			}
			if tt.ok && (!strings.HasPrefix(got, tt.action+" on "+tt.want+": ") || site.last(t).page != tt.want) {
				t.Errorf("got %s", got)
			}
			if !tt.ok && (!strings.Contains(got, tt.want) || !strings.HasSuffix(got, unchanged) || site.count() != 0) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestBareNameIsWhatIsOfferedNow(t *testing.T) {
	site := newStub()
	s := inMemory(t, site, alice)
	call(t, s, "navigate", args{"url": "/n/1"})
	call(t, s, "navigate", args{"url": "/d/1"})
	site.mu.Lock()
	site.offers["/d/1"] = []string{"cast_vote"}
	site.mu.Unlock()
	if got, isError := call(t, s, "execute_action", args{"action": "comment"}); !isError ||
		!strings.HasPrefix(got, "No page") {
		t.Errorf("got %s", got)
	}
	if got, isError := call(t, s, "execute_action", args{"action": "update_note"}); !isError ||
		!strings.Contains(got, "/n/1") {
		t.Errorf("got %s", got)
	}
}

// TestBareNameIsPerToken checks that the pages that Alice has opened do not affect Bob's calls on the same server.
func TestBareNameIsPerToken(t *testing.T) {
	url := served(t, newStub()) + "/mcp"
	a, b := connect(t, url, alice), connect(t, url, bob)
	call(t, a, "navigate", args{"url": "/d/1"})
	if got, isError := call(t, b, "execute_action", args{"action": "comment"}); !isError {
		t.Errorf("Bob: %s", got)
	}
	if got, isError := call(t, a, "execute_action", args{"action": "comment"}); isError {
		t.Errorf("Alice: %s", got)
	}
}

// TestNoGuessWhenTheSiteCannotTell checks that the page of an action is not guessed if the site does not say which
// actions a page offers.
func TestNoGuessWhenTheSiteCannotTell(t *testing.T) {
	w := newWalker(t.Context(), newStub(), options())
	by := caller{principal: "p", request: request(alice)}
	w.visits.add("p", "/d/1")
	w.visits.add("p", "/stream")
	if at, err := w.findTarget(t.Context(), by, executeArgs{action: "comment"}); err == nil ||
		!strings.Contains(err.Error(), "cannot be told") {
		t.Errorf("guessed %v, %v", at, err)
	}
}

// TestBareNameAfterAnAction checks that pages which execute_action was given or has returned count as opened, like
// those of navigate.
func TestBareNameAfterAnAction(t *testing.T) {
	link := args{"action": "/d/1/actions/cast_vote"}
	tests := []struct {
		name   string
		opened string
		first  args // an action with its page
		action string
		want   string // the page on which the action is taken, or a part of the error
		ok     bool
	}{
		{"by link", "/", link, "comment", "/d/1", true},
		{"by url", "/", args{"action": "comment", "url": "/d/1"}, "comment", "/d/1", true},
		{"by relative name", "/", args{"action": "plan", "url": "/cycles/today"}, "plan", "/cycles/2026-11-20", true},
		{"shown a new page", "/", args{"action": "start", "url": "/make"}, "cast_vote", "If you mean /d/2", false},
		{"by link, beside a page opened", "/d/2", link, "comment", "/d/1", true},
		{"shown a new page, beside one opened", "/d/1", args{"action": "start", "url": "/make"},
			"comment", "If you mean /d/1", false},
		{"refused without a page", "/d/2", args{"action": "/d/1/actions/cast_vote?accept=1"},
			"comment", "/d/1", true},
		{"dry run", "/d/2", args{"action": "cast_vote", "url": "/d/1", "dry_run": true}, "comment", "/d/1", true},
		{"no such page", "/d/1", args{"action": "cast_vote", "url": "/nowhere"}, "comment",
			"If you mean /d/1", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site := newStub()
			s := inMemory(t, site, alice)
			call(t, s, "navigate", args{"url": tt.opened})
			call(t, s, "execute_action", tt.first)
			before := site.count()
			got, isError := call(t, s, "execute_action", args{"action": tt.action})
			if tt.ok && (isError || !strings.HasPrefix(got, tt.action+" on "+tt.want+": ") ||
				site.last(t).page != tt.want) {
				t.Errorf("got %s", got)
			}
			if !tt.ok && (!isError || !strings.Contains(got, tt.want) || site.count() != before) {
				t.Errorf("%d actions more: %s", site.count()-before, got)
			}
		})
	}
}
