package page

import (
	"strings"
	"testing"
)

// inMarkdownLine returns a line of inlines as markdown.
func inMarkdownLine(in ...Inline) string {
	w := mdWriter{p: &Page{URL: "/x"}, c: &Context{Now: now}, limit: lineLimit}
	w.line(in, inLine, false)
	return string(w.dst)
}

// TestGapsBetweenPieces checks that two pieces of a line have a space between them only where markdown would have
// another meaning without it.
func TestGapsBetweenPieces(t *testing.T) {
	const at = "Fri 20 Nov 2026 12:00 UTC"
	for _, c := range []struct {
		line []Inline
		want string
	}{
		{Line(Strong("a"), Strong(".b")), "**a.b**"},
		{Line(Strong("a."), Strong("b")), "**a.b**"},
		{Line(T("a"), Strong("b")), "a**b**"},
		{Line(T("a"), Strong(".b")), "a **.b**"},
		{Line(T("a"), Strong("é")), "a **é**"},
		{Line(T("a("), Strong(".b")), "a(**.b**"},
		{Line(T("é"), Strong(".b")), "é **.b**"},
		{Line(When(now), Strong(".b")), at + " **.b**"},
		{Line(Distance(now), Strong(".b")), at + " (now)**.b**"},
		{Line(When(now), Strong("b")), at + "**b**"},
		{Line(Link("a", "/b"), Strong(".b")), "[a](/b)**.b**"},
		{Line(Mono("a"), Strong(".b")), "`a`**.b**"},
		{Line(Strong("a"), T("b")), "**a**b"},
		{Line(Strong("a."), T("b")), "**a.** b"},
		{Line(Strong("a."), T("(b")), "**a.**(b"},
		{Line(Strong("a."), T("é")), "**a.** é"},
		{Line(Strong("a."), When(now)), "**a.** " + at},
		{Line(Strong("a."), Distance(now)), "**a.** " + at + " (now)"},
		{Line(Strong("a."), Link("b", "/c")), "**a.**[b](/c)"},
		{Line(Strong("a."), Mono("b")), "**a.**`b`"},
		{Line(Mono("a"), Mono("b")), "`a` `b`"},
		{Line(Mono("a"), T("b")), "`a`b"},
		{Line(T("a"), Mono("b")), "a`b`"},
		{Line(T("a"), Mono("b@c")), "a `b@c`"},
		{Line(T("a"), Mono("@c")), "a `@c`"},
		{Line(T("a"), T("."), T("b")), "a.b"},
		{Line(Sentence(""), T("a"), T(""), T("b")), "ab"},
		{Line(T("a "), Sentence(" "), T(" b")), "a b"},
		{Line(T("a"), Strong("")), "a **(empty)**"},
	} {
		if got := inMarkdownLine(c.line...); got != c.want {
			t.Errorf("%q is written, want %q", got, c.want)
		}
	}
	for s, want := range map[string][2]bool{"azAZ09": {true, false}, "!/:@[`{~": {false, true},
		" \x7f\x00é": {false, false}} {
		for _, r := range s {
			if flanks(r) != want[0] || edge(r) != want[1] {
				t.Errorf("%q is a letter or digit: %v, and punctuation: %v", r, flanks(r), edge(r))
			}
		}
	}
}

// TestVisibleTextIsNotCopied checks that clean does not allocate for a text that needs no change.
func TestVisibleTextIsNotCopied(t *testing.T) {
	for _, s := range []string{"Budget for 2027", "Zoë was here"} {
		if n := testing.AllocsPerRun(20, func() { clean(s, lineLimit) }); n > 0 {
			t.Errorf("%q is copied: %v allocations", s, n)
		}
	}
}

// TestAddressesOfLinks checks that no character of an address ends the link, and that no path leads to another site.
func TestAddressesOfLinks(t *testing.T) {
	for url, want := range map[string]string{
		"": "O/x", "#a": "O/x#a", "?a=b": "O/x?a=b", "/": "O/", "/a-_.~!$&+,/:=@%": "O/a-_.~!$&+,/:=@%",
		"/é":             "O/%C3%A9",
		"//evil.example": "O/x", `/\evil.example`: "O/x", "javascript:a": "O/x", "mailto:": "O/x", "a": "O/x",
		"https://a.example/b": "https://a.example/b", "HTTPS://a": "HTTPS://a", "mailto:a@b": "mailto:a@b",
		"https://[::1]/": "https://%5B::1%5D/", "https://%41": "https://%41", "https://\x80": "https://%80",
		"https://-": "O/x",
	} {
		if got := string(appendURL(nil, url, "O", "/x")); got != want {
			t.Errorf("the address %q is written %q, want %q", url, got, want)
		}
	}
	const hex = "0123456789ABCDEF"
	for b := range 256 {
		got := string(appendURL(nil, "/a"+string([]byte{byte(b)}), "", "/x"))
		want := "/a" + string([]byte{byte(b)})
		if b <= ' ' || b >= 0x7f || strings.IndexByte("()<>\"\\`|^{}[];'*", byte(b)) >= 0 {
			want = "/a%" + hex[b>>4:b>>4+1] + hex[b&15:b&15+1]
		}
		if got != want {
			t.Errorf("the byte %#x is written %q, want %q", b, got, want)
		}
	}
	for name, want := range map[string]string{
		"x": "[&#120;](/a)", "X": "[&#88;](/a)", "y": "[y](/a)", "a]b": `[a\]b](/a)`, "xX": "[xX](/a)"} {
		if got := inMarkdownLine(Link(name, "/a")); got != want {
			t.Errorf("the link %q is written %q, want %q", name, got, want)
		}
	}
	if got := inMarkdownLine(T("Look!"), Link("a", "/a")); got != `Look\![a](/a)` {
		t.Errorf("a link after an exclamation mark is an image: %q", got)
	}
}

// TestSpecialCharacters checks that a character is escaped only where it has a meaning in markdown.
func TestSpecialCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"&amp; a": `\&amp; a`, "&#38;": `\&#38;`, "&!a;": "&!a;", "&a#b;": "&a#b;", "&;": "&;", "& a": "& a",
		"a.@b": `a.\@b`, "~ a@b": `\~ a\@b`, "a @b": "a @b", "a@ b": "a@ b", "a|b": "a|b",
	} {
		if got := inMarkdownLine(T(text)); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
	w := mdWriter{escaper: escaper{dst: []byte("a")}, p: &Page{URL: "/x"}, c: &Context{Now: now}}
	w.line(Line(T("_b_"), Mono("c|d"), T("|")), inCell, false)
	if got := string(w.dst); got != "a\\_b\\_`c\\|d`\\|" {
		t.Errorf("a cell is written %q", got)
	}
	if got := inMarkdownLine(Mono("c|d")); got != "`c|d`" {
		t.Errorf("code outside of a table is written %q", got)
	}
}
