package mcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestVisits(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	v := newVisits(func() time.Time { return now })
	v.add("alice", "/old")
	now = now.Add(visitLife)
	v.add("alice", "/a")
	v.add("alice", "/b")
	v.add("alice", "/a")
	v.add("alice", "/"+strings.Repeat("x", visitPageSize))
	if got := opened(v, "alice"); !slices.Equal(got, []string{"/a", "/b", "/old"}) {
		t.Errorf("recent %v", got)
	}
	now = now.Add(time.Second)
	if got := opened(v, "alice"); !slices.Equal(got, []string{"/a", "/b"}) {
		t.Errorf("a day and a second later %v", got)
	}
	if got := opened(v, "bob"); got != nil {
		t.Errorf("bob's %v", got)
	}
}

func TestVisitsAreBounded(t *testing.T) {
	v := newVisits(time.Now)
	for i := range 3 * visitPages {
		v.add("alice", fmt.Sprintf("/%d", i))
	}
	if got := opened(v, "alice"); len(got) != visitPages || got[0] != "/191" || got[visitPages-1] != "/128" {
		t.Errorf("%d pages: %v", len(got), got)
	}
	v.add("bob", "/")
	for i := range visitCallers - 1 {
		v.add(fmt.Sprint(i), "/")
		if i == visitCallers/2 {
			v.add("bob", "/again")
		}
	}
	if len(v.byPrincipal) != visitCallers || v.latest.Len() != visitCallers ||
		opened(v, "alice") != nil || len(opened(v, "bob")) != 2 {
		t.Errorf("%d principals, alice %v, bob %v", len(v.byPrincipal), opened(v, "alice"), opened(v, "bob"))
	}
	_, known := v.recent("bob")
	_, dropped := v.recent("alice")
	v.add("alice", "/back")
	if _, back := v.recent("alice"); !known || dropped || back {
		t.Errorf("all is %v for bob; for alice, who was dropped, %v, and after another page %v", known, dropped, back)
	}
}

// opened returns the remembered pages of a principal.
func opened(v *visits, principal string) []string {
	pages, _ := v.recent(principal)
	return pages
}

// TestVisitsKnowWhatTheyForgot checks that the remembered pages count as incomplete for a day after one page was
// forgotten. The name of an action may refer to the forgotten page.
func TestVisitsKnowWhatTheyForgot(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	v := newVisits(func() time.Time { return now })
	for i := range visitPages {
		v.add("alice", fmt.Sprintf("/%d", i))
	}
	v.add("alice", "/0")
	v.add("bob", "/"+strings.Repeat("x", visitPageSize))
	for who, want := range map[string]bool{"alice": true, "bob": false, "carol": true} {
		if _, all := v.recent(who); all != want {
			t.Errorf("%s: all is %v", who, all)
		}
	}
	now = now.Add(time.Minute)
	v.add("alice", "/new")
	for _, c := range []struct {
		later time.Duration
		all   bool
	}{{0, false}, {visitLife - time.Minute, false}, {time.Second, true}} {
		now = now.Add(c.later)
		if _, all := v.recent("alice"); all != c.all {
			t.Errorf("%v later: all is %v", c.later, all)
		}
	}
}
