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
	if got := v.recent("alice"); !slices.Equal(got, []string{"", "/a", "/b", "/old"}) {
		t.Errorf("recent %v", got)
	}
	now = now.Add(time.Second)
	if got := v.recent("alice"); !slices.Equal(got, []string{"", "/a", "/b"}) {
		t.Errorf("a day and a second later %v", got)
	}
	if got := v.recent("bob"); got != nil {
		t.Errorf("bob's %v", got)
	}
}

func TestVisitsAreBounded(t *testing.T) {
	v := newVisits(time.Now)
	for i := range 3 * visitPages {
		v.add("alice", fmt.Sprintf("/%d", i))
	}
	if got := v.recent("alice"); len(got) != visitPages || got[0] != "/47" || got[visitPages-1] != "/32" {
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
		v.recent("alice") != nil || len(v.recent("bob")) != 2 {
		t.Errorf("%d principals, alice %v, bob %v", len(v.byPrincipal), v.recent("alice"), v.recent("bob"))
	}
}
