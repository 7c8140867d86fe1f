package page

import (
	"strings"
	"testing"
)

// TestChangedWords compares two texts. HTML emphasizes the changed words of lines that are much the same, and leaves
// other lines plain. Markdown has the lines alone.
func TestChangedWords(t *testing.T) {
	long, most := strings.Repeat("a ", mostWords+1), strings.Repeat("a ", mostWords-1)
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
		{"Same.\na b c\na b d e\nKept.\nSeven.", "Same.\na b x\na b y e\nKept.",
			"<del>-a b <strong>c</strong></del>\n<del>-a b <strong>d </strong>e</del>\n" +
				"<ins>+a b <strong>x</strong></ins>\n<ins>+a b <strong>y </strong>e</ins>\n" +
				" Kept.\n<del>-Seven.</del>"},
		{"One thing.\n\nThird part here.", "One thing.\n\nThird bit now.",
			"<del>-Third <strong>part here.</strong></del>\n<ins>+Third <strong>bit now.</strong></ins>"},
		{"One of four words.", "One more time now.", "<del>-One of four words.</del>\n<ins>+One more time now.</ins>"},
		{long + "b", long + "c", "b</del>\n<ins>+a "},
		{most + "b", most + "c", "<strong>b</strong></del>\n<ins>+a "},
		{most + "b", most + "c d", "b</del>\n<ins>+a "},
		{most + "c d", most + "b", "d</del>\n<ins>+a "},
	} {
		d := Diff{Before: c.before, After: c.after}
		if got := inHTML(d); !strings.Contains(got, c.html) || !strings.Contains(got, `class="diff words"`) {
			t.Errorf("the difference is\n%.300s\nnot\n%s", got, c.html)
		}
		if got := inMarkdown(d); strings.Contains(got, "<strong>") {
			t.Errorf("markdown has the emphasis:\n%s", got)
		}
	}
	if n := signed([]string{"-a", "-b", "", "-c"}, 0, '-'); n != 2 {
		t.Errorf("%d lines before an empty one are removed, want 2", n)
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
