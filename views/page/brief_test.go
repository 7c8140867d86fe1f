package page

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestBriefPages writes random brief pages. Each must have at most 4,000 characters, all its headings, and a link in
// place of each part that is left out. The full page must have everything.
func TestBriefPages(t *testing.T) {
	words := []string{"word", "長い言葉", "**x**", "👩‍👩‍👧‍👦", "é", "<b>", "[a](/b)", "\u202e", "|", "Straßenbahn",
		strings.Repeat("m", 300)}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		text := func(most int) string {
			var b strings.Builder
			for range r.IntN(most) + 1 {
				b.WriteString(words[r.IntN(len(words))])
				b.WriteByte(" \n"[r.IntN(9)/8])
			}
			return b.String()
		}
		p := &Page{URL: "/orgs/x/briefing", Title: text(40), State: Line(T(text(20))), Brief: true, Rest: "/orgs/x"}
		lines := 0
		for s := range r.IntN(9) + 1 {
			part := Section{Title: fmt.Sprint("Part ", s), Few: Few{More: "/orgs/x/more", Last: r.IntN(2) == 0}}
			var list List
			for range r.IntN(4) * r.IntN(180) {
				list = append(list, Line(Link(text(12), "/orgs/x/"+fmt.Sprint(len(list))), T(": "+text(30)), When(now)))
			}
			part.Blocks = append(part.Blocks, list)
			if lines += len(list); r.IntN(3) == 0 {
				part.Blocks = append(part.Blocks, Prose{Lead: Line(T("By @x")), Text: text(300), More: "/orgs/x/more"})
			}
			p.Blocks = append(p.Blocks, part)
		}
		c := sampleContext()
		short := string(p.AppendMarkdown(nil, c))
		if n := utf8.RuneCountInString(short); n > briefLimit {
			t.Fatalf("seed %d: %d characters", seed, n)
		}
		for s := range p.Blocks {
			if !strings.Contains(short, fmt.Sprintf("\n## Part %d\n", s)) {
				t.Fatalf("seed %d: part %d is left out of\n%s", seed, s, short)
			}
		}
		c.Full = true
		whole := string(p.AppendMarkdown(nil, c))
		if n := strings.Count(whole, "\n- ") + strings.Count(whole, "\n* "); n < lines {
			t.Fatalf("seed %d: the full page has %d of %d lines", seed, n, lines)
		}
		if len(whole) > len(short) && !strings.Contains(short, " more](") && !strings.Contains(short, " earlier](") &&
			!strings.Contains(short, "Cut here: [") && !strings.Contains(short, "…") {
			t.Fatalf("seed %d: what is left out is not named:\n%s", seed, short)
		}
	}
}

// TestBriefListKeepsItsEnd checks that a brief page leaves out the first lines of a list if its section says that the
// last ones matter.
func TestBriefListKeepsItsEnd(t *testing.T) {
	var list List
	for i := range 200 {
		list = append(list, Line(T(fmt.Sprintf("line %03d %s", i, strings.Repeat("x", 60)))))
	}
	p := &Page{URL: "/a", Title: "A", Brief: true, Blocks: []Block{Section{Title: "Said", Blocks: []Block{list},
		Few: Few{More: "/b", Last: true}}}}
	got := string(p.AppendMarkdown(nil, &Context{}))
	if !strings.Contains(got, "## Said\n\n[170 earlier](/b)\n\n- line 170 ") || !strings.Contains(got, "line 199") {
		t.Errorf("the list does not keep its end:\n%s", got)
	}
}

// TestTheEndOfOutputStays checks that the long output of a program is cut at its beginning, and has a link to the
// whole output.
func TestTheEndOfOutputStays(t *testing.T) {
	for name, text := range map[string]string{"lines": strings.Repeat("some line\n", 2000) + "the last line",
		"one line": strings.Repeat("ä", 20_000) + " the last line"} {
		p := &Page{Title: "T", Blocks: []Block{Code{Text: text, End: true}}}
		got := string(p.AppendMarkdown(nil, sampleContext()))
		if !strings.Contains(got, "the last line") || !strings.Contains(got,
			"Only the end is here:") || len(got) > 8000 ||
			strings.Contains(got, "\uFFFD") || strings.Contains(got, "Cut here") {
			t.Errorf("%s: %d bytes: %.300s", name, len(got), got)
		}
	}
}
