// Package actions says what can be done: one file for each noun, and in it every verb that the noun takes.
package actions

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
)

// CommonDecision are the verbs that a decision shares with all items.
var CommonDecision = common[*store.Decision]()

// CreateDecision asks a studio a question.
var CreateDecision = action.New(action.Action[*store.Studio, CreateDecisionParams]{
	Name:    "create_decision",
	Title:   "Ask for a decision",
	Doc:     "Put a question with options to the studio. It opens at once, unless you keep it as a draft.",
	Scope:   store.ScopeWrite,
	Past:    "asked",
	Aliases: []string{"create_vote", "create_poll", "start_poll"},
	Guard:   func(_ store.Actor, s *store.Studio) error { return s.MustBeJoined() },
	Offers: func(store.Actor, *store.Studio) param.Offers {
		return param.Offers{"method": {Options: methodOptions(), Value: string(tally.Acceptance)}, "results": {Value: "after_closing"}, "reasons": {Value: "optional"}}
	},
	Check: func(tx *store.Tx, _ store.Actor, _ *store.Studio, p CreateDecisionParams, bad param.Errors) param.Errors {
		errs := p.check(tx.Now, p.Options, bad)
		if n := len(p.all(p.Options)); !bad.Has("method") && !bad.Has("draft") && !bad.Has("default_option") && !p.Draft && n < fewestOptions(p.method()) {
			errs = append(errs, param.Error{Field: "options", Message: "Name at least two options, one per line, or keep it as a draft."})
		}
		return errs
	},
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p CreateDecisionParams) (action.Done, error) {
		n, err := p.decision(p.Options)
		if err != nil {
			return action.Done{}, err
		}
		d, err := tx.CreateDecision(by, s, n)
		if err != nil {
			return action.Done{}, err
		}
		message := "The draft is saved. Only you can see it."
		if !p.Draft {
			if err := tx.OpenDecision(d); err != nil {
				return action.Done{}, err
			}
			if d, err = tx.FindDecision(by, s.Handle, d.ID); err != nil {
				return action.Done{}, err
			}
			message = "The decision is open."
		}
		return action.Done{Message: message, URL: d.URL(), Made: []action.Subject{d}, Notice: asked(d)}, nil
	},
})

// DecisionParams are the question and rules of a decision.
type DecisionParams struct {
	Question string    `param:"question,text" doc:"What is to be decided, as a question."`
	Text     string    `param:"text,markdown,optional" max:"20000" doc:"What one needs to know to decide."`
	Method   string    `param:"method,choice,optional" doc:"How people vote and how it is counted. Of a new one acceptance if you do not say."`
	ClosesAt time.Time `param:"closes_at,time,optional" doc:"When voting ends. Without it, it ends when somebody closes it."`
	Results  string    `param:"results,choice,optional" options:"after_closing=Hidden until closed,after_voting=Hidden until one has voted,shown=Shown" doc:"Who sees how it stands before it is closed. Of a new one hidden until closed if you do not say."`
	Reasons  string    `param:"reasons,choice,optional" options:"optional=May be given,required=Must be given,off=Not asked for" doc:"Whether a ballot carries a reason."`
	Quorum   int       `param:"quorum,number,optional" max:"1000000" doc:"How many ballots it takes to have a result."`
	Everyone bool      `param:"everyone,flag,optional" doc:"Let those vote too who join the studio after it opens."`
	Default  string    `param:"default_option,text,optional" doc:"For ranked votes: the title of the option that others must beat, such as Further discussion. It comes last."`
	Majority []string  `param:"majority,lines,optional" doc:"For ranked votes with a default option: by what ratio an option must beat it, such as 3. One line for all options, or one for each."`
}

// CreateDecisionParams are what a new decision takes.
type CreateDecisionParams struct {
	DecisionParams
	Options []string `param:"options,lines,optional" max:"200" doc:"What can be chosen, one per line."`
	Draft   bool     `param:"draft,flag,optional" doc:"Keep it as a draft that only you see."`
}

func fewestOptions(method string) int {
	if method == string(tally.Acceptance) {
		return 0 // options may be added while it is open
	}
	return 2
}

func methodOptions() []param.Option {
	list := make([]param.Option, len(tally.Methods()))
	for i, m := range tally.Methods() {
		list[i] = param.Option{Value: string(m), Label: m.Title()}
	}
	return list
}

func rankedOptions() []param.Option {
	return slices.DeleteFunc(methodOptions(), func(o param.Option) bool { return tally.Method(o.Value).Scale() != tally.Ranks })
}

