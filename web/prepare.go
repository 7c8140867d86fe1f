package web

import (
	"context"
	"time"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// prepare does what the action wants done before its transaction, if it is on offer; whether it still is, the transaction finds out.
func (s *Site) prepare(ctx context.Context, who credentials, at *location, call Call) (ready any, err error) {
	p := at.route
	i := p.index(call.Action)
	if i < 0 || p.prepare[i] == nil && p.decls[i].Name != actions.Approve.Name {
		return nil, nil
	}
	offered := false
	var subject action.Subject
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		by, err := who.actor(tx)
		if err != nil {
			return err
		}
		if subject, by, _, err = p.offer(tx, by, at, call.Action); err == nil { // else the transaction says so
			offered = !(p.decls[i].Sensitive && by.Unproved(tx.Now))
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

// prepareHeld does what the action that is about to be approved wants done before the transaction.
func (s *Site) prepareHeld(a *store.Approval) error {
	at, call, err := s.held(a)
	if err != nil || a.MustBePending() != nil {
		return nil // it will be refused
	}
	i := at.route.index(call.Action)
	if i < 0 || at.route.prepare[i] == nil {
		return nil
	}
	_, err = at.route.prepare[i](s.store, nil, call.Params, param.Clock{Now: s.store.Now()})
	return err
}
