package governance

import (
	"fmt"
	"strconv"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// AddChange adds a change to a topic: a call of an action on another page. The call is made when the topic is accepted.
var AddChange = action.New(action.Action[*Topic, ChangeParams]{
	Name:    "add_change",
	Effects: []action.Effect{action.Edits(governance.TopicKind.Name)},
	Undo:    "Take it out: remove_change.",
	Title:   "Add a change",
	Past:    "added a change to",
	Doc: "Let acceptance make a change of a studio, a role, a policy or the settings, such as create_role on the " +
		"page of a studio's roles. It is tried now and again on acceptance. An open topic goes back to clarification.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Chair,
	Guard:      func(by store.Actor, t *Topic) error { return t.MustTakeChangesOf(by) },
	Run: func(tx *store.Tx, by store.Actor, t *Topic, p ChangeParams) (action.Done, error) {
		c, err := governance.AddChange(tx, by, t, p.Page, p.Action, p.Values)
		return action.Done{
			Message: "The topic carries the change: " + c.Title + ", " + c.Target + ".",
			Notice:  &store.Notice{Reason: store.ReasonChange},
		}, err
	},
})

// ChangeParams describes the call of an action on another page.
type ChangeParams struct {
	Page   string   `param:"page,ref" doc:"The page of what changes, such as /studios/team/roles."`
	Action string   `param:"change,text" max:"60" doc:"The name of its action, such as create_role."`
	Values string   `param:"values,markdown,optional" max:"5000"`
	_      struct{} `doc:"The fields of that action, one a line, such as title: Treasurer."`
}

// RemoveChange removes a change from a topic.
var RemoveChange = action.New(action.Action[*Topic, RemoveChangeParams]{
	Name:       "remove_change",
	Effects:    []action.Effect{action.Edits(governance.TopicKind.Name)},
	Undo:       "Add it again: add_change.",
	Title:      "Take a change out",
	Past:       "took a change out of",
	Doc:        "Take a change out of what acceptance does. An open topic goes back to clarification.",
	Scope:      store.ScopeGovernance,
	AllowedFor: store.Chair,
	Guard:      func(by store.Actor, t *Topic) error { return t.MustCarryFor(by) },
	Offers: func(_ store.Actor, t *Topic) param.Offers {
		list := make([]param.Option, len(t.Carried))
		for i, c := range t.Carried {
			n := strconv.Itoa(c.N)
			list[i] = param.Option{Value: n, Label: n + ": " + c.Title + ", " + c.Target}
		}
		return param.Offers{"change": {Options: list}}
	},
	Run: func(tx *store.Tx, _ store.Actor, t *Topic, p RemoveChangeParams) (action.Done, error) {
		var n int
		fmt.Sscan(p.Change, &n) // the value of every offered option is a number
		return action.Done{
			Message: "The topic does not carry the change any more.",
			Notice:  &store.Notice{Reason: store.ReasonChange},
		}, governance.RemoveChange(tx, t, n)
	},
})

// RemoveChangeParams are the params of [RemoveChange].
type RemoveChangeParams struct {
	Change string `param:"change,choice" doc:"Which change."`
}
