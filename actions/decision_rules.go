package actions

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

func (p DecisionParams) method() string {
	return cmp.Or(p.Method, string(tally.Acceptance))
}

// decisionInput is the input for a new decision, or for a change of the field draft if that is set.
type decisionInput struct {
	DecisionParams
	options []string
	clock   param.Clock
	studio  *store.Studio
	draft   *governance.Decision
}

const byLot = "lot"

func clockOf(tx *store.Tx, by store.Actor) param.Clock {
	return param.Clock{Now: tx.Now, Zone: store.Location(by.Member.Zone)}
}

// allOptions lists the options, the default option last.
func (in decisionInput) allOptions() []string {
	if in.Default == "" {
		return in.options
	}
	return append(in.options[:len(in.options):len(in.options)], in.Default)
}

func (in decisionInput) check(tx *store.Tx, bad param.Errors) (errs param.Errors) {
	if !in.ClosesAt.IsZero() && !in.ClosesAt.After(tx.Now) {
		errs = append(errs, param.Error{
			Field:   "closes_at",
			Message: "That has passed already. Name a time in the future, such as 3d.",
		})
	}
	if _, err := in.caster(tx); err != nil {
		errs = append(errs, param.Error{Field: "casting_vote", Message: err.Error()})
	}
	if problem := readQuorum(in.Quorum, &tally.Rules{}); problem != "" && !bad.Has("quorum") {
		errs = append(errs, param.Error{Field: "quorum", Message: problem})
	}
	if bad.Has("method") || bad.Has("default_option") {
		if problem := in.duplicates(in.allOptions()); problem != "" {
			errs = append(errs, param.Error{Field: "options", Message: problem})
		}
		return errs
	}
	_, err := in.newOptions()
	errs = append(errs, param.Bad("options", err)...)
	_, more := in.rules(bad.Has("options"))
	return append(append(errs, more...), in.secrecy()...)
}

// duplicates returns a sentence about two equal titles, or "". The last title is that of the default option, if there is
// one.
func (in decisionInput) duplicates(titles []string) string {
	switch {
	case !hasDuplicates(titles):
		return ""
	case in.Default != "" && !hasDuplicates(titles[:len(in.options)]):
		return fmt.Sprintf("The default option %q is added by itself, as the last. Leave it out here.", in.Default)
	}
	return "Two options have the same title. Give each its own."
}

// newOptions converts the titles of the options, and sorts those of a time poll by time. The error is [store.Invalid]
// for duplicate and invalid titles.
func (in decisionInput) newOptions() ([]governance.NewOption, error) {
	list := make([]governance.NewOption, len(in.allOptions()))
	titles := make([]string, len(list))
	for i, title := range in.allOptions() {
		var err error
		if list[i], err = newOption(in.method(), title, in.clock); err != nil {
			return nil, err
		}
		titles[i] = list[i].Title
	}
	if problem := in.duplicates(titles); problem != "" {
		return nil, store.Errorf(store.Invalid, "%s", problem)
	}
	slices.SortStableFunc(list, func(a, b governance.NewOption) int { return a.At.Compare(b.At) })
	return list, nil
}

// newOption converts the title of an option. For a time poll, the title is parsed as a time or a day. The error is
// [store.Invalid] for no time, for a past one, and for one that the clocks of the zone skip or show twice.
func newOption(method, title string, clock param.Clock) (governance.NewOption, error) {
	if tally.Method(method) != tally.TimePoll {
		return governance.NewOption{Title: title}, nil
	}
	at, dated, odd, ok := param.ParseTime(title, clock)
	switch {
	case odd != "":
		return governance.NewOption{}, store.Errorf(store.Invalid, "%q cannot be an option: %s.", title, odd)
	case !ok:
		return governance.NewOption{}, store.Errorf(store.Invalid,
			"%q is not a time. Write one on each line, such as 2026-11-23 12:00 or 2026-11-23.",
			title)
	case dated && !at.Add(24*time.Hour).After(clock.Now), !dated && !at.After(clock.Now):
		return governance.NewOption{},
			store.Errorf(store.Invalid, "%q has passed already. Name times in the future.", title)
	case dated:
		return governance.NewOption{Title: at.Format("Mon 2 Jan 2006"), At: at}, nil
	}
	return governance.NewOption{Title: at.In(clock.Zone).Format("Mon 2 Jan 2006 15:04 MST"), At: at}, nil
}

func (in decisionInput) tie() string {
	if tally.Method(in.method()) == tally.Lottery {
		return byLot
	}
	return in.Tie
}

