package page

import (
	"strconv"
	"time"
)

// Log is a list of events, one in each line.
type Log []Event

// Event is one line of a log. It is a sentence of the actor, a verb and the subject.
type Event struct {
	By  Inline // see [Who]
	Did string // verb, such as "voted on"
	On  Inline
	Why string // reason of the actor, or empty
	At  time.Time
	No  int64
	URL string // root-relative page of the event
}

func (b Log) markdown(w *mdWriter) {
	lines := make(List, len(b))
	for i := range b {
		e := &b[i]
		line := Line(e.By, T(" "+e.Did+" "), e.On)
		if e.Why != "" {
			line = append(line, T(", “"), T(e.Why), T("”"))
		}
		lines[i] = append(line, T(", "), When(e.At), T(" "), Link(strconv.FormatInt(e.No, 10), e.URL))
	}
	lines.markdown(w)
}

func (b Log) html(w *htmlWriter) {
	if len(b) == 0 {
		return
	}
	w.raw("<ol class=\"entries\">\n")
	for i := range b {
		b[i].html(w)
	}
	w.raw("</ol>\n")
}

func (e *Event) html(w *htmlWriter) {
	w.raw("<li class=\"entry\">")
	switch e.By.look {
	case lookPerson, lookAgent:
		p := Prose{}
		w.avatar(p.authorName(&e.By), e.By.look == lookAgent, 28)
	default:
		w.icon("clock")
	}
	w.raw("<div><p>")
	w.inlines(Line(e.By, T(" "+e.Did+" "), e.On), false)
	w.raw(`<span class="vh">,</span></p>`)
	if e.Why != "" {
		w.raw(` <p class="why">`)
		w.inlines(Line(T("“"), T(e.Why), T("”")), false)
		w.raw(`<span class="vh">,</span></p>`)
	}
	w.raw(`</div> <p class="when">`)
	w.inlines(Line(When(e.At), T(" "), Link(strconv.FormatInt(e.No, 10), e.URL)), false)
	w.raw("</p></li>\n")
}
