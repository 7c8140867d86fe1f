package store_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/store"
	"samepage/store/effort"
	"samepage/store/governance"
	"samepage/store/keyfile"
)

// waitsOfDeliveries are the times between the attempts of a delivery, as the help pages give them.
var waitsOfDeliveries = []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 8 * time.Hour, 8 * time.Hour}

// deliveryModel is the expected state of a delivery.
type deliveryModel struct {
	state    string
	due      time.Time // time of the next attempt; zero if there is none
	attempts int
	holder   string // the last sender with a lease
	leased   time.Time
}

// deliveryRun is one run of random steps on a webhook in a transaction, with the expected deliveries.
type deliveryRun struct {
	w      *world
	tx     *store.Tx
	id     string
	paused bool
	behind int // number of journal entries whose deliveries are not queued yet
	list   []deliveryModel
	held   []*governance.Delivery // deliveries that senders have leased; a lease may have been lost since
	made   int
}

// TestDeliveryModel lets senders, people and time act on the deliveries of a webhook in random order. After each step
// it compares all deliveries with a model. No event may be skipped or queued twice. A delivery has one sender at a
// time, and is given up after the last wait. If the receiver has accepted a delivery, its state is accepted even if its
// sender had lost the lease.
func TestDeliveryModel(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	w.Store.UseKeys(keyfile.New())
	steps := 0
	checkModel(t, &steps, func(t *rapid.T) {
		w.undone(t, func(tx *store.Tx) error {
			x := &deliveryRun{w: w, tx: tx}
			h, _, err := governance.CreateWebhook(tx, w.alice, w.acme,
				governance.NewWebhook{Address: "https://hooks.example.org/"})
			if err != nil {
				return err
			}
			x.id = h.ID
			t.Repeat(map[string]func(*rapid.T){"event": x.event, "queue": x.queue, "lease": x.lease,
				"lease again": x.lease,
				"accepted":    x.accepted, "refused": x.refused, "refused again": x.refused, "release": x.release,
				"postpone": x.postpone, "leave out": x.leaveOut,
				"redeliver": x.redeliver, "pause": x.pause, "test": x.test, "pass": x.pass, "pass more": x.pass,
				"": func(t *rapid.T) { x.check(t); steps++ }})
			return nil
		})
	})
}

func (x *deliveryRun) must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (x *deliveryRun) hook(t *rapid.T) *governance.Webhook {
	t.Helper()
	h, err := governance.WebhookOf(x.tx, x.id)
	x.must(t, err)
	return h
}

func (x *deliveryRun) event(t *rapid.T) {
	x.made++
	_, err := x.tx.Journal(x.w.bob, store.Change{Action: "comment", Target: x.w.standups.Ref(),
		After: fmt.Sprint("Comment ", x.made)})
	x.must(t, err)
	if !x.paused {
		x.behind++
	}
}

// queue queues deliveries for new journal entries. Then it tries again from the former position in the journal, as a
// slower process would, and expects a conflict.
func (x *deliveryRun) queue(t *rapid.T) {
	h := x.hook(t)
	err := x.tx.Nested(func() error { return governance.QueueDeliveries(x.tx, h) })
	if (store.CodeOf(err) == store.Conflict) != x.paused || err != nil && !x.paused {
		t.Fatalf("paused %t: %v", x.paused, err)
	}
	if x.paused {
		return
	}
	for range x.behind {
		x.list = append(x.list, deliveryModel{state: "waiting", due: x.tx.Now})
	}
	if x.behind > 0 {
		err := x.tx.Nested(func() error { return governance.QueueDeliveries(x.tx, h) })
		if store.CodeOf(err) != store.Conflict {
			t.Fatalf("entries are queued twice: %v", err)
		}
	}
	x.behind = 0
}

func (x *deliveryRun) lease(t *rapid.T) {
	sender := rapid.SampledFrom([]string{"here", "there"}).Draw(t, "sender")
	next := -1
	for i := range x.list {
		d := &x.list[i]
		free := d.state == "waiting" && !d.due.After(x.tx.Now) && !d.leased.After(x.tx.Now) && !x.paused
		if free && (next < 0 || d.due.Before(x.list[next].due)) {
			next = i
		}
	}
	d, err := governance.LeaseDelivery(x.tx, &governance.Endpoint{ID: x.id}, sender)
	if err != nil || (d == nil) != (next < 0) {
		t.Fatalf("the next is %d: %v", next+1, err)
	}
	if next < 0 {
		return
	}
	if d.N != next+1 {
		t.Fatalf("%d is leased, not %d", d.N, next+1)
	}
	x.list[next].holder, x.list[next].leased = sender, x.tx.Now.Add(time.Minute)
	x.held = append(x.held, d)
}

// one takes a random delivery from the leased ones. The sender may have lost the lease.
func (x *deliveryRun) one(t *rapid.T) (*governance.Delivery, *deliveryModel) {
	if len(x.held) == 0 {
		t.Skip("nothing was leased")
	}
	i := rapid.IntRange(0, len(x.held)-1).Draw(t, "leased")
	d := x.held[i]
	x.held = append(x.held[:i:i], x.held[i+1:]...)
	return d, &x.list[d.N-1]
}

