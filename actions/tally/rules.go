package tally

import (
	"cmp"
	"fmt"
)

// NoDefault is the Default of a vote without a default option. A default option stands for leaving things as they are.
const NoDefault = -1

// Rules are requirements and settings of a count in addition to its method. The zero Rules require nothing.
//
// Quorum and Majority are rules of Debian for ranked ballots. Let V(a,b) be the number of ballots that rank a above b,
// D the default option, and N the majority ratio of an option o. Then o is dropped unless V(o,D) reaches the quorum,
// V(o,D) >= N*V(D,o), and V(o,D) > V(D,o) (Debian constitution 1.9, A.5.2 and A.5.3). A dropped option takes no part in
// the method, so that no path leads through it. The default option is never dropped. Until 2005, Debian's own program
// required more than N times V(D,o); no vote published since 2002 has another outcome under that rule.
type Rules struct {
	Default int `json:"default"` // index of the default option, or NoDefault
	// Quorum is the number of ballots that must rank an option above the default option. It may be a fraction.
	Quorum Ratio `json:"quorum,omitzero"`
	// Majority has the ratio N of each option. An option with a zero ratio only needs more ballots above the default
	// option than below.
	Majority      []Ratio `json:"majority,omitempty"`
	Participation int     `json:"participation,omitempty"` // required number of ballots, including blank ones
	// ParticipationPercent is the required number of ballots in percent of the electorate, from 0 to 100. [Rules.For]
	// converts it.
	ParticipationPercent int `json:"participation_percent,omitempty"`
	// Batch is for IRV: each round eliminates together all lowest options that have fewer ballots in total than the
	// next option.
	Batch bool `json:"batch,omitempty"`
	Reading
	// Budget is the number of dots of each voter, from MinBudget to MaxBudget. 0 stands for DefaultBudget.
	Budget int `json:"budget,omitempty"`
}

// Limits and the default of the budget of dots.
const (
	MinBudget     = 3
	MaxBudget     = 20
	DefaultBudget = 10
)

// Dots returns the budget of each voter, in dots.
func (r Rules) Dots() int {
	return cmp.Or(r.Budget, DefaultBudget)
}

// Needed returns the number of ballots that a result requires with this electorate. A percentage is rounded up: 50
// percent of 5 voters are 3 ballots.
func (r Rules) Needed(electorate int) int {
	electorate = max(electorate, 0)
	percent := electorate/100*r.ParticipationPercent + (electorate%100*r.ParticipationPercent+99)/100
	return max(r.Participation, percent)
}

// For returns the rules for [Count], with a required percentage of the electorate converted to a number of ballots. An
// invalid percentage is not converted, so that [Count] returns an error about it.
func (r Rules) For(electorate int) Rules {
	if r.ParticipationPercent > 0 && r.ParticipationPercent <= 100 {
		r.Participation, r.ParticipationPercent = r.Needed(electorate), 0
	}
	return r
}

// Reason is the requirement that a dropped option does not meet.
type Reason string

// The reasons, in the order in which the requirements are checked.
const (
	ByQuorum   Reason = "quorum"
	ByMajority Reason = "majority"
)

// Drop is an option that did not meet a requirement against the default option.
type Drop struct {
	Option  int    `json:"option"`
	Reason  Reason `json:"reason"`
	For     int    `json:"for"`     // ballots that rank the option above the default option
	Against int    `json:"against"` // ballots that rank the option below the default option
}

// PerOption reports whether the rules have requirements for each option against the default option.
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
