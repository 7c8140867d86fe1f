package web_test

import (
	"strings"
	"testing"

	"samepage/web/webtest"
)

// TestAllTextsOfAPageAreFound searches for a word that stands neither in the title nor in the body of a page: in a
// question, an answer, a reason, a statement, an abstract or a card.
func TestAllTextsOfAPageAreFound(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	if !searches(w) {
		t.Skip("built without full-text search")
	}
	for _, c := range []struct{ fixture, word string }{
		{"policy money", "50"}, {"topic clarification", "postcards"}, {"topic clarification", "short"}, {"topic reaction", "miss"},
		{"topic consent", "dangerous"}, {"topic accepted", "next"}, {"election elected", "door"}, {"election elected", "spare"},
		{"election consent", "soup"}, {"election consent", "eight"}, {"election nomination", "receipt"}, {"board", "lemonade"}} {
		page := w.As("bob").Get("/search?q="+c.word, "text/markdown").Body
		found := strings.Contains(page, w.URL(c.fixture)+")")
		if secret := c.fixture == "election nomination"; found == secret { // nominations are, until they are revealed
			t.Errorf("%s is found by %q: %v\n%s", c.fixture, c.word, found, page)
		}
	}
}
