package web

import (
	"context"
	"sync"
	"time"

	"samepage/actions"
	"samepage/store"
)

// Time zones differ by quarters of an hour, so cycles end then.
const cyclesEnd = 15 * time.Minute

// atOnce is how many pages the scheduler is given at a time.
const atOnce = 100

// What is tidied up is tidied so often, and soon after a start, since not every server runs for so long.
const (
	sweepEvery = 24 * time.Hour
	sweepFirst = 10 * time.Minute
)

// Run does what the clock asks for until ctx ends, soon after its time: every interval it looks.
func (s *Site) Run(ctx context.Context, interval time.Duration) {
	if s.limits.shared {
		go s.shareLimits(ctx)
	}
	tick, sweep := time.NewTicker(interval), time.NewTimer(sweepFirst)
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

// sweep removes what nothing names and what is too old, and tidies the search index.
func (s *Site) sweep(ctx context.Context) {
	if n, err := s.store.SweepBlobs(ctx); err != nil || n > 0 {
		s.log.Info("swept files that nothing names", "removed", n, "error", err)
	}
	s.pruneCalls(ctx)
	if err := s.store.TidySearch(ctx); err != nil && ctx.Err() == nil { // else the server is stopping
		s.log.Error("sweep", "error", err)
	}
}

// pruneCalls forgets refused calls that are too old, a few at a time, so that nobody waits for it.
func (s *Site) pruneCalls(ctx context.Context) {
	for some := true; some; {
		if err := s.store.Write(ctx, func(tx *store.Tx) (err error) {
			some, err = tx.PruneCalls(1000)
			return err
		}); err != nil {
			s.log.Error("call log", "error", err)
			return
		}
	}
}

// shareLimits tells the other servers of the database, once a second, how often this one was asked.
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
				s.log.Warn("limits are counted by this server alone", "error", err)
			}
		}
	}
}

// CloseDue does what the clock asks for, as the scheduler, each in a transaction of its own: it reminds of what is due soon and
// does to what is due what its time asks for. Then it sums up the cycles that are over.
func (s *Site) CloseDue(ctx context.Context) {
	err := s.store.Alone(ctx, "schedule", func() {
		for _, pattern := range s.order {
			p := s.bound[pattern]
			if p.index(actions.Remind) >= 0 {
				s.byClock(ctx, actions.Remind, func(tx *store.Tx) ([]string, error) { return tx.SoonItems(p.kind, atOnce) })
			}
			if p.due != "" {
				s.byClock(ctx, p.due, func(tx *store.Tx) ([]string, error) { return p.overdue(tx, atOnce) })
			}
		}
		s.byClock(ctx, actions.Expire.Name, func(tx *store.Tx) ([]string, error) { return tx.DueApprovals(atOnce) })
		s.sumUp(ctx)
	})
	if err != nil && ctx.Err() == nil { // else the server is stopping
		s.log.Error("scheduler", "error", err)
	}
}

// sumUp sums up the cycles that are over. It looks once when some may have ended, and again if it could not finish.
func (s *Site) sumUp(ctx context.Context) {
	at := s.store.Now().Truncate(cyclesEnd).Unix()
	if s.summed.Load() != at && s.byClock(ctx, actions.SendDigest.Name, func(tx *store.Tx) ([]string, error) { return tx.EndedCycles(atOnce) }) {
		s.summed.Store(at)
	}
}

// byClock does an action, as the scheduler, to every page that which names, and reports whether that was all and went well.
func (s *Site) byClock(ctx context.Context, name string, which func(*store.Tx) ([]string, error)) bool {
	var due []string
	if err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
		due, err = which(tx)
		return err
	}); err != nil {
		if ctx.Err() == nil { // else the server is stopping
			s.log.Error("scheduler", "error", err)
		}
		return false
	}
	well := len(due) < atOnce
	for _, url := range due {
		if _, err := s.Do(ctx, As(store.System()), Call{URL: url, Action: name}); err != nil && store.CodeOf(err) != store.Conflict { // else somebody else was first
			s.log.Error("scheduler", "url", url, "error", err)
			well = false
		}
	}
	return well
}