// secrecy returns an error for each param with a value that an anonymous vote does not allow.
func (in decisionInput) secrecy() (errs param.Errors) {
	if !in.Anonymous {
		return nil
	}
	if tally.Method(in.method()) == tally.Lottery {
		errs = append(errs, param.Error{
			Field:   "anonymous",
			Message: "Nobody votes in a lottery, so there are no ballots to keep apart.",
		})
	}
	if in.Results != "" && in.Results != "after_closing" {
		errs = append(errs, param.Error{
			Field: "results",
			Message: "An anonymous vote is hidden until it is closed, for how it stands would tell each " +
				"ballot as it comes in.",
		})
	}
	return errs
}

func hasDuplicates(options []string) bool {
	for i, a := range options {
		for _, b := range options[:i] {
			if sameTitle(a, b) {
				return true
			}
		}
	}
	return false
}

func sameTitle(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

func (in decisionInput) decision(tx *store.Tx) (governance.NewDecision, error) {
	n := governance.NewDecision{
		Question:  in.Question,
		Body:      in.Text,
		Method:    in.method(),
		Results:   in.Results,
		Reasons:   in.Reasons,
		Everyone:  in.Everyone,
		Anonymous: in.Anonymous,
		Tie:       in.tie(),
		ClosesAt:  in.ClosesAt,
	}
	n.Results = cmp.Or(n.Results, "after_closing")
	if n.Reasons == "" {
		n.Reasons = "optional"
	}
	rules, errs := in.rules(false)
	if errs != nil {
		return n, errs
	}
	var err error
	if n.Rules, err = marshal(rules); err != nil {
		return n, err
	}
	if n.Caster, err = in.caster(tx); err != nil {
		return n, err
	}
	n.Options, err = in.newOptions()
	return n, err
}

// rules returns the counting rules. The index of the default option is len(in.options). If unknown is true, the list of
// options has an error, and rules that depend on its length are not checked. [decisionInput.check] reports an invalid
// quorum.
func (in decisionInput) rules(unknown bool) (tally.Rules, param.Errors) {
	r := tally.Rules{Default: tally.NoDefault}
	if in.draft != nil {
		r = Rules(in.draft)
	}
	n, scale := len(in.options), tally.Method(in.method()).Scale()
	var errs param.Errors
	if readQuorum(in.Quorum, &r); in.Quorum != "" && scale == tally.Nothing {
		errs = append(errs, param.Error{
			Field:   "quorum",
			Message: "Nobody votes in a lottery, so it has no quorum. Leave this empty.",
		})
	}
	if r.Budget = in.Dots; in.Dots != 0 && scale != tally.Dots {
		errs = append(errs, param.Error{
			Field:   "dots",
			Message: "Only a vote by dots has a budget of them. Choose dots, or leave this empty.",
		})
	}
	errs = append(errs, in.checkMethod(tally.Method(in.method()), "this vote")...)
	if r.Reading = (tally.Reading{}); tally.Method(in.method()) == tally.IRV {
		r.Reading = in.reading()
	}
	if in.Default != "" && scale != tally.Ranks {
		errs = append(errs, param.Error{
			Field:   "default_option",
			Message: "Only ranked votes have a default option. Choose a ranked method, or leave it empty.",
		})
	}
	if in.Default == "" && len(in.Majority) > 0 {
		errs = append(errs, param.Error{
			Field:   "majority",
			Message: "A majority is against the default option. Name that too.",
		})
	}
	ratios := make([]tally.Ratio, len(in.Majority))
	for i, text := range in.Majority {
		var err error
		if ratios[i], err = tally.ParseRatio(text); err != nil && in.Default != "" {
			return r, append(errs, param.Error{
				Field:   "majority",
				Message: "Write a ratio as a number such as 2 or 1.5, or a fraction such as 3/2.",
			})
		}
	}
	if in.Default != "" && len(ratios) > 1 && len(ratios) != n && !unknown {
		errs = append(errs, param.Error{
			Field:   "majority",
			Message: fmt.Sprintf("Give one ratio for all options, or %d, one for each.", n),
		})
	}
	if errs != nil || unknown || in.Default == "" {
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

// readQuorum reads a quorum such as "4" or "50%" into the rules; "" means no quorum. For an invalid text it returns a
// sentence with the valid forms.
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

// missedQuorum returns a sentence, with a space before it, if a decision requires more ballots than the studio has
// members, and later members may not vote. Otherwise it returns "".
func missedQuorum(d *governance.Decision) string {
	n := Rules(d).Participation
	if d.Everyone || n <= d.Studio.People {
		return ""
	}
	return fmt.Sprintf(" Its quorum is %d ballots, which is more than the voters, the %d members of %s.", n,
		d.Studio.People,
		d.Studio.Name)
}

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
