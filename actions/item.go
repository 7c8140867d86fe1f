package actions

import (
	"samepage/actions/action"
	"samepage/store"
)

// Item is a subject that somebody put into a studio.
type Item interface {
	action.Subject
	Common() *store.Item
}

// The verbs that every kind of item takes.
const (
	Comment = "comment"
	Pin     = "pin"
	Unpin   = "unpin"
)

// common declares them for one kind.
func common[S Item]() []*action.Spec[S] {
	return []*action.Spec[S]{comment[S](), pin[S](), unpin[S]()}
}

func comment[S Item]() *action.Spec[S] {
	return action.New(action.Action[S, CommentParams]{
		Name:    Comment,
		Title:   "Comment",
		Doc:     "Add a remark that everyone who sees this page can read.",
		Scope:   store.ScopeWrite,
		Aliases: []string{"add_comment", "reply"},
		Guard:   func(_ store.Actor, s S) error { return s.Common().Studio.MustBeJoined() },
		Run: func(tx *store.Tx, by store.Actor, s S, p CommentParams) (action.Done, error) {
			_, err := tx.AddComment(by, s.Common(), p.Text)
			return action.Done{Message: "Your comment is added."}, err
		},
	})
}

// CommentParams are what a comment takes.
type CommentParams struct {
	Text string `param:"text,markdown" max:"10000" doc:"Your remark."`
}

func pin[S Item]() *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:  Pin,
		Title: "Pin to the studio",
		Doc:   "Keep this page at the top of the studio's page.",
		Scope: store.ScopeWrite,
		Guard: func(_ store.Actor, s S) error { return s.Common().MustBePinnable(true) },
		Run: func(tx *store.Tx, by store.Actor, s S, _ struct{}) (action.Done, error) {
			return action.Done{Message: "This page is pinned."}, tx.Pin(by, s.Common(), true)
		},
	})
}

func unpin[S Item]() *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:  Unpin,
		Title: "Unpin from the studio",
		Doc:   "Take this page off the top of the studio's page.",
		Scope: store.ScopeWrite,
		Guard: func(_ store.Actor, s S) error { return s.Common().MustBePinnable(false) },
		Run: func(tx *store.Tx, by store.Actor, s S, _ struct{}) (action.Done, error) {
			return action.Done{Message: "This page is no longer pinned."}, tx.Pin(by, s.Common(), false)
		},
	})
}
