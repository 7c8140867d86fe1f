package actions

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
)

func (p DecisionParams) method() string {
	if p.Method == "" {
		return string(tally.Acceptance)
	}
	return p.Method
}

// all is the options with the default one last, if there is one.
func (p DecisionParams) all(options []string) []string {
	if p.Default == "" {
		return options
	}
	return append(options[:len(options):len(options)], p.Default)
}

// check names what is wrong with params that decoded, for these options beside the default one. What hangs on a bad one is
// not judged.
func (p DecisionParams) check(now time.Time, options []string, bad param.Errors) (errs param.Errors) {
	if !p.ClosesAt.IsZero() && !p.ClosesAt.After(now) {
		errs = append(errs, param.Error{Field: "closes_at", Message: "That has passed already. Name a time in the future, such as 3d."})
	}
	if twice(p.all(options)) {
		errs = append(errs, param.Error{Field: "options", Message: "Two options have the same title. Give each its own."})
	}
	if bad.Has("method") || bad.Has("default_option") {
		return errs
	}
	_, more := p.rules(len(options), bad.Has("options"))
	return append(errs, more...)
}

// twice reports whether two options have the same title for people.
func twice(options []string) bool {
	for i, a := range options {
		for _, b := range options[:i] {
			if sameTitle(a, b) {
				return true
			}
		}
	}
	return false
}

// sameTitle reports whether people would take both for the same: they differ in case or in space around them only.
func sameTitle(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// decision is what checked params describe, with these options beside the default one.
func (p DecisionParams) decision(options []string) (store.NewDecision, error) {
	p.Method = p.method()
	if p.Results == "" {
		p.Results = "after_closing"
	}
	if p.Reasons == "" {
		p.Reasons = "optional"
	}
	rules, errs := p.rules(len(options), false)
	if errs != nil {
		return store.NewDecision{}, errs
	}
	text, err := json.Marshal(rules)
	if err != nil {
		return store.NewDecision{}, err
	}
	return store.NewDecision{Question: p.Question, Body: p.Text, Method: p.Method, Rules: string(text), Results: p.Results, Reasons: p.Reasons,
		Everyone: p.Everyone, ClosesAt: p.ClosesAt, Options: p.all(options)}, nil
}

// rules are the counting rules that the params describe, for n options and then the default one, or for as many as it may
// be if that is unknown.
func (p DecisionParams) rules(n int, unknown bool) (tally.Rules, param.Errors) {
	r := tally.Rules{Default: tally.NoDefault, Participation: p.Quorum}
	var errs param.Errors
	if p.Default != "" && tally.Method(p.method()).Scale() != tally.Ranks {
		errs = append(errs, param.Error{Field: "default_option", Message: "Only ranked votes have a default option. Choose a ranked method, or leave it empty."})
	}
	if p.Default == "" && len(p.Majority) > 0 {
		errs = append(errs, param.Error{Field: "majority", Message: "A majority is against the default option. Name that too."})
	}
	ratios := make([]tally.Ratio, len(p.Majority))
	for i, text := range p.Majority {
		var err error
		if ratios[i], err = tally.ParseRatio(text); err != nil && p.Default != "" {
			return r, append(errs, param.Error{Field: "majority", Message: "Write a ratio as a number such as 2 or 1.5, or a fraction such as 3/2."})
		}
	}
	if p.Default != "" && len(ratios) > 1 && len(ratios) != n && !unknown {
		errs = append(errs, param.Error{Field: "majority", Message: fmt.Sprintf("Give one ratio for all options, or %d, one for each.", n)})
	}
	if errs != nil || unknown || p.Default == "" {
		return r, errs
	}
	r.Default = n
	r.Majority = make([]tally.Ratio, n+1)
	for j := range n {
		switch len(ratios) {
		case 0:
		case 1:
			r.Majority[j] = ratios[0]
		default:
			r.Majority[j] = ratios[j]
		}
	}
	return r, nil
}
