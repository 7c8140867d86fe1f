package page

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// htmlWriter writes one page as HTML, without inline scripts and styles. A member's text is escaped, or converted from
// markdown to safe HTML.
type htmlWriter struct {
	b        []byte
	p        *Page
	c        *Context
	limit    int // maximum number of runes of one [Inline]; 0 means no limit
	level    int // level of the next heading
	quotes   int // number of texts so far, which is part of the ids in a text without an ID of its own
	rows     []rowForm
	slot     string  // id of the innermost section
	marked   *ballot // form with choices on the rows of the last table, or nil
	lead     bool    // whether the line above a comment or message is being written, see [htmlWriter.leadLine]
	ticks    bool    // whether the checkboxes of the present text are buttons
	spots    []spot  // place of each form of the page
	answered []*Form // forms with a second button, written by [htmlWriter.answers]
	calls    bool    // whether the page asks the reader to take the actions of the forms being written
	shown    bool    // whether the forms of an action's own page have been written
	above    string  // result of [Sidebar.nearest]
}

var htmlWriters = sync.Pool{New: func() any { return new(htmlWriter) }}

// AppendHTML appends the page as HTML, for people. The HTML has the words of the full markdown body in the same order,
// and more. The page works without scripts.
func (p *Page) AppendHTML(dst []byte, c *Context) []byte {
	w := htmlWriters.Get().(*htmlWriter)
	*w = htmlWriter{b: dst, p: p, c: c, limit: lineLimit, level: 2, rows: w.rows[:0], spots: w.spots[:0], answered: w.answered[:0]}
	if c.Full {
		w.limit = 0
	}
	w.findRowForms()
	w.findSpots()
	w.head()
	if c.Side == nil {
		w.raw("<body class=\"bare\">\n")
	} else {
		w.raw("<body>\n")
	}
	w.raw("<a class=\"skip\" href=\"#content\">Skip to content</a>\n")
	w.header()
	w.raw("<div class=\"desk\">\n")
	if c.Insecure {
		w.raw(`<p class="insecure" role="note">This connection is not encrypted: whoever is on the way can read along and act as you.</p>
`)
	}
	w.main()
	w.raw("</div>\n")
	w.raw("</body>\n</html>\n")
	dst = w.b
	clear(w.rows)
	clear(w.answered)
	w.b, w.p, w.c, w.marked = nil, nil, nil, nil
	htmlWriters.Put(w)
	return dst
}

// raw appends the server's own HTML, unescaped.
func (w *htmlWriter) raw(s string) { w.b = append(w.b, s...) }

// text appends a member's text on one line, escaped.
func (w *htmlWriter) text(s string) {
	w.b = appendEscaped(w.b, nonempty(clean(s, w.limit)))
}

// sentence appends a text of the server, escaped and without a limit on its length.
func (w *htmlWriter) sentence(s string) { w.b = appendEscaped(w.b, clean(s, 0)) }

// tagged appends a member's text on one line, escaped, between the server's own HTML.
func (w *htmlWriter) tagged(open, s, end string) {
	w.raw(open)
	w.text(s)
	w.raw(end)
}

// anchor appends the start of a link: HTML with everything before the address, such as <a class="tool", and the
// address.
func (w *htmlWriter) anchor(open, url string) {
	w.raw(open)
	w.href(url)
	w.raw(">")
}

// attr appends an attribute with an escaped value.
func (w *htmlWriter) attr(name, value string) {
	w.raw(" ")
	w.raw(name)
	w.raw(`="`)
	w.b = appendEscaped(w.b, value)
	w.raw(`"`)
}

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

// escapeTail escapes the ampersands of the address in b[from:]. Other special characters are percent-encoded already.
func escapeTail(b []byte, from int) []byte {
	if bytes.IndexByte(b[from:], '&') < 0 {
		return b
	}
	return appendEscaped(b[:from], string(b[from:]))
}

func (w *htmlWriter) site() string {
	return cmp.Or(w.c.Site, "Samepage")
}

