package governance

import (
	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/store/governance"
)

// Channel is the subject of the actions on the channel of a studio.
type Channel = governance.Channel

var _ = action.Describe[*Channel]("The conversation of a studio. What has to be decided can be made in it, and is shown in place.")

// InChannel has the actions on a channel, except those of [Carrying].
var InChannel = append([]*action.Spec[*Channel]{action.Lift(PostMessage, home), MarkChannelRead}, actions.Following[*Channel]()...)

func home(c *Channel) (*store.Studio, error) { return c.Studio, nil }

// Carrying makes an action that creates an item in a studio available on the page of the studio's channel, where
// [carry] posts a message that shows the item.
func Carrying(a *action.Spec[*store.Studio]) *action.Spec[*Channel] {
	lifted := action.Lift(a, home).Then(carry, action.Makes(governance.MessageKind.Name),
		action.Opens(governance.MessageKind.Name))
	lifted.Side, lifted.Slot = true, ""
	return lifted
}

// carry posts a message that shows the new item. It posts none for a draft, nor if the token of an agent does not
// permit messages, nor for an agent that [store.Studio.MustHear] refuses.
func carry(tx *store.Tx, by store.Actor, c *Channel, done action.Done) (action.Done, error) {
	if len(done.Made) == 0 {
		return done, nil
	}
	made, ok := done.Made[0].(actions.Item)
	if !ok || made.Common().Draft() {
		return done, nil
	}
	if !by.Has(store.ScopeWrite) || by.Limited() && by.Covers(c.Ref(), governance.MessageKind.Name) != nil {
		done.Message += " Your token does not post messages, so the channel does not show it."
		return done, nil
	}
	if err := c.MustHear(by); err != nil {
		done.Message += " The channel does not show it. " + err.Error()
		return done, nil
	}
	m, err := governance.PostMessage(tx, by, c.Studio, made.Common().URL(), reason(by), made.Common().Title)
	if err != nil {
		return done, err
	}
	done.Also = append(done.Also, action.Also{Subject: m, Action: PostMessage.Name})
	done.URL = c.URL()
	return done, nil
}

// MarkChannelRead marks the messages of a channel as read.
var MarkChannelRead = action.New(action.Action[*Channel, struct{}]{
	Name:       "mark_channel_read",
	Undo:       "It cannot be taken back.",
	Title:      "Mark as read",
	Doc:        "Count no message of this channel as new any more. For a person, opening the channel does it.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Side:       true,
	Silent:     true,
	Guard:      func(_ store.Actor, c *Channel) error { return c.MustBeUnheard() },
	Run: func(tx *store.Tx, by store.Actor, c *Channel, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The channel is read."}, governance.HearChannel(tx, by, c)
	},
})
