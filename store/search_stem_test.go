package store_test

import (
	"slices"
	"testing"

	"samepage/store/effort"
)

// TestSearchFindsForms expects a search to find other forms of a word in English and German, in both directions. A word
// in quotation marks must find only the same form.
func TestSearchFindsForms(t *testing.T) {
	effort.Slow(t)
	mustSearch(t)
	w := newWorld(t)
	for _, pair := range [][2]string{
		{"Abstimmung", "Abstimmungen"}, {"Haus", "Häuser"}, {"Protokoll", "Protokolle"}, {"invoice", "invoices"},
		{"skies", "sky"}, {"dying", "die"}, {"running", "run"}, {"Straße", "Straßen"},
	} {
		one := w.decision(w.alice, w.team, pair[0], "Yes")
		many := w.decision(w.alice, w.team, "About "+pair[1], "Yes")
		both := []string{many.URL(), one.URL()}
		for i, word := range pair {
			if got := w.search(w.bob, word); !slices.Equal(got, both) {
				t.Errorf("%s: found %q, want %q", word, got, both)
			}
			if got, want := w.search(w.bob, `"`+word+`"`), []string{both[1-i]}; !slices.Equal(got, want) {
				t.Errorf("%q: found %q, want %q", word, got, want)
			}
		}
		if got := w.search(w.bob, pair[1]+" sort:relevance"); !slices.Equal(got, both) {
			t.Errorf("%s by relevance: found %q, want %q", pair[1], got, both)
		}
	}
}
