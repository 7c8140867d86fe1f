package page

import (
	"slices"
	"strings"
)

// spot is the place of an action's form in HTML.
type spot uint8

const (
	inMenu  spot = iota // a line of the menu of actions, with a link to the page of the action
	inSlot              // in the block with the id [Form.Slot]
	onRows              // a button or a link on each table row that the action accepts
	inTools             // a button in the toolbar
	onBoxes             // the checkboxes of a text
	inNew               // a line of the menu for creating items
	onBoard             // the zones and cards of a board
)

// mostTools is the maximum number of buttons in the toolbar.
const mostTools = 4

func (w *htmlWriter) findSpots() {
	tools, board := 0, w.board()
	for i := range w.p.Forms {
		f := &w.p.Forms[i]
		at := inMenu
		switch {
		case f.Slot != "" && hasSlot(w.p.Blocks, f.Slot):
			at = inSlot
		case boxField(f) != nil && w.coversBoxes():
			at = onBoxes
		case board.replaces(f):
			at = onBoard
		case w.coversChoices(f):
			at = onRows
		case strings.HasPrefix(f.Name, "create_"), strings.HasPrefix(f.Name, "invite_"), board.grows(f):
			at = inNew
		case f.Tool && len(f.Fields) == 0 && tools < mostTools:
			at = inTools
			tools++
		}
		w.spots = append(w.spots, at)
	}
}

// coversChoices reports whether the rows of tables have buttons or links for all that an action on rows can choose.
func (w *htmlWriter) coversChoices(f *Form) bool {
	for i := range w.rows {
		r := &w.rows[i]
		if r.form != f {
			continue
		}
		if numbersRow(r.choice) {
			return anyRow(w.p.Blocks, func(*Row) bool { return true })
		}
		for k := range r.choice.Options {
			value := r.choice.Options[k].Value
			if !anyRow(w.p.Blocks, func(row *Row) bool { return row.Key == value }) {
				return false
			}
		}
		return len(r.choice.Options) > 0
	}
	return false
}

// anyRow reports whether the function returns true for a row with a key in one of the tables among the blocks.
func anyRow(bs []Block, is func(*Row) bool) bool {
	for b := range inner(bs) {
		t, _ := b.(Table)
		for i := range t.Rows {
			if t.Rows[i].Key != "" && is(&t.Rows[i]) {
				return true
			}
		}
	}
	return false
}

// placed calls a function for the forms at a spot, either the destructive or the other ones.
func (w *htmlWriter) placed(at spot, destructive bool, do func(*Form)) {
	for i := range w.spots {
		if f := &w.p.Forms[i]; w.spots[i] == at && f.Destructive == destructive {
			do(f)
		}
	}
}

func (w *htmlWriter) formsAt(at spot) (n int) {
	for i := range w.spots {
		if w.spots[i] == at {
			n++
		}
	}
	return n
}

// tools writes the toolbar: buttons of actions that take one click, a menu of other actions, and a menu for creating
// items.
func (w *htmlWriter) tools() {
	if w.p.Only || len(w.p.New)+w.formsAt(inTools)+w.formsAt(inMenu)+w.formsAt(inNew) == 0 {
		return
	}
	w.raw("<div class=\"tools\" data-extra>\n")
	w.placed(inTools, false, func(f *Form) {
		w.openForm(f, f.Key)
		if w.lasts(f) {
			w.raw(`<button class="tool" type="submit" aria-pressed="true">`)
			w.icon(iconOf(f.Ends))
			w.raw(`<span class="label">`)
			w.text(f.On)
		} else {
			w.raw(`<button class="tool" type="submit">`)
			w.icon(iconOf(f.Name))
			w.raw(`<span class="label">`)
			w.text(f.button())
		}
		w.raw("</span></button></form>\n")
	})
	if w.formsAt(inMenu) > 0 {
		w.raw(`<button class="tool" type="button" popovertarget="more">`)
		w.icon("more")
		w.raw(`<span class="label">More</span></button>
<div class="menu" id="more" popover>
`)
		w.menu(inMenu, false)
		w.menu(inMenu, true)
		w.raw("</div>\n")
	}
	w.created()
	w.raw("</div>\n")
}

