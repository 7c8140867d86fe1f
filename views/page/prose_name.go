package page

import (
	"bytes"
	"strings"
)

// mark is a position in the HTML of a member's text at which pages differ: a prefix of an id, a name that may become a
// link, or a checkbox that may become a button.
type mark struct {
	at, end int32  // end is 0 for a prefix
	name    string // "@alice" or the address of a page; empty for other marks
	box     int32  // number of the checkbox, from 1; 0 for other marks
	done    bool   // whether the checkbox is ticked
}

// findNames returns the positions of @names and of plain addresses of pages, except in code and in the text of other
// links.
func findNames(html []byte) (marks []mark) {
	if bytes.IndexByte(html, '@') < 0 && !bytes.Contains(html, []byte("/studios/")) && !bytes.Contains(html, []byte("/orgs/")) {
		return nil
	}
	code, link := 0, -1 // number of open code elements, and start of the open link or -1
	for at := 0; at < len(html); {
		end := len(html)
		if html[at] != '<' {
			if i := bytes.IndexByte(html[at:], '<'); i >= 0 {
				end = at + i
			}
			if code == 0 && link < 0 {
				marks = namesIn(marks, html[:end], at)
			}
			at = end
			continue
		}
		if i := bytes.IndexByte(html[at:], '>'); i >= 0 {
			end = at + i + 1
		}
		switch tag := string(html[at:end]); {
		case tag == "<code>", strings.HasPrefix(tag, "<code "), strings.HasPrefix(tag, "<pre"):
			code++
		case tag == "</code>", tag == "</pre>":
			code--
		case strings.HasPrefix(tag, `<a href="`):
			link = at
		case tag == "</a>" && link >= 0:
			if name, bare := bareLink(html[link:at]); bare && (strings.Contains(name, "/studios/") || strings.Contains(name, "/orgs/")) {
				marks = append(marks, mark{at: int32(link), end: int32(end), name: name})
			}
			link = -1
		}
		at = end
	}
	return marks
}

// bareLink returns the address of a link, and reports whether the link's text is the same.
func bareLink(a []byte) (string, bool) {
	href, rest, _ := strings.Cut(strings.TrimPrefix(string(a), `<a href="`), `"`)
	_, words, ok := strings.Cut(rest, ">")
	return href, ok && words == href
}

// namesIn appends a mark for each @name and page address in html[at:].
func namesIn(marks []mark, html []byte, at int) []mark {
	for at < len(html) {
		i := bytes.IndexAny(html[at:], "@/")
		if i < 0 {
			break
		}
		from := at + i
		at = from + 1
		path := html[from] == '/'
		if path && !bytes.HasPrefix(html[from:], []byte("/studios/")) && !bytes.HasPrefix(html[from:], []byte("/orgs/")) ||
			from > 0 && (wordByte(html[from-1]) || strings.IndexByte("/.@", html[from-1]) >= 0) {
			continue
		}
		for at < len(html) &&
			(wordByte(html[at]) || html[at] == '-' || path && strings.IndexByte("/#", html[at]) >= 0) {
			at++
		}
		marks = append(marks, mark{at: int32(from), end: int32(at), name: string(html[from:at])})
	}
	return marks
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= 0x80
}

// nameLink writes a link for a name, or returns false if the page does not know the name.
func (w *htmlWriter) nameLink(name string) bool {
	path, anchor, anchored := strings.Cut(strings.TrimPrefix(name, w.c.Origin), "#")
	to, ok := w.p.Names[strings.ToLower(path)]
	if !ok {
		return false
	}
	url := to.URL
	if anchored {
		url += "#" + anchor
	}
	w.raw("<a")
	w.href(url)
	if to.Title == "" {
		w.raw(">")
		w.raw(name)
	} else {
		w.raw("><span hidden>")
		w.raw(name)
		w.tagged("</span><span data-extra>", to.Title, "</span>")
	}
	w.raw("</a>")
	return true
}

// titled writes the text of a link, or the title of its page for a [Titled] link to a known page.
func (w *htmlWriter) titled(in *Inline, text string) {
	if in.look == lookTitled {
		if to := w.p.Names[strings.ToLower(in.url)]; to.Title != "" {
			w.raw("<span hidden>")
			w.b = appendEscaped(w.b, text)
			w.tagged("</span><span data-extra>", to.Title, "</span>")
			return
		}
	}
	w.b = appendEscaped(w.b, text)
}
