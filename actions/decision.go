// Package actions declares the actions that people and agents can take. Each kind of subject, such as decisions, has
// files of its own. Packages governance and work below it declare further actions.
package actions

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

var _ = action.Describe[*governance.Decision](
	"A question with options. Members vote on its page, and its method of voting says how ballots are "+
		"counted.", governance.DecisionKind.States...)

// CommonDecision has the actions that a decision shares with other items (see [Common]).
var CommonDecision = Common(governance.DecisionKind.Name, copyDecision)

var editsDecision = []action.Effect{action.Edits(governance.DecisionKind.Name)}

// CreateDecision makes a decision in a studio, open or as a draft.
var CreateDecision = action.New(action.Action[*store.Studio, CreateDecisionParams]{
	Name: "create_decision",
	Effects: []action.Effect{action.Makes(governance.DecisionKind.Name),
		action.Opens(governance.DecisionKind.Name)},
	Undo:       "Once open, move the deadline: extend_decision. A draft: update_decision, discard.",
	Title:      "Ask for a decision",
	Doc:        "Put a question with options to the studio, at once or as a draft.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Past:       "asked",
	Aliases:    []string{"create_vote", "create_poll", "start_poll"},
	Guard:      func(_ store.Actor, s *store.Studio) error { return s.MustBeJoined() },
	Offers: func(store.Actor, *store.Studio) param.Offers {
		return param.Offers{
			"method":  {Options: methodOptions(), Value: string(tally.Acceptance)},
			"results": {Value: "after_closing"},
			"reasons": {Value: "optional"},
			"tie":     {Value: "casting_vote"},
			// These fields have no default value, because a form for another method would send the value too.
			"overvote": {Options: caseOptions(tally.Overvotes)},
			"skipped":  {Options: caseOptions(tally.SkippedRanks)},
		}
	},
	Check: func(tx *store.Tx, by store.Actor, s *store.Studio, p CreateDecisionParams, bad param.Errors) param.Errors {
		in := p.input(tx, by, s)
		errs := in.check(tx, bad)
		known := !bad.Has("method") && !bad.Has("draft") && !bad.Has("default_option")
		if known && !p.Draft && len(in.allOptions()) < fewestOptions(in.method()) {
			errs = append(errs, param.Error{
				Field:   "options",
				Message: "Name at least two options, one per line, or keep it as a draft.",
			})
		}
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p CreateDecisionParams) (action.Done, error) {
		n, err := p.input(tx, by, s).decision(tx)
		if err != nil {
			return action.Done{}, err
		}
		d, err := governance.CreateDecision(tx, by, s, n)
		if err != nil {
			return action.Done{}, err
		}
		done, err := DraftOrOpen(tx, by, d, p.Draft, openDecision, governance.FindDecision, "The decision is open.")
		if done.Message += missedQuorum(d); !p.Draft {
			done.Undo = undoOpen(d)
		}
		return done, err
	},
})

// QuestionParams has the texts of a decision, its method and its deadline.
type QuestionParams struct {
	Question string    `param:"question,text" doc:"What is to be decided, as a question."`
	Text     string    `param:"text,markdown,optional" max:"20000" doc:"What one needs to know to decide."`
	Method   string    `param:"method,choice,optional"`
	_        struct{}  `doc:"How people vote and how it is counted. A new decision uses acceptance unless you choose another."`
	ClosesAt time.Time `param:"closes_at,time,optional" doc:"When voting ends. Without it, it ends when somebody closes it."`
}

// RuleParams has the rules of a decision.
type RuleParams struct {
	Results   string   `param:"results,choice,more" options:"after_closing=Hidden until closed"`
	_         struct{} `options:"after_voting=Hidden until one has voted,shown=Shown"`
	_         struct{} `doc:"Who sees how it stands before it is closed. A new decision hides it until then unless you choose."`
	Reasons   string   `param:"reasons,choice,more" options:"optional=May be given,required=Must be given"`
	_         struct{} `options:"off=Not asked for" doc:"Whether a ballot carries a reason."`
	Anonymous bool     `param:"anonymous,flag,more"`
	_         struct{} `doc:"Keep ballots apart from who voted, for ever."`
	_         struct{} `doc:"A voter gets a receipt, once, with which to change or find their ballot."`
	Quorum    string   `param:"quorum,text,more" max:"8"`
	_         struct{} `doc:"How many ballots it takes to have a result: a number such as 4,"`
	_         struct{} `doc:"or a share of the voters such as 50%."`
	Everyone  bool     `param:"everyone,flag,more" doc:"Let those vote too who join the studio after it opens."`
	Tie       string   `param:"tie,choice,more" options:"casting_vote=By a casting vote"`
	_         struct{} `options:"lot=By a lot that anybody can check" doc:"How a tie is broken. A lottery is always drawn by lot."`
	Caster    string   `param:"casting_vote,ref,more"`
	_         struct{} `doc:"Who has the casting vote: a member by @handle, or a role of this studio by its title or link,"`
	_         struct{} `doc:"and then whoever holds it when the vote is closed. It is you unless set."`
	Dots      int      `param:"dots,number,more" min:"3" max:"20"`
	_         struct{} `doc:"For dots: how many each voter may spend: 10 unless set."`
	Default   string   `param:"default_option,text,more"`
	_         struct{} `doc:"For ranked votes: the title of the option that others must beat, such as Further discussion."`
	_         struct{} `doc:"It comes last."`
	Majority  []string `param:"majority,lines,more"`
	_         struct{} `doc:"For ranked votes with a default option: by what ratio an option must beat it, such as 3."`
	_         struct{} `doc:"One line for all options, or one for each."`
	ReadingParams
}

