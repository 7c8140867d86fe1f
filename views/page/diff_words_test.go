package page

import (
	"strings"
	"testing"
)

// TestChangedWords compares two texts. HTML emphasizes the changed words of lines that are much the same, and leaves
// other lines plain. Markdown has the lines alone.
func TestChangedWords(t *testing.T) {
	long := strings.Repeat("a ", mostWords+1)
	for _, c := range []struct{ before, after, html string }{
		{"Lend a tool if it is on the list.", "Lend a tool for three days if it is on the list.",
			"<del>-Lend a tool if it is on the list.</del>\n" +
				"<ins>+Lend a tool <strong>for three days </strong>if it is on the list.</ins>"},
		{"Who lends it is told.", "Who lends it answers <now>.",
			"<del>-Who lends it <strong>is told.</strong></del>\n<ins>+Who lends it <strong>answers &lt;now&gt;.</strong></ins>"},
		{"One thing.", "Something else altogether.",
			"<del>-One thing.</del>\n<ins>+Something else altogether.</ins>"},
		{"Same.\nOne two three.", "Same.\nOne two four.\nAnd a new line.", "<del>-One two <strong>three.</strong></del>\n" +
			"<ins>+One two <strong>four.</strong></ins>\n<ins>+And a new line.</ins>"},
		{long + "b", long + "c", "b</del>\n<ins>+a "},
	} {
		d := Diff{Before: c.before, After: c.after}
		if got := inHTML(d); !strings.Contains(got, c.html) || !strings.Contains(got, `class="diff words"`) {
			t.Errorf("the difference is\n%.300s\nnot\n%s", got, c.html)
		}
		if got := inMarkdown(d); strings.Contains(got, "<strong>") {
			t.Errorf("markdown has the emphasis:\n%s", got)
		}
	}
	if got := inHTML(Patch{Text: "-a b c\n+a b d\n"}); strings.Contains(got, "<strong>") || strings.Contains(got, "words") {
		t.Errorf("the lines of a program are compared by words:\n%s", got)
	}
}

// TestDetailsNote writes a note after the title of a folded section.
func TestDetailsNote(t *testing.T) {
	d := Details{ID: "q", Title: "Questions", Note: Line(T("3 of them")), Blocks: []Block{Para(Line(T("Why?")))}}
	if got := inHTML(d); !inOrder(got, "<summary>", "Questions</h2>", `<span class="hint">3 of them</span>`, "</summary>",
		"Why?") {
		t.Errorf("HTML is\n%s", got)
	}
	if got := inMarkdown(d); !inOrder(got, "## Questions", "3 of them", "Why?") {
		t.Errorf("markdown is\n%s", got)
	}
	d.Note = nil
	if got := inHTML(d); strings.Contains(got, "hint") {
		t.Errorf("there is an empty note in\n%s", got)
	}
}
