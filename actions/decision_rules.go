package actions

import (
	"fmt"
	"slices"
	"strconv"
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

// question is what somebody asks, before it is a decision: a new one with these options, or a draft that is changed.
type question struct {
	DecisionParams
	options []string
	clock   param.Clock
	studio  *store.Studio
	draft   *store.Decision
}

// byLot is the way of breaking a tie that needs a lot.
const byLot = "lot"

// clockOf is the moment of a transaction in the actor's zone.
func clockOf(tx *store.Tx, by store.Actor) param.Clock {
	return param.Clock{Now: tx.Now, Zone: store.Location(by.Member.Zone)}
}

// all is the options with the default one last, if there is one.
func (q question) all() []string {
	if q.Default == "" {
		return q.options
	}
	return append(q.options[:len(q.options):len(q.options)], q.Default)
}

// check names what is wrong with params that decoded. What hangs on a bad one is not judged.
func (q question) check(tx *store.Tx, bad param.Errors) (errs param.Errors) {
	if !q.ClosesAt.IsZero() && !q.ClosesAt.After(tx.Now) {
		errs = append(errs, param.Error{Field: "closes_at", Message: "That has passed already. Name a time in the future, such as 3d."})
	}
	if _, err := q.caster(tx); err != nil {
		errs = append(errs, param.Error{Field: "casting_vote", Message: err.Error()})
	}
	if problem := readQuorum(q.Quorum, &tally.Rules{}); problem != "" && !bad.Has("quorum") {
		errs = append(errs, param.Error{Field: "quorum", Message: problem})
	}
	if bad.Has("method") || bad.Has("default_option") {
		if twice(q.all()) {
			errs = append(errs, sameTwice)
		}
		return errs
	}
	if _, err := q.newOptions(); err != nil {
		errs = append(errs, param.Error{Field: "options", Message: err.Error()})
	}
	_, more := q.rules(bad.Has("options"))
	return append(append(errs, more...), q.secrecy()...)
}

var sameTwice = param.Error{Field: "options", Message: "Two options have the same title. Give each its own."}

// newOptions are the options as they will be, moments in the order of time.
func (q question) newOptions() ([]store.NewOption, error) {
	list := make([]store.NewOption, len(q.all()))
	titles := make([]string, len(list))
	for i, title := range q.all() {
		var err error
		if list[i], err = newOption(q.method(), title, q.clock); err != nil {
			return nil, err
		}
		titles[i] = list[i].Title
	}
	if twice(titles) {
		return nil, store.Errorf(store.Invalid, "%s", sameTwice.Message)
	}
	slices.SortStableFunc(list, func(a, b store.NewOption) int { return a.At.Compare(b.At) })
	return list, nil
}

// newOption is an option of a vote by this method. That of a time poll is a moment, called as people of the clock's zone
// would, by its day alone if no time of the day is named.
func newOption(method, title string, clock param.Clock) (store.NewOption, error) {
	if tally.Method(method) != tally.TimePoll {
		return store.NewOption{Title: title}, nil
	}
	at, dated, ok := param.ParseTime(title, clock)
	switch {
	case !ok:
		return store.NewOption{}, store.Errorf(store.Invalid, "%q is not a time. Write one on each line, such as 2026-11-23 12:00 or 2026-11-23.", title)
	case dated && !at.Add(24*time.Hour).After(clock.Now), !dated && !at.After(clock.Now):
		return store.NewOption{}, store.Errorf(store.Invalid, "%q has passed already. Name times in the future.", title)
	case dated:
		return store.NewOption{Title: at.In(clock.Zone).Format("Mon 2 Jan 2006"), At: at}, nil
	}
	return store.NewOption{Title: at.In(clock.Zone).Format("Mon 2 Jan 2006 15:04 MST"), At: at}, nil
}

// tie is how a tie is to be broken. A lottery is nothing but one.
func (q question) tie() string {
	if tally.Method(q.method()) == tally.Lottery {
		return byLot
	}
	return q.Tie
}

// secrecy names what an anonymous vote cannot have.
func (q question) secrecy() (errs param.Errors) {
	if !q.Anonymous {
		return nil
	}
	if tally.Method(q.method()) == tally.Lottery {
		errs = append(errs, param.Error{Field: "anonymous", Message: "Nobody votes in a lottery, so there are no ballots to keep apart."})
	}
	if q.Results != "" && q.Results != "after_closing" {
		errs = append(errs, param.Error{Field: "results", Message: "An anonymous vote is hidden until it is closed, for how it stands would tell each ballot as it comes in."})
	}
	return errs
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

// decision is what checked params describe.
func (q question) decision(tx *store.Tx) (store.NewDecision, error) {
	n := store.NewDecision{Question: q.Question, Body: q.Text, Method: q.method(), Results: q.Results, Reasons: q.Reasons, Everyone: q.Everyone,
		Anonymous: q.Anonymous, Tie: q.tie(), ClosesAt: q.ClosesAt}
	if n.Results == "" {
		n.Results = "after_closing"
	}
	if n.Reasons == "" {
		n.Reasons = "optional"
	}
	rules, errs := q.rules(false)
	if errs != nil {
		return n, errs
	}
	var err error
	if n.Rules, err = marshal(rules); err != nil {
		return n, err
	}
	if n.Caster, err = q.caster(tx); err != nil {
		return n, err
	}
	n.Options, err = q.newOptions()
	return n, err
}

// rules are the counting rules that the params describe, for its options and then the default one, or for as many as it may
// be if that is unknown. What is no quorum is check's to name. A draft keeps those that belong to its list of options.
func (q question) rules(unknown bool) (tally.Rules, param.Errors) {
	r := tally.Rules{Default: tally.NoDefault}
	if q.draft != nil {
		r = Rules(q.draft)
	}
	n, scale := len(q.options), tally.Method(q.method()).Scale()
	var errs param.Errors
	if readQuorum(q.Quorum, &r); q.Quorum != "" && scale == tally.Nothing {
		errs = append(errs, param.Error{Field: "quorum", Message: "Nobody votes in a lottery, so it has no quorum. Leave this empty."})
	}
	if r.Budget = q.Dots; q.Dots != 0 && scale != tally.Dots {
		errs = append(errs, param.Error{Field: "dots", Message: "Only a vote by dots has a budget of them. Choose dots, or leave this empty."})
	}
	if q.Default != "" && scale != tally.Ranks {
		errs = append(errs, param.Error{Field: "default_option", Message: "Only ranked votes have a default option. Choose a ranked method, or leave it empty."})
	}
	if q.Default == "" && len(q.Majority) > 0 {
		errs = append(errs, param.Error{Field: "majority", Message: "A majority is against the default option. Name that too."})
	}
	ratios := make([]tally.Ratio, len(q.Majority))
	for i, text := range q.Majority {
		var err error
		if ratios[i], err = tally.ParseRatio(text); err != nil && q.Default != "" {
			return r, append(errs, param.Error{Field: "majority", Message: "Write a ratio as a number such as 2 or 1.5, or a fraction such as 3/2."})
		}
	}
	if q.Default != "" && len(ratios) > 1 && len(ratios) != n && !unknown {
		errs = append(errs, param.Error{Field: "majority", Message: fmt.Sprintf("Give one ratio for all options, or %d, one for each.", n)})
	}
	if errs != nil || unknown || q.Default == "" {
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

// readQuorum reads "4" or "50%" into the rules, or says what would be right.
func readQuorum(text string, r *tally.Rules) (problem string) {
	r.Participation, r.ParticipationPercent = 0, 0
	if text == "" {
		return ""
	}
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	switch {
	case err != nil || n < 0 || percent && n > 100 || n > 1_000_000:
		return "Write a number of ballots such as 4, or a share of the voters from 0% to 100%."
	case percent:
		r.ParticipationPercent = n
	default:
		r.Participation = n
	}
	return ""
}

// quorumText is the quorum as readQuorum reads it.
func quorumText(r tally.Rules) string {
	switch {
	case r.ParticipationPercent > 0:
		return strconv.Itoa(r.ParticipationPercent) + "%"
	case r.Participation > 0:
		return strconv.Itoa(r.Participation)
	}
	return ""
}

func budgetText(r tally.Rules) string {
	if r.Budget == 0 {
		return ""
	}
	return strconv.Itoa(r.Budget)
}
