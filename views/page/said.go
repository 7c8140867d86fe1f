package page

import (
	"strconv"
	"strings"
)

// Talk is a conversation, with its latest contribution at the end.
type Talk struct {
	Title  string // for screen readers
	Blocks []Block
}

// Said is one contribution to a conversation.
type Said struct {
	ID    string   // anchor
	URL   string   // root-relative URL of its page, or empty
	Lead  []Inline // author and time
	Text  string
	Gone  []Inline // replaces a removed text
	Why   string   // reason that an agent gave, or empty
	Cards []Card
	// Reactions are the emoji of the contribution.
	Reactions []Reaction
	Thread    []Inline // line about the replies, or empty
	Replies   []Block  // last replies, which HTML folds under Thread
	Own       bool     // whether the page is the contribution's own
	Open      bool     // whether the reader may reply and react
	Then      string   // root-relative URL to which HTML returns after a reaction
	// React and Unreact are the actions that add and remove a reaction: the name of the action, and that of its field.
	React, Unreact [2]string
	Lesser         []Act // less frequent actions, for HTML only
}

// Reaction is an emoji with the number of members that reacted with it.
type Reaction struct {
	Emoji string
	N     int
	Mine  bool // whether the reader reacted with it
}

// Card shows another page inside of a [Said].
type Card struct {
	Link Inline
	Meta []Inline // kind, state and progress
	Ring *Ring
}

func (b Talk) markdown(w *mdWriter) { w.blocks(b.Blocks) }

func (b Talk) html(w *htmlWriter) {
	w.raw(`<section class="chat" id="messages" tabindex="0"`)
	w.attr("aria-label", b.Title)
	w.raw(">\n<div>\n")
	w.blocks(b.Blocks)
	w.raw("</div>\n</section>\n")
}

func (b Said) markdown(w *mdWriter) {
	lead := b.lead()
	switch {
	case len(b.Gone) > 0:
		Para(append(append(lead, T(". ")), b.Gone...)).markdown(w)
	case b.Text == "":
		Para(append(lead, T(":"))).markdown(w)
	default:
		Prose{Lead: lead, Text: b.Text, More: b.URL}.markdown(w)
	}
	if b.Why != "" {
		Para(b.why()).markdown(w)
	}
	lines := make(List, len(b.Cards))
	for i := range b.Cards {
		lines[i] = append(Line(b.Cards[i].Link, T(": ")), b.Cards[i].Meta...)
	}
	lines.markdown(w)
	Para(b.under()).markdown(w)
	w.blocks(b.Replies)
	w.cut()
}

func (w *htmlWriter) replies(bs []Block) {
	if len(bs) > 0 {
		w.raw("<div class=\"replies\">\n")
		w.blocks(bs)
		w.raw("</div>\n")
	}
}

// lead returns the line above the text, with a link to the page of the contribution.
func (b *Said) lead() []Inline {
	if b.URL == "" || b.Own {
		return b.Lead
	}
	return append(append([]Inline{}, b.Lead...), T(", "), Link("message", b.URL))
}

func (b *Said) why() []Inline { return Line(T("Why: “"), T(b.Why), T("”")) }

func (b *Said) under() (line []Inline) {
	for i, r := range b.Reactions {
		if i > 0 {
			line = append(line, T(" · "))
		}
		line = append(line, T(r.Emoji+" "+strconv.Itoa(r.N)))
		if r.Mine {
			line = append(line, T(" (yours)"))
		}
	}
	if len(line) > 0 && len(b.Thread) > 0 {
		line = append(line, T(". "))
	}
	return append(line, b.Thread...)
}

