package web

import (
	"context"
	"time"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
)

// spendAction counts an action once, and says what is left to whoever shows their credentials.
func (s *Site) spendAction(who credentials, by store.Actor, spent *bool) error {
	if *spent {
		return nil
	}
	q, err := s.limits.spend(by, store.UseAction)
	*spent = err == nil
	if err == nil && who.left != nil {
		*who.left = q
	}
	return err
}

// prepare does what the action wants done before its transaction, if it is on offer; whether it still is, the transaction finds out.
func (s *Site) prepare(ctx context.Context, who credentials, at *location, call Call, spent *bool) (ready any, err error) {
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
		if err := s.spendAction(who, by, spent); err != nil {
			return err
		}
		if subject, err = p.find(tx, by, at); err != nil {
			return nil // the transaction says so
		}
		if org := subject.Ref().OrgID; org != "" {
			by = by.In(org)
		}
		offered = p.allowed(i, by, subject) == nil && !(p.decls[i].Sensitive && by.Unproved(tx.Now))
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
