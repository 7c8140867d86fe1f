package page

import (
	"slices"
	"strings"
)

// Empty is a sentence in place of an empty list. HTML adds buttons for up to three offered actions that create, start
// or invite something, or else for actions that add something.
type Empty []Inline

// An offered action gets a button if its name begins with a word in beginnings. If there is no such action, an action
// gets a button if its name begins with a word in additions.
var beginnings, additions = []string{"create", "start", "invite"}, []string{"add"}

// mostOffers is the maximum number of buttons of an [Empty] block.
const mostOffers = 3

func (b Empty) markdown(w *mdWriter) { Para(b).markdown(w) }

func (b Empty) html(w *htmlWriter) {
	w.raw("<div class=\"empty\">\n")
	Para(b).html(w)
	n, begins := 0, beginnings
	has := func(f Form) bool {
		verb, _, _ := strings.Cut(f.Name, "_")
		return slices.Contains(begins, verb)
	}
	if !slices.ContainsFunc(w.p.Forms, has) {
		begins = additions
	}
	for i := range w.p.Forms {
		f := &w.p.Forms[i]
		if n == mostOffers || w.p.Only || !has(*f) {
			continue
		}
		if n++; n == 1 {
			w.raw(`<p class="buttons" data-extra>`)
		}
		w.anchor(`<a class="button"`, f.URL)
		w.text(f.title())
		w.raw("</a> ")
	}
	if n > 0 {
		w.raw("</p>\n")
	}
	w.raw("</div>\n")
}
