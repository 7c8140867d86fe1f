package tally

import "fmt"

// NoDefault is the Default of a vote in which no option stands for keeping things as they are.
const NoDefault = -1

// Rules are the requirements of a decision beyond its method. The zero Rules require nothing.
//
// Quorum and Majority are Debian's, for ranked ballots only. V(a,b) being the ballots that rank a
// above b and D the default option, an option o stays in only if V(o,D) reaches the quorum and
// then V(o,D) >= N*V(D,o) and V(o,D) > V(D,o), with N the option's own majority ratio (Debian
// constitution 1.9, A.5.2 and A.5.3). A dropped option takes no part in the method, so no path
// leads through it; the default option is never dropped. Until 2005 Debian's own program required
// more than N times instead; no vote published since 2002 falls between the two, so there is one
// rule here.
type Rules struct {
	Default int   `json:"default"`         // option index or NoDefault; used only with Quorum or Majority
	Quorum  Ratio `json:"quorum,omitzero"` // ballots an option needs above the default; may be fractional
	// N of each option; nil or a zero Ratio requires more than the default
	Majority      []Ratio `json:"majority,omitempty"`
	Participation int     `json:"participation,omitempty"` // ballots needed for any result, blank ones included
	// ParticipationPercent is a participation in percent of the electorate, 0 to 100. [Rules.For]
	// converts it to ballots.
	ParticipationPercent int `json:"participation_percent,omitempty"`
	// IRV: in each round remove all options that together cannot catch up
	Batch bool `json:"batch,omitempty"`
	Reading
	// dots: the budget of each voter, MinBudget to MaxBudget; 0 means DefaultBudget
	Budget int `json:"budget,omitempty"`
}

// Limits of the budget of dots.
const (
	MinBudget     = 3
	MaxBudget     = 20
	DefaultBudget = 10
)

// Dots returns the budget of each voter, in dots.
func (r Rules) Dots() int {
	if r.Budget == 0 {
		return DefaultBudget
	}
	return r.Budget
}

// Needed returns the number of ballots that a result needs if electorate voters may vote: the
// larger of the participation in ballots and the participation in percent, rounded up. 50 percent
// of 5 voters are 3 ballots.
func (r Rules) Needed(electorate int) int {
	electorate = max(electorate, 0)
	percent := electorate/100*r.ParticipationPercent + (electorate%100*r.ParticipationPercent+99)/100
	return max(r.Participation, percent)
}

// For returns the rules for an electorate of this size, with the participation in ballots as
// counting needs it. A percentage out of range stays, and the count refuses it.
func (r Rules) For(electorate int) Rules {
	if r.ParticipationPercent >= 0 && r.ParticipationPercent <= 100 {
		r.Participation, r.ParticipationPercent = r.Needed(electorate), 0
	}
	return r
}

// Reason is the reason why an option was dropped.
type Reason string

// The reasons, in the order of the checks.
const (
	ByQuorum   Reason = "quorum"
	ByMajority Reason = "majority"
)

// Drop is an option that did not hold against the default option.
type Drop struct {
	Option  int    `json:"option"`
	Reason  Reason `json:"reason"`
	For     int    `json:"for"`     // ballots that rank it above the default
	Against int    `json:"against"` // ballots that rank it below
}

// PerOption reports whether options have to hold against the default option.
func (r Rules) PerOption() bool { return r.Majority != nil || r.Quorum != (Ratio{}) }

func (r Rules) check(m Method, n int) error {
	if r.Participation < 0 {
		return fmt.Errorf("participation of %d ballots: expected 0 or more", r.Participation)
	}
	if r.ParticipationPercent < 0 || r.ParticipationPercent > 100 {
		return fmt.Errorf("participation of %d percent: expected 0 to 100", r.ParticipationPercent)
	}
	if r.ParticipationPercent != 0 {
		return fmt.Errorf("participation of %d percent: say of how many voters, with Rules.For", r.ParticipationPercent)
	}
	if err := r.checkBudget(m); err != nil {
		return err
	}
	if err := r.Reading.check(m); err != nil {
		return err
	}
	if r.Batch && m.Scale() != Ranks {
		return fmt.Errorf("batch elimination is for ranked ballots, not for %s", m)
	}
	if !r.PerOption() {
		return nil
	}
	if m.Scale() != Ranks {
		return fmt.Errorf("a quorum or majority against the default option is for ranked ballots, not for %s", m)
	}
	if r.Default < 0 || r.Default >= n {
		return fmt.Errorf("default option %d: expected 0 to %d", r.Default, n-1)
	}
	if r.Majority != nil && len(r.Majority) != n {
		return fmt.Errorf("%d majority ratios for %d options", len(r.Majority), n)
	}
	for i, ratio := range r.Majority {
		if err := ratio.check(); err != nil {
			return fmt.Errorf("majority of option %d: %w", i, err)
		}
	}
	if err := r.Quorum.check(); err != nil {
		return fmt.Errorf("quorum: %w", err)
	}
	return nil
}

func (r Rules) checkBudget(m Method) error {
	if r.Budget == 0 {
		return nil
	}
	if m.Scale() != Dots {
		return fmt.Errorf("a budget is for dots, not for %s", m)
	}
	if r.Budget < MinBudget || r.Budget > MaxBudget {
		return fmt.Errorf("budget of %d dots: expected %d to %d", r.Budget, MinBudget, MaxBudget)
	}
	return nil
}

// drop returns the options that do not hold against the default, in option order.
func (r Rules) drop(matrix [][]int) []Drop {
	if !r.PerOption() {
		return nil
	}
	var dropped []Drop
	for o := range matrix {
		if o == r.Default {
			continue
		}
		d := Drop{Option: o, For: matrix[o][r.Default], Against: matrix[r.Default][o]}
		switch {
		case !r.Quorum.Met(d.For, 1):
			d.Reason = ByQuorum
		case d.For <= d.Against || r.Majority != nil && !r.Majority[o].Met(d.For, d.Against):
			d.Reason = ByMajority
		default:
			continue
		}
		dropped = append(dropped, d)
	}
	return dropped
}
