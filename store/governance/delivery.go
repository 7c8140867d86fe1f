package governance

import (
	"crypto/rand"
	"encoding/base64"
	"strconv"
	"time"

	"samepage/store"
)

// Delivery is one event for the receiver of a webhook. The event is sent repeatedly, with the same ID, until the
// receiver accepts it or the last attempt fails.
type Delivery struct {
	WebhookID   string     `db:"webhook_id"`
	N           int        `db:"n"`    // counts from 1
	Seq         int64      `db:"seq"`  // number of the journal entry; 0 for a test
	Type        string     `db:"type"` // such as "decision.cast_vote"
	CreatedAt   store.Time `db:"created_at"`
	DueAt       store.Time `db:"due_at"` // time of the next attempt; zero if there will be none
	Attempts    int        `db:"attempts"`
	DeliveredAt store.Time `db:"delivered_at"`
	FailedAt    store.Time `db:"failed_at"` // when the delivery was given up
	Status      int        `db:"status"`    // HTTP status of the last answer; 0 for none
	Problem     string     `db:"problem"`   // problem of the last attempt; empty for none
	Took        int64      `db:"took"`      // length of the last attempt in milliseconds
	LeasedBy    string     `db:"leased_by"`
}

const deliveryColumns = `webhook_id, n, seq, type, created_at, due_at, attempts, delivered_at, failed_at,
	status, problem, took, leased_by`

// TestEvent is the type of the event that [QueueTest] sends.
const TestEvent = "webhook.test"

// deliveryWaits are the waits between the attempts of a delivery. Their sum is almost a day.
var deliveryWaits = []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 8 * time.Hour, 8 * time.Hour}

const (
	// deliveryLease is longer than an attempt can take. If a process dies during an attempt, the next attempt follows
	// after this time.
	deliveryLease = time.Minute
)

// ID returns the event's identifier for the receiver. It is the same in every attempt.
func (d *Delivery) ID() string { return "msg_" + d.WebhookID + "_" + strconv.Itoa(d.N) }

// DeliveryStates returns the possible states of a delivery.
func DeliveryStates() []string { return []string{"waiting", "accepted", "given up"} }

// State returns one of [DeliveryStates].
func (d *Delivery) State() string {
	switch {
	case !d.DeliveredAt.IsZero():
		return "accepted"
	case !d.FailedAt.IsZero():
		return "given up"
	}
	return "waiting"
}

func randomKey() string {
	key := make([]byte, 32)
	rand.Read(key) // never returns an error
	return base64.StdEncoding.EncodeToString(key)
}

// WebhookPage is a webhook with one page of its log, newest first.
type WebhookPage struct {
	*Webhook
	Log   []Delivery
	Limit int
	Now   time.Time
}

// ShowWebhook loads the latest deliveries with numbers below the parameter before. If before is not a number,
// ShowWebhook loads the latest deliveries of all.
func ShowWebhook(tx *store.Tx, _ store.Actor, w *Webhook, before string) (*WebhookPage, error) {
	n, err := strconv.Atoi(before)
	if err != nil {
		n = 1 << 62
	}
	p := &WebhookPage{Webhook: w, Limit: 30, Now: tx.Now}
	return p, tx.Select(&p.Log, `SELECT `+deliveryColumns+` FROM deliveries d WHERE d.webhook_id = ? AND d.n < ?
		ORDER BY d.n DESC`+store.AtMost, w.ID, n, p.Limit)
}

// FindDelivery finds a delivery of a webhook by its number.
func FindDelivery(tx *store.Tx, w *Webhook, n int) (*Delivery, error) {
	var d Delivery
	err := tx.Get(&d, `SELECT `+deliveryColumns+` FROM deliveries d WHERE d.webhook_id = ? AND d.n = ?`, w.ID, n)
	return &d, err
}

