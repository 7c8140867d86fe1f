package web_test

import (
	"net/http"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestAllTextsOfAPageAreFound searches for words outside the title and the body of a page: in a question, an answer, a
// reason, a statement, an abstract or a card. The reason of a secret nomination is not found.
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
		if secret := c.fixture == "election nomination"; found == secret { // nominations are secret until they are revealed
			t.Errorf("%s is found by %q: %v\n%s", c.fixture, c.word, found, page)
		}
	}
}

// TestSearchShowsWhatItFound searches for an inflected word in the middle of a long text. The result shows that part
// of the text, with the word in bold. The result for a closed vote shows its outcome.
func TestSearchShowsWhatItFound(t *testing.T) {
	w := webtest.New(t)
	if !searches(w) {
		t.Skip("built without full-text search")
	}
	bob, rest := w.As("bob"), strings.Repeat("The meadow is green and wide. ", 20)
	walk := param.Input{"title": "A walk", "text": rest + "Two giraffes slept there. " + rest}
	if r := bob.PostJSON(w.URL("team"), "create_note", walk); r.Status != http.StatusOK {
		t.Fatal(r.Body)
	}
	for query, says := range map[string]string{
		"giraffe":      "| … green and wide. The meadow is green and wide. Two **giraffes** slept there.",
		"day+in:title": "decision in Team, decided Wed 18 Nov 2026 11:25 CET: Wednesday, 2 of 3 |",
	} {
		if md := bob.Get("/search?q="+query, "text/markdown").Body; !strings.Contains(md, says) {
			t.Errorf("%s does not say %q:\n%s", query, says, md)
		}
	}
	if html := bob.Get("/search?q=giraffe", "text/html").Body; !strings.Contains(html, "<strong>giraffes</strong>") {
		t.Errorf("the browser is not shown the word:\n%s", mainOf(html))
	}
}
