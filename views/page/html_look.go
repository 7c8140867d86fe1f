package page

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tones has the class and the icon of the pill for each tone.
var tones = [...]struct{ class, icon string }{
	Calm: {"pill", "aside"},
	Live: {"pill open", "clock"},
	Late: {"pill waits", "pause"},
	Good: {"pill open", "check"},
	Bad:  {"pill bad", "cross"},
	Runs: {"pill runs", "play"},
	Soon: {"pill", "clock"},
}

// dressed writes the cleaned text of an inline with its look.
func (w *htmlWriter) dressed(in *Inline, text string) {
	switch in.look {
	default:
		w.b = appendEscaped(w.b, text)
	case lookPill:
		w.raw(`<span class="` + tones[in.tone].class + `">`)
		w.icon(cmp.Or(in.url, tones[in.tone].icon))
		w.b = appendEscaped(w.b, text)
		w.raw("</span>")
	case lookTurn:
		if slot, ok := strings.CutPrefix(in.url, "#"); !(ok && w.inSlot(slot) != nil) && !w.asks(in.url) {
			w.b = appendEscaped(w.b, text)
			return
		}
		w.anchor("<mark><a", in.url)
		w.b = appendEscaped(w.b, text)
		w.raw("</a></mark>")
	case lookWin:
		w.raw(`<span class="win">`)
		w.b = appendEscaped(w.b, text)
		w.raw(`<span class="vh" data-extra> wins</span></span>`)
	case lookPerson, lookAgent:
		w.who(in, text)
	case lookPlus:
		w.raw(`<span class="plus">`)
		w.b = appendEscaped(w.b, text)
		w.raw("</span>")
	case lookLess:
		w.raw(`<span class="less">`)
		w.b = appendEscaped(w.b, text)
		w.raw("</span>")
	case lookExtra:
		w.raw("<span data-extra>")
		w.b = appendEscaped(w.b, text)
		w.raw("</span>")
	}
}

// who writes the name of a person or an agent after a picture. The handle of an agent's member is not part of the link.
func (w *htmlWriter) who(in *Inline, text string) {
	name, of := parted(in, text)
	w.raw(`<span class="who">`)
	w.avatar(name, strings.TrimPrefix(of, agentOf), 20)
	if in.url != "" {
		w.anchor("<a", in.url)
		w.b = appendEscaped(w.b, name)
		w.raw("</a>")
	} else {
		w.b = appendEscaped(w.b, name)
	}
	if of != "" {
		w.raw(`<span class="of">`)
		if rest, is := strings.CutPrefix(of, ", "); is && w.lead {
			w.raw(`<span class="vh">, </span>`)
			of = rest
		}
		w.b = appendEscaped(w.b, of)
		w.raw("</span>")
	}
	w.raw("</span>")
}

// parted splits the name of an agent from the words after it, such as ", agent of @alice". A person has no such words.
func parted(in *Inline, text string) (name, of string) {
	if in.look == lookAgent {
		if i := strings.LastIndex(text, agentOf); i >= 0 { // the label of an agent may contain agentOf, too
			return text[:i], text[i:]
		}
	}
	return text, ""
}

func (w *htmlWriter) face(in *Inline, size int) {
	name, of := parted(in, in.text)
	w.avatar(name, strings.TrimPrefix(of, agentOf), size)
}

// icon writes an icon of icons.svg, which screen readers ignore.
func (w *htmlWriter) icon(name string) {
	w.raw(`<svg class="i" aria-hidden="true"><use href="`)
	w.raw(w.c.Asset(iconFile))
	w.raw("#")
	w.raw(name)
	w.raw(`"/></svg>`)
}

// avatar writes the picture of a person or an agent. The argument of is the handle of an agent's member, and empty for
// a person. The picture has no text alternative, because the name is next to it.
func (w *htmlWriter) avatar(name, of string, size int) {
	w.raw(`<img`)
	w.attr("src", AvatarURL(name, of))
	w.raw(` alt=""`)
	w.number("width", size)
	w.number("height", size)
	w.raw(">")
}

const hues = 16

// AvatarURL returns the root-relative URL of the picture of a person or an agent. The argument of is the handle of an
// agent's member, and empty for a person. The picture has the first character of the name, or "-" if that is not an
// ASCII letter or digit. Its colour depends on the name of the person or the member.
func AvatarURL(name, of string) string {
	name, of = strings.TrimPrefix(name, "@"), strings.TrimPrefix(of, "@")
	r, _ := utf8.DecodeRuneInString(name)
	letter := byte('-')
	if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		letter = byte(unicode.ToLower(r))
	}
	sum := uint32(2166136261) // FNV-1a
	shape, whose := "person", name
	if of != "" {
		shape, whose = "agent", of
	}
	for i := range len(whose) {
		sum = (sum ^ uint32(whose[i])) * 16777619
	}
	return "/avatars/" + shape + "-" + string(letter) + "-" + string(rune('a'+sum%hues)) + ".svg"
}

// ring writes the icon of a ring: in a full circle for something closed, in a hexagon if an agent waits, or else, for
// up to mostArcs asked people, in a circle with an arc for each.
func (w *htmlWriter) ring(r *Ring) {
	w.raw(`<svg class="ring`)
	switch {
	case r.Closed:
		w.raw(" closed")
	case r.Agent:
		w.raw(" waits")
	}
	w.raw(`" viewBox="0 0 26 26" aria-hidden="true">`)
	inset, size := 5, 16
	switch {
	case r.Closed:
		w.raw(`<circle class="full" cx="13" cy="13" r="12"/>`)
		inset, size = 7, 12
	case r.Agent:
		w.raw(`<path class="hex" d="M13 1.5 23 7.2v11.6L13 24.5 3 18.8V7.2z"/>`)
		inset, size = 7, 12
	case r.Of > 0 && r.Of <= mostArcs:
		w.arcs("track", r.Of, r.Of)
		w.arcs("done", min(r.Done, r.Of), r.Of)
		inset, size = 7, 12
	}
	w.raw(`<use href="`)
	w.raw(w.c.Asset(iconFile))
	w.raw("#")
	w.raw(r.Icon)
	w.raw(`"`)
	w.number("x", inset)
	w.number("y", inset)
	w.number("width", size)
	w.number("height", size)
	w.raw("/></svg>")
}

// mostArcs is the maximum number of arcs of a ring, because more would be too small to see.
const mostArcs = 60

// arcs writes n adjacent arcs of a circle. The argument of is the number of arcs in the whole circle.
func (w *htmlWriter) arcs(class string, n, of int) {
	if n == 0 {
		return
	}
	w.raw(`<path class="` + class + `" d="M13 1.6a11.4 11.4 0 0 1 0 22.8 11.4 11.4 0 0 1 0-22.8"`)
	w.number("pathLength", 100*of)
	w.raw(` stroke-dasharray="`)
	for i := range n {
		if i > 0 {
			w.raw(" 13 ")
		}
		w.raw("87")
	}
	w.raw(" ")
	w.decimal(100*(of-n) + 13)
	w.raw(`"/>`)
}
