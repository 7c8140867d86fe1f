package governance

import "samepage/store"

// OwnWebhook sends a person's notifications, from all the person's organizations, to an external address.
type OwnWebhook struct {
	Endpoint
	UserID string `db:"user_id"`
}

// OwnWebhookURL is the path of the page of a person's own webhook.
const OwnWebhookURL = "/settings/notifications/webhook"

// Ref returns the webhook as the target of an action. The title has no host, because the journal keeps the title.
func (w *OwnWebhook) Ref() store.Ref {
	return store.Ref{Kind: "webhook", ID: w.ID, URL: OwnWebhookURL, Title: "Your webhook"}
}

// Record returns the fields that the journal stores about a webhook.
func (w *OwnWebhook) Record() any {
	return struct {
		State string `json:"state"`
		Why   string `json:"why,omitempty"`
	}{w.State(), w.PausedWhy}
}

// Relation returns [store.Self] for the person with the webhook, but not for the person's agents.
func (w *OwnWebhook) Relation(by store.Actor) store.Relation {
	if by.UserID == "" || by.UserID != w.UserID || by.IsAgent() {
		return 0
	}
	return store.Self
}

// ownWebhook finds a person's webhook by an SQL condition with one argument.
func ownWebhook(tx *store.Tx, condition, arg string) (*OwnWebhook, error) {
	w := &OwnWebhook{Endpoint: Endpoint{Own: true}}
	err := tx.Get(w, `SELECT w.user_id, coalesce(m.org_id, '') AS org_id, coalesce(m.id, '') AS member_id, `+
		ofPeople.columns()+` FROM own_webhooks w LEFT JOIN members m ON m.id = (SELECT f.id FROM members f
			WHERE f.user_id = w.user_id AND f.ended_at IS NULL ORDER BY f.joined_at, f.id LIMIT 1)
		WHERE `+condition, store.Many, store.Many, arg)
	return w, err
}

// FindOwnWebhook finds the actor's own webhook. It returns [store.Missing] to an agent, and if there is none.
func FindOwnWebhook(tx *store.Tx, by store.Actor) (*OwnWebhook, error) {
	if by.UserID == "" || by.IsAgent() {
		return nil, store.Missing()
	}
	return ownWebhook(tx, `w.user_id = ?`, by.UserID)
}

// OwnWebhookOf finds the webhook of a person by the webhook's id.
func OwnWebhookOf(tx *store.Tx, id string) (*OwnWebhook, error) {
	return ownWebhook(tx, `w.id = ?`, id)
}

// SetOwnWebhook adds the actor's own webhook, and returns the secret with which the receiver verifies signatures. The
// webhook sends no earlier notifications.
func SetOwnWebhook(tx *store.Tx, by store.Actor, address string) (*OwnWebhook, string, error) {
	id := store.NewID()
	secret, sealed, err := newSecret(tx, id)
	if err != nil {
		return nil, "", err
	}
	if err := tx.Exec(`INSERT INTO own_webhooks (id, user_id, address, secret, created_at) VALUES (?, ?, ?, ?, ?)`,
		id, by.UserID, address, sealed, store.At(tx.Now)); err != nil {
		return nil, "", err
	}
	w, err := OwnWebhookOf(tx, id)
	if err != nil {
		return nil, "", err
	}
	tx.AnnounceWebhook(id)
	return w, secret, w.catchUp(tx)
}

// ReplaceAddress changes the address of a person's webhook.
func ReplaceAddress(tx *store.Tx, w *OwnWebhook, address string) error {
	return tx.Exec(`UPDATE own_webhooks SET address = ? WHERE id = ?`, address, w.ID)
}

func (w *OwnWebhook) catchUp(tx *store.Tx) error {
	return tx.Exec(`UPDATE members SET hooked_seq = (SELECT o.journal_seq FROM organizations o WHERE o.id = members.org_id)
		WHERE user_id = ?`, w.UserID)
}

