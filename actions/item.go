package actions

import (
	"slices"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// Item is a subject in a studio, such as a decision or a note.
type Item interface {
	followed
	Common() *store.Item
}

// Names of actions that several kinds of items have.
const (
	Comment = "comment"
	Pin     = "pin"
	Unpin   = "unpin"
	Remind  = "remind"
	Discard = "discard"
	Redact  = "redact"
	Attach  = "attach"

	CopyLink   = "copy_link"
	RevokeLink = "revoke_link"

	Duplicate    = "duplicate"
	SaveTemplate = "save_as_template"
	DropTemplate = "drop_template"

	markDone = "mark_done"
)

const (
	join  = "join"
	leave = "leave"
)

// Common declares the actions that all kinds of items with drafts share. The function again copies an item, for the
// action [Duplicate].
func Common[S Item](kind string, again copier[S]) []*action.Spec[S] {
	return slices.Concat([]*action.Spec[S]{comment[S](), attach[S](), duplicate(kind, again)}, Following[S](),
		shown[S](),
		[]*action.Spec[S]{remind[S](), discard[S](kind), redact[S]()}, templates[S]())
}

// CommonOpen declares the shared actions for kinds of items that are open from the beginning. They are never drafts or
// templates, are never due, and are not copied.
func CommonOpen[S Item]() []*action.Spec[S] {
	return slices.Concat([]*action.Spec[S]{comment[S](), attach[S]()}, Following[S](), shown[S](),
		[]*action.Spec[S]{redact[S]()})
}

// DraftOrOpen returns the result of an action that has made an item as a draft. Unless it stays a draft, the item is
// opened and found again, the message says so, and the studio is notified.
func DraftOrOpen[S Item](tx *store.Tx, by store.Actor, made S, draft bool, open func(*store.Tx, S) error,
	find func(tx *store.Tx, by store.Actor, studio, id string) (S, error), message string) (action.Done, error) {
	if draft {
		return drafted(made), nil
	}
	if err := open(tx, made); err != nil {
		return action.Done{}, err
	}
	made, err := find(tx, by, made.Common().Studio.Handle, made.Common().ID)
	if err != nil {
		return action.Done{}, err
	}
	return action.Done{
		Message: message,
		URL:     made.Ref().URL,
		Made:    []action.Subject{made},
		Notice:  made.Common().OpeningNotice(),
	}, nil
}

func drafted[S Item](s S) action.Done {
	return action.Done{
		Message: "The draft is saved. Only " + s.Common().DraftReaders() + " can see it.",
		URL:     s.Ref().URL,
		Made:    []action.Subject{s},
	}
}

func shown[S Item]() []*action.Spec[S] {
	return []*action.Spec[S]{
		pin[S](Pin, "Pin to the studio", "pinned", "Keep this page at the top of the studio's page.",
			"This page is pinned.", "Undo: unpin.", true),
		pin[S](Unpin, "Unpin from the studio", "unpinned", "Take this page off the top of the studio's page.",
			"This page is no longer pinned.", "Undo: pin.", false),
		copyLink[S](), revokeLink[S]()}
}

func comment[S Item]() *action.Spec[S] {
	return action.New(action.Action[S, CommentParams]{
		Name:       Comment,
		Slot:       "comments",
		Undo:       "It stays; the owner of the organization can remove it.",
		Title:      "Comment",
		Doc:        "Say something about it. Whoever you name with an @ is told.",
		Past:       "commented on",
		Scope:      store.ScopeWrite,
		AllowedFor: store.InStudio,
		Aliases:    []string{"add_comment", "reply"},
		Guard: func(by store.Actor, s S) error {
			if err := s.Common().Studio.MustBeJoined(); err != nil {
				return err
			}
			return s.Common().MustHear(by)
		},
		Run: func(tx *store.Tx, by store.Actor, s S, p CommentParams) (action.Done, error) {
			seq, err := tx.AddComment(by, s.Common(), p.Text)
			return action.Done{
				Message: "Your comment is added.",
				Notice:  &store.Notice{Reason: store.ReasonReply, Text: p.Text, Comment: seq},
			}, err
		},
	})
}

// CommentParams has the text of a comment.
type CommentParams struct {
	Text string `param:"text,markdown" max:"10000" doc:"Your remark."`
}

func itemAction[S Item](
	name, title, past, doc, message, undo string, guard func(*store.Item) error,
	do func(*store.Tx, store.Actor, *store.Item) error,
) *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:       name,
		Undo:       undo,
		Title:      title,
		Past:       past,
		Doc:        doc,
		Scope:      store.ScopeWrite,
		AllowedFor: store.InStudio,
		Side:       true,
		Guard:      func(_ store.Actor, s S) error { return guard(s.Common()) },
		Run: func(tx *store.Tx, by store.Actor, s S, _ struct{}) (action.Done, error) {
			return action.Done{Message: message}, do(tx, by, s.Common())
		},
	})
}

