package page

import (
	"bytes"
	"strconv"
	"sync"
	"unicode/utf8"
)

// htmlWriter writes one page as HTML. It never writes an inline script, a style, or a member's text
// that is not escaped.
type htmlWriter struct {
	b      []byte
	p      *Page
	c      *Context
	limit  int // maximum runes of one inline; 0 means no limit
	level  int // level of the next heading
	quotes int // number of quotations so far, from which the ids of their footnotes get unique prefixes
	rows   []rowForm
}

var htmlWriters = sync.Pool{New: func() any { return new(htmlWriter) }}

// AppendHTML appends the page as HTML, for people. It has the words of the markdown form in the
// same order, with forms for the offered actions. The page works without scripts.
func (p *Page) AppendHTML(dst []byte, c *Context) []byte {
	w := htmlWriters.Get().(*htmlWriter)
	*w = htmlWriter{b: dst, p: p, c: c, limit: lineLimit, level: 2, rows: w.rows[:0]}
	if c.Full {
		w.limit = 0
	}
	w.findRowForms()
	w.head()
	w.raw(`<body>
<a class="skip" href="#content">Skip to content</a>
`)
	w.header()
	aside := len(p.Forms) > 0 && !p.Only
	if aside {
		w.raw(`<div class="layout with-actions">
`)
	} else {
		w.raw(`<div class="layout">
`)
	}
	w.main()
	if aside {
		w.aside()
	}
	w.raw("</div>\n")
	if aside {
		w.raw(`<nav class="jump" aria-label="This page"><a href="#do">What you can do here</a></nav>
`)
	}
	w.raw("</body>\n</html>\n")
	dst = w.b
	clear(w.rows)
	w.b, w.p, w.c = nil, nil, nil
	htmlWriters.Put(w)
	return dst
}

// raw appends HTML that the server itself wrote, unescaped.
func (w *htmlWriter) raw(s string) { w.b = append(w.b, s...) }

// text appends a member's text on one line, escaped.
func (w *htmlWriter) text(s string) {
	w.b = appendEscaped(w.b, nonempty(clean(s, w.limit)))
}

// sentence appends a text that the server wrote, escaped and without a limit on its length.
func (w *htmlWriter) sentence(s string) { w.b = appendEscaped(w.b, clean(s, 0)) }

// attr appends an attribute with an escaped value.
func (w *htmlWriter) attr(name, value string) {
	w.raw(" ")
	w.raw(name)
	w.raw(`="`)
	w.b = appendEscaped(w.b, value)
	w.raw(`"`)
}

// number appends an attribute with a number as its value.
func (w *htmlWriter) number(name string, n int) {
	w.raw(" ")
	w.raw(name)
	w.raw(`="`)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
	w.raw(`"`)
}

// href appends an href attribute. Addresses within the site are root-relative.
func (w *htmlWriter) href(url string) {
	w.raw(` href="`)
	if url != "" && url[0] == '#' {
		w.b = appendEscaped(w.b, url)
	} else {
		at := len(w.b)
		w.b = appendURL(w.b, url, "", w.p.URL)
		w.b = escapeTail(w.b, at)
	}
	w.raw(`"`)
}

// escapeTail escapes the ampersands of the address that begins at position from. The other special
// characters of HTML are already percent-encoded there.
func escapeTail(b []byte, from int) []byte {
	if bytes.IndexByte(b[from:], '&') < 0 {
		return b
	}
	return appendEscaped(b[:from], string(b[from:]))
}

// header writes the top of every page: the name of the site, the organizations, the search form,
// the navigation, and the button to log out.
func (w *htmlWriter) header() {
	w.raw(`<header class="top"><div class="inner">
<a class="mark"`)
	home := w.c.Home
	if home == "" {
		home = "/"
	}
	w.href(home)
	w.raw(`><img src="/static/icon.svg" alt="" width="24" height="24"> <span>`)
	w.text(w.site())
	w.raw("</span></a>\n<p class=\"vh\">Agents: this page is also markdown, at ")
	w.b = appendEscaped(w.b, markdownURL(w.p.URL))
	w.raw("; see /llms.txt.</p>\n")
	w.orgs()
	w.search()
	if len(w.c.Nav) > 0 || w.c.Signed {
		w.raw(`<nav aria-label="Workspace"><ul>`)
		for i := range w.c.Nav {
			w.raw("<li>")
			w.inlines(w.c.Nav[i:i+1], false)
			w.raw("</li>")
		}
		if w.c.Signed {
			w.raw(`<li><form method="post" action="/logout"><button class="quiet" type="submit">Log out</button></form></li>`)
		}
		w.raw("</ul></nav>\n")
	}
	w.raw("</div>\n")
	if w.c.Insecure {
		w.raw(`<p class="insecure" role="note">This connection is not encrypted: whoever is on the way can read along and act as you.</p>
`)
	}
	w.raw("</header>\n")
}

