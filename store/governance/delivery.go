package governance

import (
	"crypto/rand"
	"encoding/base64"
	"strconv"
	"time"

	"samepage/store"
)

// Delivery is one event for the receiver of a webhook. The event is sent repeatedly, with the same ID, until the
// receiver accepts it, the last attempt fails, or [LeaveOut] ends the delivery.
type Delivery struct {
	WebhookID   string     `db:"webhook_id"`
	Own         bool       // the webhook is a person's own
	Org         string     `db:"org"`       // handle of the organization of the event
	MemberID    string     `db:"member_id"` // the notified member; empty if the webhook is not a person's own
	N           int        `db:"n"`         // number of the delivery within the webhook, from 1
	Seq         int64      `db:"seq"`       // number of the journal entry; 0 for a test
	Type        string     `db:"type"`      // such as "decision.cast_vote"
	CreatedAt   store.Time `db:"created_at"`
	DueAt       store.Time `db:"due_at"` // time of the next attempt; zero for none
	Attempts    int        `db:"attempts"`
	DeliveredAt store.Time `db:"delivered_at"`
	FailedAt    store.Time `db:"failed_at"` // when the delivery was given up
	Status      int        `db:"status"`    // HTTP status of the last attempt; 0 without an answer
	Problem     string     `db:"problem"`   // problem of the last attempt, or the reason of [LeaveOut]; empty for none
	Took        int64      `db:"took"`      // length of the last attempt in milliseconds
	LeasedBy    string     `db:"leased_by"` // id of the process that sends the delivery or tried it last
}

func (e *Endpoint) deliveriesWhere(tx *store.Tx, condition string, args ...any) (list []Delivery, err error) {
	member := `''`
	if e.Own {
		member = `d.member_id`
	}
	err = tx.Select(&list, `SELECT d.webhook_id, o.handle AS org, `+member+` AS member_id, d.n, d.seq, d.type,
		d.created_at, d.due_at, d.attempts, d.delivered_at, d.failed_at, d.status, d.problem, d.took, d.leased_by
		FROM `+e.tables().deliveries+` d JOIN organizations o ON o.id = d.org_id WHERE d.webhook_id = ? AND `+condition,
		append([]any{e.ID}, args...)...)
	for i := range list {
		list[i].Own = e.Own
	}
	return list, err
}

func (d *Delivery) table() string { return (&Endpoint{Own: d.Own}).tables().deliveries }

// TestEvent is the type of the event that [QueueTest] queues.
const TestEvent = "webhook.test"

// deliveryWaits are the waits between the attempts of a delivery, almost a day in all.
var deliveryWaits = []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 8 * time.Hour, 8 * time.Hour}

const (
	// deliveryLease is the time for which a process reserves a delivery. It is longer than an attempt can take. If the
	// process dies, the next attempt follows after this time.
	deliveryLease = time.Minute
)

// ID returns the event's identifier for the receiver. It is the same in every attempt.
func (d *Delivery) ID() string { return "msg_" + d.WebhookID + "_" + strconv.Itoa(d.N) }

// State returns "waiting", "accepted", "given up" (after the last attempt failed) or "left out" (by [LeaveOut] or
// [UpdateWebhook]).
func (d *Delivery) State() string {
	switch {
	case !d.DeliveredAt.IsZero():
		return "accepted"
	case !d.FailedAt.IsZero():
		return "given up"
	case d.DueAt.IsZero():
		return "left out"
	}
	return "waiting"
}

// Begun reports whether an attempt was made, or the delivery was left out.
func (d *Delivery) Begun() bool { return d.Attempts > 0 || d.Status > 0 || d.Problem != "" }

func randomKey() string {
	key := make([]byte, 32)
	rand.Read(key) // never returns an error
	return base64.StdEncoding.EncodeToString(key)
}

// Log is one page of the deliveries of a webhook, newest first.
type Log struct {
	store.Listing[Delivery]
	Now time.Time
}

