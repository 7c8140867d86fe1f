package page

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// pageLimit is how many characters a markdown page has at most, unless it is asked for in full: clients cut what is
// longer without a word.
const pageLimit = 10_000

// messageLimit is how many runes of a message or a failure are written.
const messageLimit = 2000

// allowance is how much of a page's long parts is written.
type allowance struct {
	prose   int  // runes of one prose, half of those of one code block; 0 only links to the rest, below 0 is no limit
	options int  // options named per field; 0 is no limit
	brief   bool // actions only by name and doc, with a link to their form
}

// allowances are tried in turn until the page fits. What is left after the last is cut at a line, see [mdWriter.clip].
var allowances = [...]allowance{{prose: 1500}, {prose: 500}, {prose: 150}, {prose: 0, options: 10}}

// mdWriter writes one page as markdown. Every block ends with a line end and begins with an empty line.
type mdWriter struct {
	escaper
	p     *Page
	c     *Context
	limit int // runes of one inline; 0 is no limit
	level int // of the next heading
	allow allowance
	list  byte  // the marker of the list just written, 0 after anything else
	body  int   // where the body begins in dst
	acts  int   // where the actions begin in dst
	cuts  []int // where the body may end without leaving anything open
}

var mdWriters = sync.Pool{New: func() any { return new(mdWriter) }}

// AppendMarkdown appends the page as markdown, the form agents read: front matter, the body with members' prose only in
// quotations, and the actions last. Unless c asks for the page in full it has at most 10,000 characters.
func (p *Page) AppendMarkdown(dst []byte, c *Context) []byte {
	w := mdWriters.Get().(*mdWriter)
	from := len(dst)
	if c.Full {
		dst = w.page(dst, p, c, allowance{prose: -1})
	} else {
		for _, a := range allowances {
			dst = w.page(dst[:from], p, c, a)
			if fits(dst[from:]) {
				break
			}
		}
		if !fits(dst[from:]) && !fits(dst[w.acts:], pageLimit/2) {
			dst = w.page(dst[:from], p, c, allowance{brief: true})
		}
		if !fits(dst[from:]) {
			dst = w.clip(dst, from)
		}
	}
	w.dst, w.p, w.c = nil, nil, nil
	mdWriters.Put(w)
	return dst
}

func fits(b []byte, limit ...int) bool {
	most := pageLimit
	if limit != nil {
		most = limit[0]
	}
	return len(b) <= most || utf8.RuneCount(b) <= most
}

func (w *mdWriter) page(dst []byte, p *Page, c *Context, a allowance) []byte {
	*w = mdWriter{escaper: escaper{dst: dst}, p: p, c: c, limit: lineLimit, level: 2, allow: a, cuts: w.cuts[:0]}
	if c.Full {
		w.limit = 0
	}
	w.frontMatter()
	w.messages()
	w.trail()
	w.dst = append(w.dst, "\n# "...)
	w.place, w.start = inHeading, len(w.dst)
	w.word(p.Title)
	w.dst = append(w.dst, '\n')
	w.block(Para(p.State))
	w.body = len(w.dst)
	w.cut()
	w.blocks(p.Blocks)
	w.acts = len(w.dst)
	w.actions(p.Forms)
	return w.dst
}

// frontMatter writes the values every reader can rely on: each is a JSON string, so no text in it can end it.
func (w *mdWriter) frontMatter() {
	w.dst = append(w.dst, "---\n"...)
	w.dst = append(w.dst, `url: "`...)
	w.dst = appendURL(w.dst, w.p.URL, w.c.Origin, "")
	w.dst = append(w.dst, "\"\n"...)
	w.front("title", nonempty(clean(w.p.Title, w.limit)))
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

// appendJSON appends cleaned text as a JSON string, which is also a YAML one.
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

// messages writes what has just been done or refused, above everything else.
func (w *mdWriter) messages() {
	if m := message(w.c.Message, w.c); m != "" {
		w.block(Para{Sentence(m)})
	}
	if m := message(w.c.Failure, w.c); m != "" {
		w.block(Para{Strong("Not done."), T(" "), Sentence(m)})
	}
}

// message returns s cut as a message is.
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
	w.start, w.place = len(w.dst), inLine
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

// blocks writes one after the other.
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
	case List, Tree, Facts:
		return true
	}
	return false
}

// marker returns the marker of a new list. One that follows a list needs another marker, or the two would be one.
func (w *mdWriter) marker() string {
	if w.list == '-' {
		w.list = '*'
		return "* "
	}
	w.list = '-'
	return "- "
}

// line writes inlines as one line of its own; what is only white space is written as such a line, visibly.
func (w *mdWriter) line(in []Inline, at place, bold bool) {
	w.start, w.place = len(w.dst), at
	w.inlines(in, bold)
	if len(w.dst) == w.start && at != inCell {
		w.dst = append(w.dst, blank...)
	}
}

func (w *mdWriter) inlines(in []Inline, bold bool) {
	s := spans{limit: w.limit}
	for i := range in {
		was := s.kind
		text, kind, space, ok := s.next(&in[i], bold)
		if !ok {
			continue
		}
		joined := kind == inlineStrong && was == inlineStrong
		if joined {
			w.dst = w.dst[:len(w.dst)-len("**")]
		}
		if space {
			w.dst = append(w.dst, ' ')
		}
		switch kind {
		case inlineText:
			w.text(text)
		case inlineStrong:
			if !joined {
				w.dst = append(w.dst, "**"...)
			}
			w.text(text)
			w.dst = append(w.dst, "**"...)
		case inlineCode:
			w.code(text)
		case inlineLink, inlineButton:
			w.link(text, in[i].url, w.c.Origin, w.p.URL)
		default:
			w.dst = appendMoment(w.dst, &in[i], w.c)
		}
	}
}

// word writes one string as a line's whole text.
func (w *mdWriter) word(s string) {
	w.text(nonempty(clean(s, w.limit)))
}

func (w *mdWriter) cut() { w.cuts = append(w.cuts, len(w.dst)) }

// clip ends the body early at a line, so that the page with its actions has at most [pageLimit] characters.
func (w *mdWriter) clip(dst []byte, from int) []byte {
	tail := string(dst[w.acts:])
	w.dst = dst[:w.acts]
	w.block(Para{Sentence("This page is longer than shown here:"), T(" "), Link("the whole page", w.fullURL())})
	notice := string(w.dst[w.acts:])
	room := pageLimit - utf8.RuneCountInString(tail) - utf8.RuneCountInString(notice)
	end := w.body
	for _, at := range w.cuts {
		if at > w.acts || at > end && utf8.RuneCount(dst[from:at]) > room {
			break
		}
		end = max(end, at)
	}
	return append(append(dst[:end], notice...), tail...)
}

// fullURL is where the page is shown without cuts.
func (w *mdWriter) fullURL() string {
	if strings.Contains(w.p.URL, "?") {
		return w.p.URL + "&full=1"
	}
	return w.p.URL + "?full=1"
}