func pin[S Item](name, title, past, doc, message, undo string, on bool) *action.Spec[S] {
	button, ends := "Pin", ""
	if !on {
		button, ends = "Unpin", Pin
	}
	return action.New(action.Action[S, struct{}]{
		Name:       name,
		Undo:       undo,
		Title:      title,
		Button:     button,
		Ends:       ends,
		On:         "Pinned",
		Past:       past,
		Doc:        doc,
		Scope:      store.ScopeWrite,
		AllowedFor: store.InStudio,
		Side:       true,
		Tool:       true,
		Guard:      func(_ store.Actor, s S) error { return s.Common().MustBePinnable(on) },
		Run: func(tx *store.Tx, by store.Actor, s S, _ struct{}) (action.Done, error) {
			return action.Done{Message: message}, tx.PinItem(by, s.Common(), on)
		},
	})
}

// awaiting is an item that may wait for certain members.
type awaiting interface {
	// Awaited returns the ids of the members that the item waits for.
	Awaited(tx *store.Tx) ([]string, error)
}

// remind declares the reminder that an item is due soon. It goes to the members that an [awaiting] item waits for, and
// else to the whole studio.
func remind[S Item]() *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:       Remind,
		Title:      "Remind",
		Doc:        "Tell those whom this waits for that it is due within a day. The scheduler does it.",
		Past:       "says what is due soon:",
		Scope:      store.ScopeWrite,
		AllowedFor: store.Clock,
		ByClock:    true,
		Guard: func(by store.Actor, s S) error {
			if !by.System {
				return store.Errorf(store.Forbidden, "Only the scheduler reminds.")
			}
			return s.Common().MustBeSoon()
		},
		Run: func(tx *store.Tx, _ store.Actor, s S, _ struct{}) (action.Done, error) {
			n := &store.Notice{Reason: store.ReasonDue}
			if a, ok := any(s).(awaiting); ok {
				var err error
				if n.To, err = a.Awaited(tx); err != nil {
					return action.Done{}, err
				}
			} else {
				n.Studio = true
			}
			return action.Done{Message: "They are reminded.", Notice: n}, tx.RecordReminder(s.Common())
		},
	})
}

func discard[S Item](kind string) *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:        Discard,
		Past:        "discarded",
		Effects:     []action.Effect{action.Deletes(kind)},
		Title:       "Discard the draft",
		Doc:         "Delete this draft. Nothing of it stays.",
		Scope:       store.ScopeWrite,
		AllowedFor:  store.Author,
		Destructive: true,
		Guard:       func(by store.Actor, s S) error { return s.Common().MustBeDiscardableBy(by) },
		Run: func(tx *store.Tx, _ store.Actor, s S, _ struct{}) (action.Done, error) {
			return action.Done{
				Message: "The draft is discarded.",
				URL:     s.Common().Studio.URL(),
			}, tx.DiscardItem(s.Common())
		},
	})
}

func redact[S Item]() *action.Spec[S] {
	return action.New(action.Action[S, RedactParams]{
		Name:  Redact,
		Title: "Remove from the record",
		Doc: "Take the words of this page, or of one comment on it, away for everybody: also its " +
			"versions, and what the journal keeps of it, with the reasons given for changing it. That " +
			"something was there, and who removed it, stays visible.",
		Past:        "removed",
		Scope:       store.ScopeGovernance,
		AllowedFor:  store.Owner,
		HumanOnly:   true,
		Destructive: true,
		Side:        true,
		Aliases:     []string{"remove", "takedown"},
		Guard:       func(by store.Actor, s S) error { return s.Common().MustBeRedactableBy(by) },
		Offers: func(_ store.Actor, s S) param.Offers {
			i := s.Common()
			return param.Offers{Comment: {Omit: i.Remarks == 0, Required: i.Removed(), Max: i.Comments}}
		},
		Check: func(tx *store.Tx, _ store.Actor, s S, p RedactParams, _ param.Errors) param.Errors {
			if p.Comment == 0 {
				return nil
			}
			c, err := tx.FindComment(s.Common(), p.Comment)
			switch {
			case err != nil:
				return param.Errors{{Field: Comment, Message: "There is no such comment here."}}
			case !c.RemovedAt.IsZero():
				return param.Errors{{Field: Comment, Message: "It was removed already."}}
			}
			return nil
		},
		Run: func(tx *store.Tx, by store.Actor, s S, p RedactParams) (action.Done, error) {
			i := s.Common()
			if p.Comment > 0 {
				return action.Done{Message: "The comment is removed."}, tx.RemoveComment(by, i, p.Comment)
			}
			return action.Done{
				Message: "The page is removed.",
				Before:  removed{"visible"},
				Notice:  &store.Notice{Reason: store.ReasonChange, To: []string{i.MemberID}},
			}, tx.RemoveItem(by, i, "Removed "+i.Kind)
		},
	})
}

// RedactParams has the number of the comment to remove, or 0 to remove the page itself.
type RedactParams struct {
	Comment int `param:"comment,number,optional" min:"1" doc:"The number of one comment. Without it, the page itself goes."`
}

// removed is the journal's record of an item before its text is removed.
type removed struct {
	State string `json:"state"`
}
