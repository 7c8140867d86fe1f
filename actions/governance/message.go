package governance

import (
	"strings"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// Message is the subject of the actions on one message.
type Message = governance.Message

var _ = action.Describe[*Message]("Something that was said in the channel of a studio, with its replies and reactions.",
	governance.MessageKind.States...)

// CommonMessage has the actions of [actions.CommonOpen] on a message. A reply is a comment on the message.
var CommonMessage = actions.CommonOpen[*Message]()

// MessageParams has the text of a message.
type MessageParams struct {
	Text string `param:"text,markdown" max:"10000" doc:"What you say. A link to a page of the studio shows it in place."`
}

// PostParams has the text of a new message, and a file.
type PostParams struct {
	MessageParams
	File param.Upload `param:"file,file,more" doc:"A file to attach to it."`
}

// PostMessage posts a message in the channel of a studio.
var PostMessage = action.New(action.Action[*store.Studio, PostParams]{
	Name:       "post_message",
	Slot:       "write",
	Effects:    []action.Effect{action.Makes(governance.MessageKind.Name), action.Opens(governance.MessageKind.Name)},
	Undo:       "Change: edit_message on the message. A person can delete_message.",
	Title:      "Send a message",
	Button:     "Send",
	Past:       "said",
	Doc:        "Say something in the channel. Whoever you name with an @ is told. To answer a message, comment on its page.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Aliases:    []string{"send_message", "say"},
	Guard: func(by store.Actor, s *store.Studio) error {
		if err := s.MustBeJoined(); err != nil {
			return err
		}
		return s.MustHear(by)
	},
	Prepare: func(st *store.Store, _ *store.Studio, p *PostParams) error { return actions.KeepUpload(st, p.File) },
	Run: func(tx *store.Tx, by store.Actor, s *store.Studio, p PostParams) (action.Done, error) {
		m, err := governance.PostMessage(tx, by, s, p.Text, reason(by), "")
		if err != nil {
			return action.Done{}, err
		}
		message := "Your message is in the channel."
		if p.File.Size() > 0 {
			message += actions.Renamed(p.File.Name)
			if err := actions.AttachUpload(tx, by, &m.Item, p.File, ""); err != nil {
				return action.Done{}, err
			}
			m.Files++
		}
		return action.Done{
			Message: message,
			Made:    []action.Subject{m},
			Notice:  &store.Notice{Reason: store.ReasonMessage, Text: p.Text},
		}, nil
	},
})

// reason returns the reason that an agent gave for this call. It is "" for a person, because people's reasons appear
// only in the journal.
func reason(by store.Actor) string {
	if !by.IsAgent() {
		return ""
	}
	return by.Why
}

// EditMessage changes the text of a message.
var EditMessage = action.New(action.Action[*Message, MessageParams]{
	Name:       "edit_message",
	Effects:    []action.Effect{action.Edits(governance.MessageKind.Name)},
	Undo:       "Change again: edit_message. Earlier versions are kept.",
	Title:      "Edit the message",
	Past:       "edited",
	Doc:        "Change what this message says. What it said before is kept as a version, and that it was edited is shown.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.Author,
	Aliases:    []string{"update_message"},
	Versioned:  true,
	Guard:      func(by store.Actor, m *Message) error { return m.MustBeEditableBy(by) },
	Offers: func(_ store.Actor, m *Message) param.Offers {
		return param.Offers{"text": {Value: m.Body}}
	},
	Run: func(tx *store.Tx, by store.Actor, m *Message, p MessageParams) (action.Done, error) {
		return action.Done{
			Message: "The message is changed.",
			Notice:  &store.Notice{Reason: store.ReasonMessage, Text: p.Text, Was: m.Body, To: []string{}},
		}, governance.EditMessage(tx, by, m, p.Text)
	},
})

// DeleteMessage deletes the text, the versions and the reactions of a message. A marker of the deletion stays.
var DeleteMessage = action.New(action.Action[*Message, struct{}]{
	Name:        "delete_message",
	Effects:     []action.Effect{action.Deletes(governance.MessageKind.Name)},
	Title:       "Delete the message",
	Past:        "deleted",
	Doc:         "Delete this message, its versions and reactions, and what the journal keeps of its text. Its replies stay.",
	Scope:       store.ScopeWrite,
	AllowedFor:  store.Chair,
	HumanOnly:   true,
	Destructive: true,
	Guard:       func(by store.Actor, m *Message) error { return m.MustBeDeletableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, m *Message, _ struct{}) (action.Done, error) {
		return action.Done{
			Message: "The message is deleted.",
			Before:  gone{m.State()},
		}, tx.RemoveItem(by, &m.Item, "Deleted message")
	},
})

// gone is the earlier state that the journal stores for a deletion, without the deleted text.
type gone struct {
	State string `json:"state"`
}

// AddReaction adds an emoji of the acting member to a message.
var AddReaction = action.New(action.Action[*Message, MessageReactionParams]{
	Name:       "add_reaction",
	Undo:       "Undo: remove_reaction.",
	Title:      "React",
	Past:       "reacted to",
	Doc:        "React to this message with one emoji. A reaction tells nobody.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Aliases:    []string{"react"},
	Guard:      func(_ store.Actor, m *Message) error { return m.Studio.MustBeJoined() },
	Check: func(_ *store.Tx, _ store.Actor, m *Message, p MessageReactionParams, bad param.Errors) param.Errors {
		if bad.Has("reaction") {
			return nil
		}
		return param.Bad("reaction", m.MustTakeReaction(p.emoji()))
	},
	Run: func(tx *store.Tx, by store.Actor, m *Message, p MessageReactionParams) (action.Done, error) {
		return action.Done{Message: "You reacted with " + p.emoji() + "."}, governance.AddReaction(tx, by, m, p.emoji())
	},
})

// MessageReactionParams has an emoji or the name of an emoji.
type MessageReactionParams struct {
	Reaction string `param:"reaction,text" max:"40" doc:"An emoji, such as 👍, or one of: thumbs_up, heart, party, eyes, check, laugh."`
}

// emojiWords maps names to emojis, for members and agents that cannot easily type one.
var emojiWords = map[string]string{"thumbs_up": "👍", "heart": "❤️", "party": "🎉", "eyes": "👀", "check": "✅",
	"laugh": "😄"}

func (p MessageReactionParams) emoji() string {
	if e, ok := emojiWords[strings.ReplaceAll(strings.ToLower(p.Reaction), " ", "_")]; ok {
		return e
	}
	return p.Reaction
}

// RemoveReaction removes a reaction of the acting member from a message.
var RemoveReaction = action.New(action.Action[*Message, MyReactionParams]{
	Name:       "remove_reaction",
	Undo:       "Undo: add_reaction.",
	Title:      "Take a reaction back",
	Past:       "took a reaction back from",
	Doc:        "Take back one of your reactions to this message.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Side:       true,
	Aliases:    []string{"unreact"},
	Guard:      func(by store.Actor, m *Message) error { return m.MustTakeBackReactionOf(by) },
	Offers: func(_ store.Actor, m *Message) param.Offers {
		var mine []param.Option
		for _, r := range m.Reactions {
			if r.Mine {
				mine = append(mine, param.Option{Value: r.Emoji, Label: r.Emoji})
			}
		}
		return param.Offers{"reaction": {Options: mine}}
	},
	Run: func(tx *store.Tx, by store.Actor, m *Message, p MyReactionParams) (action.Done, error) {
		return action.Done{Message: "Your reaction is taken back."}, governance.RemoveReaction(tx, by, m, p.Reaction)
	},
})

// MyReactionParams has one of the reactions of the acting member.
type MyReactionParams struct {
	Reaction string `param:"reaction,choice" doc:"Which one."`
}