// log loads the newest deliveries with numbers below `before`, or the newest of all if `before` is not a number.
func (e *Endpoint) log(tx *store.Tx, before string) (l Log, err error) {
	n, err := strconv.Atoi(before)
	if err != nil {
		n = 1 << 62
	}
	l.Limit, l.Now = 30, tx.Now
	l.List, err = e.deliveriesWhere(tx, `d.n < ? ORDER BY d.n DESC`+store.AtMost, n, l.Limit)
	return l, err
}

// WebhookPage is the webhook of an organization with one page of its log.
type WebhookPage struct {
	*Webhook
	Log Log
}

// ShowWebhook loads the newest deliveries with numbers below `before`, or the newest of all if `before` is not a
// number.
func ShowWebhook(tx *store.Tx, _ store.Actor, w *Webhook, before string) (*WebhookPage, error) {
	l, err := w.log(tx, before)
	return &WebhookPage{w, l}, err
}

// OwnWebhookPage is the webhook of a person with one page of its log.
type OwnWebhookPage struct {
	*OwnWebhook
	Log Log
}

// ShowOwnWebhook does for a person's webhook the same as [ShowWebhook].
func ShowOwnWebhook(tx *store.Tx, _ store.Actor, w *OwnWebhook, before string) (*OwnWebhookPage, error) {
	l, err := w.log(tx, before)
	return &OwnWebhookPage{w, l}, err
}

// FindDelivery finds a delivery of a webhook by its number. It returns [store.Missing] if there is none.
func FindDelivery(tx *store.Tx, h Hook, n int) (*Delivery, error) { return h.Common().delivery(tx, n) }

func (e *Endpoint) delivery(tx *store.Tx, n int) (*Delivery, error) {
	list, err := e.deliveriesWhere(tx, `d.n = ?`, n)
	if err == nil && len(list) == 0 {
		err = store.Missing()
	}
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// BehindWebhooks lists the active webhooks for which not all entries of the organization's journal were looked at.
func BehindWebhooks(tx *store.Tx, limit int) ([]Webhook, error) {
	return store.All[Webhook](tx, `SELECT w.id, w.org_id, w.member_id, coalesce(w.studio_id, '') AS studio_id, w.kinds, w.position,
		w.deliveries, m.ended_at IS NOT NULL AS maker_gone
		FROM webhooks w JOIN organizations o ON o.id = w.org_id JOIN members m ON m.id = w.member_id
		WHERE w.paused_at IS NULL AND w.position < o.journal_seq ORDER BY w.id`+store.AtMost, limit)
}

// HookedOrganizations lists the ids of the organizations with an active webhook of their own or of a member.
func HookedOrganizations(tx *store.Tx) ([]string, error) {
	return store.All[string](tx, `SELECT org_id FROM webhooks WHERE paused_at IS NULL UNION SELECT m.org_id FROM own_webhooks w
		CROSS JOIN members m WHERE m.user_id = w.user_id AND m.ended_at IS NULL AND w.paused_at IS NULL`)
}

const entriesAtOnce = 500

// QueueDeliveries looks at the next journal entries after w.Position, queues a delivery for each entry that the webhook
// wants, and moves the position past the entries. It returns [store.Conflict] if the position or the number of
// deliveries has changed, or if the webhook is paused.
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
	if len(entries) < entriesAtOnce { // the webhook's maker can see no entry after these
		if err := tx.Get(&position, `SELECT journal_seq FROM organizations WHERE id = ?`, w.OrgID); err != nil {
			return err
		}
	}
	// The position moves first, so that a slower process fails before it queues the same events.
	moved, err := tx.Changed(`UPDATE webhooks SET position = ?, deliveries = ? WHERE id = ? AND position = ?
		AND deliveries = ? AND paused_at IS NULL`, position, w.Deliveries+len(wanted), w.ID, w.Position, w.Deliveries)
	if err == nil && !moved {
		err = store.Errorf(store.Conflict, "Another process has looked at these entries.")
	}
	for i, e := range wanted {
		if err == nil {
			err = queueDelivery(tx, &w.Endpoint, w.Deliveries+1+i, e.Seq, e.Kind+"."+e.Action)
		}
	}
	return err
}

