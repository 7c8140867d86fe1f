package page

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// decision returns a page as large as a typical page of a decision, about 8 KB of markdown.
func decision() *Page {
	p := sample()
	var rows []Row
	for i := range 24 {
		rows = append(rows, Row{Cells: [][]Inline{{T(fmt.Sprint(i))},
			{Link("@member", "/u/member")}, {T("Yes, every Monday, and notes for those away")},
			{When(now)}}})
	}
	blocks := []Block{p.Blocks[1], p.Blocks[2], Section{Title: "Ballots", Blocks: []Block{Table{
		Columns: []Column{{Title: "#", Number: true}, {Title: "Member"}, {Title: "Choice"},
			{Title: "When"}}, Rows: rows}}}}
	for i := range 12 {
		blocks = append(blocks, Prose{
			ID:   fmt.Sprint("c", i),
			Lead: Line(T("By "), Strong("Scribe"), T(", agent of "), Link("@alice", "/u/alice"), T(", "), When(now)),
			Text: strings.Repeat("We noticed blocked work after four days. ", 5) + fmt.Sprint(i),
		})
	}
	p.Blocks = blocks
	return p
}

func BenchmarkMarkdown(b *testing.B) { benchmark(b, (*Page).AppendMarkdown) }

func BenchmarkHTML(b *testing.B) { benchmark(b, (*Page).AppendHTML) }

func benchmark(b *testing.B, write func(*Page, []byte, *Context) []byte) {
	p, c := decision(), sampleContext()
	dst := write(p, nil, c)
	b.ReportAllocs()
	b.SetBytes(int64(len(dst)))
	b.ResetTimer()
	for range b.N {
		dst = write(p, dst[:0], c)
	}
}

func BenchmarkProseMiss(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		convert(prose1, 2)
	}
}

func BenchmarkWorstProse(b *testing.B) {
	for name, s := range worst() {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				convert(s, 2)
				convert(s, 0)
			}
		})
	}
}

// TestWorstProse converts the worst texts, and limits the size of the output and the memory for tables. The size
// and the memory are the same in every run. The memory for regular expressions has no limit here, because it
// depends on sync.Pool, which the race detector empties at random. The benchmark measures the times.
func TestWorstProse(t *testing.T) {
	for name, s := range worst() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, q := convert(s, 2), convert(s, 0)
		runtime.ReadMemStats(&after)
		if len(p.html) > htmlLimit || len(q.quote) > htmlLimit {
			t.Errorf("%s: %d bytes of HTML, %d of markdown", name, len(p.html), len(q.quote))
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 64 && strings.Contains(name, "table") {
			t.Errorf("%s: %d MiB to convert %d bytes", name, used, len(s))
		}
	}
}

// worst returns the texts that cost a markdown parser the most for their size.
func worst() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, (32<<10)/len(s)) }
	var indented, tower strings.Builder
	for i := 0; indented.Len() < 32<<10; i++ {
		indented.WriteString(strings.Repeat(" ", 2*(i%100)) + "- a\n")
	}
	for i := 0; tower.Len() < 32<<10; i++ {
		tower.WriteString(strings.Repeat("> ", i%30) + "a\n")
	}
	var ticks, refs, notes strings.Builder
	for i := 1; ticks.Len() < 32<<10; i++ {
		ticks.WriteString("a" + strings.Repeat("`", i%200+1))
	}
	for i := 0; refs.Len() < 32<<10; i++ {
		fmt.Fprintf(&refs, "[a%d]: /u%d\n[a%d]\n\n", i, i, i)
	}
	for i := 0; notes.Len() < 32<<10; i++ {
		fmt.Fprintf(&notes, "x[^%d]\n\n[^%d]: y\n\n", i, i)
	}
	return map[string]string{
		"wide table": fill("|a")[:8<<10] + "|\n" + strings.Repeat("|-", 4<<10) + "|\n" + fill("|\n")[:16<<10],
		"medium table": strings.Repeat("|a", 60) + "|\n" + strings.Repeat("|-", 60) + "|\n" +
			strings.Repeat("|\n", 325),
		"many tables": fill("a|b|c|d\n-|-|-|-\n|\n|\n\n"),
		"quotes":      fill(">"), "spaced quotes": fill("> "), "tower": tower.String(),
		"lists": fill("- "), "ordered": fill("1. "), "deep list": indented.String(),
		"emphasis": fill("*a "), "closers": fill("a* "), "mixed": fill("*a_ "),
		"strong": fill("**a "), "stars": fill("*"), "nested": fill("*a **b "),
		"strikes": fill("~a "), "brackets": fill("["), "closing": fill("]"), "links": fill("[a]("),
		"nested links": fill("[a](b)"), "images": fill("![a](b)"),
		"off-site images": fill("![](https://e.e)"), "refs": refs.String(), "notes": notes.String(),
		"note calls": "[^1]: x\n\n" + fill("[^1]"),
		"backticks":  fill("`"), "tick runs": ticks.String(), "odd ticks": fill("`a``b"),
		"less than": fill("<"), "tags": fill("<a "), "open tags": fill("<a href='"),
		"comments": fill("<!-- "), "declarations": fill("<!A "), "instructions": fill("<? "),
		"cdata": fill("<![CDATA["), "html lines": fill("<div>\n"),
		"entities": fill("&amp;"), "ampersands": fill("&"), "quotes and hashes": fill("> # "),
		"urls": fill("http://a.b "), "www": fill("www.a.b "), "mails": fill("a@b.c "),
		"at": fill("a@"), "dots": "a@" + fill("b."), "long mail": fill("a"), "words": fill("a "),
		"spaces": fill(" ") + "x", "tabs": fill("\t"), "newlines": fill("\n"),
		"blank lines in list": "- a\n" + fill("\n") + "b", "setext": fill("a\n=\n"),
		"headings": fill("# a\n"), "rules": fill("---\n"), "fences": fill("```\n"),
		"backslashes": fill("\\"), "escapes": fill("\\*"), "terms": fill("a\n: b\n"),
		"colons": fill(": "), "tasks": fill("- [ ] a\n"), "definitions": fill("[a]: b\n"),
		"open definitions": fill("[a\n"), "hidden": fill("\u202e"), "wide": fill("漢"),
		"nul": fill("\x00"), "quote marks": fill("\""), "lazy": "> a\n" + fill("b\n"),
		"list of quotes": fill("- > "), "parens": "[a](" + fill("("),
		"titles": fill("[a](b \""), "dollar": fill("$"), "pipes": fill("|"), "crlf": fill("\r\n"),
	}
}
