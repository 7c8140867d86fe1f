package store

import "time"

// Mail is a mail in the queue. Its text is made when the mail is sent, from the row with the id SubjectID. The kind of
// the mail determines the table of this row.
type Mail struct {
	ID        string `db:"id"`
	Kind      string `db:"kind"`
	SubjectID string `db:"subject_id"`
	Address   string `db:"address"`
	Attempts  int    `db:"attempts"` // count of failed attempts
	SentAt    Time   `db:"sent_at"`
	FailedAt  Time   `db:"failed_at"` // when the mail was given up; zero before that
	Problem   string `db:"problem"`   // the error of the last attempt; empty if there was none
	LeasedBy  string `db:"leased_by"` // id of the process that sends the mail now or has tried it last
}

// MailedInvitation is the kind of a mail that contains the link of an invitation.
const MailedInvitation = "invitation"

// A mail that could not be sent is tried again after one minute. Each later wait is twice as long as the one before,
// for 17 hours in total.
const (
	MailAttempts  = 11
	mailFirstWait = time.Minute
	mailMemory    = 90 * 24 * time.Hour
	// mailLease is longer than the sending of one mail can take. If a process dies between sending a mail and recording
	// the result, another process sends the mail again when the lease ends.
	mailLease = 2 * time.Minute
)

// QueueMail adds a mail to the queue, about the row with the id subjectID. It also deletes mails older than 90 days.
func (tx *Tx) QueueMail(kind, subjectID, address string) error {
	if err := tx.Exec(`DELETE FROM mails WHERE created_at < ?`, At(tx.Now.Add(-mailMemory))); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO mails (id, kind, subject_id, address, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?)`,
		NewID(), kind, subjectID, address, At(tx.Now), At(tx.Now))
}

// EnsureMail returns the id of a mail of this kind, about the row with the id subjectID, that no process has tried to
// send yet. It sets the address of the mail. If there is no such mail, it queues one.
func (tx *Tx) EnsureMail(kind, subjectID, address string) (id string, err error) {
	var waiting []string
	if err := tx.Select(&waiting, `UPDATE mails SET address = ? WHERE kind = ? AND subject_id = ? AND sent_at IS NULL
		AND failed_at IS NULL AND attempts = 0 AND leased_to = 0 RETURNING id`, address, kind, subjectID); err != nil {
		return "", err
	}
	if len(waiting) > 0 {
		return waiting[0], nil
	}
	if err := tx.QueueMail(kind, subjectID, address); err != nil {
		return "", err
	}
	err = tx.Get(&id, `SELECT id FROM mails WHERE kind = ? AND subject_id = ? AND sent_at IS NULL AND failed_at IS NULL
		AND attempts = 0 AND leased_to = 0`, kind, subjectID)
	return id, err
}

// PostponeMail ends the lease of a mail and sets another due time. It does nothing if another sender has the lease.
func (tx *Tx) PostponeMail(m *Mail, due time.Time) error {
	return tx.Exec(`UPDATE mails SET due_at = ?, leased_to = 0 WHERE id = ? AND leased_by = ?`, At(due), m.ID,
		m.LeasedBy)
}

// HastenMails makes the unsent mails of one kind about one row due now. It leaves out mails with a failed attempt.
func (tx *Tx) HastenMails(kind, subjectID string) error {
	return tx.Exec(`UPDATE mails SET due_at = ? WHERE kind = ? AND subject_id = ? AND sent_at IS NULL
		AND failed_at IS NULL
		AND attempts = 0`, At(tx.Now), kind, subjectID)
}

// DueMails returns up to limit mails that are due and that no process is sending, the one that has been due longest
// first.
func (tx *Tx) DueMails(limit int) ([]Mail, error) {
	return All[Mail](tx, `SELECT id, kind, subject_id, address, attempts, problem FROM mails
		WHERE sent_at IS NULL AND failed_at IS NULL AND due_at <= ? AND leased_to <= ? ORDER BY due_at, id`+AtMost,
		At(tx.Now), At(tx.Now), limit)
}

// LeaseMail reserves a due mail for one sender, so that no other process sends it at the same time. The lease ends
// after [mailLease] at the latest. LeaseMail returns [Missing] if the mail is no longer due or a sender has the lease.
func (tx *Tx) LeaseMail(id, sender string) (*Mail, error) {
	return One[Mail](tx, `UPDATE mails SET leased_by = ?, leased_to = ? WHERE id = ? AND sent_at IS NULL
		AND failed_at IS NULL AND due_at <= ? AND leased_to <= ?
		RETURNING id, kind, subject_id, address, attempts, problem, leased_by`,
		sender, At(tx.Now.Add(mailLease)), id, At(tx.Now), At(tx.Now))
}

// ReleaseMail ends the lease of an unsent mail, which is then due at once. It does nothing if another sender has the
// lease.
func (tx *Tx) ReleaseMail(m *Mail) error {
	return tx.Exec(`UPDATE mails SET leased_to = 0 WHERE id = ? AND leased_by = ?`, m.ID, m.LeasedBy)
}

// MarkMailed records that a mail was sent, or the problem that prevented the sending. A mail with a problem is due
// again later, or given up after [MailAttempts] attempts. A sender cannot record a problem after another one
// has leased the mail.
func (tx *Tx) MarkMailed(m *Mail, problem string) error {
	now := At(tx.Now)
	if m.Kind == MailedInvitation { // refreshes the page on which the inviting member sees the result
		if err := tx.raiseAll(ownVersion, `id = (SELECT invited_by FROM invitations WHERE id = ?)`,
			m.SubjectID); err != nil {
			return err
		}
	}
	switch {
	case problem == "":
		return tx.Exec(`UPDATE mails SET sent_at = ?, problem = '' WHERE id = ?`, now, m.ID)
	case m.Attempts+1 >= MailAttempts:
		return tx.Exec(`UPDATE mails SET attempts = attempts + 1, failed_at = ?, problem = ?, leased_to = 0
			WHERE id = ? AND leased_by = ? AND sent_at IS NULL`, now, problem, m.ID, m.LeasedBy)
	}
	return tx.Exec(`UPDATE mails SET attempts = attempts + 1, due_at = ?, problem = ?, leased_to = 0
		WHERE id = ? AND leased_by = ? AND sent_at IS NULL`,
		At(tx.Now.Add(mailFirstWait<<m.Attempts)), problem, m.ID, m.LeasedBy)
}

// DropMail deletes a mail that is no longer needed.
func (tx *Tx) DropMail(m *Mail) error { return tx.Exec(`DELETE FROM mails WHERE id = ?`, m.ID) }

// MailedInvitation returns the invitation that a mail is about. It returns [Missing] if the invitation is no
// longer pending.
func (tx *Tx) MailedInvitation(m *Mail) (*Invitation, error) {
	i, err := tx.invitation(`WHERE i.id = ?`, m.SubjectID)
	if err == nil && i.State() != "pending" {
		return nil, Missing()
	}
	return i, err
}

// WaitingMails returns the number of mails that still have to be sent, and the number of mails that were given up.
func (tx *Tx) WaitingMails() (waiting, failed int, err error) {
	if err := tx.Get(&waiting, `SELECT count(*) FROM mails WHERE sent_at IS NULL AND failed_at IS NULL
		AND due_at > 0`); err != nil {
		return 0, 0, err
	}
	err = tx.Get(&failed, `SELECT count(*) FROM mails WHERE failed_at > 0`)
	return waiting, failed, err
}
