package page

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSimpleProse checks that the fast way for plain sentences gives the same bytes as the parser,
// for every text that the fast way accepts.
func TestSimpleProse(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "The", "Monday", "www", "www.x", "http", "http:", "12",
		"3.5", "10%", "(so)", "e.g.", "well-known", "x:", "no;", "Why?", "--", "-",
		"1.", "2)", "Is it", "ok!", "TODO:", "javascript:", "a.b", "x.com", "mailto:", "ftp.x", "=",
		"é", "'s", "\"q\"", "*a*", "_b_", "[x]", "# h", "> q", "&amp;"})
	check := func(s string) error {
		quick, ok := appendSimpleQuote(nil, s)
		if !ok {
			return nil
		}
		src := newSource(s)
		if want := src.quote(); string(quick) != string(want) {
			return fmt.Errorf("%q is quoted as %q, want %q", s, quick, want)
		}
		quick, _ = appendSimpleHTML(nil, s)
		src = newSource(s)
		want, marks := toHTML(src.text, src.parse, 2)
		if string(quick) != string(want) || len(marks) != 0 {
			return fmt.Errorf("%q becomes %q, want %q", s, quick, want)
		}
		return nil
	}
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		for i, n := 0, rapid.IntRange(1, 12).Draw(r, "words"); i < n; i++ {
			if i > 0 {
				b.WriteString(rapid.SampledFrom([]string{" ", " ", " ", " ", "\n", "\n\n", "  ",
					"\n\n\n", " \n"}).Draw(r, "gap"))
			}
			b.WriteString(word.Draw(r, "word"))
		}
		if err := check(b.String()); err != nil {
			r.Fatal(err)
		}
	})
	for _, s := range []string{"Could we try it for a month first?",
		"We meet too rarely. Why?\n\nA month is fine.", "It costs 12.50, or 10% less (for now)."} {
		if !sentences(s) {
			t.Errorf("%q is not simple enough", s)
		}
		if err := check(s); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkSimpleProse(b *testing.B) {
	const s = "I can collect the written updates each Monday, and say who is stuck. Would that do?"
	var dst []byte
	for name, f := range map[string]func(){
		"parsed": func() { src := newSource(s); src.quote() },
		"simple": func() { dst, _ = appendSimpleQuote(dst[:0], s) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
