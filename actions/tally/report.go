package tally

import "fmt"

// Report is a result with the names of options, as the command line prints it in JSON. Fields
// that do not apply to the method or the rules are left out.
type Report struct {
	ID        string   `json:"id"`
	Method    Method   `json:"method"`
	Options   []string `json:"options"` // in the order of the matrix
	Ballots   int      `json:"ballots"`
	Blank     int      `json:"blank"`
	Reading   *Reading `json:"reading,omitempty"` // IRV
	Outcome   Outcome  `json:"outcome"`
	Winners   []string `json:"winners"`
	Condorcet string   `json:"condorcet,omitempty"`
	Finalists []string `json:"finalists,omitempty"`
	Order     []string `json:"order,omitempty"`
	// total, such as accepted, by option; of a time poll also yes, if_need_be and no
	Counts    map[string]map[string]int `json:"counts"`
	Matrix    [][]int                   `json:"matrix,omitempty"`
	Strengths map[string]map[string]int `json:"strengths,omitempty"` // from, to; dropped options left out
	Rounds    []RoundReport             `json:"rounds,omitempty"`
	// an empty list if rules apply and nothing was dropped
	Dropped []string      `json:"dropped,omitzero"`
	Drops   []DropReport  `json:"drops,omitempty"`
	Quorum  *QuorumReport `json:"quorum,omitempty"`
	// Participation is the number of ballots that were needed.
	Participation int `json:"participation,omitempty"`
}

// RoundReport is a [Round] with the names of the options that are still in.
type RoundReport struct {
	Counts     map[string]int `json:"counts"`
	Active     int            `json:"active"`
	Threshold  int            `json:"threshold"`
	Overvotes  int            `json:"overvotes"`
	Skipped    int            `json:"skipped"`
	Exhausted  int            `json:"exhausted"`
	Eliminated []string       `json:"eliminated"`
	Tied       []string       `json:"tied,omitempty"`
	Tie        TieBreak       `json:"tie,omitempty"`
}

// DropReport is a [Drop] with the option's name.
type DropReport struct {
	Option  string `json:"option"`
	Reason  Reason `json:"reason"`
	For     int    `json:"for"`
	Against int    `json:"against"`
	Needs   Ratio  `json:"needs,omitzero"` // of for to against
}

// QuorumReport lists the options that reached the quorum against the default option.
type QuorumReport struct {
	Required Ratio    `json:"required"`
	Default  string   `json:"default"`
	Reached  []string `json:"reached"`
}

// Report converts a result. The names of the options come from the election that was counted.
func (r Result) Report(e Election) Report {
	names := names(e.Options)
	report := Report{
		ID:            e.ID,
		Method:        r.Method,
		Options:       e.Options,
		Ballots:       r.Ballots,
		Blank:         r.Blank,
		Outcome:       r.Outcome,
		Winners:       names.list(r.Winners),
		Finalists:     names.list(r.Finalists),
		Order:         names.list(r.Order),
		Counts:        map[string]map[string]int{},
		Matrix:        r.Matrix,
		Participation: e.Rules.Participation,
	}
	if r.Method == IRV {
		reading := e.Rules.Reading.Named()
		report.Reading = &reading
	}
	if r.Condorcet != nil {
		report.Condorcet = names.of(*r.Condorcet)
	}
	kinds := map[string][]int{
		"accepted":  r.Counts.Accepted,
		"preferred": r.Counts.Preferred,
		"votes":     r.Counts.Votes,
		"marked":    r.Counts.Marked,
		"first":     r.Counts.First,
		"points":    r.Counts.Points,
		"fives":     r.Counts.Fives,
		"dots":      r.Counts.Dots,
	}
	kinds["yes"], kinds["if_need_be"], kinds["no"] = r.Answers()
	for kind, counts := range kinds {
		if counts != nil {
			report.Counts[kind] = names.counts(counts, nil)
		}
	}
	if r.Strengths != nil {
		report.Strengths = map[string]map[string]int{}
		in := r.remaining()
		for _, i := range in {
			row := map[string]int{}
			for _, j := range in {
				if j != i {
					row[names.of(j)] = r.Strengths[i][j]
				}
			}
			report.Strengths[names.of(i)] = row
		}
	}
	report.rounds(r, names)
	report.drops(r, e.Rules, names)
	return report
}

func (p *Report) rounds(r Result, names names) {
	out := map[int]bool{}
	for _, d := range r.Dropped {
		out[d.Option] = true
	}
	for _, round := range r.Rounds {
		p.Rounds = append(p.Rounds, RoundReport{
			Counts: names.counts(round.Counts, out), Active: round.Active, Threshold: round.Threshold,
			Overvotes: round.Overvotes, Skipped: round.Skipped, Exhausted: round.Exhausted,
			Eliminated: names.list(round.Eliminated), Tied: names.list(round.Tied), Tie: round.Tie,
		})
		for _, i := range round.Eliminated {
			out[i] = true
		}
	}
}

func (p *Report) drops(r Result, rules Rules, names names) {
	if !rules.PerOption() {
		return
	}
	p.Dropped = []string{}
	short := map[int]bool{rules.Default: true}
	for _, d := range r.Dropped {
		drop := DropReport{Option: names.of(d.Option), Reason: d.Reason, For: d.For, Against: d.Against}
		if rules.Majority != nil {
			drop.Needs = rules.Majority[d.Option]
		}
		short[d.Option] = short[d.Option] || d.Reason == ByQuorum
		p.Dropped = append(p.Dropped, drop.Option)
		p.Drops = append(p.Drops, drop)
	}
	if rules.Quorum == (Ratio{}) {
		return
	}
	p.Quorum = &QuorumReport{Required: rules.Quorum, Default: names.of(rules.Default), Reached: []string{}}
	for i := range r.Matrix {
		if !short[i] {
			p.Quorum.Reached = append(p.Quorum.Reached, names.of(i))
		}
	}
}

// names are the options of an election. An option that the election does not have is named by its
// number.
type names []string

func (n names) of(i int) string {
	if i < 0 || i >= len(n) {
		return fmt.Sprintf("option %d", i+1)
	}
	return n[i]
}

func (n names) list(options []int) []string {
	list := make([]string, len(options))
	for k, i := range options {
		list[k] = n.of(i)
	}
	return list
}

func (n names) counts(counts []int, out map[int]bool) map[string]int {
	named := map[string]int{}
	for i, count := range counts {
		if !out[i] {
			named[n.of(i)] = count
		}
	}
	return named
}
