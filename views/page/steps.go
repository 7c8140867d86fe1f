package page

// Steps are the phases of a process, from the first to the last.
type Steps []Step

// Step is one phase.
type Step struct {
	Title string
	Note  []Inline // such as the end of the phase; may be empty
	At    Progress
}

// Progress says whether a phase is still to come, is the present one, or is over.
type Progress uint8

// Each phase has these values one after the other.
const (
	Ahead Progress = iota
	Now
	Done
)

var progressWords = [...]string{Ahead: "", Now: ", now", Done: ", done"}

func (b Steps) markdown(w *mdWriter) {
	lines := make(List, len(b))
	for i := range b {
		s := &b[i]
		title := T(s.Title)
		if s.At == Now {
			title = Strong(s.Title)
		}
		lines[i] = Line(title, T(progressWords[s.At]))
		if len(s.Note) > 0 {
			lines[i] = append(append(lines[i], T(": ")), s.Note...)
		}
	}
	lines.markdown(w)
}

func (b Steps) html(w *htmlWriter) {
	w.raw("<ol class=\"steps\">\n")
	for i := range b {
		s := &b[i]
		switch s.At {
		case Now:
			w.raw(`<li aria-current="step">`)
		case Done:
			w.raw(`<li class="past">`)
			w.icon("check")
		default:
			w.raw("<li>")
		}
		w.raw("<span>")
		w.text(s.Title)
		if s.At != Ahead {
			w.raw(`<span class="vh">` + progressWords[s.At] + "</span>")
		}
		if len(s.Note) > 0 {
			w.raw(`<span class="vh">: </span><small>`)
			w.inlines(s.Note, false)
			w.raw("</small>")
		}
		w.raw("</span></li>\n")
	}
	w.raw("</ol>\n")
}