func (b Said) html(w *htmlWriter) {
	w.quotes++
	p := Prose{Lead: b.Lead, ID: b.ID, Text: b.Text}
	w.raw(`<div class="said"`)
	w.id(b.ID)
	w.raw(">")
	if author := p.author(); author != nil {
		w.face(author, 32)
	}
	w.raw("\n<div>\n<p class=\"lead\">")
	w.leadLine(b.lead())
	switch {
	case len(b.Gone) > 0:
		w.raw("<span class=\"vh\">.</span></p>\n<p class=\"soft\">")
		w.inlines(b.Gone, false)
		w.raw("</p>\n")
	default:
		w.raw("<span class=\"vh\">:</span></p>\n")
		if b.Text != "" {
			w.raw("<blockquote class=\"prose brief\">\n")
			w.words(&p)
			w.raw("\n</blockquote>\n")
		}
	}
	if b.Why != "" {
		w.raw(`<p class="why">`)
		w.inlines(b.why(), false)
		w.raw("</p>\n")
	}
	for i := range b.Cards {
		b.Cards[i].html(w)
	}
	b.foot(w)
	w.raw("</div>\n</div>\n")
}

func (c *Card) html(w *htmlWriter) {
	w.raw(`<div class="embed">`)
	if c.Ring != nil {
		w.ring(c.Ring)
	}
	w.raw(`<div><p class="name">`)
	w.inlines(Line(c.Link), false)
	w.raw(`<span class="vh">: </span></p><p class="hint">`)
	w.inlines(c.Meta, false)
	w.raw("</p></div></div>\n")
}

// foot writes the reactions, the line about the thread, and the buttons.
func (b *Said) foot(w *htmlWriter) {
	if len(b.Reactions) > 0 {
		only := Said{Reactions: b.Reactions}
		w.raw(`<p class="vh">`)
		line := only.under()
		if len(b.Thread) > 0 {
			line = append(line, T("."))
		}
		w.inlines(line, false)
		w.raw("</p>\n<div class=\"reacts\" data-extra>")
		for i := range b.Reactions {
			b.reaction(w, &b.Reactions[i])
		}
		w.raw("</div>\n")
	}
	switch {
	case len(b.Replies) > 0:
		w.raw(`<details class="thread"><summary><span>`)
		w.inlines(b.Thread, false)
		w.raw("</span></summary>\n")
		w.replies(b.Replies)
		w.raw("</details>\n")
	case len(b.Thread) > 0:
		w.raw(`<p class="thread">`)
		w.inlines(b.Thread, false)
		w.raw("</p>\n")
	}
	if !b.Open || w.p.Only {
		return
	}
	quick := func() {
		w.raw(`<div class="quick" data-extra>`)
		for _, e := range quickReactions {
			b.button(w, b.React, e, false, func() { w.raw(e) })
		}
		w.raw("</div>\n")
	}
	if b.Own {
		quick()
		return
	}
	p := Prose{Lead: b.Lead}
	w.acts(b.ID, p.author(), b.URL+"#comments", b.URL, b.Lesser, quick)
}

// quickReactions are the emoji with a button of their own.
var quickReactions = []string{"👍", "❤️", "🎉", "👀"}

func (b *Said) reaction(w *htmlWriter, r *Reaction) {
	words := func() {
		w.text(r.Emoji)
		w.raw(" ")
		w.decimal(r.N)
	}
	if !b.Open || w.p.Only {
		w.raw(`<span class="react" aria-hidden="true">`)
		words()
		w.raw("</span>")
		return
	}
	act := b.React
	if r.Mine {
		act = b.Unreact
	}
	b.button(w, act, r.Emoji, r.Mine, words)
}

// button writes a form with one button for an action of the contribution's page. The argument act has the names of the
// action and of its field.
func (b *Said) button(w *htmlWriter, act [2]string, value string, pressed bool, words func()) {
	w.openForm(&Form{URL: b.URL + "/actions/" + act[0]}, "")
	w.hidden(act[1], value)
	w.hidden("_then", b.Then)
	w.raw(`<button class="react" type="submit"`)
	if pressed {
		w.raw(` aria-pressed="true"`)
	}
	if act == b.React && !pressed {
		w.attr("title", "React with "+strings.TrimSpace(value))
	}
	w.raw(">")
	words()
	w.raw("</button></form>")
}
