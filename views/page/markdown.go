package page

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// pageLimit is the maximum length of a markdown page in characters, because some clients cut longer pages without a
// notice. It does not apply if the reader asks for the full page.
const pageLimit = 10_000

// briefLimit is the maximum length of a markdown page that is [Page.Brief], in characters.
const briefLimit = 4_000

// messageLimit is the maximum length of a message about an action, in runes.
const messageLimit = 2000

// allowance limits the long parts of a markdown page.
type allowance struct {
	// prose is the maximum number of runes of one prose. Code may have twice as many. 0 leaves only a link, and -1
	// means no limit.
	prose   int
	options int  // maximum number of options of each field; 0 means no limit
	brief   bool // whether actions have only their names and descriptions, with a link to their forms
	rows    int  // limit like [Few.Most] for each list and table; 0 means only the limits of [Few]
	runes   int  // maximum number of runes of one [Inline] in the blocks and actions; 0 means [lineLimit]
}

// allowances are tried in this order until the page is short enough. If the last one is not enough, long actions are
// shortened with allowance.brief, and then the body is cut at the end of a line, see [mdWriter.clip].
var allowances = []allowance{{prose: 1500}, {prose: 500}, {prose: 150}, {prose: 0, options: 10}}

// briefAllowances are for a page that is [Page.Brief]. Each list keeps some lines, so that a long list does not crowd
// out later parts.
var briefAllowances = []allowance{{prose: 1500, rows: 30}, {prose: 800, rows: 20}, {prose: 600, rows: 16}, {prose: 400, rows: 10},
	{prose: 300, rows: 7}, {prose: 200, rows: 5, runes: 120}, {prose: 100, rows: 3, runes: 80},
	{prose: 0, rows: 2, runes: 50, options: 5}}

// mdWriter writes one page as markdown. Every block begins with an empty line and ends with a newline.
type mdWriter struct {
	escaper
	p         *Page
	c         *Context
	limit     int // maximum number of runes of one [Inline]; 0 means no limit
	level     int // level of the next heading
	allow     allowance
	few       Few    // limit for the lists and tables of the present section
	list      byte   // marker of the list that was just written; 0 after any other block
	shown     []Part // parts that were written, or left out because the reader has read them
	short     bool   // whether parts were left out because the reader has read them already
	strangers bool   // whether the line about [Page.People] follows the actions; false if the reader has read the line
	body      int    // position in dst at which the body starts
	acts      int    // position in dst at which the actions start
	cuts      []int  // positions in dst at which the body can end without an unclosed construct
}

var mdWriters = sync.Pool{New: func() any { return new(mdWriter) }}

// AppendMarkdown appends the page as markdown, the form for agents: front matter, the body, and the actions. Unless c
// asks for the full page, it has at most 10,000 characters, or 4,000 if the page is [Page.Brief].
func (p *Page) AppendMarkdown(dst []byte, c *Context) []byte {
	w := mdWriters.Get().(*mdWriter)
	from := len(dst)
	if c.Full {
		dst = w.page(dst, p, c, allowance{prose: -1})
	} else {
		list, most := allowances, pageLimit
		if p.Brief {
			list, most = briefAllowances, briefLimit
		}
		for _, a := range list {
			dst = w.page(dst[:from], p, c, a)
			if fits(dst[from:], most) {
				break
			}
		}
		if !fits(dst[from:], most) && !fits(dst[w.acts:], most/2) {
			a := list[len(list)-1]
			a.brief = true
			dst = w.page(dst[:from], p, c, a)
		}
		if !fits(dst[from:], most) {
			dst = w.clip(dst, from, most)
			w.shown = w.shown[:0]
		}
	}
	if c.Shown != nil {
		c.Shown(w.shown)
	}
	w.dst, w.p, w.c = nil, nil, nil
	mdWriters.Put(w)
	return dst
}

func fits(b []byte, most int) bool {
	return len(b) <= most || utf8.RuneCount(b) <= most
}

func (w *mdWriter) page(dst []byte, p *Page, c *Context, a allowance) []byte {
	*w = mdWriter{escaper: escaper{dst: dst}, p: p, c: c, limit: lineLimit, level: 2, allow: a, cuts: w.cuts[:0],
		shown: w.shown[:0]}
	if c.Full {
		w.limit = 0
	}
	w.frontMatter()
	w.messages()
	w.trail()
	w.dst = append(w.dst, "\n# "...)
	w.position, w.start = inHeading, len(w.dst)
	w.word(p.Title)
	w.dst = append(w.dst, '\n')
	w.block(Para(p.State))
	w.body = len(w.dst)
	w.cut()
	if a.runes > 0 {
		w.limit = a.runes
	}
	w.parts()
	w.acts = len(w.dst)
	w.actions(p.Forms)
	if w.strangers {
		w.people(p.People)
	}
	return w.dst
}

// frontMatter writes the front matter. Each value is a JSON string, or a list of them, so no value can end it.
func (w *mdWriter) frontMatter() {
	w.dst = append(w.dst, "---\n"...)
	w.dst = append(w.dst, `url: "`...)
	w.dst = appendURL(w.dst, w.p.URL, w.c.Origin, "")
	w.dst = append(w.dst, "\"\n"...)
	w.front("title", nonempty(clean(w.p.Title, w.limit)))
	w.front("site", w.c.Address)
	w.front("zone", w.c.zone())
	w.front("as", w.c.As)
	w.front("audience", w.p.Audience)
	w.front("version", w.p.Version)
	w.dst = append(w.dst, "actions: ["...)
	for i := range w.p.Forms {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = appendJSON(w.dst, w.p.Forms[i].Name)
	}
	w.dst = append(w.dst, "]\n"...)
	if w.p.Next != "" {
		w.dst = append(w.dst, `next: "`...)
		w.dst = appendURL(w.dst, w.p.Next, w.c.Origin, w.p.URL)
		w.dst = append(w.dst, "\"\n"...)
	}
	w.dst = append(w.dst, "---\n"...)
}