// BehindWebhooks lists up to limit active webhooks whose position is before the end of their organization's journal.
func BehindWebhooks(tx *store.Tx, limit int) (list []Webhook, err error) {
	err = tx.Select(&list, `SELECT w.id, w.org_id, w.member_id, coalesce(w.studio_id, '') AS studio_id, w.kinds, w.position,
		w.deliveries, m.ended_at IS NOT NULL AS maker_gone
		FROM webhooks w JOIN organizations o ON o.id = w.org_id JOIN members m ON m.id = w.member_id
		WHERE w.paused_at IS NULL AND w.position < o.journal_seq ORDER BY w.id`+store.AtMost, limit)
	return list, err
}

// HookedOrganizations lists the ids of the organizations with an active webhook.
func HookedOrganizations(tx *store.Tx) (ids []string, err error) {
	err = tx.Select(&ids, `SELECT DISTINCT org_id FROM webhooks WHERE paused_at IS NULL`)
	return ids, err
}

// entriesAtOnce is the largest number of journal entries that [QueueDeliveries] looks at.
const entriesAtOnce = 500

// QueueDeliveries queues a delivery for each journal entry after the webhook's position that the webhook wants, and
// moves the position. It returns [store.Conflict] if another process has moved the position meanwhile.
func QueueDeliveries(tx *store.Tx, w *Webhook) error {
	entries, err := tx.EntriesAfter(w.OrgID, w.MemberID, w.Position, entriesAtOnce)
	if err != nil {
		return err
	}
	position, wanted := w.Position, []*store.Entry{}
	for i := range entries {
		position = entries[i].Seq
		if w.Wants(&entries[i]) {
			wanted = append(wanted, &entries[i])
		}
	}
	if len(entries) < entriesAtOnce { // the journal has no further entry that the webhook's maker may see
		if err := tx.Get(&position, `SELECT journal_seq FROM organizations WHERE id = ?`, w.OrgID); err != nil {
			return err
		}
	}
	// The position is moved first, so that a slower process fails before it queues the same events.
	moved, err := tx.Changed(`UPDATE webhooks SET position = ?, deliveries = ? WHERE id = ? AND position = ?
		AND deliveries = ? AND paused_at IS NULL`, position, w.Deliveries+len(wanted), w.ID, w.Position, w.Deliveries)
	if err == nil && !moved {
		err = store.Errorf(store.Conflict, "Another process has looked at these entries.")
	}
	for i, e := range wanted {
		if err == nil {
			err = queueDelivery(tx, w, w.Deliveries+1+i, e.Seq, e.Kind+"."+e.Action)
		}
	}
	return err
}

