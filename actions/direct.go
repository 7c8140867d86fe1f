package actions

import (
	"fmt"
	"strconv"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

var (
	_ = action.Describe[*store.DirectTalk](
		"What two members write to each other. It is for people only: no agent, search, journal or export has it.")
	_ = action.Describe[*store.DirectTalks]("The members with whom a person has exchanged direct messages, for people only.")
)

// directAction declares an action on direct messages. It is for people only. It is silent, because everybody in the
// organization reads the journal, and entries would show which members write to each other.
func directAction[P any](a action.Action[*store.DirectTalk, P]) *action.Spec[*store.DirectTalk] {
	a.Scope, a.AllowedFor, a.HumanOnly = store.ScopeWrite, store.Self, true
	a.Silent, a.Hidden, a.Discreet = true, true, true
	return action.New(a)
}

// SendDirectMessage writes to the other member of a conversation.
var SendDirectMessage = directAction(action.Action[*store.DirectTalk, DirectParams]{
	Name:   "send_direct_message",
	Slot:   "write",
	Undo:   "Change: edit_direct_message, delete_direct_message.",
	Title:  "Send a message",
	Button: "Send",
	Doc:    "Write to this member. Nobody else reads it, and no agent.",
	Guard:  func(_ store.Actor, d *store.DirectTalk) error { return d.MustBeOpen() },
	Run: func(tx *store.Tx, _ store.Actor, d *store.DirectTalk, p DirectParams) (action.Done, error) {
		return action.Done{Message: "Your message is sent.", Unlinked: true}, tx.SendDirectMessage(d, p.Text)
	},
})

// DirectParams are the params of [SendDirectMessage].
type DirectParams struct {
	Text string `param:"text,markdown" max:"10000" doc:"What you write."`
}

// EditDirectMessage changes a direct message of the acting member.
var EditDirectMessage = directAction(action.Action[*store.DirectTalk, EditDirectParams]{
	Name:   "edit_direct_message",
	Undo:   "Change again: edit_direct_message.",
	Title:  "Edit a message",
	Doc:    "Change one of your latest messages. That it was edited is shown.",
	Side:   true,
	Guard:  func(_ store.Actor, d *store.DirectTalk) error { return d.MustHaveMine() },
	Offers: func(_ store.Actor, d *store.DirectTalk) param.Offers { return mineIn(d) },
	Run: func(tx *store.Tx, _ store.Actor, d *store.DirectTalk, p EditDirectParams) (action.Done, error) {
		n, _ := strconv.Atoi(p.Message) // an offered option is a number
		return action.Done{Message: "Your message is changed.", Unlinked: true}, tx.EditDirectMessage(d, n, p.Text)
	},
})

// EditDirectParams are the params of [EditDirectMessage].
type EditDirectParams struct {
	Message string `param:"message,choice" doc:"Which one."`
	DirectParams
}

// DeleteDirectMessage deletes a direct message of the acting member.
var DeleteDirectMessage = directAction(action.Action[*store.DirectTalk, OneDirectParams]{
	Name:        "delete_direct_message",
	Title:       "Delete a message",
	Doc:         "Delete one of your latest messages. That there was one stays visible.",
	Destructive: true,
	Guard:       func(_ store.Actor, d *store.DirectTalk) error { return d.MustHaveMine() },
	Offers:      func(_ store.Actor, d *store.DirectTalk) param.Offers { return mineIn(d) },
	Run: func(tx *store.Tx, _ store.Actor, d *store.DirectTalk, p OneDirectParams) (action.Done, error) {
		n, _ := strconv.Atoi(p.Message) // an offered option is a number
		return action.Done{Message: "Your message is deleted.", Unlinked: true}, tx.DeleteDirectMessage(d, n)
	},
})

// OneDirectParams are the params of [DeleteDirectMessage].
type OneDirectParams struct {
	Message string `param:"message,choice" doc:"Which one."`
}

func mineIn(d *store.DirectTalk) param.Offers {
	list := make([]param.Option, len(d.Mine))
	for i := range d.Mine {
		m := &d.Mine[i]
		list[i] = param.Option{Value: strconv.Itoa(m.N), Label: fmt.Sprintf("Message %d, %s", m.N,
			m.At.In(store.Location(d.Zone)).Format("Mon 2 Jan 2006 15:04"))}
	}
	return param.Offers{"message": {Options: list}}
}
