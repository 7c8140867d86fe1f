package web

import (
	"context"
	"errors"
	"sync"
	"time"

	"samepage/actions"
	"samepage/store"
)

// cyclesEnd is the interval between the times at which cycles can end. A cycle ends at midnight in the time zone of its
// organization, and time zones differ by multiples of 15 minutes.
const cyclesEnd = 15 * time.Minute

// schedulerBatch is the largest number of due pages that one run handles for one action of one route.
const schedulerBatch = 100

// The first sweep comes soon, because a server may run for less than a day.
const (
	sweepEvery = 24 * time.Hour
	firstSweep = 10 * time.Minute
)

// Run calls [Site.CloseDue] at each interval and [Site.sweep] once a day, and sends mails and events to webhooks, until
// ctx is done.
func (s *Site) Run(ctx context.Context, interval time.Duration) {
	if s.limits.shared {
		go s.shareLimits(ctx)
	}
	tick, sweep := time.NewTicker(interval), time.NewTimer(firstSweep)
	defer tick.Stop()
	defer sweep.Stop()
	var senders sync.WaitGroup
	defer senders.Wait()
	senders.Go(func() { s.account.RunMail(ctx, interval) })
	senders.Go(func() { s.runWebhooks(ctx, interval) })
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

func (s *Site) sweep(ctx context.Context) {
	n, err := s.store.SweepBlobs(ctx)
	if err != nil || n > 0 {
		s.log.Info("files without references were removed", "removed", n, "error", err)
	}
	failed := errors.Join(err, s.prune(ctx))
	if err := s.store.TidySearch(ctx); err != nil && ctx.Err() == nil { // after ctx is done, an error is no fault
		s.log.Error("the search index was not tidied", "error", err)
		failed = errors.Join(failed, err)
	}
	if ctx.Err() == nil {
		s.meters.job(jobSweep, failed)
	}
}

func (s *Site) prune(ctx context.Context) error {
	gone, err := s.store.Prune(ctx)
	if gone != (store.Pruned{}) {
		s.log.Info("old rows were deleted", "notifications", gone.Notifications, "refused calls", gone.Calls, "answers", gone.Answers,
			"deliveries", gone.Deliveries)
	}
	if err != nil && ctx.Err() == nil { // an error after ctx is done only means that the server is stopping
		s.log.Error("old rows were not deleted; that is tried again in a day", "error", err)
	}
	return err
}

// shareLimits adds up the request counts of all servers on the database, once a second.
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
				s.seldom.Warn("the limits count the requests of this server alone", "error", err)
			}
		}
	}
}

// CloseDue takes the actions that are due now: reminders, the Due action of each [Route], the end of expired approvals
// and the digests of cycles. Each action has its own transaction. If several servers share the database, only one runs
// CloseDue at a time.
func (s *Site) CloseDue(ctx context.Context) {
	err := s.store.Alone(ctx, "schedule", func(ctx context.Context) {
		var failed error
		for _, pattern := range s.order {
			p := s.bound[pattern]
			if p.index(actions.Remind) >= 0 {
				_, err := s.byClock(ctx, actions.Remind, func(tx *store.Tx) ([]string, error) {
					return p.soon(tx, schedulerBatch)
				})
				failed = errors.Join(failed, err)
			}
			if p.due != "" {
				_, err := s.byClock(ctx, p.due, func(tx *store.Tx) ([]string, error) { return p.overdue(tx, schedulerBatch) })
				failed = errors.Join(failed, err)
			}
		}
		_, err := s.byClock(ctx, actions.Expire.Name, func(tx *store.Tx) ([]string, error) {
			return tx.DueApprovals(schedulerBatch)
		})
		failed = errors.Join(failed, err, s.sumUp(ctx))
		if ctx.Err() == nil {
			s.meters.job(jobSchedule, failed)
		}
	})
	if err != nil && ctx.Err() == nil { // an error after ctx is done only means that the server is stopping
		s.meters.job(jobSchedule, err)
		s.seldom.Error("the scheduler cannot run", "error", err)
	}
}

// scheduleFailed logs the failure of a scheduled action. It limits the lines about a lasting fault, such as a full
// disk, because the scheduler tries again every few seconds.
func (s *Site) scheduleFailed(url string, err error) {
	const message = "a scheduled action failed"
	if store.CodeOf(err) == store.Unavailable {
		s.seldom.Error(message, "url", url, "error", err)
		return
	}
	s.log.Error(message, "url", url, "error", err)
}

// sumUp sends the digests of cycles that have ended. After a complete success it does nothing until the next multiple
// of cyclesEnd.
func (s *Site) sumUp(ctx context.Context) error {
	at := s.store.Now().Truncate(cyclesEnd).Unix()
	if s.summed.Load() == at {
		return nil
	}
	all, err := s.byClock(ctx, actions.SendDigest.Name, func(tx *store.Tx) ([]string, error) {
		return tx.EndedCycles(schedulerBatch)
	})
	if all {
		s.summed.Store(at)
	}
	return err
}

// byClock takes an action as the scheduler on every page that list returns. The result all is false if an action
// failed, or if more pages may be due.
func (s *Site) byClock(ctx context.Context, name string, list func(*store.Tx) ([]string, error)) (all bool, err error) {
	var due []string
	if err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
		due, err = list(tx)
		return err
	}); err != nil {
		if ctx.Err() == nil { // otherwise the server is stopping
			s.seldom.Error("due pages cannot be listed", "error", err)
		}
		return false, err
	}
	for _, url := range due {
		if _, derr := s.Do(ctx, As(store.System()), Call{URL: url, Action: name}); derr != nil &&
			store.CodeOf(derr) != store.Conflict { // a conflict means that another actor was first
			s.scheduleFailed(url, derr)
			err = errors.Join(err, derr)
		}
	}
	return err == nil && len(due) < schedulerBatch, err
}