// orgs lists the reader's organizations as links, and marks the organization of the page.
func (w *htmlWriter) orgs() {
	if len(w.c.Orgs) == 0 {
		return
	}
	w.raw(`<nav aria-label="Organization"><ul>`)
	for i := range w.c.Orgs {
		in := &w.c.Orgs[i]
		w.raw("<li><a")
		w.href(in.url)
		if in.url == w.c.Org {
			w.raw(` aria-current="true"`)
		}
		w.raw(">")
		w.text(in.text)
		w.raw("</a></li>")
	}
	w.raw("</ul></nav>\n")
}

// search writes the search form, if this page has one.
func (w *htmlWriter) search() {
	if w.c.Search == "" {
		return
	}
	w.raw(`<form class="search" role="search" method="get"`)
	w.attr("action", w.c.Search)
	w.raw(`><label class="vh" for="search">Search</label> <input id="search" type="search" name="q" placeholder="Search" maxlength="500"`)
	w.attr("value", w.c.Sought)
	w.raw(`> <button class="quiet" type="submit">Search</button></form>
`)
}

func (w *htmlWriter) site() string {
	if w.c.Site == "" {
		return "Samepage"
	}
	return w.c.Site
}

func (w *htmlWriter) main() {
	p := w.p
	w.raw("<main id=\"content\" tabindex=\"-1\">\n")
	if m := message(w.c.Message, w.c); m != "" {
		w.raw(`<p class="message" role="status">`)
		w.b = appendEscaped(w.b, m)
		w.raw("</p>\n")
	}
	if m := message(w.c.Failure, w.c); m != "" {
		w.raw(`<p class="failure" role="alert"><strong>Not done.</strong> `)
		w.b = appendEscaped(w.b, m)
		w.raw("</p>\n")
	}
	w.trail()
	w.raw("<h1>")
	w.text(p.Title)
	w.raw("</h1>\n")
	if len(p.State) > 0 {
		w.raw(`<p class="state">`)
		w.line(p.State, false)
		w.raw("</p>\n")
	}
	if p.Audience != "" {
		w.raw(`<p class="audience" data-extra>Visible to `)
		w.text(p.Audience)
		w.raw("</p>\n")
	}
	w.blocks(p.Blocks)
	if p.Only {
		for i := range p.Forms {
			w.raw(`<div class="only" data-extra>`)
			w.action(&p.Forms[i])
			w.raw("</div>\n")
		}
	}
	w.raw("</main>\n")
}

func (w *htmlWriter) trail() {
	if len(w.p.Trail) == 0 && w.p.Kind == "" {
		return
	}
	w.raw(`<nav class="trail" aria-label="Breadcrumbs"><ol>`)
	for i := range w.p.Trail {
		w.raw("<li>")
		if i > 0 {
			w.raw("<span aria-hidden=\"true\">› </span>")
		}
		w.inlines(w.p.Trail[i:i+1], false)
		w.raw("</li> ")
	}
	if w.p.Kind != "" {
		w.raw("<li>")
		if len(w.p.Trail) > 0 {
			w.raw("<span aria-hidden=\"true\">› </span>")
		}
		w.text(w.p.Kind)
		w.raw("</li>")
	}
	w.raw("</ol></nav>\n")
}

func (w *htmlWriter) blocks(bs []Block) {
	for _, b := range bs {
		b.html(w)
	}
}

// line writes the inlines of one line. If they have no visible text, it writes a placeholder.
func (w *htmlWriter) line(in []Inline, bold bool) {
	from := len(w.b)
	w.inlines(in, bold)
	if len(w.b) == from {
		w.raw(blank)
	}
}

func (w *htmlWriter) inlines(in []Inline, bold bool) {
	for s := (spans{line: in, limit: w.limit, bold: bold}); s.next(); {
		if s.joined {
			w.b = w.b[:len(w.b)-len("</strong>")]
		}
		if s.space {
			w.raw(" ")
		}
		switch s.kind {
		case inlineText:
			w.b = appendEscaped(w.b, s.text)
		case inlineStrong:
			if !s.joined {
				w.raw("<strong>")
			}
			w.b = appendEscaped(w.b, s.text)
			w.raw("</strong>")
		case inlineCode:
			w.raw("<code>")
			w.b = appendEscaped(w.b, s.text)
			w.raw("</code>")
		case inlineLink, inlineButton:
			w.raw("<a")
			if s.kind == inlineButton {
				w.raw(` class="button"`)
			}
			w.href(s.in.url)
			w.raw(">")
			w.b = appendEscaped(w.b, s.text)
			w.raw("</a>")
		default:
			w.moment(s.in)
		}
	}
}

// moment writes a time in the words of the markdown form, inside an element that gives programs the
// same time in RFC 3339.
func (w *htmlWriter) moment(in *Inline) {
	if in.at.IsZero() {
		w.b = appendMoment(w.b, in, w.c)
		return
	}
	w.raw(`<time datetime="`)
	w.b = appendStamp(w.b, in.at)
	w.raw(`">`)
	w.b = appendMoment(w.b, in, w.c)
	w.raw("</time>")
}

// cutBytes returns s cut to at most n bytes, with an ellipsis at the end if it was cut. It never
// splits a rune.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n -= len("…"); n > 0 && !utf8.RuneStart(s[n]); n-- {
	}
	return s[:n] + "…"
}
