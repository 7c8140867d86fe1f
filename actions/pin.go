package actions

import (
	"samepage/actions/action"
	"samepage/store"
)

// PinDecision and UnpinDecision put a decision on its studio's page and take it off.
var (
	PinDecision = pin(func(_ store.Actor, d *store.Decision) error { return d.MustBePinnable(true) },
		func(tx *store.Tx, by store.Actor, d *store.Decision) error { return tx.PinDecision(by, d, true) })
	UnpinDecision = unpin(func(_ store.Actor, d *store.Decision) error { return d.MustBePinnable(false) },
		func(tx *store.Tx, by store.Actor, d *store.Decision) error { return tx.PinDecision(by, d, false) })
)

func pin[S action.Subject](guard func(store.Actor, S) error, do func(*store.Tx, store.Actor, S) error) *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:  "pin",
		Title: "Pin to the studio",
		Doc:   "Keep this page at the top of the studio's page.",
		Scope: store.ScopeWrite,
		Guard: guard,
		Run: func(tx *store.Tx, by store.Actor, s S, _ struct{}) (action.Done, error) {
			return action.Done{Message: "This page is pinned."}, do(tx, by, s)
		},
	})
}

func unpin[S action.Subject](guard func(store.Actor, S) error, do func(*store.Tx, store.Actor, S) error) *action.Spec[S] {
	return action.New(action.Action[S, struct{}]{
		Name:  "unpin",
		Title: "Unpin from the studio",
		Doc:   "Take this page off the top of the studio's page.",
		Scope: store.ScopeWrite,
		Guard: guard,
		Run: func(tx *store.Tx, by store.Actor, s S, _ struct{}) (action.Done, error) {
			return action.Done{Message: "This page is no longer pinned."}, do(tx, by, s)
		},
	})
}
