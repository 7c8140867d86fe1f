package tally

import (
	"fmt"
	"strings"
)

// Reading has the rules by which an instant runoff reads a ballot. Authorities use different rules: in Minneapolis, an
// overvote ended a ballot in 2013 and was skipped in 2017. An empty name stands for the first rule of its list.
type Reading struct {
	Overvote string `json:"overvote,omitempty"` // name of a rule in Overvotes
	Skipped  string `json:"skipped,omitempty"`  // name of a rule in SkippedRanks
}

// ReadingRule is one rule for reading ballots. Effect is a clause that describes the rule, such as "overvotes are
// skipped", for a sentence about the outcome.
type ReadingRule struct{ Name, Effect string }

// Case lists the rules for one situation on a ballot, the default first.
type Case []ReadingRule

const (
	exhaustOvervotes = "exhaust"
	noSkipped        = "none"
	oneSkipped       = "one"
	anySkipped       = "any"
)

// Overvotes has the rules for several options at one rank, and SkippedRanks those for blank ranks before a marked one.
var (
	Overvotes = Case{
		{exhaustOvervotes, "an overvote ends a ballot"},
		{"skip", "overvotes are skipped"},
	}
	SkippedRanks = Case{
		{oneSkipped, "a second skipped rank in a row ends a ballot"},
		{noSkipped, "a skipped rank ends a ballot"},
		{anySkipped, "skipped ranks never end a ballot"},
	}
)

// Title returns the effect of the rule as a label with a capital letter.
func (r ReadingRule) Title() string { return strings.ToUpper(r.Effect[:1]) + r.Effect[1:] }

// rule returns the rule with this name, or the first rule if the name is empty.
func (c Case) rule(name string) (ReadingRule, bool) {
	for _, r := range c {
		if r.Name == name || name == "" {
			return r, true
		}
	}
	return ReadingRule{}, false
}

// String lists the rules with their effects, the default first.
func (c Case) String() string {
	list := make([]string, len(c))
	for i, r := range c {
		list[i] = r.Name + " (" + r.Effect + ")"
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// Named returns the reading with the names of the defaults in place of empty names.
func (r Reading) Named() Reading {
	over, _ := Overvotes.rule(r.Overvote)
	skip, _ := SkippedRanks.rule(r.Skipped)
	return Reading{over.Name, skip.Name}
}

// Sentence returns a sentence that describes both rules.
func (r Reading) Sentence() string {
	over, _ := Overvotes.rule(r.Overvote)
	skip, _ := SkippedRanks.rule(r.Skipped)
	return over.Title() + "; " + skip.Effect + "."
}

func (r Reading) check(m Method) error {
	if r == (Reading{}) {
		return nil
	}
	if m != IRV {
		return fmt.Errorf("rules for overvotes and skipped ranks are for %s, not for %s", IRV, m)
	}
	if _, ok := Overvotes.rule(r.Overvote); !ok {
		return fmt.Errorf("overvotes by %q: expected %s", r.Overvote, Overvotes)
	}
	if _, ok := SkippedRanks.rule(r.Skipped); !ok {
		return fmt.Errorf("skipped ranks by %q: expected %s", r.Skipped, SkippedRanks)
	}
	return nil
}

func (r Reading) exhausts() bool { return r.Named().Overvote == exhaustOvervotes }

// tolerated returns the greatest number of blank ranks in a row that do not end a ballot.
func (r Reading) tolerated() int {
	switch r.Named().Skipped {
	case noSkipped:
		return 0
	case anySkipped:
		return MaxRank
	}
	return 1
}
