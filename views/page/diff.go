package page

import (
	"cmp"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Diff is a block that shows the difference between two texts by lines, in the unified format with three lines of
// context. Markdown cuts a long diff, and links to the full page.
type Diff struct{ Before, After string }

func (b Diff) markdown(w *mdWriter) { Patch{Text: b.text()}.markdown(w) }

func (b Diff) html(w *htmlWriter) { Patch{Text: b.text(), prose: true}.html(w) }

// Patch is a block that shows a difference in the unified format.
type Patch struct {
	Text string
	// Comment is the root-relative URL of the form for a comment, or empty. HTML links each line of the new text to the
	// form, with the line number in the query parameter "line".
	Comment string
	prose   bool // whether HTML wraps long lines, and emphasizes the changed words of a line
}

func (b Patch) markdown(w *mdWriter) { Code{Language: "diff", Text: b.Text}.markdown(w) }

func (b Patch) html(w *htmlWriter) {
	class, words := "diff", map[int][]change(nil)
	if b.prose {
		class, words = "diff words", changedWords(splitLines(b.Text))
	}
	w.raw(`<blockquote class="` + class + `"><pre class="scroll" tabindex="0"><code class="language-diff">`)
	n := 0 // line number in the new text; 0 before the first hunk
	at := -1
	for line := range strings.Lines(lines(b.Text)) {
		at++
		line, end := strings.CutSuffix(line, "\n")
		tag := ""
		switch {
		case strings.HasPrefix(line, "+"):
			tag = "ins"
		case strings.HasPrefix(line, "-"):
			tag = "del"
		case strings.HasPrefix(line, "@@"):
			n = firstLine(line)
		}
		if b.Comment != "" {
			n = b.number(w, line, n)
		}
		if line == " " {
			line = "" // an unchanged empty line
		}
		if tag != "" {
			w.raw("<" + tag + ">")
		}
		if script := words[at]; script != nil {
			w.changedLine(line[0], script)
		} else {
			w.b = appendEscaped(w.b, line)
		}
		if tag != "" {
			w.raw("</" + tag + ">")
		}
		if end {
			w.raw("\n")
		}
	}
	w.raw("</code></pre></blockquote>\n")
}

// number writes the line number n of the new text, or leaves its place empty for a line that is not in the new text. It
// returns the next line number.
func (b Patch) number(w *htmlWriter, line string, n int) int {
	if n == 0 || line != "" && line[0] != '+' && line[0] != ' ' {
		w.raw(`<span class="ln" data-extra></span>`)
		return n
	}
	w.raw(`<a class="ln" data-extra`)
	w.attr("href", withParam(b.Comment, "line", strconv.Itoa(n)))
	w.raw(`><span class="vh">Comment on line </span>` + strconv.Itoa(n) + "</a>")
	return n + 1
}

// firstLine returns the line number of the new text in a header such as "@@ -3,4 +5,6 @@", or 0 if there is none.
func firstLine(at string) int {
	_, rest, _ := strings.Cut(at, " +")
	rest, _, _ = strings.Cut(rest, " ")
	rest, _, _ = strings.Cut(rest, ",")
	n, _ := strconv.Atoi(rest)
	return n
}

// Size returns the numbers of added and removed lines. The result first is the first added line that is not blank. If
// there is none, it is the first removed line that is not blank.
func (b Diff) Size() (added, removed int, first string) {
	var gone string
	for _, e := range compare(splitLines(b.Before), splitLines(b.After)) {
		words := strings.TrimSpace(e.line)
		switch e.op {
		case '+':
			added++
			first = cmp.Or(first, words)
		case '-':
			removed++
			gone = cmp.Or(gone, words)
		}
	}
	return added, removed, cmp.Or(first, gone)
}

const around = 3

// text returns the diff in the unified format, or "" if the texts have the same lines.
func (b Diff) text() string {
	x, y := splitLines(b.Before), splitLines(b.After)
	var out strings.Builder
	script := compare(x, y)
	for i := 0; ; {
		first := nextChange(script, i)
		if first == len(script) {
			break
		}
		// The next change belongs to the same hunk if at most 2*around unchanged lines are between the two changes.
		end := first + 1
		for next := end; ; {
			if next = nextChange(script, next); next == len(script) || next-end > 2*around {
				break
			}
			next++
			end = next
		}
		from, to := max(first-around, i), min(end+around, len(script))
		hunk(&out, script[from:to])
		i = to
	}
	return out.String()
}

// change is one line or one word of a comparison. The field op is ' ', or '-' if it is removed, or '+' if it is added.
// The fields x and y are positions in the two texts, from 0.
type change struct {
	op   byte
	line string
	x, y int
}

func nextChange(script []change, from int) int {
	for from < len(script) && script[from].op == ' ' {
		from++
	}
	return from
}

func hunk(out *strings.Builder, script []change) {
	olds, news := 0, 0
	for _, e := range script {
		if e.op != '+' {
			olds++
		}
		if e.op != '-' {
			news++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(script[0].x, olds), span(script[0].y, news))
	for _, e := range script {
		out.WriteByte(e.op)
		out.WriteString(e.line)
		out.WriteByte('\n')
	}
}

// span formats a range of n lines for the header of a hunk. The unified format gives an empty range the number of the
// line before it.
func span(from, n int) string {
	if n > 0 {
		from++
	}
	return strconv.Itoa(from) + "," + strconv.Itoa(n)
}

func splitLines(s string) []string {
	s = strings.TrimRight(lines(s), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// compare returns the changes that turn x into y, with removed lines before added lines.
func compare(x, y []string) []change {
	script := make([]change, 0, max(len(x), len(y)))
	i, j := 0, 0
	for _, m := range append(matches(x, y), match{len(x), len(y)}) {
		for ; i < m.x; i++ {
			script = append(script, change{'-', x[i], i, j})
		}
		for ; j < m.y; j++ {
			script = append(script, change{'+', y[j], i, j})
		}
		if i < len(x) { // the last match only marks the end of both texts
			script = append(script, change{' ', x[i], i, j})
			i, j = i+1, j+1
		}
	}
	return script
}

// match is an unchanged line, with its positions in both texts.
type match struct{ x, y int }

// matches returns the unchanged lines, sorted by position. It finds lines that each text has exactly once as anchors,
// then extends the anchors and the two ends of the texts by adjacent equal lines. This is a patience diff without the
// recursion. Two texts of n lines take about n log n steps.
func matches(x, y []string) []match {
	var list []match
	at := match{} // positions of the next lines to compare
	for _, next := range append(anchors(x, y), match{len(x), len(y)}) {
		for ; at.x < next.x && at.y < next.y && x[at.x] == y[at.y]; at = (match{at.x + 1, at.y + 1}) {
			list = append(list, at)
		}
		from := next
		for from.x > at.x && from.y > at.y && x[from.x-1] == y[from.y-1] {
			from = match{from.x - 1, from.y - 1}
		}
		for ; from.x < next.x; from = (match{from.x + 1, from.y + 1}) {
			list = append(list, from)
		}
		if next.x < len(x) { // the last anchor only marks the end of both texts
			list = append(list, next)
		}
		at = match{next.x + 1, next.y + 1}
	}
	return list
}

// anchors returns the lines that both texts have exactly once. If their order differs, it returns a largest set of
// lines in the same order.
func anchors(x, y []string) []match {
	type place struct{ inX, inY, y int }
	places := map[string]*place{}
	for _, line := range x {
		if places[line] == nil {
			places[line] = &place{}
		}
		places[line].inX++
	}
	for j, line := range y {
		if p := places[line]; p != nil {
			p.inY, p.y = p.inY+1, j
		}
	}
	// The slice once has all anchors. A run is a sequence of anchors with increasing positions in both texts. Of the
	// runs of n+1 anchors, ends[n] is for the one that ends earliest in y: the index in once of its last anchor.
	// before[i] is the index of the anchor before once[i] in its run, or -1.
	var once []match
	var ends, before []int
	for i, line := range x {
		p := places[line]
		if p.inX != 1 || p.inY != 1 {
			continue
		}
		n := sort.Search(len(ends), func(n int) bool { return once[ends[n]].y > p.y })
		prior := -1
		if n > 0 {
			prior = ends[n-1]
		}
		once, before = append(once, match{i, p.y}), append(before, prior)
		if n == len(ends) {
			ends = append(ends, 0)
		}
		ends[n] = len(once) - 1
	}
	run := make([]match, len(ends))
	for n, k := len(ends)-1, 0; n >= 0; n-- {
		if n == len(ends)-1 {
			k = ends[n]
		}
		run[n], k = once[k], before[k]
	}
	return run
}
