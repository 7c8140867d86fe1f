package actions

import (
	"samepage/actions/action"
	"samepage/store"
)

// CommentDecision adds a remark under a decision.
var CommentDecision = comment(
	func(by store.Actor, d *store.Decision) error { return d.Studio.MustBeJoined() },
	func(tx *store.Tx, by store.Actor, d *store.Decision, text string) error {
		_, err := tx.CommentDecision(by, d, text)
		return err
	})

// comment declares the verb for one kind of subject.
func comment[S action.Subject](guard func(store.Actor, S) error, add func(*store.Tx, store.Actor, S, string) error) *action.Spec[S] {
	return action.New(action.Action[S, CommentParams]{
		Name:    "comment",
		Title:   "Comment",
		Doc:     "Add a remark that everyone who sees this page can read.",
		Scope:   store.ScopeWrite,
		Aliases: []string{"add_comment", "reply"},
		Guard:   guard,
		Run: func(tx *store.Tx, by store.Actor, s S, p CommentParams) (action.Done, error) {
			return action.Done{Message: "Your comment is added."}, add(tx, by, s, p.Text)
		},
	})
}

// CommentParams are what a comment takes.
type CommentParams struct {
	Text string `param:"text,markdown" max:"10000" doc:"Your remark."`
}