func queueDelivery(tx *store.Tx, w *Webhook, n int, seq int64, event string) error {
	return tx.Exec(`INSERT INTO deliveries (webhook_id, n, org_id, seq, type, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		w.ID, n, w.OrgID, seq, event, store.At(tx.Now), store.At(tx.Now))
}

// QueueTest queues a test delivery.
func QueueTest(tx *store.Tx, w *Webhook) error {
	if err := tx.Exec(`UPDATE webhooks SET deliveries = deliveries + 1 WHERE id = ?`, w.ID); err != nil {
		return err
	}
	return queueDelivery(tx, w, w.Deliveries+1, 0, TestEvent)
}

// Redeliver makes a delivery due again, under the same ID.
func Redeliver(tx *store.Tx, d *Delivery) error {
	return tx.Exec(`UPDATE deliveries SET due_at = ?, attempts = 0, delivered_at = NULL, failed_at = NULL
		WHERE webhook_id = ? AND n = ?`, store.At(tx.Now), d.WebhookID, d.N)
}

// DueWebhooks lists the ids of up to limit active webhooks with a delivery that is due and that no process is sending.
func DueWebhooks(tx *store.Tx, limit int) (ids []string, err error) {
	now := store.At(tx.Now)
	err = tx.Select(&ids, `SELECT w.id FROM webhooks w WHERE w.paused_at IS NULL AND EXISTS (SELECT 1 FROM deliveries d
		WHERE d.webhook_id = w.id AND d.due_at <= ? AND d.leased_to <= ?) ORDER BY w.id`+store.AtMost, now, now, limit)
	return ids, err
}

// LeaseDelivery reserves the webhook's delivery that has been due longest. The lease ends with [RecordAttempt], with
// [ReleaseDelivery] or after [deliveryLease]. LeaseDelivery returns [store.Missing] if no delivery is due or the
// webhook is paused.
func LeaseDelivery(tx *store.Tx, webhookID, sender string) (*Delivery, error) {
	now := store.At(tx.Now)
	var n int
	if err := tx.Get(&n, `SELECT d.n FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
		WHERE d.webhook_id = ? AND w.paused_at IS NULL AND d.due_at <= ? AND d.leased_to <= ?
		ORDER BY d.due_at, d.n`+store.AtMost, webhookID, now, now, 1); err != nil {
		return nil, err
	}
	var d Delivery
	err := tx.Get(&d, `UPDATE deliveries SET leased_by = ?, leased_to = ? WHERE webhook_id = ? AND n = ?
		AND due_at <= ? AND leased_to <= ? RETURNING `+deliveryColumns,
		sender, store.At(tx.Now.Add(deliveryLease)), webhookID, n, now, now)
	return &d, err
}

// ReleaseDelivery ends the lease of a delivery without an attempt.
func ReleaseDelivery(tx *store.Tx, d *Delivery) error {
	return tx.Exec(`UPDATE deliveries SET leased_to = 0 WHERE webhook_id = ? AND n = ? AND leased_by = ?`,
		d.WebhookID, d.N, d.LeasedBy)
}

// Attempt is the result of one attempt to send a delivery.
type Attempt struct {
	Status  int    // HTTP status of the answer; 0 if there was none
	Problem string // empty if the receiver accepted the event
	Took    time.Duration
	Wait    time.Duration // wait that the receiver demands before the next attempt; 0 if it demands none
}

// RecordAttempt stores the result of an attempt, and reports whether the delivery was given up. A problem is not
// recorded if the sender has lost its lease, because another process may be sending the delivery.
func RecordAttempt(tx *store.Tx, d *Delivery, a Attempt) (gaveUp bool, err error) {
	now := store.At(tx.Now)
	took := a.Took.Milliseconds()
	if a.Problem == "" {
		if err := tx.Exec(`UPDATE deliveries SET due_at = NULL, delivered_at = ?, failed_at = NULL, status = ?, problem = '',
			took = ?, attempts = attempts + 1, leased_to = 0 WHERE webhook_id = ? AND n = ?`,
			now, a.Status, took, d.WebhookID, d.N); err != nil {
			return false, err
		}
		err := tx.Exec(`UPDATE webhooks SET accepted_at = ? WHERE id = ?`, now, d.WebhookID)
		return false, err
	}
	due, failed := store.Time{}, now
	if d.Attempts < len(deliveryWaits) {
		due, failed = store.At(tx.Now.Add(max(deliveryWaits[d.Attempts], a.Wait))), store.Time{}
	}
	held, err := tx.Changed(`UPDATE deliveries SET due_at = ?, failed_at = ?, status = ?, problem = ?, took = ?,
		attempts = attempts + 1, leased_to = 0 WHERE webhook_id = ? AND n = ? AND leased_by = ? AND due_at IS NOT NULL`,
		due, failed, a.Status, a.Problem, took, d.WebhookID, d.N, d.LeasedBy)
	return held && due.IsZero(), err
}

// WaitingDeliveries returns the number of deliveries that wait for an attempt, and the number of deliveries that were
// given up.
func WaitingDeliveries(tx *store.Tx) (waiting, failed int, err error) {
	if err := tx.Get(&waiting, `SELECT count(*) FROM deliveries WHERE due_at > 0`); err != nil {
		return 0, 0, err
	}
	err = tx.Get(&failed, `SELECT count(*) FROM deliveries WHERE failed_at > 0`)
	return waiting, failed, err
}
