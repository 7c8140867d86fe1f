package page

import (
	"fmt"
	"strings"
	"testing"

	"samepage/actions/param"
)

// inMarkdown returns the markdown of a page with one block.
func inMarkdown(b Block) string {
	p := Page{URL: "/x", Title: "X", Blocks: []Block{b}}
	return string(p.AppendMarkdown(nil, &Context{Now: now}))
}

// TestCodeBesideBackticks pads code that begins or ends with a backtick, or with spaces on both sides, and no other
// code.
func TestCodeBesideBackticks(t *testing.T) {
	for code, want := range map[string]string{"a": "`a`", "`a": "`` `a ``", "a`": "`` a` ``", "a`b": "``a`b``",
		" a ": "`  a  `", " a": "` a`", "a ": "`a `"} {
		var e escaper
		if e.code(code); string(e.dst) != want {
			t.Errorf("%q is written %q, want %q", code, e.dst, want)
		}
	}
}

// TestSchemesNeedAnAddress checks that a URL with nothing after its scheme, or with another scheme, is not allowed.
func TestSchemesNeedAnAddress(t *testing.T) {
	for url, want := range map[string]bool{"https://": false, "http://": false, "mailto:": false, "https://a": true,
		"http://[::1]": true, "https:///a": false, "ftp://a": false, "MAILTO:a@b": true} {
		if allowedScheme(url) != want {
			t.Errorf("%q is allowed: %v, want %v", url, !want, want)
		}
	}
}

// TestOptionsLeftOut checks that a field with too many options says how many are left out, with a link to the form of
// the action.
func TestOptionsLeftOut(t *testing.T) {
	w := &mdWriter{p: &Page{URL: "/x"}, c: &Context{Now: now}, limit: lineLimit, allow: allowance{options: 2}}
	w.options(&Form{URL: "/x/actions/choose"}, &param.Field{Options: choices(5)})
	if got := string(w.dst); !strings.Contains(got, "and 3 more on its [form]") {
		t.Errorf("of five options two are shown: %q", got)
	}
}

// TestToolbarIsShort checks that the first actions without fields are tools, up to four, and the others are in the
// menu.
func TestToolbarIsShort(t *testing.T) {
	var forms []Form
	for i := range mostTools + 2 {
		forms = append(forms, Form{Name: fmt.Sprint("do_", i), Title: fmt.Sprint("Do ", i), URL: fmt.Sprint("/x/actions/do_", i),
			Tool: true})
	}
	w := htmlWriter{p: &Page{URL: "/x", Title: "X", Forms: forms}, c: &Context{Now: now}}
	w.findSpots()
	for i, at := range w.spots {
		if (at == inTools) != (i < mostTools) {
			t.Errorf("action %d is a tool: %v", i, at == inTools)
		}
	}
}

// TestDeepPlaces writes a navigation of six levels. The levels below the fourth are indented like the fourth.
func TestDeepPlaces(t *testing.T) {
	var p Place
	for level := 6; level > 0; level-- {
		next := Place{Name: fmt.Sprint("level ", level), URL: fmt.Sprint("/", level)}
		if p.Name != "" {
			next.Below = []Place{p}
		}
		p = next
	}
	w := htmlWriter{p: &Page{}, c: &Context{Now: now}}
	w.places([]Place{p}, 0)
	got := string(w.b)
	if strings.Count(got, "<ul>") != 4 || strings.Count(got, "<li>") != 6 || strings.Count(got, "</ul>") != 4 {
		t.Errorf("six levels:\n%s", got)
	}
}

// TestLanguages checks names of programming languages up to the maximum length, and texts that are not such names.
func TestLanguages(t *testing.T) {
	longest := strings.Repeat("a", 31)
	for s, want := range map[string]string{"go": "go", "c++": "c++", "c#": "c#", "objective-c": "objective-c", "a b": "",
		"a`": "", longest: longest, longest + "a": "", "": ""} {
		if got := language(s); got != want {
			t.Errorf("the language %q is %q, want %q", s, got, want)
		}
	}
}

// TestCutLines cuts at the end of a line if that keeps more than a third of the length, and otherwise at a space.
func TestCutLines(t *testing.T) {
	for _, c := range []struct {
		text, want string
		limit      int
		whole      bool
	}{
		{"abc", "abc", 3, true}, {"äöü", "äöü", 3, true}, {"abcd", "abcd", -1, true},
		{"abcde\nfgh ij", "abcde\n", 9, false},   // the line ends in the middle
		{"ab\ncde fghijk", "ab\ncde", 9, false},  // the line ends too early
		{"abc\ndef ghijk", "abc\ndef", 9, false}, // the line has exactly a third
		{"abcd\nef ghijk", "abcd\n", 9, false},
		{"abc", "", 0, false}, {" abcd", " a", 2, false},
	} {
		if got, whole := cutLines(c.text, c.limit); got != c.want || whole != c.whole {
			t.Errorf("%q at %d: %q, %v; want %q", c.text, c.limit, got, whole, c.want)
		}
	}
}

// TestImagesWithoutAnAddress shows the words of an image whose address cannot be a link.
func TestImagesWithoutAnAddress(t *testing.T) {
	got := string(convert("![A cat](javascript:alert) ![A dog](https://example.org/dog.png)", 3).html)
	if strings.Contains(got, "javascript") || !strings.Contains(got, "A cat") ||
		!strings.Contains(got, `href="https://example.org/dog.png"`) ||
		strings.Contains(got, "<img") {
		t.Errorf("images of other sites: %s", got)
	}
}

// TestDefinitionsInQuotes checks that definitions of links in a quoted text become text, and that lines of code stay
// as they are.
func TestDefinitionsInQuotes(t *testing.T) {
	text := "[a]: /b\n\n```\n[c]: /d\n```\n\n[e]: /f\n\n```\n[g]: /h\n```\n\n[i]: /j\n"
	got := inMarkdown(Prose{Text: text})
	for _, want := range []string{`\[a]: /b`, "\n> [c]: /d", `\[e]: /f`, "\n> [g]: /h", `\[i]: /j`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	for s, want := range map[string]bool{"[a]:": true, "[a]": false, "[a] :": false, "[" + strings.Repeat("a", 1098) + "]:": true,
		"[" + strings.Repeat("a", 1099) + "]:": false, `[a\]:`: false, `[a\]]:`: true} {
		if defines([]byte(s)) != want {
			t.Errorf("%.20q… of %d bytes defines a link: %v", s, len(s), !want)
		}
	}
}

// TestFirstOptionHasTheFocus puts the focus on the first of several options.
func TestFirstOptionHasTheFocus(t *testing.T) {
	got := formOf(param.Field{Name: "a", Kind: param.Choice, Options: choices(3)}, nil)
	first, rest, _ := strings.Cut(got, `value="2"`)
	if strings.Count(first, "autofocus") != 1 || strings.Contains(rest, "autofocus") {
		t.Errorf("the focus:\n%s", got)
	}
}
