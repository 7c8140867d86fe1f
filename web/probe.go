package web

import (
	"context"
	"errors"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/wire"
)

// journalProbe journals a refused call of a person if the action's Probing function reports that the refusal reveals
// something which the person may not see. It logs errors.
func (s *Site) journalProbe(by store.Actor, call Call, refusal error) {
	bad, ok := errors.AsType[param.Errors](refusal)
	at, err := s.resolve(call.URL)
	if !ok || err != nil || by.Anonymous() || by.System {
		return
	}
	if d := at.route.decl(call.Action); d == nil || d.Probing == nil || !d.Probing(bad) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		subject, err := at.route.find(tx, by, at)
		if err != nil {
			return err
		}
		_, err = tx.Journal(by, store.Change{Action: call.Action, Target: subject.Ref(),
			Why: wire.Clip(refusedWhy+bad.Error(), 500)})
		return err
	})
	if err != nil {
		s.log.Warn("a refused call was not journalled", "error", err)
	}
}

// refusedWhy begins the reason in a journal entry about a refused call.
const refusedWhy = "Refused: "
