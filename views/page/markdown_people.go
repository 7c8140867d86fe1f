package page

import "strings"

const mostLinks = 2

// people lists the actions that a person could take now but this agent cannot. The links are absolute, so that the
// agent can pass them on.
func (w *mdWriter) people(list []Handover) {
	if len(list) == 0 {
		return
	}
	w.dst = append(w.dst, "\n**For people**: "...)
	var rest []*Handover
	who, links := "", 0
	for i := range list {
		h := &list[i]
		if !w.all() && (h.Side || links == mostLinks) {
			rest = append(rest, h)
			continue
		}
		who = w.person(h, who, links > 0)
		w.link(h.Title, h.URL, w.c.Address, "")
		links++
	}
	if len(rest) > 0 {
		if links > 0 {
			w.dst = append(w.dst, "; "...)
		}
		w.dst = append(w.dst, "in "...)
		w.link("the list", rest[0].list(), w.c.Address, "")
		w.dst = append(w.dst, ' ')
		who = ""
		for i, h := range rest {
			who = w.person(h, who, i > 0)
			w.text(h.Title)
		}
	}
	w.dst = append(w.dst, ".\n"...)
}

// person writes the name of the person that may take an action, unless the action before it is for the same person. It
// returns the name.
func (w *mdWriter) person(h *Handover, before string, more bool) string {
	switch {
	case h.Who == before:
		w.dst = append(w.dst, ", "...)
		return before
	case more:
		w.dst = append(w.dst, "; "...)
	}
	w.dst = append(w.dst, '@')
	w.start, w.position = len(w.dst), inLine
	w.text(h.Who)
	w.dst = append(w.dst, " may "...)
	return h.Who
}

func (h *Handover) list() string {
	return h.URL[:strings.LastIndex(h.URL, "/actions/")+len("/actions")]
}
