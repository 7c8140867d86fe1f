package tally

import "fmt"

// Report is a result with the names of the options in place of their indices. Fields that do not apply to the method or
// the rules are left out of JSON.
type Report struct {
	ID        string   `json:"id"`
	Method    Method   `json:"method"`
	Options   []string `json:"options"` // in the order of the matrix
	Ballots   int      `json:"ballots"`
	Blank     int      `json:"blank"`
	Reading   *Reading `json:"reading,omitempty"` // set only for IRV
	Outcome   Outcome  `json:"outcome"`
	Winners   []string `json:"winners"`
	Condorcet string   `json:"condorcet,omitempty"`
	Finalists []string `json:"finalists,omitempty"`
	Order     []string `json:"order,omitempty"`
	// Counts maps the name of a total, such as accepted, to a map with the number for each option. For a time poll it
	// also has the totals yes, if_need_be and no.
	Counts    map[string]map[string]int `json:"counts"`
	Matrix    [][]int                   `json:"matrix,omitempty"`
	Strengths map[string]map[string]int `json:"strengths,omitempty"` // [from][to], without dropped options
	Rounds    []RoundReport             `json:"rounds,omitempty"`
	// Dropped is nil without requirements for single options, and empty if every option meets them.
	Dropped []string      `json:"dropped,omitzero"`
	Drops   []DropReport  `json:"drops,omitempty"`
	Quorum  *QuorumReport `json:"quorum,omitempty"`
	// Participation is the required number of ballots.
	Participation int `json:"participation,omitempty"`
}

// RoundReport is a [Round] with the names of the options. Counts leaves out options that were dropped or eliminated
// earlier.
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

// DropReport is a [Drop] with the name of the option.
type DropReport struct {
	Option  string `json:"option"`
	Reason  Reason `json:"reason"`
	For     int    `json:"for"`
	Against int    `json:"against"`
	Needs   Ratio  `json:"needs,omitzero"` // required ratio of For to Against
}

// QuorumReport lists the options that have reached the quorum against the default option.
type QuorumReport struct {
	Required Ratio    `json:"required"`
	Default  string   `json:"default"`
	Reached  []string `json:"reached"`
}

// Report converts a result of the election e to a report.
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

// names has the names of an election's options. An option without one is called by its number.
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