// DecisionParams are the params of [UpdateDecision].
type DecisionParams struct {
	QuestionParams
	RuleParams
}

// CreateDecisionParams has the fields of a new decision.
type CreateDecisionParams struct {
	QuestionParams
	Options []string `param:"options,lines,optional" max:"200"`
	_       struct{} `doc:"What can be chosen, one per line. Of a time poll, a time on each, such as 2026-11-23 12:00."`
	Draft   bool     `param:"draft,flag,optional" doc:"Keep it as a draft of yours."`
	RuleParams
}

func (p CreateDecisionParams) input(tx *store.Tx, by store.Actor, s *store.Studio) decisionInput {
	return decisionInput{
		DecisionParams: DecisionParams{p.QuestionParams, p.RuleParams},
		options:        p.Options,
		clock:          clockOf(tx, by),
		studio:         s,
	}
}

func fewestOptions(method string) int {
	if method == string(tally.Acceptance) {
		return 0 // options may be added while the decision is open
	}
	return 2
}

// methodOptions lists the methods that use one of the given scales, or all methods if no scale is given.
func methodOptions(scales ...tally.Scale) []param.Option {
	var list []param.Option
	for _, m := range tally.Methods() {
		if len(scales) == 0 || slices.Contains(scales, m.Scale()) {
			list = append(list, param.Option{Value: string(m), Label: m.Title()})
		}
	}
	return list
}

// draftMethods lists the methods to which a draft may change. A default option requires a ranked method, and a time
// poll requires a time for every option.
func draftMethods(d *governance.Decision) []param.Option {
	if Rules(d).PerOption() {
		return methodOptions(tally.Ranks)
	}
	return slices.DeleteFunc(methodOptions(), func(o param.Option) bool {
		return tally.Method(o.Value) == tally.TimePoll &&
			slices.ContainsFunc(d.Choice, func(o governance.Option) bool { return o.At.IsZero() })
	})
}

// UpdateDecision changes the question and the rules of a draft.
var UpdateDecision = action.New(action.Action[*governance.Decision, DecisionParams]{
	Name:       "update_decision",
	Past:       "changed",
	Effects:    editsDecision,
	Undo:       "Change again: update_decision. Take back: discard.",
	Title:      "Change the draft",
	Doc:        "Change the question, text or rules of this draft. What you leave out stays as it is.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Author,
	Versioned:  true,
	Guard:      func(by store.Actor, d *governance.Decision) error { return d.MustBeDraftOf(by) },
	Offers: func(_ store.Actor, d *governance.Decision) param.Offers {
		closes := ""
		if !d.DueAt.IsZero() {
			closes = d.DueAt.Format("2006-01-02 15:04 UTC")
		}
		rules := Rules(d)
		return param.Offers{
			"question": {Value: d.Title}, "text": {Value: d.Body},
			"method":    {Options: draftMethods(d), Value: d.Method, Required: rules.PerOption()},
			"closes_at": {Value: closes}, "results": {Value: d.Results},
			"reasons": {Value: d.Reasons}, "everyone": {Value: strconv.FormatBool(d.Everyone)},
			"anonymous": {Value: strconv.FormatBool(d.Anonymous)}, "tie": {Value: d.Tie},
			"casting_vote": {Value: caster(d)}, "quorum": {Value: quorumText(rules)},
			// The fields default_option and majority are omitted, because they depend on the list of options.
			"dots":           {Value: budgetText(rules)},
			"overvote":       {Options: caseOptions(tally.Overvotes), Value: rules.Overvote},
			"skipped":        {Options: caseOptions(tally.SkippedRanks), Value: rules.Skipped},
			"default_option": {Omit: true}, "majority": {Omit: true},
		}
	},
	Check: func(tx *store.Tx, by store.Actor, d *governance.Decision, p DecisionParams, bad param.Errors) param.Errors {
		return changedInput(tx, by, d, p).check(tx, bad)
	},
	Run: func(tx *store.Tx, by store.Actor, d *governance.Decision, p DecisionParams) (action.Done, error) {
		n, err := changedInput(tx, by, d, p).decision(tx)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The draft is changed."}, governance.UpdateDecision(tx, d, n)
	},
})

