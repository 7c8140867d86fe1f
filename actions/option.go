package actions

import (
	"encoding/json"
	"slices"
	"strconv"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

// AddOption adds an option to a decision.
var AddOption = action.New(action.Action[*governance.Decision, AddOptionParams]{
	Name:       "add_option",
	Past:       "added an option to",
	Effects:    editsDecision,
	Undo:       "Take out, while that is offered: remove_option.",
	Title:      "Add an option",
	Doc:        "Add something that can be chosen. In a vote by acceptance this stays possible while it is open.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Guard:      func(by store.Actor, d *governance.Decision) error { return d.MustTakeOptions(by) },
	Offers: func(_ store.Actor, d *governance.Decision) param.Offers {
		if tally.Method(d.Method) != tally.TimePoll {
			return nil
		}
		return param.Offers{"title": {Doc: "A time such as 2026-11-23 12:00, or a day such as 2026-11-23."}}
	},
	Check: func(tx *store.Tx, by store.Actor, d *governance.Decision, p AddOptionParams, bad param.Errors) param.Errors {
		option, err := newOption(d.Method, p.Title, clockOf(tx, by))
		if err != nil && !bad.Has("title") {
			return param.Bad("title", err)
		}
		for _, o := range d.Choice {
			if sameTitle(o.Title, option.Title) {
				return param.Errors{{
					Field:   "title",
					Message: "There is such an option already: " + strconv.Itoa(o.N) + ".",
				}}
			}
		}
		return nil
	},
	Run: func(tx *store.Tx, by store.Actor, d *governance.Decision, p AddOptionParams) (action.Done, error) {
		option, err := newOption(d.Method, p.Title, clockOf(tx, by))
		if err != nil {
			return action.Done{}, err
		}
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
		return action.Done{Message: "The option is added."}, governance.AddOption(tx, by, d, option, string(text), running)
	},
})

// AddOptionParams has the title of a new option.
type AddOptionParams struct {
	Title string `param:"title,text" doc:"The option, in a few words."`
}

// RemoveOption removes an option from a draft.
var RemoveOption = action.New(action.Action[*governance.Decision, OptionParams]{
	Name:       "remove_option",
	Past:       "removed an option from",
	Effects:    editsDecision,
	Undo:       "Add again: add_option.",
	Title:      "Remove an option",
	Doc:        "Take an option out of this draft. The default option stays.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Author,
	Guard: func(by store.Actor, d *governance.Decision) error {
		if err := d.MustBeDraftOf(by); err != nil {
			return err
		}
		if len(removable(d)) == 0 {
			return store.Errorf(store.Conflict, "There is no option to remove.")
		}
		return nil
	},
	Offers: func(_ store.Actor, d *governance.Decision) param.Offers {
		return param.Offers{"option": {Options: removable(d)}}
	},
	Run: func(tx *store.Tx, _ store.Actor, d *governance.Decision, p OptionParams) (action.Done, error) {
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
		return action.Done{Message: "The option is removed."}, governance.RemoveOption(tx, d, n, string(text))
	},
})

// OptionParams has the number of one option of a decision.
type OptionParams struct {
	Option string `param:"option,choice" doc:"Which option."`
}

func (p OptionParams) number() int {
	n, _ := strconv.Atoi(p.Option) // the value of every offered option is a number
	return n
}

func removable(d *governance.Decision) []param.Option {
	list := choices(d)
	fixed := strconv.Itoa(Rules(d).Default + 1)
	return slices.DeleteFunc(list, func(o param.Option) bool { return o.Value == fixed })
}

// choices lists the options of a decision as options of a field, those of a time poll by time.
func choices(d *governance.Decision) []param.Option {
	list := make([]param.Option, len(d.Choice))
	for i, at := range d.Order() {
		list[i] = param.Option{Value: strconv.Itoa(d.Choice[at].N), Label: d.Choice[at].Title}
	}
	return list
}