// Touch raises the version of the pages that only the person sees, so that open copies are refreshed.
func (w *OwnWebhook) Touch(tx *store.Tx) error {
	by, err := tx.PersonOf(w.UserID)
	if err != nil && store.CodeOf(err) != store.NotFound {
		return err
	}
	for i := range by.Members {
		if err := tx.TouchOwnOf(by.Members[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// BehindOwnWebhooks lists active webhooks of people for which not all of the person's notifications were looked at.
func BehindOwnWebhooks(tx *store.Tx, limit int) (list []OwnWebhook, err error) {
	err = tx.Select(&list, `SELECT w.id, w.user_id, w.deliveries FROM own_webhooks w WHERE w.paused_at IS NULL
		AND EXISTS (SELECT 1 FROM members m JOIN notifications n ON n.member_id = m.id AND n.seq > m.hooked_seq
			WHERE m.user_id = w.user_id AND m.ended_at IS NULL) ORDER BY w.id`+store.AtMost, limit)
	for i := range list {
		list[i].Own = true
	}
	return list, err
}

// QueueOwnDeliveries queues a delivery for each new unread notification, not older than [store.Freshness], that the
// person wants by webhook. It returns [store.Conflict] if another process has looked at these notifications or queued
// deliveries, or if there is a delivery to queue and the webhook is paused.
func QueueOwnDeliveries(tx *store.Tx, w *OwnWebhook) error {
	var members []struct {
		ID    string `db:"id"`
		OrgID string `db:"org_id"`
		From  int64  `db:"hooked_seq"`
		To    int64  `db:"last"`
	}
	if err := tx.Select(&members, `SELECT m.id, m.org_id, m.hooked_seq, max(n.seq) AS last FROM members m
		JOIN notifications n ON n.member_id = m.id AND n.seq > m.hooked_seq
		WHERE m.user_id = ? AND m.ended_at IS NULL GROUP BY m.id, m.org_id, m.hooked_seq ORDER BY m.id`,
		w.UserID); err != nil {
		return err
	}
	queued := w.Deliveries
	for _, m := range members {
		var wanted []struct {
			Seq    int64        `db:"seq"`
			Reason store.Reason `db:"reason"`
		}
		if err := tx.Select(&wanted, `SELECT n.seq, n.reason `+ownWanted+` AND n.member_id = ? AND n.seq > ? AND n.seq <= ?
			AND n.at > ? ORDER BY n.seq`+store.AtMost, w.UserID,
			m.ID, m.From, m.To, store.At(tx.Now.Add(-store.Freshness)), entriesAtOnce); err != nil {
			return err
		}
		to := m.To
		if len(wanted) == entriesAtOnce {
			to = wanted[len(wanted)-1].Seq
		}
		// The position moves first, so that a slower process fails before it queues the same notifications.
		first, err := tx.Changed(`UPDATE members SET hooked_seq = ? WHERE id = ? AND hooked_seq = ?`, to, m.ID, m.From)
		if err == nil && !first {
			err = store.Errorf(store.Conflict, "Another process has looked at these notifications.")
		}
		for _, n := range wanted {
			if err != nil {
				return err
			}
			queued++
			about := Endpoint{ID: w.ID, Own: true, OrgID: m.OrgID, MemberID: m.ID}
			err = queueDelivery(tx, &about, queued, n.Seq, "notification."+string(n.Reason))
		}
		if err != nil {
			return err
		}
	}
	if queued == w.Deliveries {
		return nil
	}
	first, err := tx.Changed(`UPDATE own_webhooks SET deliveries = ? WHERE id = ? AND deliveries = ? AND paused_at IS NULL`,
		queued, w.ID, w.Deliveries)
	if err == nil && !first {
		err = store.Errorf(store.Conflict, "Another process has queued deliveries, or the webhook is paused.")
	}
	return err
}

// ownWanted is the FROM clause and the condition of unread notifications (alias n) that a person wants by webhook: the
// person has chosen their reason, and has not silenced their studio. The only argument is the id of the user.
const ownWanted = `FROM notifications n JOIN notification_ways y ON y.reason = n.reason AND y.hooked = 1
	LEFT JOIN items i ON i.id = n.item_id LEFT JOIN journal k ON k.org_id = n.org_id AND k.seq = n.seq
	WHERE y.user_id = ? AND n.read_at IS NULL AND n.dismissed_at IS NULL AND NOT EXISTS (SELECT 1 FROM follows f
		WHERE f.member_id = n.member_id AND f.level = 'silenced' AND f.subject_id = 'hook:' || coalesce(i.studio_id, k.studio_id, ''))`

// OwnWants reports whether the person still wants the notification of a delivery, and has not read it.
func OwnWants(tx *store.Tx, w *OwnWebhook, d *Delivery) (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) `+ownWanted+` AND n.member_id = ? AND n.seq = ?`, w.UserID, d.MemberID, d.Seq)
	return n > 0, err
}
