package web

import (
	"context"
	"strconv"
	"time"

	"samepage/store"
	"samepage/store/db"
	"samepage/store/governance"
	"samepage/web/metric"
)

// meters count the requests, actions and background jobs of a site. A nil *meters counts nothing.
type meters struct {
	Requests metric.Counter   `metric:"samepage_requests_total" labels:"door,page,status" help:"Requests by page and class of the answer."`
	Took     metric.Histogram `metric:"samepage_request_seconds" labels:"page" help:"Time to the answer, without requests that wait."`
	Actions  metric.Counter   `metric:"samepage_actions_total" labels:"action,outcome" help:"Actions by name and outcome."`
	Jobs     metric.Counter   `metric:"samepage_jobs_total" labels:"job,outcome" help:"Runs of background jobs, done or failed."`
	LastJob  metric.Gauge     `metric:"samepage_job_last_done_timestamp_seconds" labels:"job" help:"When a background job was last done."`
}

// gauges are read at each scrape.
type gauges struct {
	Waiting int64 `metric:"samepage_waiting_requests" help:"Requests that wait for a page to change (?wait=30, open pages in browsers)."`
}

type mails struct {
	Mails map[string]int64 `metric:"samepage_mails" labels:"state" help:"Mails that wait, and those given up in the last 90 days."`
}

type deliveries struct {
	Deliveries map[string]int64 `metric:"samepage_webhook_deliveries" labels:"state" help:"Events to webhooks: waiting and given up."`
}

// Metrics returns the declarations of all metrics of a site, for the documentation.
func Metrics() []metric.Declared {
	return metric.List(meters{}, gauges{}, mails{}, deliveries{}, db.Stats{})
}

const (
	jobSchedule = "schedule"
	jobSweep    = "sweep"
	jobMail     = "mail"
	jobWebhooks = "webhooks"
)

// These are the outcomes of actions and jobs. A failed action has the code of its error instead.
const (
	outcomeDone   = "done"
	outcomeFailed = "failed"
	outcomeHeld   = "held"
	outcomeDryRun = "dry_run"
)

// newMeters adds the metrics of the site to the set. It returns nil if the set is nil.
func (s *Site) newMeters(set *metric.Set) *meters {
	if set == nil {
		return nil
	}
	m := &meters{}
	set.Fill(m)
	metric.Watch(set, func() (gauges, error) { return gauges{Waiting: s.hub.waiters.Load()}, nil })
	metric.Watch(set, func() (db.Stats, error) { return s.store.Stats(), nil })
	metric.Watch(set, s.queuedMails)
	metric.Watch(set, s.queuedDeliveries)
	return m
}

func (s *Site) queuedMails() (m mails, err error) {
	m.Mails, err = s.queued((*store.Tx).WaitingMails)
	return m, err
}

func (s *Site) queuedDeliveries() (d deliveries, err error) {
	d.Deliveries, err = s.queued(governance.WaitingDeliveries)
	return d, err
}

// queued counts the waiting and the failed entries of a queue. It waits at most two seconds for the database.
func (s *Site) queued(count func(*store.Tx) (waiting, failed int, err error)) (counts map[string]int64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		waiting, failed, err := count(tx)
		counts = map[string]int64{"waiting": int64(waiting), "given_up": int64(failed)}
		return err
	})
	return counts, err
}

func (m *meters) request(v *visit, took time.Duration) {
	if m == nil {
		return
	}
	m.Requests.WithLabelValues(v.door, v.page, strconv.Itoa(v.status/100)+"xx").Inc()
	if !v.waited {
		m.Took.WithLabelValues(v.page).Observe(took.Seconds())
	}
}

func (m *meters) action(at *Location, name string, out Outcome, err error) {
	if m == nil {
		return
	}
	if d := at.route.decl(name); d != nil {
		name = d.Name // the name may be an alias
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
