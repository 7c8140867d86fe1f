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

// prepared has the result of an action's Prepare function: the params with the fields that the function filled.
type prepared struct{ params any }

// values returns the params, or nil if nothing was prepared.
func (r *prepared) values() any {
	if r == nil {
		return nil
	}
	return r.params
}

func (p *BoundRoute) prepares(i int) bool {
	return p.prepare[i] != nil || p.decls[i].Name == actions.Approve.Name
}

// prepare runs the Prepare function of the action before the transaction, if the action is offered to the actor. For an
// approval it runs that of the held action. The result is nil if nothing was prepared. If the action is offered only
// later, in the transaction, the transaction refuses the call.
func (s *Site) prepare(ctx context.Context, creds credentials, at *Location, call Call) (*prepared, error) {
	p := at.route
	i := p.index(call.Action)
	if i < 0 || !p.prepares(i) {
		return nil, nil
	}
	offered := false
	var subject action.Subject
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		by, err := creds.actor(tx)
		if err != nil {
			return err
		}
		if subject, by, _, err = p.offer(tx, by, at, call.Action); err == nil { // the transaction reports a refusal
			offered = !(p.decls[i].Sensitive && credential.Unproved(by, tx.Now))
		}
		return nil // Read returns the error of a failed statement in any case
	})
	if err != nil || !offered {
		return nil, err
	}
	st := s.store
	if call.DryRun {
		st = nil
	}
	if held, ok := subject.(*actions.Held); ok {
		return s.prepareHeld(st, held.Approval)
	}
	params, err := p.prepare[i](st, subject, call.Params, param.Clock{Now: s.store.Now(), Zone: time.UTC})
	return &prepared{params}, err
}

// prepareHeld runs the Prepare function of a held action before the transaction that approves it. The store is nil in a
// dry run.
func (s *Site) prepareHeld(st *store.Store, a *store.Approval) (*prepared, error) {
	at, call, err := s.heldCall(a)
	if err != nil {
		return &prepared{}, nil // the transaction reads the same stored call and reports the error
	}
	i := at.route.index(call.Action)
	if i < 0 || at.route.prepare[i] == nil {
		return &prepared{}, nil
	}
	_, err = at.route.prepare[i](st, nil, call.Params, param.Clock{Now: s.store.Now(), Zone: time.UTC})
	return &prepared{}, err
}
