package page

import (
	"strconv"
	"unicode/utf8"
)

// Flow is a diagram of two or more rounds of a count, for HTML only. Each round is a column with a bar for each option
// with votes. Ribbons show where the votes are in the next round.
type Flow struct {
	Names  []string // names of the options
	Rounds []FlowRound
	Winner func(option int) bool
}

// FlowRound has the votes of each option in a round, and the indexes of the options that are eliminated after it.
type FlowRound struct{ Votes, Out []int }

// The measures of the diagram are in pixels.
const (
	flowWidth  = 640
	flowHeight = 170 // height of all bars of the first round together, without gaps
	flowName   = 150 // space for the names of options
	flowBar    = 10
	flowGap    = 12 // between two options
	flowMargin = 22 // space for the numbers of the rounds
)

func (Flow) markdown(*mdWriter) {}

// flowRow is the bar of an option in a round: its upper end and its height, in pixels.
type flowRow struct{ top, size float64 }

func (b Flow) html(w *htmlWriter) {
	if len(b.Rounds) < 2 {
		return
	}
	order, total := b.order(), 0
	for _, n := range b.Rounds[0].Votes {
		total += n
	}
	if total == 0 {
		return
	}
	scale := flowHeight / float64(total)
	height := flowMargin + flowHeight + len(order)*flowGap
	w.raw(`<div class="scroll flow" tabindex="0" role="group" aria-label="The rounds as a picture" data-extra>`)
	w.raw(`<svg viewBox="0 0 ` + strconv.Itoa(flowWidth) + " " + strconv.Itoa(height) + `"`)
	w.number("width", flowWidth)
	w.number("height", height)
	w.raw(" aria-hidden=\"true\">\n")
	step := float64(flowWidth-flowName-40) / float64(len(b.Rounds)-1)
	places := make([][]flowRow, len(b.Rounds))
	for i := range b.Rounds {
		places[i] = b.places(i, order, scale)
	}
	for i := range b.Rounds[1:] {
		b.ribbons(w, i, order, places, flowName+float64(i)*step+flowBar, flowName+float64(i+1)*step, scale)
	}
	for i := range b.Rounds {
		x := flowName + float64(i)*step
		w.caption(x+flowBar/2, 12, "m", strconv.Itoa(i+1))
		for _, o := range order {
			p := places[i][o]
			if p.size == 0 {
				continue
			}
			w.raw(`<rect` + b.class(o))
			w.length("x", x)
			w.length("y", p.top)
			w.length("width", flowBar)
			w.length("height", p.size)
			w.raw("/>")
			w.caption(x+flowBar+4, p.top+min(p.size, 11), "", strconv.Itoa(b.Rounds[i].Votes[o]))
			if i == 0 {
				w.caption(flowName-8, p.top+min(p.size, 11), "e", shortened(b.Names[o]))
			}
		}
		w.raw("\n")
	}
	w.raw("</svg></div>\n")
}

// order returns the options with votes, from top to bottom: those of the last round by their votes, then the eliminated
// ones, the last eliminated first.
func (b Flow) order() []int {
	var list []int
	left := map[int]bool{}
	last := b.Rounds[len(b.Rounds)-1].Votes
	for o, n := range last {
		if n == 0 {
			continue
		}
		at := 0
		for at < len(list) && last[list[at]] >= n {
			at++
		}
		list = append(list[:at], append([]int{o}, list[at:]...)...)
		left[o] = true
	}
	for i := len(b.Rounds) - 1; i >= 0; i-- {
		for _, o := range b.Rounds[i].Out {
			if !left[o] && b.Rounds[0].Votes[o] > 0 {
				list, left[o] = append(list, o), true
			}
		}
	}
	return list
}

func (b Flow) places(round int, order []int, scale float64) []flowRow {
	rows := make([]flowRow, len(b.Names))
	y := float64(flowMargin)
	for _, o := range order {
		if n := b.Rounds[round].Votes[o]; n > 0 {
			rows[o] = flowRow{y, float64(n) * scale}
			y += rows[o].size + flowGap
		}
	}
	return rows
}

// ribbons draws the votes that stay or move from one round to the next. The count does not record from which option a
// vote moves, so if several are eliminated, each ribbon of moved votes begins at the bars of all of them.
func (b Flow) ribbons(w *htmlWriter, round int, order []int, places [][]flowRow, x0, x1, scale float64) {
	from, to := places[round], places[round+1]
	var gone flowRow // interval from the first to the last bar of the eliminated options
	for _, o := range order {
		if from[o].size > 0 && to[o].size == 0 {
			if gone.size == 0 {
				gone.top = from[o].top
			}
			gone.size = from[o].top + from[o].size - gone.top
		}
	}
	single := len(b.Rounds[round].Out) == 1
	given := 0.0
	for _, o := range order {
		if from[o].size == 0 || to[o].size == 0 {
			continue
		}
		kept := min(from[o].size, to[o].size)
		w.ribbon(b.class(o), x0, from[o].top, kept, x1, to[o].top, kept)
		gain := to[o].size - kept
		switch {
		case gain <= 0 || gone.size == 0:
		case single:
			w.ribbon(b.class(o), x0, gone.top+given, gain, x1, to[o].top+kept, gain)
			given += gain
		default:
			w.ribbon(b.class(o), x0, gone.top, gone.size, x1, to[o].top+kept, gain)
		}
	}
	w.raw("\n")
}

func (b Flow) class(option int) string {
	if b.Winner(option) {
		return ` class="won"`
	}
	return ""
}

// ribbon draws a curved band from an interval at x0 to an interval at x1.
func (w *htmlWriter) ribbon(class string, x0, y0, h0, x1, y1, h1 float64) {
	half := (x0 + x1) / 2
	w.raw("<path" + class + ` d="M`)
	point := func(letter string, x, y float64) {
		w.raw(letter)
		w.b = strconv.AppendFloat(w.b, x, 'f', 1, 64)
		w.raw(" ")
		w.b = strconv.AppendFloat(w.b, y, 'f', 1, 64)
	}
	point("", x0, y0)
	point("C", half, y0)
	point(" ", half, y1)
	point(" ", x1, y1)
	point("L", x1, y1+h1)
	point("C", half, y1+h1)
	point(" ", half, y0+h0)
	point(" ", x0, y0+h0)
	w.raw(`Z"/>`)
}

// caption writes a text at a point, which is the middle of the text with the class m, the end with the class e, and the
// start without a class.
func (w *htmlWriter) caption(x, y float64, class, text string) {
	w.raw("<text")
	if class != "" {
		w.attr("class", class)
	}
	w.length("x", x)
	w.length("y", y)
	w.raw(">")
	w.b = appendEscaped(w.b, text)
	w.raw("</text>")
}

func (w *htmlWriter) length(name string, n float64) {
	w.raw(" " + name + `="`)
	w.b = strconv.AppendFloat(w.b, n, 'f', 1, 64)
	w.raw(`"`)
}

// mostLetters is the maximum number of letters of an option's name.
const mostLetters = 20

func shortened(name string) string {
	name = clean(name, lineLimit)
	if utf8.RuneCountInString(name) > mostLetters {
		return cutRunes(name, mostLetters-1) + "…"
	}
	return name
}