func (x *deliveryRun) accepted(t *rapid.T) {
	d, m := x.one(t)
	gaveUp, err := governance.RecordAttempt(x.tx, d, governance.Attempt{Status: 204})
	x.must(t, err)
	if gaveUp {
		t.Fatal("an accepted delivery is given up")
	}
	m.state, m.due, m.attempts, m.leased = "accepted", time.Time{}, m.attempts+1, time.Time{}
}

func (x *deliveryRun) refused(t *rapid.T) {
	d, m := x.one(t)
	wait := rapid.SampledFrom([]time.Duration{0, 0, 10 * time.Minute}).Draw(t, "asked")
	gaveUp, err := governance.RecordAttempt(x.tx, d, governance.Attempt{Status: 500,
		Problem: "the receiver answered 500", Wait: wait})
	x.must(t, err)
	last := d.Attempts >= len(waitsOfDeliveries)
	if m.holder != d.LeasedBy || m.state != "waiting" {
		if gaveUp {
			t.Fatal("another sender has it, or it is over")
		}
		return
	}
	if gaveUp != last {
		t.Fatalf("after %d attempts, it is given up: %t", d.Attempts+1, gaveUp)
	}
	m.attempts, m.leased = m.attempts+1, time.Time{}
	if last {
		m.state, m.due = "given up", time.Time{}
	} else {
		m.due = x.tx.Now.Add(max(waitsOfDeliveries[d.Attempts], wait))
	}
}

func (x *deliveryRun) release(t *rapid.T) {
	d, m := x.one(t)
	x.must(t, governance.ReleaseDelivery(x.tx, d))
	if m.holder == d.LeasedBy {
		m.leased = time.Time{}
	}
}

func (x *deliveryRun) postpone(t *rapid.T) {
	d, m := x.one(t)
	due := x.tx.Now.Add(rapid.SampledFrom([]time.Duration{time.Minute, 8 * time.Hour}).Draw(t, "quiet"))
	x.must(t, governance.PostponeDelivery(x.tx, d, due))
	if m.holder == d.LeasedBy && m.state == "waiting" {
		m.leased, m.due = time.Time{}, due
	}
}

func (x *deliveryRun) leaveOut(t *rapid.T) {
	d, m := x.one(t)
	x.must(t, governance.LeaveOut(x.tx, d, "it may not be seen any more"))
	if m.holder == d.LeasedBy && m.state == "waiting" {
		m.leased, m.state, m.due = time.Time{}, "left out", time.Time{}
	}
}

func (x *deliveryRun) redeliver(t *rapid.T) {
	if len(x.list) == 0 || x.paused {
		t.Skip("there is nothing to send again")
	}
	n := rapid.IntRange(1, len(x.list)).Draw(t, "n")
	if x.list[n-1].state == "waiting" {
		t.Skip("it is on its way")
	}
	d, err := governance.FindDelivery(x.tx, x.hook(t), n)
	x.must(t, err)
	x.must(t, governance.Redeliver(x.tx, d))
	m := &x.list[n-1]
	m.state, m.due, m.attempts = "waiting", x.tx.Now, 0
}

func (x *deliveryRun) pause(t *rapid.T) {
	h := x.hook(t)
	if !x.paused {
		x.must(t, governance.PauseWebhook(x.tx, h, ""))
		x.paused, x.behind = true, 0 // entries that are not queued before a pause are never delivered
		return
	}
	x.must(t, governance.ResumeWebhook(x.tx, h))
	x.paused = false
	for i := range x.list {
		if m := &x.list[i]; m.state == "waiting" {
			m.due, m.attempts = x.tx.Now, 0
		}
	}
}

func (x *deliveryRun) test(t *rapid.T) {
	if x.paused {
		t.Skip("the webhook is paused")
	}
	x.must(t, governance.QueueTest(x.tx, x.hook(t)))
	x.list = append(x.list, deliveryModel{state: "waiting", due: x.tx.Now})
}

func (x *deliveryRun) pass(t *rapid.T) {
	x.tx.Now = x.tx.Now.Add(rapid.SampledFrom([]time.Duration{time.Second, 10 * time.Second, time.Minute, time.Hour,
		8 * time.Hour}).Draw(t, "time"))
}

func (x *deliveryRun) check(t *rapid.T) {
	h := x.hook(t)
	if h.Deliveries != len(x.list) || (h.State() == "paused") != x.paused {
		t.Fatalf("%s with %d deliveries; %d, paused %t", h.State(), h.Deliveries, len(x.list), x.paused)
	}
	waiting, failed := 0, 0
	for i, m := range x.list {
		d, err := governance.FindDelivery(x.tx, h, i+1)
		x.must(t, err)
		if d.State() != m.state || d.Attempts != m.attempts || !d.DueAt.Equal(m.due) && !(d.DueAt.IsZero() &&
			m.due.IsZero()) {
			t.Fatalf("delivery %d is %s, %d attempts, due %v; want %+v", i+1, d.State(), d.Attempts, d.DueAt, m)
		}
		switch m.state {
		case "waiting":
			waiting++
		case "given up":
			failed++
		}
	}
	a, b, err := governance.WaitingDeliveries(x.tx)
	x.must(t, err)
	if a != waiting || b != failed {
		t.Fatalf("%d wait and %d were given up; want %d and %d", a, b, waiting, failed)
	}
}
