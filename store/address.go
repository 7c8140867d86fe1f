package store

import "time"

// AddressLife is how long a link works with which an account gets another address, from when it was made for its reader.
const AddressLife = 24 * time.Hour

// addressAgain is how long somebody waits before they can have another such link mailed.
const addressAgain = time.Minute

// The kinds of mail about another address: the one that brings the link there, and the one that tells the address until now.
const (
	MailedAddress       = "address"
	MailedAddressNotice = "address notice"
)

// AddressPath is where the link with this secret leads.
func AddressPath(secret string) string { return "/address/" + secret }

// AddressChange is another address for an account, which counts once its link was opened.
type AddressChange struct {
	ID     string `db:"id"`
	UserID string `db:"user_id"`
	Email  string `db:"email"`
}

// RequestAddress has a link mailed to another address for the account, in place of an earlier one, and has the address until now
// told. One that was asked for just now: [Conflict].
func (tx *Tx) RequestAddress(userID, now, email string) error {
	email, err := Email(email)
	if err != nil {
		return err
	}
	var under int
	if err := tx.Get(&under, `SELECT count(*) FROM address_changes WHERE user_id = ? AND created_at > ?`,
		userID, At(tx.Now.Add(-addressAgain))); err != nil {
		return err
	}
	if under > 0 {
		return Errorf(Conflict, "A link was mailed just now. Wait a minute before you ask for another.")
	}
	if err := tx.Exec(`DELETE FROM address_changes WHERE user_id = ? AND used_at IS NULL`, userID); err != nil {
		return err
	}
	id := NewID()
	if err := tx.Exec(`INSERT INTO address_changes (id, user_id, email, created_at) VALUES (?, ?, ?, ?)`,
		id, userID, email, At(tx.Now)); err != nil {
		return err
	}
	if err := tx.Queue(MailedAddressNotice, id, now); err != nil {
		return err
	}
	return tx.Queue(MailedAddress, id, email)
}

// RequestedAddress is what a mail about another address is about. Replaced: [Missing].
func (tx *Tx) RequestedAddress(id string) (*AddressChange, error) {
	var c AddressChange
	err := tx.Get(&c, `SELECT id, user_id, email FROM address_changes WHERE id = ?`, id)
	return &c, err
}

// OpenAddress makes the secret of a link that is about to be mailed. Used or replaced: [Missing].
func (tx *Tx) OpenAddress(id string) (secret string, err error) {
	return tx.openLink(`UPDATE address_changes SET hash = ?, expires_at = ? WHERE id = ? AND used_at IS NULL`,
		AddressLife, id)
}

// AddressBySecret is the change that a link is for. Used, expired, replaced, unknown: [Missing].
func (tx *Tx) AddressBySecret(secret string) (*AddressChange, error) {
	var c AddressChange
	err := tx.Get(&c, `SELECT id, user_id, email FROM address_changes WHERE hash = ? AND used_at IS NULL
		AND expires_at > ?`, SecretHash(secret), At(tx.Now))
	return &c, err
}

// ChangeAddress gives the account the address, with the secret of the link that was mailed there, which works once. Not in force:
// [Missing]. One that has an account by now: [Conflict].
func (tx *Tx) ChangeAddress(secret string) (*AddressChange, error) {
	c, err := tx.AddressBySecret(secret)
	if err != nil {
		return nil, err
	}
	ok, err := tx.Changed(`UPDATE address_changes SET used_at = ? WHERE id = ? AND used_at IS NULL`, At(tx.Now), c.ID)
	if err == nil && !ok {
		err = Missing()
	}
	if err != nil {
		return nil, err
	}
	return c, tx.SetEmail(c.UserID, c.Email)
}