func queueDelivery(tx *store.Tx, e *Endpoint, n int, seq int64, event string) error {
	now := store.At(tx.Now)
	if e.Own {
		return tx.Exec(`INSERT INTO own_deliveries (webhook_id, n, org_id, member_id, seq, type, created_at, due_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, e.ID, n, e.OrgID, e.MemberID, seq, event, now, now)
	}
	return tx.Exec(`INSERT INTO deliveries (webhook_id, n, org_id, seq, type, created_at, due_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, e.ID, n, e.OrgID, seq, event, now, now)
}

// QueueTest queues a delivery of a [TestEvent], which belongs to no journal entry.
func QueueTest(tx *store.Tx, h Hook) error {
	e := h.Common()
	if err := tx.Exec(`UPDATE `+e.tables().webhooks+` SET deliveries = deliveries + 1 WHERE id = ?`, e.ID); err != nil {
		return err
	}
	return queueDelivery(tx, e, e.Deliveries+1, 0, TestEvent)
}

// Redeliver makes a delivery due again, under the same ID. Its attempts are counted from 0 again.
func Redeliver(tx *store.Tx, d *Delivery) error {
	return tx.Exec(`UPDATE `+d.table()+` SET due_at = ?, attempts = 0, delivered_at = NULL, failed_at = NULL
		WHERE webhook_id = ? AND n = ?`, store.At(tx.Now), d.WebhookID, d.N)
}

// DueWebhooks lists the active webhooks of organizations and people with a delivery that is due and not leased. The
// webhook that has waited longest comes first. Only ID and Own are set.
func DueWebhooks(tx *store.Tx, limit int) ([]Endpoint, error) {
	now := store.At(tx.Now)
	due := func(t tables, own string) string {
		return `SELECT w.id, ` + own + ` AS own, (SELECT d.due_at FROM ` + t.deliveries + ` d WHERE d.webhook_id = w.id
			AND d.due_at <= ? AND d.leased_to <= ? ORDER BY d.due_at LIMIT 1) AS since FROM ` + t.webhooks + ` w WHERE w.paused_at IS NULL`
	}
	return store.All[Endpoint](tx, `SELECT id, own FROM (`+due(ofOrganizations, `0`)+` UNION ALL `+due(ofPeople, `1`)+`) sub
		WHERE since IS NOT NULL ORDER BY since, id`+store.AtMost, now, now, now, now, limit)
}

// LeaseDelivery reserves the webhook's delivery that has been due longest. The lease ends after [deliveryLease], or
// when an attempt is recorded or the delivery is released, postponed or left out. LeaseDelivery returns nil if no
// delivery is due and free, or if the webhook is paused.
func LeaseDelivery(tx *store.Tx, e *Endpoint, sender string) (*Delivery, error) {
	now, t := store.At(tx.Now), e.tables()
	var n int
	err := tx.Get(&n, `SELECT d.n FROM `+t.deliveries+` d JOIN `+t.webhooks+` w ON w.id = d.webhook_id
		WHERE d.webhook_id = ? AND w.paused_at IS NULL AND d.due_at <= ? AND d.leased_to <= ?
		ORDER BY d.due_at, d.n`+store.AtMost, e.ID, now, now, 1)
	switch {
	case store.CodeOf(err) == store.NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	leased, err := tx.Changed(`UPDATE `+t.deliveries+` SET leased_by = ?, leased_to = ? WHERE webhook_id = ? AND n = ?
		AND due_at <= ? AND leased_to <= ?`, sender, store.At(tx.Now.Add(deliveryLease)), e.ID, n, now, now)
	if err != nil || !leased {
		return nil, err
	}
	return e.delivery(tx, n)
}

// ReleaseDelivery ends the lease of a delivery without an attempt. It does nothing if another process has the lease.
func ReleaseDelivery(tx *store.Tx, d *Delivery) error {
	return tx.Exec(`UPDATE `+d.table()+` SET leased_to = 0 WHERE webhook_id = ? AND n = ? AND leased_by = ?`,
		d.WebhookID, d.N, d.LeasedBy)
}

// PostponeDelivery ends the lease of a delivery without an attempt, and sets the time of the next attempt.
func PostponeDelivery(tx *store.Tx, d *Delivery, due time.Time) error {
	return tx.Exec(`UPDATE `+d.table()+` SET leased_to = 0, due_at = ? WHERE webhook_id = ? AND n = ? AND leased_by = ?
		AND due_at IS NOT NULL`, store.At(due), d.WebhookID, d.N, d.LeasedBy)
}

// LeaveOut ends a delivery that must not be sent, for example because its receiver may not see the event any more.
func LeaveOut(tx *store.Tx, d *Delivery, why string) error {
	return tx.Exec(`UPDATE `+d.table()+` SET leased_to = 0, due_at = NULL, problem = ? WHERE webhook_id = ? AND n = ?
		AND leased_by = ? AND due_at IS NOT NULL`, why, d.WebhookID, d.N, d.LeasedBy)
}

// Attempt is the result of one attempt to send a delivery.
type Attempt struct {
	Status  int    // HTTP status of the answer; 0 for none
	Problem string // empty if the receiver accepted the event
	Took    time.Duration
	Wait    time.Duration // wait that the receiver demands before the next attempt; 0 for none
}

// RecordAttempt stores the result of an attempt, and reports whether the delivery was given up. It ignores a problem if
// the sender has lost its lease, because another process may be sending the delivery.
func RecordAttempt(tx *store.Tx, d *Delivery, a Attempt) (gaveUp bool, err error) {
	now := store.At(tx.Now)
	took := a.Took.Milliseconds()
	if a.Problem == "" {
		if err := tx.Exec(`UPDATE `+d.table()+` SET due_at = NULL, delivered_at = ?, failed_at = NULL, status = ?, problem = '',
			took = ?, attempts = attempts + 1, leased_to = 0 WHERE webhook_id = ? AND n = ?`,
			now, a.Status, took, d.WebhookID, d.N); err != nil {
			return false, err
		}
		err := tx.Exec(`UPDATE `+(&Endpoint{Own: d.Own}).tables().webhooks+` SET accepted_at = ? WHERE id = ?`, now,
			d.WebhookID)
		return false, err
	}
	due, failed := store.Time{}, now
	if d.Attempts < len(deliveryWaits) {
		due, failed = store.At(tx.Now.Add(max(deliveryWaits[d.Attempts], a.Wait))), store.Time{}
	}
	held, err := tx.Changed(`UPDATE `+d.table()+` SET due_at = ?, failed_at = ?, status = ?, problem = ?, took = ?,
		attempts = attempts + 1, leased_to = 0 WHERE webhook_id = ? AND n = ? AND leased_by = ? AND due_at IS NOT NULL`,
		due, failed, a.Status, a.Problem, took, d.WebhookID, d.N, d.LeasedBy)
	return held && due.IsZero(), err
}

// WaitingDeliveries counts the deliveries that wait for an attempt, and those that were given up.
func WaitingDeliveries(tx *store.Tx) (waiting, failed int, err error) {
	if err := tx.Get(&waiting, `SELECT (SELECT count(*) FROM deliveries WHERE due_at > 0)
		+ (SELECT count(*) FROM own_deliveries WHERE due_at > 0)`); err != nil {
		return 0, 0, err
	}
	err = tx.Get(&failed, `SELECT (SELECT count(*) FROM deliveries WHERE failed_at > 0)
		+ (SELECT count(*) FROM own_deliveries WHERE failed_at > 0)`)
	return waiting, failed, err
}