// changedInput returns the input for a change of a draft. An empty method and some empty rules get the draft's stored
// values.
func changedInput(tx *store.Tx, by store.Actor, d *governance.Decision, p DecisionParams) decisionInput {
	p.Method = cmp.Or(p.Method, d.Method)
	if p.Results == "" {
		p.Results = d.Results
	}
	p.Reasons = cmp.Or(p.Reasons, d.Reasons)
	rules := Rules(d)
	if tally.Method(p.Method).Scale() != tally.Dots && p.Dots == rules.Budget {
		// The form has sent back the budget of the old method. The new method has none.
		p.Dots = 0
	}
	p.ReadingParams = p.changed(tally.Method(p.Method), rules.Reading)
	return decisionInput{DecisionParams: p, clock: clockOf(tx, by), studio: d.Studio, draft: d}
}

// Rules returns the counting rules that are stored with a decision.
func Rules(d *governance.Decision) tally.Rules { return tally.ReadRules(d.Rules) }

// OpenDecision opens a draft, so that members can vote.
var OpenDecision = action.New(action.Action[*governance.Decision, struct{}]{
	Name:       "open_decision",
	Effects:    []action.Effect{action.Opens(governance.DecisionKind.Name)},
	Undo:       "It stays open until it is closed. Later deadline: extend_decision.",
	Title:      "Open the vote",
	Doc:        "Put this draft to the studio. Those who are in it now may vote.",
	Past:       "asked",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Author,
	Guard: func(by store.Actor, d *governance.Decision) error {
		if err := d.MustBeDraftOf(by); err != nil {
			return err
		}
		if d.Options < fewestOptions(d.Method) {
			return store.Errorf(store.Conflict, "It takes at least two options to open. Add them first.")
		}
		if !d.DueAt.IsZero() && !d.DueAt.After(d.Now) {
			return store.Errorf(store.Conflict, "The deadline of this draft has passed. Change it first.")
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, d *governance.Decision, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The decision is open." + missedQuorum(d), Notice: d.OpeningNotice(),
				Undo: undoOpen(d)},
			openDecision(tx, d)
	},
})

// undoOpen replaces the answer about undoing the opening of a decision without a deadline, which cannot be moved.
func undoOpen(d *governance.Decision) string {
	if d.DueAt.IsZero() {
		return "It stays open until it is closed."
	}
	return ""
}

// openDecision opens a draft for voting. If a lot breaks ties, it also stores a random secret for the lot. Until the
// vote is closed, only a cryptographic commitment to the secret is published.
func openDecision(tx *store.Tx, d *governance.Decision) error {
	if err := governance.OpenDecision(tx, d); err != nil || d.Tie != byLot {
		return err
	}
	var lot tally.Lot
	rand.Read(lot[:]) // never returns an error
	return governance.SealLot(tx, d, lot.String(), lot.Commitment())
}

// Extend moves the deadline of a decision to a later time.
var Extend = action.New(action.Action[*governance.Decision, ExtendParams]{
	Name:       "extend_decision",
	Effects:    editsDecision,
	Undo:       "A later time still: extend_decision. An earlier one is not possible.",
	Title:      "Move the deadline",
	Doc:        "Give people more time. A deadline can only be moved later.",
	Past:       "moved the deadline of",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Chair,
	Guard:      func(by store.Actor, d *governance.Decision) error { return d.MustBeExtendableBy(by) },
	Check: func(_ *store.Tx, _ store.Actor, d *governance.Decision, p ExtendParams, _ param.Errors) param.Errors {
		return param.Bad("closes_at", d.MustBeLater(p.ClosesAt))
	},
	Run: func(tx *store.Tx, _ store.Actor, d *governance.Decision, p ExtendParams) (action.Done, error) {
		return action.Done{
			Message: "The deadline is moved.",
			Notice:  &store.Notice{Reason: store.ReasonChange},
		}, tx.UpdateItem(&d.Item, d.Title, d.Body, p.ClosesAt)
	},
})

// ExtendParams has the new deadline.
type ExtendParams struct {
	ClosesAt time.Time `param:"closes_at,time" doc:"The new end of voting."`
}

func copyDecision(tx *store.Tx, by store.Actor, d *governance.Decision) (*governance.Decision, error) {
	options := make([]governance.NewOption, len(d.Choice))
	for i, o := range d.Choice {
		options[i] = governance.NewOption{Title: o.Title, At: o.At.Time}
	}
	return governance.CreateDecision(tx, by, d.Studio, governance.NewDecision{
		Question:  d.Title,
		Body:      d.Body,
		Method:    d.Method,
		Rules:     d.Rules,
		Results:   d.Results,
		Reasons:   d.Reasons,
		Everyone:  d.Everyone,
		Anonymous: d.Anonymous,
		Tie:       d.Tie,
		Caster:    casterOf(d),
		Options:   options,
	})
}

func marshal(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}
