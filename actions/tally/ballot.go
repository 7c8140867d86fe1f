package tally

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Ballot is the ballot of one voter, or of Count voters with equal ballots.
type Ballot struct {
	// Marks has one mark for each option; missing ones at the end are 0. The [Scale] of the method defines the marks; 0
	// always means not marked.
	Marks []int
	// Overvotes has the ranks, in ascending order, at which the voter marked several options, but the imported file
	// does not say which. If the file names them, Marks has the rank for each of them instead. For Schulze,
	// Overvotes only make a ballot not blank.
	Overvotes []int
	// Count is the number of voters with this ballot. 0 means 1.
	Count int
}

// Voters returns the number of voters with this ballot.
func (b Ballot) Voters() int {
	return cmp.Or(b.Count, 1)
}

// String formats the ballot, without Count, for [ParseMarks]. The marks are in the order of the options, separated by
// commas, with "-" for 0. Each of the Overvotes adds "!" and its rank. For example, "2,-,1,3" ranks the third option
// first, and "1,-,3!2" has an overvote at rank 2.
func (b Ballot) String() string {
	var text []byte
	for i, mark := range b.Marks {
		if i > 0 {
			text = append(text, ',')
		}
		if mark == 0 {
			text = append(text, '-')
			continue
		}
		text = strconv.AppendInt(text, int64(mark), 10)
	}
	for _, rank := range b.Overvotes {
		text = append(text, '!')
		text = strconv.AppendInt(text, int64(rank), 10)
	}
	return string(text)
}

// ParseMarks parses the form of [Ballot.String] into the ballot of one voter on n options. The text of a ballot that
// was cast before an option was added has fewer marks. Whether the marks are valid for a method is only checked when
// the ballot is counted.
func ParseMarks(text string, n int) (Ballot, error) {
	b := Ballot{Marks: make([]int, n), Count: 1}
	marks, overvotes, has := strings.Cut(text, "!")
	for more := has; more; {
		var word string
		word, overvotes, more = strings.Cut(overvotes, "!")
		rank, err := parseMark(word)
		if err != nil {
			return Ballot{}, fmt.Errorf("overvote: %w", err)
		}
		b.Overvotes = append(b.Overvotes, rank)
	}
	if !ascends(b.Overvotes) {
		return Ballot{}, fmt.Errorf("overvotes at %v: expected each rank once, ascending", b.Overvotes)
	}
	if marks == "" {
		return b, nil
	}
	i := 0
	for word := range strings.SplitSeq(marks, ",") {
		if i == n {
			return Ballot{}, fmt.Errorf("ballot has more than %d marks", n)
		}
		if word != "-" {
			mark, err := parseMark(word)
			if err != nil {
				return Ballot{}, fmt.Errorf("option %d: %w", i+1, err)
			}
			b.Marks[i] = mark
		}
		i++
	}
	return b, nil
}

func ascends(ranks []int) bool {
	for i := range ranks {
		if i > 0 && ranks[i] <= ranks[i-1] {
			return false
		}
	}
	return true
}

func parseMark(word string) (int, error) {
	mark, err := strconv.Atoi(word)
	if err != nil || mark < 1 || mark > MaxRank || strconv.Itoa(mark) != word {
		return 0, fmt.Errorf("mark %q: expected - or a number from 1 to %d", word, MaxRank)
	}
	return mark, nil
}

// mark returns the mark of option i, or 0 if the ballot is older than the option.
func (b Ballot) mark(i int) int {
	if i < len(b.Marks) {
		return b.Marks[i]
	}
	return 0
}

// blank reports whether the ballot has neither marks nor Overvotes. A blank ballot counts for [Rules.Participation].
func (b Ballot) blank() bool {
	for _, mark := range b.Marks {
		if mark != 0 {
			return false
		}
	}
	return len(b.Overvotes) == 0
}

// check returns an error if the ballot is not possible on the scale, with n options and this budget of dots.
func (b Ballot) check(s Scale, n, budget int) error {
	if b.Count < 0 || b.Count > MaxBallots {
		return fmt.Errorf("cast by %d voters: expected 1 to %d", b.Count, MaxBallots)
	}
	if len(b.Marks) > n {
		return fmt.Errorf("%d marks for %d options", len(b.Marks), n)
	}
	if over := b.Overvotes; len(over) > 0 &&
		(s != Ranks || !ascends(over) || over[0] < 1 || over[len(over)-1] > MaxRank) {
		return fmt.Errorf("overvotes at %v: expected ascending ranks from 1 to %d, on ranked ballots only", over, MaxRank)
	}
	highest, marked, sum := s.highest(), 0, 0
	for i, mark := range b.Marks {
		if mark < 0 || mark > highest {
			return fmt.Errorf("option %d is marked %d: expected 0 to %d", i+1, mark, highest)
		}
		if mark != 0 {
			marked++
		}
		sum += mark
	}
	if s == Choice && marked > 1 {
		return fmt.Errorf("%d options are marked: expected at most one", marked)
	}
	if s == Dots && sum > budget {
		return fmt.Errorf("%d dots are spent: expected at most %d", sum, budget)
	}
	return nil
}

func (s Scale) highest() int {
	switch s {
	case Preferences, Times:
		return 2
	case Ranks:
		return MaxRank
	case Points:
		return MaxPoints
	case Dots:
		return MaxBudget
	case Nothing:
		return 0
	}
	return 1
}
