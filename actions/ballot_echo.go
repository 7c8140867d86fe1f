package actions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"samepage/actions/tally"
	"samepage/store/governance"
)

// echo returns the content of a ballot in words, for example "Your ballot: Cargo (preferred), Wagon." It names at most
// 10 options, and then the number of those left out.
func echo(d *governance.Decision, b tally.Ballot) string {
	scale := tally.Method(d.Method).Scale()
	var marked []int
	for i, m := range b.Marks {
		if m > 0 {
			marked = append(marked, i)
		}
	}
	if len(marked) == 0 {
		return "Your ballot: none of the options."
	}
	slices.SortStableFunc(marked, func(x, y int) int {
		if scale == tally.Ranks {
			return cmp.Compare(b.Marks[x], b.Marks[y])
		}
		return cmp.Compare(b.Marks[y], b.Marks[x])
	})
	const most = 10
	var words strings.Builder
	words.WriteString("Your ballot: ")
	for n, i := range marked {
		if n == most {
			fmt.Fprintf(&words, " and %d more", len(marked)-most)
			break
		}
		switch {
		case n == 0:
		case scale != tally.Ranks:
			words.WriteString(", ")
		case b.Marks[i] == b.Marks[marked[n-1]]:
			words.WriteString(" = ")
		default:
			words.WriteString(" > ")
		}
		words.WriteString(shortTitle(d.Choice[i].Title) + markOf(scale, b.Marks[i]))
	}
	return words.String() + "."
}

// markOf returns the text that follows an option in the echo, such as " (maybe)", " 3" or "".
func markOf(scale tally.Scale, mark int) string {
	switch scale {
	case tally.Preferences:
		if mark == 2 {
			return " (preferred)"
		}
	case tally.Times:
		if mark == 1 {
			return " (maybe)"
		}
	case tally.Points, tally.Dots:
		return fmt.Sprintf(" %d", mark)
	}
	return ""
}

func shortTitle(s string) string {
	if utf8.RuneCountInString(s) <= 40 {
		return s
	}
	return string([]rune(s)[:39]) + "…"
}
