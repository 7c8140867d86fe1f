package page

import (
	"slices"
	"strings"
)

// Empty is a sentence in place of an empty list. HTML adds buttons for up to three offered actions that create, start
// or invite something.
type Empty []Inline

// beginnings has the first words of the names of these actions.
var beginnings = []string{"create", "start", "invite"}

// mostOffers is the maximum number of buttons of an [Empty] block.
const mostOffers = 3

func (b Empty) markdown(w *mdWriter) { Para(b).markdown(w) }

func (b Empty) html(w *htmlWriter) {
	w.raw("<div class=\"empty\">\n")
	Para(b).html(w)
	n := 0
	for i := range w.p.Forms {
		f := &w.p.Forms[i]
		verb, _, _ := strings.Cut(f.Name, "_")
		if n == mostOffers || w.p.Only || !slices.Contains(beginnings, verb) {
			continue
		}
		if n++; n == 1 {
			w.raw(`<p class="buttons" data-extra>`)
		}
		w.raw(`<a class="button"`)
		w.href(f.URL)
		w.raw(">")
		w.text(f.title())
		w.raw("</a> ")
	}
	if n > 0 {
		w.raw("</p>\n")
	}
	w.raw("</div>\n")
}
