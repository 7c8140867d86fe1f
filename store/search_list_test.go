package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/effort"
	"samepage/store/governance"
)

// TestSearchWithoutWords searches by filters only, newest or oldest first. Such a search must find all documents that
// fit, in this order, without the full-text index.
func TestSearchWithoutWords(t *testing.T) {
	effort.Slow(t)
	mustSearch(t)
	w := newWorld(t)
	var all []string
	for i := range 2*store.SearchLimit + 5 {
		if i%3 > 0 {
			w.clock.advance(time.Minute)
		}
		by := []store.Actor{w.alice, w.bob}[i%2]
		d := w.decision(by, w.team, fmt.Sprintf("Question %d", i), "One")
		all = append(all, d.URL())
	}
	w.SetTrace(func(query string, _ []any) {
		if strings.Contains(query, "FROM search ") {
			t.Errorf("the full-text index is asked for what has no words: %s", query)
		}
	})
	for _, text := range []string{"type:decision after:1d", "studio:team -type:comment -type:studio -type:role",
		"by:alice by:bob type:decision", "is:mine type:decision"} {
		want := append([]string{w.standups.URL()}, all...)
		if strings.Contains(text, "mine") {
			want = slices.DeleteFunc(want,
				func(url string) bool { i := slices.Index(all, url); return i >= 0 && i%2 > 0 })
		}
		if got := w.search(w.alice, text+" sort:old"); !slices.Equal(got, want) {
			t.Errorf("%s, oldest first:\n\tgot  %q\n\twant %q", text, got, want)
		}
		slices.Reverse(want)
		if got := w.search(w.alice, text); !slices.Equal(got, want) {
			t.Errorf("%s:\n\tgot  %q\n\twant %q", text, got, want)
		}
	}
	w.SetTrace(nil)
	everybody := w.alice
	for range store.ManyLists {
		everybody.Members = append(everybody.Members, w.bob.Members[0])
	}
	if got := w.search(everybody, "is:mine type:decision"); len(got) != len(all)+1 {
		t.Errorf("%d of %d", len(got), len(all)+1)
	}
}

// TestACommitmentIsFoundByItsPlace expects a search to find a commitment by its place, until the commitment is removed.
func TestACommitmentIsFoundByItsPlace(t *testing.T) {
	effort.Slow(t)
	mustSearch(t)
	w := newWorld(t)
	c := w.commitment(governance.NewCommitment{Title: "Race", CriticalMass: 1, Place: "The velodrome", StartsAt: friday.Add(time.Hour)})
	if got := w.search(w.bob, "velodrome"); !slices.Equal(got, []string{c.URL()}) {
		t.Errorf("found %q", got)
	}
	w.write(func(tx *store.Tx) error { return tx.RemoveItem(w.alice, &c.Item, "Removed commitment") })
	if got := w.search(w.bob, "velodrome"); len(got) > 0 {
		t.Errorf("found %q after its removal", got)
	}
}
