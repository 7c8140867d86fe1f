package actions

import (
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

var _ = action.Describe[*store.Inbox](
	"What a member was told: that somebody names them, answers, asks their studios, or that something is " +
		"due.")

type (
	oneOf = action.Action[*store.Inbox, NotificationParams]
	allOf = action.Action[*store.Inbox, struct{}]
)

// The actions of an inbox change one notification, or all that are not dismissed.
var (
	MarkRead = markOne(oneOf{
		Name:  "mark_read",
		Undo:  "Undo: mark_unread.",
		Title: "Mark as read",
		Doc:   "Take one notification out of what is unread.",
	},
		"It is marked as read.", "read", "unread")
	MarkUnread = markOne(oneOf{
		Name:  "mark_unread",
		Undo:  "Undo: mark_read.",
		Title: "Mark as unread",
		Doc:   "Put a notification back among what is unread.",
	},
		"It is unread again.", "unread", "read", "dismissed")
	Dismiss = markOne(oneOf{
		Name:  "dismiss_notification",
		Undo:  "Undo: mark_unread, among those dismissed.",
		Title: "Dismiss",
		Doc:   "Take one notification off the list.",
	},
		"It is dismissed.", "dismissed", "unread", "read")
	MarkAllRead = markAll(allOf{
		Name:  "mark_all_read",
		Undo:  "Undo for each: mark_unread.",
		Title: "Mark all as read",
		Tool:  true,
		Doc:   "Take every notification out of what is unread.",
	},
		"All are marked as read.", "read", "unread")
	DismissAll = markAll(allOf{
		Name:  "dismiss_all",
		Undo:  "Undo for each: mark_unread, under dismissed ones.",
		Title: "Dismiss all",
		Doc:   "Take every notification off the list. They stay among what is dismissed.",
	},
		"All are dismissed.", "dismissed", "unread", "read")
)

// NotificationParams has the key of one notification.
type NotificationParams struct {
	Notification string `param:"notification,choice" doc:"Which one."`
}

func markOne(a oneOf, message, to string, from ...string) *action.Spec[*store.Inbox] {
	a.Scope, a.AllowedFor, a.Silent = store.ScopeWrite, store.Self, true
	a.Guard = func(_ store.Actor, b *store.Inbox) error {
		if len(notifications(b, from)) == 0 {
			return store.Errorf(store.Conflict, "There is no such notification on this page.")
		}
		return nil
	}
	a.Offers = func(_ store.Actor, b *store.Inbox) param.Offers {
		return param.Offers{"notification": {Options: notifications(b, from)}}
	}
	a.Run = func(tx *store.Tx, _ store.Actor, b *store.Inbox, p NotificationParams) (action.Done, error) {
		return action.Done{Message: message}, tx.MarkNotifications(b, []string{p.Notification}, to)
	}
	return action.New(a)
}

func markAll(a allOf, message, to string, from ...string) *action.Spec[*store.Inbox] {
	a.Scope, a.AllowedFor, a.Silent = store.ScopeWrite, store.Self, true
	a.Guard = func(_ store.Actor, b *store.Inbox) error {
		if b.Unread == 0 && len(notifications(b, from)) == 0 {
			return store.Errorf(store.Conflict, "There is nothing left to do it to.")
		}
		return nil
	}
	a.Run = func(tx *store.Tx, _ store.Actor, b *store.Inbox, _ struct{}) (action.Done, error) {
		return action.Done{Message: message}, tx.MarkNotifications(b, nil, to)
	}
	return action.New(a)
}

// notifications returns the inbox's notifications in one of the states, as options of a field.
func notifications(b *store.Inbox, states []string) []param.Option {
	var list []param.Option
	for i := range b.List {
		for _, s := range states {
			if b.Markable(&b.List[i]) && b.List[i].State() == s {
				list = append(list, param.Option{Value: b.List[i].Key()})
			}
		}
	}
	return list
}
