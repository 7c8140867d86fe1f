package page

import (
	"strconv"
	"strings"
)

// BoardScript is the URL of the script for dragging the cards of a [Board]. A page with a board sets it as
// [Page.Script].
const BoardScript = "/static/board.js"

// Board shows cards in zones, which HTML has side by side.
type Board struct {
	// Move is the name of the action that moves a card. Its field "number" takes the key of the card, and its field
	// "zone" the key of the zone.
	Move string
	// Add is the name of the action that adds a card. Its field "zone" takes the key of the zone.
	Add   string
	Zones []Zone
}

// Zone is one column of a board.
type Zone struct {
	Key, Title string
	Rule       []Inline // which cards belong in the zone; may be empty
	Starts     bool     // whether a card that is moved into the zone starts something
	Cards      []BoardCard
}

// BoardCard is a card of a board.
type BoardCard struct {
	Key   string
	Name  Inline   // title, with a link to the page of the card
	State Inline   // a [Pill]; the zero value means no state
	Work  []Inline // link to the page that the card stands for, such as a worktree, and its progress; may be empty
	Icon  string   // name of an icon in web/static/icons.svg, for Work
	Line  []Inline
	By    Inline // name of the person or agent that works on the card, or else of the card's author
}

func (c *BoardCard) state() []Inline {
	if c.State.text == "" {
		return nil
	}
	return Line(c.State)
}

// titled iterates over the addresses of the [Titled] links on the cards.
func (b Board) titled(yield func(string) bool) {
	for i := range b.Zones {
		for k := range b.Zones[i].Cards {
			for _, in := range b.Zones[i].Cards[k].Work {
				if in.look == lookTitled && !yield(in.url) {
					return
				}
			}
		}
	}
}

// mostCards is the [Few.Most] for the cards of a zone.
const mostCards = 15

func (b Board) markdown(w *mdWriter) {
	was := w.few
	for i := range b.Zones {
		z := &b.Zones[i]
		list := make(List, len(z.Cards))
		for k := range z.Cards {
			c := &z.Cards[k]
			line := Line(c.Name)
			for _, part := range [][]Inline{c.state(), c.Work, c.Line} {
				if len(part) > 0 {
					line = append(append(line, T(", ")), part...)
				}
			}
			list[k] = append(line, T(", by "), c.By)
		}
		w.few = Few{Most: mostCards}
		blocks := []Block{list}
		if len(z.Cards) == 0 {
			blocks = []Block{Para(Line(T("No cards.")))}
		}
		if len(z.Rule) > 0 {
			blocks = append([]Block{Para(z.Rule)}, blocks...)
		}
		w.section(z.Title, blocks)
	}
	w.few = was
}

func (b Board) html(w *htmlWriter) {
	if len(b.Zones) == 0 {
		return
	}
	move, add := w.onBoard(b.Move), w.onBoard(b.Add)
	w.raw("<div class=\"board\">\n")
	for i := range b.Zones {
		z := &b.Zones[i]
		w.raw(`<section class="zone"`)
		w.attr("data-zone", z.Key)
		w.raw(">\n")
		w.heading(z.Title)
		w.raw(` <span class="soft" data-extra>` + strconv.Itoa(len(z.Cards)) + "</span>\n")
		if len(z.Rule) > 0 {
			w.raw(`<p class="rule">`)
			if z.Starts {
				w.icon("play")
				w.raw(" ")
			}
			w.line(z.Rule, false)
			w.raw("</p>\n")
		}
		if len(z.Cards) == 0 {
			w.raw("<p class=\"soft\">No cards.</p>\n")
		} else {
			w.raw("<ul class=\"cards\">\n")
			for k := range z.Cards {
				b.card(w, move, z, &z.Cards[k])
			}
			w.raw("</ul>\n")
		}
		if add != nil {
			w.raw(`<a class="tool" data-extra`)
			w.attr("href", withParam(add.URL, "zone", z.Key))
			w.raw(">")
			w.icon("plus")
			w.text(add.title())
			w.raw(`<span class="vh"> to `)
			w.text(z.Title)
			w.raw("</span></a>\n")
		}
		w.raw("</section>\n")
	}
	w.raw("</div>\n")
}

// card writes a card, with a menu of the other zones unless move is nil.
func (b Board) card(w *htmlWriter, move *Form, in *Zone, c *BoardCard) {
	w.raw(`<li class="card"`)
	w.attr("data-card", c.Key)
	if move != nil {
		w.raw(` draggable="true"`)
	}
	w.raw(">\n<p class=\"name\">")
	w.inlines(Line(c.Name), false)
	const comma = `<span class="vh">, </span>`
	w.raw(comma + "</p>\n")
	w.para(`<p class="badge">`, c.state(), false, comma+"</p>\n")
	if len(c.Work) > 0 {
		w.raw(`<p class="work">`)
		w.icon(c.Icon)
		w.raw(" ")
		w.inlines(c.Work, false)
		w.raw(comma + "</p>\n")
	}
	w.raw(`<p class="since">`)
	w.line(c.Line, false)
	w.raw(`<span class="vh">, by </span></p>` + "\n<div class=\"foot\">")
	w.inlines(Line(c.By), false)
	if move != nil {
		b.menu(w, move, in, c)
	}
	w.raw("</div>\n</li>\n")
}

func (b Board) menu(w *htmlWriter, move *Form, in *Zone, c *BoardCard) {
	w.raw(`<div data-extra><button class="tool" type="button"`)
	w.attr("popovertarget", "move-"+c.Key)
	w.tagged(`>Move<span class="vh">: `, c.Name.text, "</span>")
	w.icon("down")
	w.raw(`</button><div class="menu" popover`)
	w.attr("id", "move-"+c.Key)
	w.raw(">\n")
	key := move.Key
	if key != "" {
		key += "." + c.Key
	}
	w.openForm(move, key)
	w.hidden("number", c.Key)
	w.raw("<ul>\n")
	for i := range b.Zones {
		z := &b.Zones[i]
		if z.Key == in.Key {
			continue
		}
		w.raw(`<li><button type="submit" name="zone"`)
		w.attr("value", z.Key)
		w.raw(">")
		w.icon("next")
		w.tagged("<span>Move to ", z.Title, "</span></button></li>\n")
	}
	w.raw("</ul>\n</form>\n</div></div>\n")
}

// onBoard returns the form with this name, or nil if HTML shows no such form on the board or in the menu for creating
// items.
func (w *htmlWriter) onBoard(name string) *Form {
	for i := range w.spots {
		if f := &w.p.Forms[i]; (w.spots[i] == onBoard || w.spots[i] == inNew) && f.Name == name {
			return f
		}
	}
	return nil
}

// replaces reports whether the menus on the cards replace the form. The board may be nil.
func (b *Board) replaces(f *Form) bool {
	return b != nil && f.Name == b.Move && len(b.Zones) > 1
}

// grows reports whether the form adds something to the board. The board may be nil.
func (b *Board) grows(f *Form) bool {
	return b != nil && (f.Name == b.Add || strings.HasPrefix(f.Name, "add_"))
}

// board returns the board of the page, or nil if there is none or the page shows only a form.
func (w *htmlWriter) board() *Board {
	if w.p.Only {
		return nil
	}
	for block := range inner(w.p.Blocks) {
		if found, ok := block.(Board); ok {
			b := found // only the returned board goes to the heap
			return &b
		}
	}
	return nil
}

// withParam returns a URL with one more query parameter, which is not escaped.
func withParam(u, name, value string) string {
	join := "?" // the URL of a form may already have a query
	if strings.Contains(u, join) {
		join = "&"
	}
	return u + join + name + "=" + value
}