func (w *mdWriter) front(key, value string) {
	if value = strings.TrimSpace(clean(value, w.limit)); value == "" {
		return
	}
	w.dst = append(w.dst, key...)
	w.dst = append(w.dst, ": "...)
	w.dst = appendJSON(w.dst, value)
	w.dst = append(w.dst, '\n')
}

// appendJSON appends a cleaned text as a JSON string, which YAML reads in the same way.
func appendJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		if s[i] == '"' || s[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

// messages writes the result or the failure of the last action.
func (w *mdWriter) messages() {
	if m := message(w.c.Message, w.c); m != "" {
		w.block(Para{Sentence(m)})
	}
	if m := message(w.c.Failure, w.c); m != "" {
		w.block(Para(append(Line(Strong("Not done."), T(" ")), Linked(m, w.c.Leads)...)))
	}
}

// message returns a message on one line, cut to messageLimit unless the reader asks for the full page.
func message(s string, c *Context) string {
	if c.Full {
		return clean(s, 0)
	}
	return clean(s, messageLimit)
}

func (w *mdWriter) trail() {
	if len(w.p.Trail) == 0 && w.p.Kind == "" {
		return
	}
	w.dst = append(w.dst, '\n')
	w.start, w.position = len(w.dst), inLine
	for i := range w.p.Trail {
		if i > 0 {
			w.dst = append(w.dst, " › "...)
		}
		w.inlines(w.p.Trail[i:i+1], false)
	}
	if w.p.Kind != "" {
		if len(w.p.Trail) > 0 {
			w.dst = append(w.dst, " › "...)
		}
		w.word(w.p.Kind)
	}
	w.dst = append(w.dst, '\n')
}

func (w *mdWriter) blocks(bs []Block) {
	for _, b := range bs {
		w.block(b)
	}
}

func (w *mdWriter) block(b Block) {
	before, from := w.list, len(w.dst)
	if !isList(b) {
		w.list = 0
	}
	b.markdown(w)
	if len(w.dst) == from {
		w.list = before
	}
	w.cut()
}

func isList(b Block) bool {
	switch b.(type) {
	case List, Tree, Facts, Stack, News, Tiles:
		return true
	}
	return false
}

// marker returns the bullet of a new list. Two lists in a row need different bullets, because markdown would join them.
func (w *mdWriter) marker() string {
	if w.list == '-' {
		w.list = '*'
		return "* "
	}
	w.list = '-'
	return "- "
}

// line writes inlines as one line. If they have no visible text, it writes a placeholder, except in a table's cell.
func (w *mdWriter) line(in []Inline, at position, bold bool) {
	w.start, w.position = len(w.dst), at
	w.inlines(in, bold)
	if len(w.dst) == w.start && at != inCell {
		w.dst = append(w.dst, blank...)
	}
}

func (w *mdWriter) inlines(in []Inline, bold bool) {
	for s := (spans{line: in, limit: w.limit, bold: bold}); s.next(); {
		if s.joined {
			w.dst = w.dst[:len(w.dst)-len("**")]
		}
		if s.space {
			w.dst = append(w.dst, ' ')
		}
		switch s.kind {
		case inlineText:
			w.text(s.text)
		case inlineStrong:
			if !s.joined {
				w.dst = append(w.dst, "**"...)
			}
			w.text(s.text)
			w.dst = append(w.dst, "**"...)
		case inlineCode:
			w.code(s.text)
		case inlineLink, inlineButton:
			w.link(s.text, s.in.url, w.c.Origin, w.p.URL)
		default:
			w.dst = appendMoment(w.dst, s.in, w.c)
		}
	}
}

func (w *mdWriter) word(s string) {
	w.text(nonempty(clean(s, w.limit)))
}

func (w *mdWriter) cut() { w.cuts = append(w.cuts, len(w.dst)) }

// clip cuts the body at the end of a line, so that the page with its actions has at most the given number of
// characters.
func (w *mdWriter) clip(dst []byte, from, most int) []byte {
	tail := string(dst[w.acts:])
	w.dst = dst[:w.acts]
	w.block(Para{Sentence("This page is longer than shown here:"), T(" "), Link("the whole page", w.fullURL())})
	notice := string(w.dst[w.acts:])
	room := most - utf8.RuneCountInString(tail) - utf8.RuneCountInString(notice)
	end := w.body
	room -= utf8.RuneCount(dst[from:end])
	for _, at := range w.cuts {
		if at <= end {
			continue
		}
		if room -= utf8.RuneCount(dst[end:at]); at > w.acts || room < 0 {
			break
		}
		end = at
	}
	return append(append(dst[:end], notice...), tail...)
}

// fullURL returns the address of the full page.
func (w *mdWriter) fullURL() string {
	if w.p.Rest != "" {
		return w.p.Rest
	}
	if strings.Contains(w.p.URL, "?") {
		return w.p.URL + "&full=1"
	}
	return w.p.URL + "?full=1"
}
