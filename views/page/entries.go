package page

import (
	"slices"
	"strings"
	"unicode"
)

// Stack is a list of pages, each with a few words about it.
type Stack []Entry

// Entry is one page of a list.
type Entry struct {
	Name  []Inline // usually a link to the page
	State Inline   // a [Pill]; the zero value means no state
	Note  []Inline // may be empty
	Step  []Inline // a sentence on a line of its own in HTML, such as the last step of an agent; may be empty
	At    Inline   // a time; the zero value means no time
}

// News has unread events of several places, such as studios, with one entry for each page.
type News []NewsOf

// NewsOf has the unread events of one place.
type NewsOf struct {
	Place []Inline
	Pages []Entry
}

// Tiles are links to suggested actions, each with a reason.
type Tiles []Tile

// Tile is a link to an action, with a sentence on the reason to take it.
type Tile struct{ Title, URL, Say, Icon string }

// mostParts is the maximum number of parts that [Entry.parts] returns.
const mostParts = 3

// parts returns the state, the note and the time of an entry, without the empty ones.
func (e *Entry) parts() [][]Inline {
	parts := make([][]Inline, 0, mostParts)
	if e.State.text != "" {
		parts = append(parts, closed(Line(e.State)))
	}
	if len(e.Note) > 0 {
		parts = append(parts, closed(e.Note))
	}
	if e.At.kind != inlineText {
		parts = append(parts, Line(e.At))
	}
	return parts
}

// closed returns a line without the spaces at its end, so that a comma can follow.
func closed(line []Inline) []Inline {
	n := len(line)
	if n == 0 {
		return line
	}
	text := line[n-1].text
	if trimmed := strings.TrimRightFunc(text, unicode.IsSpace); len(trimmed) < len(text) {
		line = slices.Clone(line)
		line[n-1].text = trimmed
	}
	return line
}

func (e *Entry) line() []Inline {
	parts := e.parts()
	name := closed(e.Name)
	n := len(name)
	for _, part := range parts {
		n += 1 + len(part)
	}
	if len(e.Step) > 0 {
		n += 1 + len(e.Step)
	}
	line := append(make([]Inline, 0, n), name...)
	for i, part := range parts {
		if i == 0 {
			line = append(line, T(": "))
		} else {
			line = append(line, T(", "))
		}
		line = append(line, part...)
	}
	if len(e.Step) > 0 {
		line = append(append(line, T(". ")), e.Step...)
	}
	return line
}

func (b Stack) markdown(w *mdWriter) {
	lines := make(List, len(b))
	for i := range b {
		lines[i] = b[i].line()
	}
	lines.markdown(w)
}

// markdown writes a tree of places and pages, with a limited number of pages in all.
func (b News) markdown(w *mdWriter) {
	all := 0
	for i := range b {
		all += len(b[i].Pages)
	}
	room := w.most(all)
	left := all - room
	var tree Tree
	for i := range b {
		if room == 0 {
			break
		}
		place := Branch{Line: b[i].Place}
		for j := range b[i].Pages[:min(len(b[i].Pages), room)] {
			place.Below = append(place.Below, Branch{Line: b[i].Pages[j].line()})
		}
		room -= len(place.Below)
		tree = append(tree, place)
	}
	few, rows := w.few, w.allow.rows
	w.few, w.allow.rows = Few{}, 0
	tree.markdown(w)
	w.few, w.allow.rows = few, rows
	w.left(left)
}

func (b Tiles) markdown(w *mdWriter) {
	lines := make(List, len(b))
	for i := range b {
		lines[i] = Line(Link(b[i].Title, b[i].URL), Sentence(" "+b[i].Say))
	}
	lines.markdown(w)
}

func (b Stack) html(w *htmlWriter) { w.entries(b, "stack") }

// entries writes a list of entries. The punctuation between parts is only for screen readers.
func (w *htmlWriter) entries(list []Entry, class string) {
	if len(list) == 0 {
		return
	}
	w.raw(`<ul class="` + class + "\">\n")
	for i := range list {
		e := &list[i]
		left := e.parts()
		w.raw(`<li><p class="title-row"><span>`)
		w.line(e.Name, false)
		w.raw("</span>")
		end := ":"
		part := func(open, close string) {
			w.raw(`<span class="vh">` + end + "</span>" + open)
			w.inlines(left[0], false)
			left, end = left[1:], ","
			w.raw(close)
		}
		if e.State.text != "" {
			part(" ", "")
		}
		if len(left)+len(e.Step) == 0 {
			w.raw("</p></li>\n")
			continue
		}
		if len(e.Note) > 0 {
			part(`</p> <p class="did">`, "")
		}
		if len(left) > 0 {
			part(`</p> <p class="when">`, "")
		}
		if len(e.Step) > 0 {
			w.raw(`<span class="vh">.</span></p> <p class="soft">`)
			w.inlines(e.Step, false)
		}
		w.raw("</p></li>\n")
	}
	w.raw("</ul>\n")
}

func (b News) html(w *htmlWriter) {
	for i := range b {
		w.raw("<div class=\"group\">\n")
		w.b = append(w.b, "<h"...)
		w.b = append(w.b, byte('0'+w.level), '>')
		w.line(b[i].Place, false)
		w.b = append(w.b, "</h"...)
		w.b = append(w.b, byte('0'+w.level), '>', '\n')
		w.entries(b[i].Pages, "feed")
		w.raw("</div>\n")
	}
}

func (b Tiles) html(w *htmlWriter) {
	if len(b) == 0 {
		return
	}
	w.raw("<ul class=\"tiles\">\n")
	for i := range b {
		w.anchor("<li><a", b[i].URL)
		w.tagged("<span>", b[i].Title, " <small>")
		w.sentence(b[i].Say)
		w.raw("</small></span></a></li>\n")
	}
	w.raw("</ul>\n")
}