// lasts reports whether f ends an effect that is in force now, such as "unmute" while a studio is muted. The effect is
// in force if the action that begins it is not offered.
func (w *htmlWriter) lasts(f *Form) bool {
	return f.Ends != "" && !slices.ContainsFunc(w.p.Forms, func(g Form) bool { return g.Name == f.Ends })
}

// menu writes links to the actions at a spot, either the destructive or the other ones.
func (w *htmlWriter) menu(at spot, destructive bool) {
	var list []Tile
	if at == inNew {
		list = slices.Clone(w.p.New)
	}
	w.placed(at, destructive, func(f *Form) {
		t := Tile{Title: f.title(), URL: f.URL, Icon: iconOf(f.Name)}
		if at == inNew {
			t.Say = firstSentence(f.Doc)
		}
		list = append(list, t)
	})
	if len(list) == 0 {
		return
	}
	w.raw("<ul>\n")
	for _, t := range list {
		w.raw("<li")
		if destructive {
			w.raw(` class="danger"`)
		}
		w.anchor("><a", t.URL)
		w.icon(t.Icon)
		w.raw("<span>")
		w.text(t.Title)
		if t.Say != "" {
			w.raw("<small>")
			w.sentence(t.Say)
			w.raw("</small>")
		}
		w.raw("</span></a></li>\n")
	}
	w.raw("</ul>\n")
}

// created writes the button for creating items: a link or a menu. The link is less prominent if the page shows a form,
// which has the main button.
func (w *htmlWriter) created() {
	switch w.formsAt(inNew) + len(w.p.New) {
	case 0:
	case 1:
		link := func(title, url string) {
			if w.formsAt(inSlot) > 0 {
				w.raw(`<a class="tool"`)
			} else {
				w.raw(`<a class="button main small"`)
			}
			w.href(url)
			w.raw(">")
			w.icon("plus")
			w.tagged(`<span class="label">`, title, "</span></a>\n")
		}
		w.placed(inNew, false, func(f *Form) { link(f.title(), f.URL) })
		for _, t := range w.p.New {
			link(t.Title, t.URL)
		}
	default:
		w.raw(`<button class="main small" type="button" popovertarget="new">`)
		w.icon("plus")
		w.raw("<span class=\"label\">New</span></button>\n<div class=\"menu kinds\" id=\"new\" popover>\n")
		w.menu(inNew, false)
		w.raw("</div>\n")
	}
}

func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i >= 0 {
		return s[:i+1]
	}
	return s
}

// icons has an icon for each verb, or whole name of an action, in [verbIcons].
var icons = func() map[string]string {
	of := map[string]string{}
	for pair := range strings.SplitSeq(verbIcons, ", ") {
		verb, icon, _ := strings.Cut(pair, " ")
		of[verb] = icon
	}
	return of
}()

// verbIcons has pairs of a verb, or of an action's whole name such as mark_unread, and a symbol in icons.svg.
const verbIcons = "accept check, add plus, answer reply, approve check, archive inbox, assign agent, attach clip, " +
	"cancel cross, cast decision, change settings, close stop, comment channel, confirm check, copy " +
	"link, create plus, delete cross, detach cross, dismiss cross, duplicate file, edit edit, end " +
	"stop, erase cross, extend clock, fetch down, finish check, follow bell, forget cross, fork " +
	"branch, import file, invite plus, join commitment, leave undo, mark check, mark_unread undo, " +
	"look eye, merge check, move next, mute mute, pause pause, pin pin, publish play, ready check, redact " +
	"cross, refresh cycle, reject cross, remove cross, rename edit, renew key, reopen undo, reply " +
	"reply, request approval, restore undo, resume play, retry undo, revoke cross, run play, save star, set " +
	"settings, setup settings, share link, spawn plus, start play, stop stop, unarchive undo, unfollow bell, unmute " +
	"bell, unpin pin, update edit, withdraw undo"

// iconOf returns the icon of an action's whole name, of its verb, or a default one.
func iconOf(action string) string {
	if icon := icons[action]; icon != "" {
		return icon
	}
	verb, _, _ := strings.Cut(action, "_")
	if icon := icons[verb]; icon != "" {
		return icon
	}
	return "next"
}
