package tally

import (
	"fmt"
	"strings"
)

// Reading names the rules by which an instant runoff reads a ballot. Authorities differ in them:
// Minneapolis exhausted a ballot at an overvote in 2013 and skipped the overvote in 2017. An empty
// name is the first rule of its list.
type Reading struct {
	Overvote string `json:"overvote,omitempty"` // a rule of Overvotes
	Skipped  string `json:"skipped,omitempty"`  // a rule of SkippedRanks
}

// ReadingRule is one rule: the name in params, flags and stored rules, and the effect as a clause
// of the sentence on the outcome.
type ReadingRule struct{ Name, Effect string }

// Case is a case in which instant runoffs read ballots by different rules. The first rule is the
// default.
type Case []ReadingRule

// Names of rules that the count compares.
const (
	exhaustOvervotes = "exhaust"
	noSkipped        = "none"
	oneSkipped       = "one"
	anySkipped       = "any"
)

// The cases: several options at one rank, and ranks left blank above a marked one.
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

// Title is the effect as the label of an option.
func (r ReadingRule) Title() string { return strings.ToUpper(r.Effect[:1]) + r.Effect[1:] }

// rule returns the rule of this name, the first one for an empty name, and false for a name that
// the case does not have.
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

// Named returns the reading with both names. The stored rules of a decision have both, so that
// another default changes no earlier decision.
func (r Reading) Named() Reading {
	over, _ := Overvotes.rule(r.Overvote)
	skip, _ := SkippedRanks.rule(r.Skipped)
	return Reading{over.Name, skip.Name}
}

// Sentence states both rules.
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

// exhausts reports whether an overvote ends a ballot.
func (r Reading) exhausts() bool { return r.Named().Overvote == exhaustOvervotes }

// tolerated returns the number of ranks in a row that a ballot may leave blank.
func (r Reading) tolerated() int {
	switch r.Named().Skipped {
	case noSkipped:
		return 0
	case anySkipped:
		return MaxRank
	}
	return 1
}
