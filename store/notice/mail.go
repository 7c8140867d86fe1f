package notice

import (
	"strconv"

	"samepage/store"
)

// These are the kinds of mails about notifications. Their SubjectID is the id of the user.
const (
	MailedNotices = "notices" // notifications that the user wants by mail at once
	MailedDigest  = "digest"
)

const mostTold = 500

// Behind lists up to limit users that want some notifications by mail at once and have new ones that [QueueNotices] has
// not checked.
func Behind(tx *store.Tx, limit int) ([]string, error) {
	return store.All[string](tx, `SELECT DISTINCT m.user_id FROM notification_ways w JOIN members m ON m.user_id = w.user_id
		WHERE w.way = 'mail' AND m.ended_at IS NULL
		AND EXISTS (SELECT 1 FROM notifications n WHERE n.member_id = m.id AND n.seq > m.mailed_seq)`+store.AtMost,
		limit)
}

// QueueNotices queues one mail with the new notifications that a user wants by mail at once. It leaves notifications
// older than [store.Freshness] to the digest, if the user has one. It returns [store.Conflict] if another process has
// checked these notifications meanwhile.
func QueueNotices(tx *store.Tx, userID string) error {
	s, err := Of(tx, userID)
	if err != nil {
		return err
	}
	wanted, args := `reason IN (SELECT w.reason FROM notification_ways w WHERE w.user_id = ? AND w.way = 'mail')`, []any{userID}
	if s.Digest != NoDigest {
		wanted, args = wanted+` AND at > ?`, append(args, store.At(tx.Now.Add(-store.Freshness)))
	}
	var members []struct {
		ID   string `db:"id"`
		From int64  `db:"mailed_seq"`
		To   int64  `db:"last"`
	}
	if err := tx.Select(&members, `SELECT m.id, m.mailed_seq, max(n.seq) AS last FROM members m
		JOIN notifications n ON n.member_id = m.id AND n.seq > m.mailed_seq
		WHERE m.user_id = ? AND m.ended_at IS NULL GROUP BY m.id, m.mailed_seq`, userID); err != nil {
		return err
	}
	for _, m := range members {
		first, err := tx.Changed(`UPDATE members SET mailed_seq = ? WHERE id = ? AND mailed_seq = ?`, m.To, m.ID,
			m.From)
		if err == nil && !first {
			err = store.Errorf(store.Conflict, "Another process has looked at these notifications.")
		}
		if err != nil {
			return err
		}
		if err := claim(tx, MailedNotices, userID, `member_id = ? AND seq > ? AND seq <= ? AND `+wanted,
			append([]any{m.ID, m.From, m.To}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// claim queues a mail to the user with the unread notifications that meet the SQL condition and are in no other mail.
func claim(tx *store.Tx, kind, userID, condition string, args ...any) error {
	condition = ` WHERE read_at IS NULL AND dismissed_at IS NULL AND mail_id IS NULL AND ` + condition
	var some int
	if err := tx.Get(&some, `SELECT count(*) FROM notifications`+condition, args...); err != nil || some == 0 {
		return err
	}
	id, err := queue(tx, kind, userID)
	if err != nil {
		return err
	}
	return tx.Exec(`UPDATE notifications SET mail_id = ?`+condition, append([]any{id}, args...)...)
}

func queue(tx *store.Tx, kind, userID string) (id string, err error) {
	email, err := tx.UserEmail(userID)
	if err != nil {
		return "", err
	}
	return tx.EnsureMail(kind, userID, email)
}

// DueDigests lists up to limit users with a digest that is due.
func DueDigests(tx *store.Tx, limit int) ([]string, error) {
	return store.All[string](tx, `SELECT user_id FROM notification_settings WHERE digest_due <= ?
		ORDER BY digest_due`+store.AtMost,
		store.At(tx.Now), limit)
}

// QueueDigest queues one digest for a user, even if several were missed, and sets the time of the next one. It returns
// [store.Conflict] if no digest is due, for example because another process has queued it.
func QueueDigest(tx *store.Tx, userID string) error {
	s, err := Of(tx, userID)
	if err != nil {
		return err
	}
	first, err := tx.Changed(`UPDATE notification_settings SET digest_due = ? WHERE user_id = ? AND digest_due = ?
		AND digest_due <= ?`, store.At(s.NextDigest(tx.Now)), userID, s.DigestDue, store.At(tx.Now))
	if err == nil && !first {
		err = store.Errorf(store.Conflict, "Another process has queued this digest.")
	}
	if err != nil {
		return err
	}
	if _, err := queue(tx, MailedDigest, userID); err != nil {
		return err
	}
	// The digest includes the notifications that were too old for QueueNotices.
	condition := `member_id IN (SELECT m.id FROM members m WHERE m.user_id = ? AND m.ended_at IS NULL)
		AND NOT EXISTS (SELECT 1 FROM notification_ways w JOIN members m ON m.id = notifications.member_id
			WHERE w.user_id = ? AND w.reason = notifications.reason AND w.way <> 'digest'
			AND NOT (w.way = 'mail' AND notifications.seq <= m.mailed_seq))`
	return claim(tx, MailedDigest, userID, condition, userID, userID)
}

// Release takes notifications out of a queued mail if the user no longer wants notifications with their reason by mail
// at once. A digest may contain them later.
func Release(tx *store.Tx, mailID, userID string) error {
	return tx.Exec(`UPDATE notifications SET mail_id = NULL WHERE mail_id = ?
		AND reason NOT IN (SELECT w.reason FROM notification_ways w WHERE w.user_id = ? AND w.way = 'mail')`, mailID,
		userID)
}

// Told is a notification in a mail or in a delivery of a webhook.
type Told struct {
	MemberID string       `db:"member_id"`
	Reason   store.Reason `db:"reason"`
	Actor    string       `db:"actor"`
	Did      string       `db:"did"`
	Note     string       `db:"note"` // reason and remedy of a failure; may be empty
	URL      string       `db:"url"`
	Title    string       `db:"title"`
	At       store.Time   `db:"at"`
	Comment  int          `db:"comment"`
	Studio   string       `db:"studio"` // name of the item's studio; empty if there is none or the user may not see it
	Org      string       `db:"org"`    // handle of the organization
	OrgName  string       `db:"org_name"`
}

// Sentence returns a sentence about the notification.
func (t *Told) Sentence() string { return t.Actor + " " + t.Did + " “" + t.Title + "”" }

// Link returns the path of the notification's page or comment.
func (t *Told) Link() string {
	if t.Comment > 0 {
		return t.URL + "#c" + strconv.Itoa(t.Comment)
	}
	return t.URL
}

// ToldBy lists up to [mostTold] notifications in a mail that are neither read nor dismissed, newest first, and reports
// whether there are more. It leaves out removed items and organizations that the user has left.
func ToldBy(tx *store.Tx, mailID string) (list []Told, more bool, err error) {
	list, err = store.All[Told](tx, toldSelect+`AND n.mail_id = ? AND n.read_at IS NULL AND n.dismissed_at IS NULL
		ORDER BY n.at DESC, n.seq DESC, n.member_id`+store.AtMost, mailID, mostTold+1)
	return list[:min(len(list), mostTold)], len(list) > mostTold, err
}

// ToldOf returns a notification for a delivery of a webhook. It returns [store.Missing] if the notification is gone, is
// about a removed item, or is in an organization that the person has left.
func ToldOf(tx *store.Tx, memberID string, seq int64) (*Told, error) {
	t := &Told{}
	err := tx.Get(t, toldSelect+`AND n.member_id = ? AND n.seq = ?`, memberID, seq)
	return t, err
}

var toldSelect = `SELECT n.member_id, n.reason, n.actor, n.did, n.note, n.url, n.title, n.at, n.comment,
	CASE WHEN ` + store.VisibleTo("n.member_id", "s") + ` THEN s.name ELSE '' END AS studio,
	o.handle AS org, o.name AS org_name FROM notifications n JOIN members m ON m.id = n.member_id
	JOIN organizations o ON o.id = n.org_id LEFT JOIN items i ON i.id = n.item_id
	LEFT JOIN studios s ON s.id = i.studio_id
	WHERE m.ended_at IS NULL AND (n.item_id IS NULL OR i.removed_at IS NULL) `

// TurnOff stops the mails of a kind to a user. The kind is [MailedDigest], [MailedNotices] for all mails that are sent
// at once, or a reason for the mails with that reason. TurnOff reports whether it changed anything.
func TurnOff(tx *store.Tx, userID, kind string) (ended bool, err error) {
	s, err := Of(tx, userID)
	if err != nil {
		return false, err
	}
	if kind == MailedDigest {
		if ended = s.Digest != NoDigest; !ended {
			return false, nil
		}
		s.Digest = NoDigest
		return true, Update(tx, s)
	}
	for r, way := range s.Ways {
		if way == ToMail && (kind == MailedNotices || kind == string(r)) {
			ended = true
			if err := tx.Exec(`UPDATE notification_ways SET way = 'inbox' WHERE user_id = ? AND reason = ?`, userID,
				r); err != nil {
				return false, err
			}
		}
	}
	if !ended {
		return false, nil
	}
	return true, touch(tx, userID)
}
