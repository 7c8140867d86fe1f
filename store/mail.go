package store

import "time"

// Mail is something to be mailed. What it says is made from what it is about when it is sent.
type Mail struct {
	ID        string `db:"id"`
	Kind      string `db:"kind"`
	SubjectID string `db:"subject_id"`
	Address   string `db:"address"`
	Attempts  int    `db:"attempts"` // that failed
	SentAt    Time   `db:"sent_at"`
	FailedAt  Time   `db:"failed_at"` // when it was given up
	Problem   string `db:"problem"`   // of the last attempt
}

// MailedInvitation is the kind of mail that brings an invitation.
const MailedInvitation = "invitation"

// A mail is tried again after a minute, then after twice as long each time, for about a day; it is remembered for 90.
const (
	MailAttempts  = 11
	mailFirstWait = time.Minute
	mailMemory    = 90 * 24 * time.Hour
)

// Queue has something mailed to an address.
func (tx *Tx) Queue(kind, subjectID, address string) error {
	if err := tx.Exec(`DELETE FROM mails WHERE created_at < ?`, At(tx.Now.Add(-mailMemory))); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO mails (id, kind, subject_id, address, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?)`,
		NewID(), kind, subjectID, address, At(tx.Now), At(tx.Now))
}

// DueMails are mails whose time has come, the longest due first.
func (tx *Tx) DueMails(limit int) ([]Mail, error) {
	var list []Mail
	err := tx.Select(&list, `SELECT id, kind, subject_id, address, attempts, problem FROM mails
		WHERE sent_at IS NULL AND failed_at IS NULL AND due_at <= ? ORDER BY due_at, id`+atMost,
		At(tx.Now), limit)
	return list, err
}

// MarkMailed keeps that a mail was sent, or the problem with it: then it is due again later, or given up.
func (tx *Tx) MarkMailed(m *Mail, problem string) error {
	now := At(tx.Now)
	if m.Kind == MailedInvitation { // who invited sees it at once
		if err := tx.raiseAll(ownVersion, `id = (SELECT invited_by FROM invitations WHERE id = ?)`,
			m.SubjectID); err != nil {
			return err
		}
	}
	switch {
	case problem == "":
		return tx.Exec(`UPDATE mails SET sent_at = ?, problem = '' WHERE id = ?`, now, m.ID)
	case m.Attempts+1 >= MailAttempts:
		return tx.Exec(`UPDATE mails SET attempts = attempts + 1, failed_at = ?, problem = ? WHERE id = ?`,
			now, problem, m.ID)
	}
	return tx.Exec(`UPDATE mails SET attempts = attempts + 1, due_at = ?, problem = ? WHERE id = ?`,
		At(tx.Now.Add(mailFirstWait<<m.Attempts)), problem, m.ID)
}

// DropMail forgets a mail that nobody needs any more.
func (tx *Tx) DropMail(m *Mail) error { return tx.Exec(`DELETE FROM mails WHERE id = ?`, m.ID) }

// MailedInvitation finds what a mail about an invitation is about, if it can still be accepted. Any other: [Missing].
func (tx *Tx) MailedInvitation(m *Mail) (*Invitation, error) {
	i, err := tx.invitation(`WHERE i.id = ?`, m.SubjectID)
	if err == nil && i.State() != "pending" {
		return nil, Missing()
	}
	return i, err
}

// WaitingMails counts the mails that are to be sent, and those that were given up and nobody can be told of.
func (tx *Tx) WaitingMails() (waiting, failed int, err error) {
	if err := tx.Get(&waiting, `SELECT count(*) FROM mails WHERE sent_at IS NULL AND failed_at IS NULL
		AND due_at > 0`); err != nil {
		return 0, 0, err
	}
	err = tx.Get(&failed, `SELECT count(*) FROM mails WHERE failed_at > 0`)
	return waiting, failed, err
}