func (w *htmlWriter) main() {
	p := w.p
	class := "page"
	switch {
	case w.c.Side == nil && (p.Only || !hasRail(p.Blocks)):
		class = "page narrow"
	case isWide(p.Blocks):
		class = "page wide"
	case p.Only || !hasRail(p.Blocks):
		class = "page plain"
	}
	w.raw(`<main class="` + class + `" id="content" tabindex="-1"`)
	if p.Version != "" && !p.Only {
		version := p.Version
		if w.c.News != "" {
			version += NewsMark + w.c.News
		}
		w.attr("data-version", version)
		w.raw(` data-now="`)
		w.b = appendStamp(w.b, w.c.Now)
		w.raw(`"`)
	}
	w.raw(">\n")
	w.said(`<p class="notice good message" role="status">`, w.c.Message)
	w.said(`<p class="notice bad failure" role="alert"><strong>Not done.</strong> `, w.c.Failure, w.c.Leads...)
	if w.c.Side != nil || !p.Only {
		w.raw("<div class=\"line\">\n")
		w.trail()
		w.tools()
		w.raw("</div>\n")
	}
	w.raw("<header class=\"head\">\n")
	if len(p.Pair) > 0 {
		w.raw(`<p class="pair" data-extra>`)
		for i := range p.Pair {
			w.face(&p.Pair[i], 48)
		}
		w.raw("</p>\n")
	}
	w.tagged("<h1>", p.Title, "</h1>\n")
	if len(p.State) > 0 {
		w.raw(`<p class="state">`)
		w.line(p.State, false)
		w.raw("</p>\n")
	}
	blocks := w.under()
	w.raw("</header>\n")
	w.blocks(blocks)
	if p.Only && !w.shown {
		w.only()
	}
	w.jumpBack()
	w.raw("</main>\n")
}

// said writes the result or the failure of the last action, if any. The argument open is the start tag. The addresses
// in leads become links.
func (w *htmlWriter) said(open, text string, leads ...string) {
	if m := message(text, w.c); m != "" {
		w.raw(open)
		w.inlines(Linked(m, leads), false)
		w.raw("</p>\n")
	}
}

func (w *htmlWriter) trail() {
	if len(w.p.Trail) == 0 && w.p.Kind == "" {
		title := w.p.Title
		if w.p.URL == "/" {
			title = "Home"
		}
		w.tagged(`<p class="trail" data-extra>`, title, "</p>\n")
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

// line writes the inlines of one line, or a placeholder if they have no visible text.
func (w *htmlWriter) line(in []Inline, bold bool) {
	from := len(w.b)
	w.inlines(in, bold)
	if len(w.b) == from {
		w.raw(blank)
	}
}

func (w *htmlWriter) inlines(in []Inline, bold bool) {
	pill := false // whether the last span is a pill
	for s := (spans{line: in, limit: w.limit, bold: bold, extra: true}); s.next(); pill = s.in.look == lookPill {
		if s.joined {
			w.b = w.b[:len(w.b)-len("</strong>")]
		}
		if s.space {
			w.raw(" ")
		}
		switch s.kind {
		case inlineText:
			if pill && strings.IndexByte(".,:", s.text[0]) >= 0 {
				w.raw(`<span class="vh">` + s.text[:1] + `</span>`) // only screen readers need punctuation after a pill
				w.dressed(s.in, s.text[1:])
			} else {
				w.dressed(s.in, s.text)
			}
		case inlineStrong:
			if !s.joined {
				w.raw("<strong>")
			}
			w.dressed(s.in, s.text)
			w.raw("</strong>")
		case inlineCode:
			w.raw("<code>")
			w.b = appendEscaped(w.b, s.text)
			w.raw("</code>")
		case inlineLink, inlineButton:
			after := ""
			switch s.in.look {
			case lookMark:
				w.raw("<mark>")
				after = "</mark>"
			case lookFace, lookMask:
				w.raw(`<span class="who">`)
				of := ""
				if s.in.look == lookMask {
					of = w.reader()
				}
				w.avatar(s.text, of, 20)
				after = "</span>"
			}
			w.raw("<a")
			if s.kind == inlineButton {
				w.raw(` class="button"`)
			}
			w.href(s.in.url)
			if strings.HasPrefix(s.in.url, "https://") {
				w.raw(` rel="nofollow noopener noreferrer"`)
			}
			w.raw(">")
			w.titled(s.in, s.text)
			w.raw("</a>" + after)
		default:
			w.moment(s.in)
		}
	}
}

// moment writes a time in a short form, such as "in 3 days". The title attribute has the words of the markdown form,
// and the datetime attribute has the time in RFC 3339.
func (w *htmlWriter) moment(in *Inline) {
	if in.at.IsZero() {
		w.b = appendMoment(w.b, in, w.c)
		return
	}
	w.raw(`<time datetime="`)
	w.b = appendStamp(w.b, in.at)
	w.raw(`" title="`)
	w.b = appendMoment(w.b, in, w.c)
	w.raw(`">`)
	switch in.look {
	case lookDate:
		w.b = appendDate(w.b, in.at, w.c)
	case lookClock:
		w.b = w.c.in(in.at).AppendFormat(w.b, "15:04")
	default:
		w.b = appendShort(w.b, in.at, w.c)
	}
	w.raw("</time>")
}

// cutBytes returns s cut to at most n bytes, with an ellipsis if it was cut. It never splits a rune.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n -= len("…"); n > 0 && !utf8.RuneStart(s[n]); n-- {
	}
	return s[:n] + "…"
}
