package page

import "strconv"

// Strip is a diagram of days, with bars for the numbers of up to three kinds of events, for HTML only.
type Strip struct {
	Things []string // at most three kinds of events, such as "made"
	Days   []StripDay
}

// StripDay is one day of a strip.
type StripDay struct {
	Name    string // such as "Mon 16"; may be empty
	Numbers []int  // number of events of each kind, in the order of [Strip.Things]
	Today   bool
}

// The measures of the diagram are in pixels vertically, and in percent of a day horizontally.
const (
	stripHeight = 64 // height of the space for the bars
	stripFoot   = 20 // height of the line with the names of the days
	stripBar    = 18
)

func (Strip) markdown(*mdWriter) {}

func (b Strip) html(w *htmlWriter) {
	most := 0
	for i := range b.Days {
		for _, n := range b.Days[i].Numbers {
			most = max(most, n)
		}
	}
	if most == 0 {
		return
	}
	w.raw("<div class=\"week\" data-extra>\n<svg width=\"100%\"")
	w.number("height", stripHeight+stripFoot)
	w.raw(" aria-hidden=\"true\">\n")
	wide := 100 / float64(len(b.Days))
	for i := range b.Days {
		d := &b.Days[i]
		x := float64(i) * wide
		if d.Today {
			w.raw(`<rect class="today"`)
			w.share("x", x)
			w.share("width", wide)
			w.raw(` height="100%" rx="4"/>`)
		}
		gap := (1 - float64(len(b.Things)*stripBar)/100) / 2
		for k, n := range d.Numbers {
			if n == 0 {
				continue
			}
			high := max(stripHeight*float64(n)/float64(most)-4, 2)
			w.raw(`<rect class="t` + strconv.Itoa(k) + `"`)
			w.share("x", x+wide*(gap+float64(k*stripBar)/100))
			w.share("width", wide*stripBar/100*0.85)
			w.length("y", stripHeight-high)
			w.length("height", high)
			w.raw(` rx="1.5"/>`)
		}
		w.raw(`<text class="m"`)
		w.share("x", x+wide/2)
		w.number("y", stripHeight+stripFoot-6)
		w.raw(">")
		w.b = appendEscaped(w.b, d.Name)
		w.raw("</text>\n")
	}
	w.raw("</svg>\n<p class=\"hint\">By day:")
	for k, thing := range b.Things {
		w.raw(` <span><svg width="10" height="10" aria-hidden="true"><rect class="t` + strconv.Itoa(k) +
			`" width="10" height="10" rx="2"/></svg> `)
		w.b = appendEscaped(w.b, thing)
		w.raw("</span>")
	}
	w.raw("</p>\n</div>\n")
}

func (w *htmlWriter) share(name string, percent float64) {
	w.raw(" " + name + `="`)
	w.b = strconv.AppendFloat(w.b, percent, 'f', 2, 64)
	w.raw(`%"`)
}
