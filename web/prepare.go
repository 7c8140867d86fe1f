package web

import (
	"context"
	"time"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
)

// prepare runs the Prepare function of the action before the transaction, if the action is offered to the actor. For
// the approval of a held call it runs the Prepare function of the held action. The transaction checks again whether the
// action is offered.
func (s *Site) prepare(ctx context.Context, creds credentials, at *Location, call Call) (ready any, err error) {
	p := at.route
	i := p.index(call.Action)
	if i < 0 || p.prepare[i] == nil && p.decls[i].Name != actions.Approve.Name {
		return nil, nil
	}
	offered := false
	var subject action.Subject
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		by, err := creds.actor(tx)
		if err != nil {
			return err
		}
		if subject, by, _, err = p.offer(tx, by, at, call.Action); err == nil { // an error is reported by the transaction
			offered = !(p.decls[i].Sensitive && credential.Unproved(by, tx.Now))
		}
		return nil
	})
	if err != nil || !offered {
		return nil, err
	}
	if held, ok := subject.(*actions.Held); ok {
		return nil, s.prepareHeld(held.Approval)
	}
	st := s.store
	if call.DryRun {
		st = nil
	}
	return p.prepare[i](st, subject, call.Params, param.Clock{Now: s.store.Now(), Zone: time.UTC})
}

// prepareHeld runs the Prepare function of a held action before the transaction that approves it.
func (s *Site) prepareHeld(a *store.Approval) error {
	at, call, err := s.heldCall(a)
	if err != nil || a.MustBePending() != nil {
		return nil // the transaction will refuse the call
	}
	i := at.route.index(call.Action)
	if i < 0 || at.route.prepare[i] == nil {
		return nil
	}
	_, err = at.route.prepare[i](s.store, nil, call.Params, param.Clock{Now: s.store.Now(), Zone: time.UTC})
	return err
}