// asked tells the studio of an open question.
func asked(d *store.Decision) *store.Notice {
	return &store.Notice{Reason: store.ReasonChange, Text: d.Body, Studio: true}
}

// UpdateDecision changes a draft.
var UpdateDecision = action.New(action.Action[*store.Decision, DecisionParams]{
	Name:      "update_decision",
	Title:     "Change the draft",
	Doc:       "Change the question, text or rules of this draft. What you leave out stays as it is.",
	Scope:     store.ScopeWrite,
	Versioned: true,
	Guard:     func(by store.Actor, d *store.Decision) error { return d.MustBeDraftOf(by) },
	Offers: func(_ store.Actor, d *store.Decision) param.Offers {
		closes := ""
		if !d.DueAt.IsZero() {
			closes = d.DueAt.Format("2006-01-02 15:04 UTC")
		}
		o := param.Offers{
			"question": {Value: d.Title}, "text": {Value: d.Body}, "method": {Options: methodOptions(), Value: d.Method}, "closes_at": {Value: closes},
			"results": {Value: d.Results}, "reasons": {Value: d.Reasons}, "everyone": {Value: strconv.FormatBool(d.Everyone)},
			"default_option": {Omit: true}, "majority": {Omit: true}, // they belong to the list of options
		}
		rules := Rules(d)
		if rules.Participation > 0 {
			o["quorum"] = param.Offered{Value: strconv.Itoa(rules.Participation)}
		}
		if rules.PerOption() { // a default option is for ranked votes only
			o["method"] = param.Offered{Options: rankedOptions(), Value: d.Method, Required: true}
		}
		return o
	},
	Check: func(tx *store.Tx, _ store.Actor, _ *store.Decision, p DecisionParams, bad param.Errors) param.Errors {
		return p.check(tx.Now, nil, bad)
	},
	Run: func(tx *store.Tx, _ store.Actor, d *store.Decision, p DecisionParams) (action.Done, error) {
		if p.Method == "" {
			p.Method = d.Method
		}
		if p.Results == "" {
			p.Results = d.Results
		}
		if p.Reasons == "" {
			p.Reasons = d.Reasons
		}
		n, err := p.decision(nil)
		if err != nil {
			return action.Done{}, err
		}
		rules := Rules(d)
		rules.Participation = p.Quorum
		text, err := json.Marshal(rules)
		if err != nil {
			return action.Done{}, err
		}
		n.Rules = string(text)
		return action.Done{Message: "The draft is changed."}, tx.UpdateDecision(d, n)
	},
})

// Rules are a decision's counting rules as stored.
func Rules(d *store.Decision) tally.Rules {
	r := tally.Rules{Default: tally.NoDefault}
	if d.Rules != "" {
		json.Unmarshal([]byte(d.Rules), &r) // written by us; a decision without readable rules has none
	}
	return r
}

