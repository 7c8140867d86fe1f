package store

import "time"

// Mail is a queued mail. Its text is made from its subject when it is sent.
type Mail struct {
	ID        string `db:"id"`
	Kind      string `db:"kind"`
	SubjectID string `db:"subject_id"`
	Address   string `db:"address"`
	Attempts  int    `db:"attempts"` // count of failed attempts
	SentAt    Time   `db:"sent_at"`
	FailedAt  Time   `db:"failed_at"` // when the last attempt was given up; zero before
	Problem   string `db:"problem"`   // of the last attempt
	LeasedBy  string `db:"leased_by"` // the sender that has it now, or had it last
}

// MailedInvitation is the kind of mail with the link of an invitation.
const MailedInvitation = "invitation"

// A failed mail is tried again after one minute, then after twice as long each time, for about a day. Its
// row is kept for 90 days.
const (
	MailAttempts  = 11
	mailFirstWait = time.Minute
	mailMemory    = 90 * 24 * time.Hour
	// mailLease is longer than sending one mail may take. If its sender ends after the mail was sent and before that
	// was recorded, the mail is sent again after this time.
	mailLease = 2 * time.Minute
)

// QueueMail queues a mail of a kind about the row with this id to an address.
func (tx *Tx) QueueMail(kind, subjectID, address string) error {
	if err := tx.Exec(`DELETE FROM mails WHERE created_at < ?`, At(tx.Now.Add(-mailMemory))); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO mails (id, kind, subject_id, address, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?)`,
		NewID(), kind, subjectID, address, At(tx.Now), At(tx.Now))
}

// DueMails returns the mails to be sent now, the longest due first. A mail that is being sent is not among them.
func (tx *Tx) DueMails(limit int) ([]Mail, error) {
	var list []Mail
	err := tx.Select(&list, `SELECT id, kind, subject_id, address, attempts, problem FROM mails
		WHERE sent_at IS NULL AND failed_at IS NULL AND due_at <= ? AND leased_to <= ? ORDER BY due_at, id`+AtMost,
		At(tx.Now), At(tx.Now), limit)
	return list, err
}

// LeaseMail gives a due mail to a sender, so that no other sends it meanwhile. The lease ends with [Tx.MarkMailed] or
// [Tx.ReleaseMail], or by itself. A mail that is not due any more, or that another sender has: [Missing].
func (tx *Tx) LeaseMail(id, sender string) (*Mail, error) {
	var m Mail
	err := tx.Get(&m, `UPDATE mails SET leased_by = ?, leased_to = ? WHERE id = ? AND sent_at IS NULL
		AND failed_at IS NULL AND due_at <= ? AND leased_to <= ?
		RETURNING id, kind, subject_id, address, attempts, problem, leased_by`,
		sender, At(tx.Now.Add(mailLease)), id, At(tx.Now), At(tx.Now))
	return &m, err
}

// ReleaseMail ends the lease of a mail that was not sent, so that it is due at once.
func (tx *Tx) ReleaseMail(m *Mail) error {
	return tx.Exec(`UPDATE mails SET leased_to = 0 WHERE id = ? AND leased_by = ?`, m.ID, m.LeasedBy)
}

// MarkMailed records that a mail was sent, or its problem. After a problem it is due again later, or given up; a problem
// of a sender that lost its lease is not recorded, since another one sends the mail.
func (tx *Tx) MarkMailed(m *Mail, problem string) error {
	now := At(tx.Now)
	if m.Kind == MailedInvitation { // the inviter's page shows it at once
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

// MailedInvitation returns the pending invitation that a mail is about. Others give [Missing].
func (tx *Tx) MailedInvitation(m *Mail) (*Invitation, error) {
	i, err := tx.invitation(`WHERE i.id = ?`, m.SubjectID)
	if err == nil && i.State() != "pending" {
		return nil, Missing()
	}
	return i, err
}

// WaitingMails counts the mails still to be sent, and those given up that no page shows.
func (tx *Tx) WaitingMails() (waiting, failed int, err error) {
	if err := tx.Get(&waiting, `SELECT count(*) FROM mails WHERE sent_at IS NULL AND failed_at IS NULL
		AND due_at > 0`); err != nil {
		return 0, 0, err
	}
	err = tx.Get(&failed, `SELECT count(*) FROM mails WHERE failed_at > 0`)
	return waiting, failed, err
}
