package page

import (
	"cmp"
	"strconv"
	"time"
)

// Log is a list of events, one on each line.
type Log []Event

// Event is one line of a log.
type Event struct {
	By  Inline // name of the actor, made by [Who]
	As  string // role of the actor, such as "as Secretary", or empty
	Did string // verb, such as "voted on"
	On  Inline
	Why string // reason that the actor gave, or empty
	At  time.Time
	No  int64
	URL string // root-relative URL of the event's page

	Kind string // kind of the subject, such as "Decision", for HTML only; may be empty
	Icon string // name of an icon in web/static/icons.svg, for the kind

	// Changes is for HTML only. It returns the changed fields and a [Pill] of the new state. Without a new state, the
	// second result is the zero value. Changes is nil if no fields were changed.
	Changes func() ([]Changed, Inline)
}

// Changed is one field of the subject of an event.
type Changed struct{ Field, Before, After string }

func (e *Event) sentence() []Inline {
	between := " "
	if e.As != "" {
		between = ", " + e.As + ", "
	}
	return Line(e.By, T(between+e.Did+" "), e.On)
}

func (b Log) markdown(w *mdWriter) {
	lines := make(List, len(b))
	for i := range b {
		e := &b[i]
		line := e.sentence()
		if e.Why != "" {
			line = append(line, T(", “"), T(e.Why), T("”"))
		}
		lines[i] = append(line, T(", "), When(e.At), T(" "), Link(strconv.FormatInt(e.No, 10), e.URL))
	}
	lines.markdown(w)
}

func (b Log) html(w *htmlWriter) {
	for from := 0; from < len(b); {
		day := w.day(b[from].At)
		w.raw("<div class=\"day\" data-extra>")
		w.heading(day)
		w.raw("</div>\n<ol class=\"entries\">\n")
		for ; from < len(b) && w.day(b[from].At) == day; from++ {
			b[from].html(w)
		}
		w.raw("</ol>\n")
	}
}

// day returns the day of a time for the reader, such as "Today" or "Fri 20 Nov 2026".
func (w *htmlWriter) day(at time.Time) string {
	zone := cmp.Or(w.c.Zone, time.UTC)
	const date = "Mon 2 Jan 2006"
	now := w.c.Now.In(zone)
	switch day := at.In(zone).Format(date); day {
	case now.Format(date):
		return "Today"
	case now.AddDate(0, 0, -1).Format(date):
		return "Yesterday"
	default:
		return day
	}
}

func (e *Event) html(w *htmlWriter) {
	w.raw("<li class=\"entry\">")
	switch e.By.look {
	case lookPerson, lookAgent:
		w.face(&e.By, 28)
	default:
		w.icon("clock")
	}
	w.raw("<div><p>")
	w.inlines(e.sentence(), false)
	w.raw(`<span class="vh">,</span>`)
	var changes []Changed
	var state Inline
	if e.Changes != nil {
		changes, state = e.Changes()
	}
	switch {
	case state.text != "":
		w.raw(` <span data-extra>`)
		w.inlines(Line(state), false)
		w.raw("</span>")
	case e.Kind != "":
		w.raw(` <span class="pill" data-extra>`)
		w.icon(e.Icon)
		w.text(capital(e.Kind))
		w.raw("</span>")
	}
	w.raw("</p>")
	if e.Why != "" {
		w.raw(` <p class="why">`)
		w.inlines(Line(T("“"), T(e.Why), T("”")), false)
		w.raw(`<span class="vh">,</span></p>`)
	}
	w.changes(changes)
	at := When(e.At)
	at.look = lookClock
	w.raw(`</div> <p class="when">`)
	w.inlines(Line(at, T(" "), Link(strconv.FormatInt(e.No, 10), e.URL)), false)
	w.raw("</p></li>\n")
}

func (w *htmlWriter) changes(list []Changed) {
	if len(list) == 0 {
		return
	}
	w.raw("<details class=\"change\" data-extra><summary>Before and after</summary>\n<dl class=\"facts\">\n")
	for _, c := range list {
		w.tagged("<div><dt>", c.Field, "</dt> <dd>")
		if c.Before != "" {
			w.tagged("<del>", c.Before, "</del> ")
		}
		if c.After != "" {
			w.tagged("<ins>", c.After, "</ins>")
		}
		w.raw("</dd></div>\n")
	}
	w.raw("</dl></details>\n")
}
