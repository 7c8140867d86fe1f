package web

import (
	"context"
	"time"

	"samepage/store"
	"samepage/store/db"
	"samepage/web/metric"
)

// meters count the requests, actions and jobs of a site. A nil value counts nothing.
type meters struct {
	Requests metric.Counter   `metric:"samepage_requests_total" labels:"door,page,status" help:"Requests by page and class of the answer."`
	Took     metric.Histogram `metric:"samepage_request_seconds" labels:"page" help:"Time to the answer, without requests that wait."`
	Actions  metric.Counter   `metric:"samepage_actions_total" labels:"action,outcome" help:"Actions by name and outcome."`
	Jobs     metric.Counter   `metric:"samepage_jobs_total" labels:"job,outcome" help:"Runs of background jobs, done or failed."`
	LastJob  metric.Gauge     `metric:"samepage_job_last_done_timestamp_seconds" labels:"job" help:"When a background job was last done."`
}

// gauges are sizes of this moment.
type gauges struct {
	Waiting int64 `metric:"samepage_waiting_requests" help:"Requests that wait for a page to change (?wait=30)."`
}

// mails is the queue of mails.
type mails struct {
	Mails map[string]int64 `metric:"samepage_mails" labels:"state" help:"Mails that wait, and those given up in the last 90 days."`
}

// Metrics lists what a site measures, for the documentation.
func Metrics() []metric.Declared { return metric.List(meters{}, gauges{}, mails{}, db.Stats{}) }

// The background jobs.
const (
	jobSchedule = "schedule"
	jobSweep    = "sweep"
	jobMail     = "mail"
)

// The outcomes of actions and jobs that are no codes of errors.
const (
	outcomeDone   = "done"
	outcomeFailed = "failed"
	outcomeHeld   = "held"
	outcomeDryRun = "dry_run"
)

// newMeters returns the meters of a site that are collected by a set; nil without one.
func (s *Site) newMeters(set *metric.Set) *meters {
	if set == nil {
		return nil
	}
	m := &meters{}
	set.Fill(m)
	metric.Watch(set, func() (gauges, error) { return gauges{Waiting: s.hub.waiters.Load()}, nil })
	metric.Watch(set, func() (db.Stats, error) { return s.store.Stats(), nil })
	metric.Watch(set, s.queuedMails)
	return m
}

// queuedMails counts the mails for a scrape, which does not wait long for the database.
func (s *Site) queuedMails() (m mails, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		waiting, failed, err := tx.WaitingMails()
		m.Mails = map[string]int64{"waiting": int64(waiting), "given_up": int64(failed)}
		return err
	})
	return m, err
}

func (m *meters) request(v *visit, took time.Duration) {
	if m == nil {
		return
	}
	m.Requests.WithLabelValues(v.door, v.page, v.class()).Inc()
	if !v.waited {
		m.Took.WithLabelValues(v.page).Observe(took.Seconds())
	}
}

// action counts a call of the action at a location.
func (m *meters) action(at *Location, name string, out Outcome, err error) {
	if m == nil {
		return
	}
	if d := at.route.decl(name); d != nil {
		name = d.Name // not an alias
	} else {
		name = otherPage
	}
	m.Actions.WithLabelValues(name, outcomeOf(out, err)).Inc()
}

func outcomeOf(out Outcome, err error) string {
	switch {
	case err != nil:
		code, _ := classify(err)
		return code
	case out.DryRun:
		return outcomeDryRun
	case out.Held:
		return outcomeHeld
	}
	return outcomeDone
}

// job counts a run of a background job.
func (m *meters) job(name string, err error) {
	switch {
	case m == nil:
	case err != nil:
		m.Jobs.WithLabelValues(name, outcomeFailed).Inc()
	default:
		m.Jobs.WithLabelValues(name, outcomeDone).Inc()
		m.LastJob.WithLabelValues(name).SetToCurrentTime()
	}
}
