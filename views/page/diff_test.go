package page

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a\nb", "a\nb", ""},
		{"", "", ""},
		{"", "a", "@@ -0,0 +1,1 @@\n+a\n"},
		{"a", "", "@@ -1,1 +0,0 @@\n-a\n"},
		{"a\nb\nc", "a\nx\nc", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nx\n5\n6\n7\n8\n9", "@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+x\n 5\n 6\n 7\n"},
		{"a\n1\n2\n3\n4\n5\n6\n7\nb", "A\n1\n2\n3\n4\n5\n6\n7\nB",
			"@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n"},
		{"a\n1\n2\n3\n4\n5\n6\nb", "A\n1\n2\n3\n4\n5\n6\nB", "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
		{"x\r\ny", "x\ny\u2028z", "@@ -1,2 +1,3 @@\n x\n y\n+z\n"},
	} {
		if got := (Diff{c.before, c.after}).text(); got != c.want {
			t.Errorf("from %q to %q:\n%s\nwant\n%s", c.before, c.after, got, c.want)
		}
	}
}

// TestDiffTurnsOneIntoTheOther checks for random texts that the unchanged and removed lines are the
// first text, and that the unchanged and added lines are the second.
func TestDiffTurnsOneIntoTheOther(t *testing.T) {
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g"}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		x, y := text.Draw(t, "before"), text.Draw(t, "after")
		var before, after []string
		for _, e := range compare(x, y) {
			if e.op != '+' {
				before = append(before, e.line)
			}
			if e.op != '-' {
				after = append(after, e.line)
			}
			if len(before) > 0 && e.op == ' ' && (x[e.x] != e.line || y[e.y] != e.line) {
				t.Fatalf("%+v is elsewhere", e)
			}
		}
		if strings.Join(before, "\n") != strings.Join(x, "\n") || strings.Join(after, "\n") != strings.Join(y, "\n") {
			t.Fatalf("%q becomes %q", before, after)
		}
	})
}

// TestDiffIsBounded compares two pairs of long texts: one without a common line, and one in which the same two lines
// repeat in a different pattern. It logs how long that takes and sets no limit.
func TestDiffIsBounded(t *testing.T) {
	begin := time.Now()
	for _, p := range [][2]string{
		{strings.Repeat("a\n", 1<<15), strings.Repeat("b\n", 1<<15)}, {strings.Repeat("a\nb\n", 1<<14), strings.Repeat("b\na\na\n", 1<<14)},
	} {
		Diff{p[0], p[1]}.text()
	}
	t.Logf("%v", time.Since(begin))
}

func TestDiffInBothForms(t *testing.T) {
	p := &Page{URL: "/x", Title: "x", Blocks: []Block{Diff{"one\n```\ntwo <b>", "one\n````\nthree & more"}}}
	c := &Context{Full: true}
	md, htm := string(p.AppendMarkdown(nil, c)), string(p.AppendHTML(nil, c))
	if !strings.Contains(md, "\n`````diff\n@@ -1,3 +1,3 @@\n one\n-```\n-two <b>\n+````\n+three & more\n`````\n") {
		t.Error(md)
	}
	if !strings.Contains(htm, " one\n<del>-```</del>\n<del>-two "+
		"&lt;b&gt;</del>\n<ins>+````</ins>\n<ins>+three &amp; more</ins>\n</code>") {
		t.Error(htm)
	}
	same(t, "diff", p, c)
	if _, err := html.Parse(strings.NewReader(htm)); err != nil {
		t.Error(err)
	}
}

// TestPatchWithComments checks that each line of the new text links to the form for a comment, with the number of the
// line. No other line may have a link.
func TestPatchWithComments(t *testing.T) {
	p := &Page{URL: "/x", Title: "x", Blocks: []Block{Patch{Comment: "/r/actions/comment_line?path=a.txt",
		Text: "new file mode 100644\n@@ -7,3 +9,3 @@ f\n one\n-two\n+2\n\\ No newline at end of file\n@@ -20 +30 @@\n three\n"}}}
	c := &Context{Full: true}
	same(t, "patch", p, c)
	htm := string(p.AppendHTML(nil, c))
	for number, line := range map[string]string{"9": " one", "10": "<ins>+2</ins>", "30": " three"} {
		link := `<a class="ln" data-extra href="/r/actions/comment_line?path=a.txt&amp;line=` + number +
			`"><span class="vh">Comment on line </span>` + number + "</a>"
		if !strings.Contains(htm, link+line+"\n") {
			t.Errorf("line %s does not link to its comment:\n%s", number, htm)
		}
	}
	if n := strings.Count(htm, `<a class="ln"`); n != 3 {
		t.Errorf("%d links:\n%s", n, htm)
	}
}
