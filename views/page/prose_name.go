package page

import (
	"bytes"
	"strings"
)

// mark is a place in converted prose that differs from page to page: where the prefix of an id goes, or what becomes a link with
// the page's own words if the page knows the name.
type mark struct {
	at, end int32
	name    string // "@alice" or the address of a page, as the HTML has it; empty for a prefix
}

// findNames returns where a text calls somebody with an @, or has the bare address of what may be a page of ours. Code and the
// words of other links call nobody.
func findNames(html []byte) (marks []mark) {
	if bytes.IndexByte(html, '@') < 0 && !bytes.Contains(html, []byte("/studios/")) {
		return nil
	}
	code, link := 0, -1 // how many elements of code are open; where the link that is open begins
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
			if name, bare := bareLink(html[link:at]); bare && strings.Contains(name, "/studios/") {
				marks = append(marks, mark{int32(link), int32(end), name})
			}
			link = -1
		}
		at = end
	}
	return marks
}

// bareLink returns the address of a link whose words are its address.
func bareLink(a []byte) (string, bool) {
	href, rest, _ := strings.Cut(strings.TrimPrefix(string(a), `<a href="`), `"`)
	_, words, ok := strings.Cut(rest, ">")
	return href, ok && words == href
}

// namesIn appends the names in a run of text, which begins at a position.
func namesIn(marks []mark, html []byte, at int) []mark {
	for at < len(html) {
		i := bytes.IndexAny(html[at:], "@/")
		if i < 0 {
			break
		}
		from := at + i
		at = from + 1
		path := html[from] == '/'
		if path && !bytes.HasPrefix(html[from:], []byte("/studios/")) || from > 0 && (wordByte(html[from-1]) || strings.IndexByte("/.@", html[from-1]) >= 0) {
			continue
		}
		for at < len(html) && (wordByte(html[at]) || html[at] == '-' || path && strings.IndexByte("/#", html[at]) >= 0) {
			at++
		}
		marks = append(marks, mark{int32(from), int32(at), string(html[from:at])})
	}
	return marks
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= 0x80
}

// named writes what a name stands for, if the page knows it.
func (w *htmlWriter) named(name string) bool {
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
		w.raw("</span><span data-extra>")
		w.text(to.Title)
		w.raw("</span>")
	}
	w.raw("</a>")
	return true
}
