// Package hook sends the events of organizations to their webhooks, and the notifications of people to theirs, in the
// format of the Standard Webhooks specification 1.0.
package hook

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"samepage/store"
	"samepage/store/governance"
	"samepage/web/outgoing"
)

// settling is the time from a commit to the search for new events, so that many commits cause one search.
const settling = 100 * time.Millisecond

// Config configures a [Sender].
type Config struct {
	Store  *store.Store
	Origin func() string // scheme and host of the links in events
	// Did returns the verb of a journal entry, such as "voted on".
	Did   func(e *store.Entry) string
	Allow []netip.Prefix // addresses outside the public internet that deliveries may go to
	// Stop pauses a webhook of an organization, with the reason why.
	Stop func(tx *store.Tx, w *governance.Webhook, why string) error
	// StopOwn pauses the webhook of a person, with the reason why.
	StopOwn func(tx *store.Tx, w *governance.OwnWebhook, why string) error
	MayRead func(tx *store.Tx, by store.Actor, path string) (bool, error)
	Done    func(err error) // if set, called after each search for new events and due deliveries with its error, or nil
	Log     *slog.Logger
	// AtOnce is the largest number of webhooks that get deliveries at the same time; 0 for 16. One webhook gets one
	// delivery at a time, so that a slow receiver delays only its own deliveries.
	AtOnce int
	// Turn is how long one webhook gets deliveries before other webhooks get their turn; 0 for 30 seconds.
	Turn time.Duration
}

// Sender queues and sends the deliveries of all webhooks. Several processes on one database may each have one.
type Sender struct {
	Config
	client *http.Client
	name   string // in leases
	busy   sync.Map
	places chan struct{}
	served sync.Map                             // end of the last turn of each webhook with more to send, by its id
	hooked atomic.Pointer[map[store.Topic]bool] // topics of the organizations with webhooks; nil if not known yet
}

// New returns a sender, which does nothing before [Sender.Run].
func New(c Config) *Sender {
	c.Turn = cmp.Or(c.Turn, 30*time.Second)
	return &Sender{Config: c, name: rand.Text(), places: make(chan struct{}, cmp.Or(c.AtOnce, 16)),
		client: outgoing.New(outgoing.Options{Allow: c.Allow, Dial: 3 * time.Second, Timeout: 10 * time.Second,
			Reuse: true})}
}

