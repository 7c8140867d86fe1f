package web

import (
	"context"
	"sync"
	"time"

	"samepage/actions"
	"samepage/store"
)

// cyclesEnd is the interval at which cycles can end: time zones differ by quarters of an hour.
const cyclesEnd = 15 * time.Minute

// schedulerBatch is the largest number of pages that the scheduler reads at a time.
const schedulerBatch = 100

// The sweep runs once a day, and first soon after a start: a server may run for less than a day.
const (
	sweepEvery = 24 * time.Hour
	firstSweep = 10 * time.Minute
)

// Run does all scheduled work once an interval until ctx ends.
func (s *Site) Run(ctx context.Context, interval time.Duration) {
	if s.limits.shared {
		go s.shareLimits(ctx)
	}
	tick, sweep := time.NewTicker(interval), time.NewTimer(firstSweep)
	defer tick.Stop()
	defer sweep.Stop()
	var mail sync.WaitGroup
	defer mail.Wait()
	mail.Go(func() { s.account.RunMail(ctx, interval) })
	for {
		s.CloseDue(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-sweep.C:
			s.sweep(ctx)
			sweep.Reset(sweepEvery)
		}
	}
}

// sweep removes attached files without references and old log rows, and tidies the search index.
func (s *Site) sweep(ctx context.Context) {
	if n, err := s.store.SweepBlobs(ctx); err != nil || n > 0 {
		s.log.Info("files without references were removed", "removed", n, "error", err)
	}
	s.pruneCalls(ctx)
	if err := s.store.TidySearch(ctx); err != nil && ctx.Err() == nil { // otherwise the server is stopping
		s.log.Error("the search index was not tidied", "error", err)
	}
}

// pruneCalls deletes old refused calls, 1,000 in each transaction, so that other writers need not
// wait long.
func (s *Site) pruneCalls(ctx context.Context) {
	for some := true; some; {
		if err := s.store.Write(ctx, func(tx *store.Tx) (err error) {
			some, err = tx.PruneCalls(1000)
			return err
		}); err != nil {
			s.log.Error("old refused calls were not deleted", "error", err)
			return
		}
	}
}

// shareLimits exchanges the counts of requests with the other servers on the database once a
// second.
func (s *Site) shareLimits(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			err := s.limits.share(ctx, s.store)
			if err == nil && now.Second() == 0 {
				err = s.store.Write(ctx, func(tx *store.Tx) error { return tx.ForgetUse(tx.Now.Add(-5 * time.Minute)) })
			}
			if err != nil && ctx.Err() == nil {
				s.log.Warn("the limits count the requests of this server alone", "error", err)
			}
		}
	}
}

// CloseDue takes the scheduled actions as the scheduler, each in a transaction of its own:
// reminders, the closing of due items and the expiry of approvals. Then it sends the digests of
// cycles that are over. Errors are logged.
func (s *Site) CloseDue(ctx context.Context) {
	err := s.store.Alone(ctx, "schedule", func(ctx context.Context) {
		for _, pattern := range s.order {
			p := s.bound[pattern]
			if p.index(actions.Remind) >= 0 {
				s.byClock(ctx, actions.Remind, func(tx *store.Tx) ([]string, error) {
					return tx.SoonItems(p.kind, schedulerBatch)
				})
			}
			if p.due != "" {
				s.byClock(ctx, p.due, func(tx *store.Tx) ([]string, error) { return p.overdue(tx, schedulerBatch) })
			}
		}
		s.byClock(ctx, actions.Expire.Name, func(tx *store.Tx) ([]string, error) { return tx.DueApprovals(schedulerBatch) })
		s.sumUp(ctx)
	})
	if err != nil && ctx.Err() == nil { // otherwise the server is stopping
		s.log.Error("the scheduler cannot run", "error", err)
	}
}

// sumUp sends the digests of cycles that are over. It looks once in each interval of cyclesEnd, and
// again if a digest failed or more than schedulerBatch were due.
func (s *Site) sumUp(ctx context.Context) {
	at := s.store.Now().Truncate(cyclesEnd).Unix()
	if s.summed.Load() != at && s.byClock(ctx, actions.SendDigest.Name, func(tx *store.Tx) ([]string, error) {
		return tx.EndedCycles(schedulerBatch)
	}) {
		s.summed.Store(at)
	}
}

// byClock takes an action, as the scheduler, on every page that list returns. It reports whether
// all pages were read and no action failed.
func (s *Site) byClock(ctx context.Context, name string, list func(*store.Tx) ([]string, error)) bool {
	var due []string
	if err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
		due, err = list(tx)
		return err
	}); err != nil {
		if ctx.Err() == nil { // otherwise the server is stopping
			s.log.Error("due pages cannot be listed", "error", err)
		}
		return false
	}
	well := len(due) < schedulerBatch
	for _, url := range due {
		if _, err := s.Do(ctx, As(store.System()), Call{URL: url, Action: name}); err != nil &&
			store.CodeOf(err) != store.Conflict { // a conflict means that another actor was first
			s.log.Error("a scheduled action failed", "url", url, "error", err)
			well = false
		}
	}
	return well
}
