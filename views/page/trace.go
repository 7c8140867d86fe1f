package page

// Trace is what an agent did, in order. HTML shows each step with a picture of its kind.
type Trace []TraceStep

// TraceStep is one step of a [Trace].
type TraceStep struct {
	Icon  string // see web/static/icons.svg
	Line  []Inline
	State []Inline // what became of it
	Waits bool     // it waits for a person
	Plan  bool     // it is intended, and not done yet
}

func (b Trace) markdown(w *mdWriter) {
	list := make(List, len(b))
	for i, s := range b {
		list[i] = append(append(Line(), s.Line...), append(Line(T(", ")), s.State...)...)
	}
	list.markdown(w)
}

func (b Trace) html(w *htmlWriter) {
	w.raw("<ul class=\"trace\">\n")
	for _, s := range b {
		class := "step"
		if s.Waits {
			class += " waits"
		}
		if s.Plan {
			class += " plan"
		}
		w.raw(`<li class="` + class + `">`)
		w.icon(s.Icon)
		w.raw("<span>")
		w.inlines(s.Line, false)
		w.raw(`<span class="vh">, </span></span><span class="hint">`)
		w.inlines(s.State, false)
		w.raw("</span></li>\n")
	}
	w.raw("</ul>\n")
}
