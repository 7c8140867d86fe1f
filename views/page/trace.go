package page

// Trace lists the steps of an agent, from the first to the last.
type Trace []TraceStep

// TraceStep is one step of a [Trace].
type TraceStep struct {
	Icon  string // name of an icon in web/static/icons.svg
	Line  []Inline
	State []Inline // result or progress; may be empty
	Waits bool     // whether the step waits for the answer of a person
	Plan  bool     // whether the step is planned and not done yet
	Steps Trace    // steps that this one sums up, for HTML only
	// Output returns the output of the step, such as the last lines of a program, for HTML only and folded unless Open
	// is true. It may be nil.
	Output func() []Block
	Open   bool
}

func (b Trace) markdown(w *mdWriter) {
	list := make(List, len(b))
	for i, s := range b {
		list[i] = append(Line(), s.Line...)
		if len(s.State) > 0 {
			list[i] = append(append(list[i], T(", ")), s.State...)
		}
	}
	list.markdown(w)
}

func (b Trace) html(w *htmlWriter) {
	w.raw("<ul class=\"trace\">\n")
	for i := range b {
		b[i].html(w)
	}
	w.raw("</ul>\n")
}

func (s *TraceStep) html(w *htmlWriter) {
	class := "step"
	if s.Waits {
		class += " waits"
	}
	if s.Plan {
		class += " plan"
	}
	var inside []Block
	switch {
	case len(s.Steps) > 0:
		inside = []Block{s.Steps}
	case s.Output != nil:
		inside = s.Output()
	}
	end := "</li>\n"
	switch {
	case len(inside) == 0:
		w.raw(`<li class="` + class + `">`)
	case s.Open:
		w.raw(`<li><details class="fold" open><summary>`)
		end = "</summary>\n"
	default:
		w.raw(`<li><details class="fold"><summary>`)
		end = "</summary>\n"
	}
	w.icon(s.Icon)
	w.raw("<span>")
	w.inlines(s.Line, false)
	if len(s.State) > 0 {
		w.raw(`<span class="vh">, </span></span><span class="hint">`)
		w.inlines(s.State, false)
	}
	w.raw("</span>" + end)
	if len(inside) > 0 {
		w.raw("<div data-extra>\n")
		w.nested(inside)
		w.raw("</div></details></li>\n")
	}
}