// Run queues and sends deliveries until ctx is done. It looks for new events and due deliveries at every interval, and
// soon after each commit that may concern a webhook. It returns when the last delivery has ended.
func (s *Sender) Run(ctx context.Context, interval time.Duration) {
	changed := make(chan struct{}, 1)
	stop := s.Store.Watch(func(topics []store.Topic) {
		var hooked map[store.Topic]bool
		if known := s.hooked.Load(); known != nil {
			hooked = *known
		}
		if !Concerns(hooked, topics) {
			return
		}
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	defer stop()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var sending sync.WaitGroup
	defer sending.Wait()
	for {
		err := s.round(ctx, &sending)
		if s.Done != nil && ctx.Err() == nil {
			s.Done(err)
		}
		if err != nil && ctx.Err() == nil {
			s.Log.Error("webhooks were not sent", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-changed:
			select {
			case <-ctx.Done():
				return
			case <-time.After(settling):
			}
		}
	}
}

// Concerns reports whether a change of these topics may be an event for a webhook. The argument hooked has the topics
// of the organizations with webhooks, or is nil if they are not known yet. Without topics, anything may have changed.
func Concerns(hooked map[store.Topic]bool, topics []store.Topic) bool {
	return len(topics) == 0 || hooked == nil ||
		slices.ContainsFunc(topics, func(t store.Topic) bool { return t.BeginsWebhook() || hooked[t] })
}

func (s *Sender) round(ctx context.Context, sending *sync.WaitGroup) error {
	var behind []governance.Webhook
	var behindOwn []governance.OwnWebhook
	hooked := map[store.Topic]bool{}
	if err := s.Store.Read(ctx, func(tx *store.Tx) error {
		orgs, err := governance.HookedOrganizations(tx)
		if err != nil {
			return err
		}
		for _, id := range orgs {
			hooked[store.EventsTopic(id)] = true
		}
		if behind, err = governance.BehindWebhooks(tx, 1000); err != nil {
			return err
		}
		behindOwn, err = governance.BehindOwnWebhooks(tx, 1000)
		return err
	}); err != nil {
		return err
	}
	s.hooked.Store(&hooked)
	var failed error
	queue := func(fn func(tx *store.Tx) error) {
		err := s.Store.Write(ctx, fn)
		if store.CodeOf(err) != store.Conflict { // a conflict means that another process was first
			failed = errors.Join(failed, err)
		}
	}
	for i := range behind {
		queue(func(tx *store.Tx) error {
			if behind[i].MakerGone {
				return s.stop(tx, behind[i].ID, makerGone)
			}
			return governance.QueueDeliveries(tx, &behind[i])
		})
	}
	for i := range behindOwn {
		queue(func(tx *store.Tx) error { return governance.QueueOwnDeliveries(tx, &behindOwn[i]) })
	}
	return errors.Join(failed, s.sendDue(ctx, sending))
}

// sendDue starts to send the deliveries that are due. It begins with webhooks that have had no turn or have sent
// everything, and continues with those with a last turn that ended longest ago. Otherwise webhooks with a long backlog
// could take all of s.places in every round.
func (s *Sender) sendDue(ctx context.Context, sending *sync.WaitGroup) error {
	var due []governance.Endpoint
	if err := s.Store.Read(ctx, func(tx *store.Tx) (err error) {
		due, err = governance.DueWebhooks(tx, 1000)
		return err
	}); err != nil {
		return err
	}
	slices.SortStableFunc(due, func(a, b governance.Endpoint) int { return s.lastTurn(&a).Compare(s.lastTurn(&b)) })
	for i := range due {
		e := &due[i]
		if _, already := s.busy.LoadOrStore(e.ID, true); already {
			continue
		}
		select {
		case s.places <- struct{}{}:
			sending.Go(func() {
				defer func() { s.busy.Delete(e.ID); <-s.places }()
				s.serve(ctx, e)
			})
		default: // all places are taken; the next round finds the webhook again
			s.busy.Delete(e.ID)
		}
	}
	return nil
}

func (s *Sender) stop(tx *store.Tx, id, why string) error {
	w, err := governance.WebhookOf(tx, id)
	if err == nil {
		err = w.MustBe("active")
	}
	if err != nil {
		return err
	}
	return s.Stop(tx, w, why)
}

// lastTurn returns the time of a webhook in s.served, or the zero time if there is none.
func (s *Sender) lastTurn(e *governance.Endpoint) time.Time {
	at, _ := s.served.Load(e.ID)
	t, _ := at.(time.Time)
	return t
}

// serve sends the due deliveries of one webhook, one after another, for about the time s.Turn.
func (s *Sender) serve(ctx context.Context, e *governance.Endpoint) {
	for end := time.Now().Add(s.Turn); ctx.Err() == nil; {
		some, err := s.next(ctx, e)
		if err != nil && ctx.Err() == nil {
			s.Log.Error("a webhook was not sent", "webhook", e.ID, "error", err)
		}
		if err != nil || !some {
			s.served.Delete(e.ID)
			return
		}
		if now := time.Now(); now.After(end) {
			s.served.Store(e.ID, now)
			return
		}
	}
}

// next sends the webhook's delivery that has been due for the longest time. It reports whether a delivery was due.
func (s *Sender) next(ctx context.Context, e *governance.Endpoint) (some bool, err error) {
	var d *governance.Delivery
	var m *message
	err = s.Store.Write(ctx, func(tx *store.Tx) (err error) {
		m = nil
		if d, err = governance.LeaseDelivery(tx, e, s.name); err != nil || d == nil {
			return err
		}
		if m, err = s.compose(tx, d); err != nil || !m.skipped {
			return err
		}
		return m.touch(tx)
	})
	switch {
	case err != nil || d == nil:
		return false, err
	case m.skipped:
		return true, nil
	}
	a := governance.Attempt{Problem: m.problem}
	if a.Problem == "" {
		a = s.send(ctx, m)
	}
	if a.Problem != "" && ctx.Err() != nil { // the server is stopping
		return false, s.Store.Write(context.WithoutCancel(ctx),
			func(tx *store.Tx) error { return governance.ReleaseDelivery(tx, d) })
	}
	return true, s.Store.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return s.record(tx, m, d, a) })
}

// record stores the result of an attempt. It pauses an active webhook in three cases: the receiver answered 410 Gone;
// the delivery was given up, is not a test, and the receiver accepted nothing after the delivery was created; or the
// message has a reason to pause the webhook.
func (s *Sender) record(tx *store.Tx, m *message, d *governance.Delivery, a governance.Attempt) error {
	gaveUp, err := governance.RecordAttempt(tx, d, a)
	if err != nil {
		return err
	}
	if err := m.touch(tx); err != nil {
		return err
	}
	switch {
	case m.to.MustBe("active") != nil:
		return nil
	case a.Status == http.StatusGone:
		return m.pause(tx, "The receiver says that the address is gone (410).")
	case gaveUp && d.Seq > 0 && !m.to.AcceptedAt.After(d.CreatedAt.Time):
		return m.pause(tx, "Nothing was accepted for a day. The last problem: "+a.Problem+".")
	case m.stop != "":
		return m.pause(tx, m.stop)
	}
	return nil
}
