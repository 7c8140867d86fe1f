package page

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// themeColor is the colour of the logo. titleBytes and descriptionBytes limit the texts of a link preview. Discord, for
// example, cuts titles at 67 characters.
const (
	themeColor       = "#2f5d50"
	titleBytes       = 60
	descriptionBytes = 200
)

// head writes the document's head. The tags for link previews are within the first 4 KB, because several chat programs
// read no further.
func (w *htmlWriter) head() {
	p := w.p
	title, description := p.Card(w.c)
	own := title != ""
	if !own {
		title = headBytes("Sign in to "+clean(w.site(), lineLimit), titleBytes)
	}
	description = cmp.Or(description, "A workspace for people and their agents.")
	w.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta " +
		"name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	if !p.Public {
		w.raw("<meta name=\"robots\" content=\"noindex\">\n")
	}
	w.meta("name", "description", description)
	w.meta("property", "og:type", "website")
	w.meta("property", "og:site_name", headBytes(clean(w.site(), lineLimit), titleBytes))
	w.meta("property", "og:title", title)
	w.meta("property", "og:description", description)
	w.picture(title, own)
	if own {
		w.labels()
	}
	w.raw(`<meta name="theme-color" content="` + themeColor + `">
<link rel="icon" href="` + w.c.Asset("/static/icon.svg") + `" type="image/svg+xml">
<link rel="apple-touch-icon" href="` + w.c.Asset("/static/touch.png") + `">
`)
	w.addresses(own)
	w.raw("<title>")
	w.documentTitle()
	w.raw(`</title>
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="` + w.c.Asset(StyleSheet) + `">
<script async blocking="render" src="` + w.c.Asset(Script) + `"></script>
`)
	if p.Script != "" {
		w.raw(`<script defer`)
		w.attr("src", w.c.Asset(p.Script))
		w.raw("></script>\n")
	}
	if p.Next != "" {
		w.raw(`<link rel="next"`)
		w.href(p.Next)
		w.raw(">\n")
	}
	w.raw("</head>\n")
}

// windowTitle is the maximum length of a document's title in characters, unless the name of the site is long. Search
// engines and bookmarks cut longer ones.
const windowTitle = 70

// documentTitle writes the title of the page, its kind if there is room, and the name of the site.
func (w *htmlWriter) documentTitle() {
	title, tail := clean(w.p.Title, lineLimit), " · "+clean(w.site(), lineLimit)
	if kind := w.p.Kind; kind != "" && kind != w.p.Title &&
		utf8.RuneCountInString(title+tail+" · "+kind) <= windowTitle {
		tail = " · " + kind + tail
	}
	if room := max(windowTitle-utf8.RuneCountInString(tail), windowTitle/2); utf8.RuneCountInString(title) > room {
		title = cutRunes(title, room-1) + "…"
	}
	w.b = appendEscaped(w.b, nonempty(title))
	w.b = appendEscaped(w.b, tail)
}

// addresses writes the canonical address, the addresses of other forms such as markdown, and the address for link
// previews (og:url). If own is false, the preview is the generic one.
func (w *htmlWriter) addresses(own bool) {
	p := w.p
	canonical, shared := p.URL, p.URL
	switch {
	case p.Preview != nil && p.Preview.URL != "":
		canonical, shared = p.Preview.URL, p.Preview.URL
	case !own:
		shared = "/login"
	}
	w.raw(`<meta property="og:url"`)
	w.absolute("content", shared)
	w.raw(">\n<link rel=\"canonical\"")
	w.absolute("href", canonical)
	w.raw(">\n")
	if p.Embeds() {
		w.raw(`<link rel="alternate" type="application/json+oembed" title="oEmbed"`)
		w.attr("href", EmbedURL(w.c.Origin, p.URL))
		w.raw(">\n")
	}
	w.raw(`<link rel="alternate" type="text/markdown" title="Markdown"`)
	w.absolute("href", markdownURL(p.URL))
	w.raw(">\n")
}

// picture writes the tags for the preview's own picture, or else the generic one.
func (w *htmlWriter) picture(title string, own bool) {
	image, alt := w.c.Picture, clean(w.site(), lineLimit)
	if own && w.p.Preview != nil && w.p.Preview.Image != "" {
		image, alt = w.p.Preview.Image, title
	}
	if image == "" {
		w.meta("name", "twitter:card", "summary")
		return
	}
	w.raw(`<meta property="og:image"`)
	w.absolute("content", image)
	w.raw(">\n")
	w.meta("property", "og:image:type", "image/png")
	w.meta("property", "og:image:width", "1200")
	w.meta("property", "og:image:height", "630")
	w.meta("property", "og:image:alt", headBytes(nonempty(alt), titleBytes))
	w.meta("name", "twitter:card", "summary_large_image")
}

// labels writes the tags for the state and the due time, which Slack shows as fields of a preview.
func (w *htmlWriter) labels() {
	v := w.p.Preview
	if v == nil || v.State == "" {
		return
	}
	w.meta("name", "twitter:label1", "State")
	w.meta("name", "twitter:data1", v.State)
	if !v.At.IsZero() {
		w.meta("name", "twitter:label2", "Due")
		w.meta("name", "twitter:data2", string(appendWhen(nil, v.At, w.c)))
	}
}

// headBytes returns s cut to at most n bytes, and further if the escaped text would have more than 2n bytes.
func headBytes(s string, n int) string {
	s = cutBytes(s, n)
	for most := 2 * n; strings.ContainsAny(s, `&<>"'`) && len(appendEscaped(nil, s)) > most; {
		s = cutBytes(s, len(s)*3/4)
	}
	return s
}

func (w *htmlWriter) meta(key, name, content string) {
	w.raw("<meta")
	w.attr(key, name)
	w.attr("content", content)
	w.raw(">\n")
}

// absolute writes an attribute with an address that includes the origin, for other programs.
func (w *htmlWriter) absolute(attr, url string) {
	w.raw(" ")
	w.raw(attr)
	w.raw(`="`)
	at := len(w.b)
	w.b = appendURL(w.b, url, w.c.Origin, w.p.URL)
	w.b = escapeTail(w.b, at)
	w.raw(`"`)
}

// plain returns the text of a line, without formatting.
func (w *htmlWriter) plain(in []Inline) string {
	var b []byte
	for s := (spans{line: in, limit: lineLimit}); s.next(); {
		if s.space {
			b = append(b, ' ')
		}
		if s.kind == inlineTime || s.kind == inlineSpan {
			b = appendMoment(b, s.in, w.c)
		} else {
			b = append(b, s.text...)
		}
	}
	return string(b)
}

// markdownURL returns the address that gives markdown for every Accept header.
func markdownURL(url string) string {
	path, query := url, ""
	if i := strings.IndexByte(url, '?'); i >= 0 {
		path, query = url[:i], url[i:]
	}
	if strings.HasSuffix(path, "/") {
		return path + "index.md" + query
	}
	return path + ".md" + query
}