// OpenDecision puts a draft to the vote.
var OpenDecision = action.New(action.Action[*store.Decision, struct{}]{
	Name:  "open_decision",
	Title: "Open the vote",
	Doc:   "Put this draft to the studio. Those who are in it now may vote.",
	Past:  "asked",
	Scope: store.ScopeWrite,
	Guard: func(by store.Actor, d *store.Decision) error {
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
	Run: func(tx *store.Tx, _ store.Actor, d *store.Decision, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The decision is open.", Notice: asked(d)}, tx.OpenDecision(d)
	},
})

// AddOption adds something that can be chosen.
var AddOption = action.New(action.Action[*store.Decision, AddOptionParams]{
	Name:  "add_option",
	Title: "Add an option",
	Doc:   "Add something that can be chosen. In a vote by acceptance this stays possible while it is open.",
	Scope: store.ScopeWrite,
	Guard: func(by store.Actor, d *store.Decision) error { return d.MustTakeOptions(by) },
	Check: func(_ *store.Tx, _ store.Actor, d *store.Decision, p AddOptionParams, _ param.Errors) param.Errors {
		for _, o := range d.Choice {
			if sameTitle(o.Title, p.Title) {
				return param.Errors{{Field: "title", Message: "There is such an option already: " + strconv.Itoa(o.N) + "."}}
			}
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, d *store.Decision, p AddOptionParams) (action.Done, error) {
		rules := Rules(d)
		if rules.Majority != nil {
			rules.Majority = append(rules.Majority, tally.Ratio{})
		}
		text, err := json.Marshal(rules)
		if err != nil {
			return action.Done{}, err
		}
		running := ""
		if d.Tally != "" {
			r, err := Running(d)
			if err != nil {
				return action.Done{}, err
			}
			if err := r.Grow(d.Options + 1); err != nil {
				return action.Done{}, err
			}
			if running, err = marshal(r); err != nil {
				return action.Done{}, err
			}
		}
		return action.Done{Message: "The option is added."}, tx.AddOption(by, d, p.Title, string(text), running)
	},
})

// AddOptionParams are what a new option takes.
type AddOptionParams struct {
	Title string `param:"title,text" doc:"The option, in a few words."`
}

// RemoveOption takes an option out of a draft.
var RemoveOption = action.New(action.Action[*store.Decision, OptionParams]{
	Name:  "remove_option",
	Title: "Remove an option",
	Doc:   "Take an option out of this draft. The default option stays.",
	Scope: store.ScopeWrite,
	Guard: func(by store.Actor, d *store.Decision) error {
		if err := d.MustBeDraftOf(by); err != nil {
			return err
		}
		if len(removable(d)) == 0 {
			return store.Errorf(store.Conflict, "There is no option to remove.")
		}
		return nil
	},
	Offers: func(_ store.Actor, d *store.Decision) param.Offers {
		return param.Offers{"option": {Options: removable(d)}}
	},
	Run: func(tx *store.Tx, _ store.Actor, d *store.Decision, p OptionParams) (action.Done, error) {
		n := p.number()
		rules := Rules(d)
		if rules.Majority != nil {
			rules.Majority = append(rules.Majority[:n-1:n-1], rules.Majority[n:]...)
		}
		if rules.Default > n-1 {
			rules.Default--
		}
		text, err := json.Marshal(rules)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The option is removed."}, tx.RemoveOption(d, n, string(text))
	},
})

// OptionParams name one option of a decision.
type OptionParams struct {
	Option string `param:"option,choice" doc:"Which option."`
}

func (p OptionParams) number() int {
	n, _ := strconv.Atoi(p.Option) // one of the offered options, which are numbers
	return n
}

func removable(d *store.Decision) []param.Option {
	list := choices(d)
	if def := Rules(d).Default; def >= 0 && def < len(list) {
		list = append(list[:def:def], list[def+1:]...)
	}
	return list
}

// choices are a decision's options as a field offers them.
func choices(d *store.Decision) []param.Option {
	list := make([]param.Option, len(d.Choice))
	for i, o := range d.Choice {
		list[i] = param.Option{Value: strconv.Itoa(o.N), Label: o.Title}
	}
	return list
}

// Extend moves the deadline later.
var Extend = action.New(action.Action[*store.Decision, ExtendParams]{
	Name:  "extend",
	Title: "Move the deadline",
	Doc:   "Give people more time. A deadline can only be moved later.",
	Past:  "moved the deadline of",
	Scope: store.ScopeWrite,
	Guard: func(by store.Actor, d *store.Decision) error { return d.MustBeExtendableBy(by) },
	Check: func(_ *store.Tx, _ store.Actor, d *store.Decision, p ExtendParams, _ param.Errors) param.Errors {
		if err := d.MustBeLater(p.ClosesAt); err != nil {
			return param.Errors{{Field: "closes_at", Message: err.Error()}}
		}
		return nil
	},
	Run: func(tx *store.Tx, _ store.Actor, d *store.Decision, p ExtendParams) (action.Done, error) {
		return action.Done{Message: "The deadline is moved.", Notice: &store.Notice{Reason: store.ReasonChange}}, tx.ExtendDecision(d, p.ClosesAt)
	},
})

// ExtendParams are a new deadline.
type ExtendParams struct {
	ClosesAt time.Time `param:"closes_at,time" doc:"The new end of voting."`
}

// Duplicate starts a draft like this decision.
var Duplicate = action.New(action.Action[*store.Decision, struct{}]{
	Name:  "duplicate",
	Title: "Duplicate as a draft",
	Doc:   "Start a draft of yours with the same question, options and rules, without ballots and deadline.",
	Scope: store.ScopeWrite,
	Guard: func(_ store.Actor, d *store.Decision) error { return d.Studio.MustBeJoined() },
	Run: func(tx *store.Tx, by store.Actor, d *store.Decision, _ struct{}) (action.Done, error) {
		options := make([]string, len(d.Choice))
		for i, o := range d.Choice {
			options[i] = o.Title
		}
		copied, err := tx.CreateDecision(by, d.Studio, store.NewDecision{Question: d.Title, Body: d.Body, Method: d.Method, Rules: d.Rules,
			Results: d.Results, Reasons: d.Reasons, Everyone: d.Everyone, Options: options})
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: "The draft is saved. Only you can see it.", URL: copied.URL(), Made: []action.Subject{copied}}, nil
	},
})

func marshal(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}
