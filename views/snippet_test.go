package views

import (
	"strings"
	"testing"
)

// TestWordBoundary finds the starts of words: the first, one after it, and a word that is longer than a snippet looks
// back.
func TestWordBoundary(t *testing.T) {
	long := strings.Repeat("x", 2*snippetWord)
	for _, c := range []struct {
		text     string
		at, want int
	}{
		{"Hello world", 0, 0}, {"Hello world", 3, 0}, {"Hello world", 6, 6}, {"Hello world", 8, 6}, {"Hello world", 11, 6},
		{long, snippetWord + 5, snippetWord + 5}, {"a " + long, 5, 2}, {"", 0, 0},
	} {
		if got := wordBoundary(c.text, c.at); got != c.want {
			t.Errorf("the word at %d of %q begins at %d, not %d", c.at, c.text, got, c.want)
		}
	}
}
