package page

import (
	"html/template"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"samepage/views/page/pagetest"
)

// allX is the structure of the page that [slots] returns if every text is "x". Any other text must give the same
// structure.
var allX = func() string {
	p, c := slots(func(string) string { return "x" })
	return pagetest.Structure(string(p.AppendMarkdown(nil, c)))
}()

// checkText puts s into every slot except those for prose, and then into one slot alone. In both
// cases the page must have the same structure as with "x".
func checkText(t interface{ Fatalf(string, ...any) }, s string, one int) {
	names := slotNames()
	slot := names[uint(one)%uint(len(names))]
	if optional("kind", s) || optional("", s) {
		return
	}
	for _, only := range []string{"", slot} {
		p, c := slots(func(name string) string {
			if only == "" && !strings.HasSuffix(name, "prose") || name == only {
				return s
			}
			return "x"
		})
		md := string(p.AppendMarkdown(nil, c))
		if !utf8.ValidString(md) {
			t.Fatalf("%q in %q: not UTF-8", s, only)
		}
		if got := pagetest.Structure(md); got != allX {
			t.Fatalf("%q in %q changes the structure:\n%s", s, only, difference(allX, got))
		}
		if only == "" {
			md := strings.Join(pagetest.Words(md), " ")
			htm := strings.Join(pagetest.HTMLWords(string(p.AppendHTML(nil, c))), " ")
			if md != htm {
				t.Fatalf("%q: the forms say\n%.600q\n%.600q", s, md, htm)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	for i, s := range pagetest.Hostile() {
		f.Add(s, i)
	}
	f.Fuzz(func(t *testing.T, s string, slot int) { checkText(t, s, slot) })
}

// pieces has building blocks of markdown. Strings made of these pieces are markdown more often than
// random strings are.
var pieces = []string{"*", "**", "_", "`", "``", "[", "]", "(", ")", "<", ">", "!", "\\", "|", "#",
	"-", "+", "=", "~", ":", ".", "&", ";", "@", "'", "\"", "/", "?", "$", "{", "}", "^",
	" ", "  ", "\n", "\n\n", "\t", "x", "y", "é", "“", "漢", "1", "12", "www", "http", "https://",
	"a.b", "&amp;", "&#3", "]:", "[^", "![", "](", "<!--", "-->", "<b>", "</b>", "---", "```",
	"~~", "\u200d", "\u202e", "\ufe0f", "\x00", "\xff", "👍", "mailto:", "...", "…"}

func TestTextIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12).Draw(t, "pieces"), "")
		checkText(t, s, rapid.IntRange(0, 1000).Draw(t, "slot"))
	})
}

// checkProse checks that a member's prose does not change the structure of the page, and that its HTML has only
// allowed elements, attributes and addresses.
func checkProse(t interface{ Fatalf(string, ...any) }, s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	p, c := slots(func(name string) string {
		if strings.HasSuffix(name, "prose") {
			return s
		}
		return "x"
	})
	if got := pagetest.Structure(string(p.AppendMarkdown(nil, c))); got != allX {
		t.Fatalf("%q changes the structure:\n%s", s, difference(allX, got))
	}
	page := string(p.AppendHTML(nil, c))
	if len(page) > 6*htmlLimit {
		t.Fatalf("%q: %d bytes", s, len(page))
	}
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	ids := map[string]bool{}
	var walk func(n *html.Node, quoted bool)
	walk = func(n *html.Node, quoted bool) {
		if n.Type == html.ElementNode {
			quoted = quoted || n.Data == "blockquote"
			if quoted && !proseTags[n.Data] {
				t.Fatalf("%q makes an element %s", s, n.Data)
			}
			for _, a := range n.Attr {
				switch {
				case a.Key == "id" && ids[a.Val]:
					t.Fatalf("%q: the id %s is there twice", s, a.Val)
				case a.Key == "id":
					ids[a.Val] = true
				case quoted && (strings.HasPrefix(a.Key, "on") || a.Key == "style"):
					t.Fatalf("%q makes an attribute %s", s, a.Key)
				case quoted && a.Key == "src" && !ownImage([]byte(a.Val)):
					t.Fatalf("%q loads %s", s, a.Val)
				case quoted && a.Key == "href" && !allowedScheme(a.Val) &&
					!strings.HasPrefix(a.Val, "#") && a.Val != "/" && !ownImage([]byte(a.Val)):
					t.Fatalf("%q links to %s", s, a.Val)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, quoted)
		}
	}
	walk(doc, false)
}

var proseTags = func() map[string]bool {
	tags := map[string]bool{}
	for _, t := range strings.Fields("blockquote p br hr em strong del ins code pre ul ol li h2 h3 h4 h5 h6 " +
		"table thead tbody tr th td div span sup dl dt dd a img") {
		tags[t] = true
	}
	return tags
}()

func FuzzProse(f *testing.F) {
	for _, s := range pagetest.Hostile() {
		f.Add(s)
	}
	f.Add(prose1)
	f.Add(prose2)
	f.Fuzz(checkProseOf)
}

func checkProseOf(t *testing.T, s string) { checkProse(t, s) }

func TestProseStaysInItsQuotation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkProse(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 30).Draw(t, "pieces"), ""))
	})
}

func FuzzEscapeHTML(f *testing.F) {
	for _, s := range pagetest.Hostile() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(appendEscaped(nil, s)), template.HTMLEscapeString(s); got != want {
			t.Fatalf("%q is escaped as %q, not %q", s, got, want)
		}
	})
}
