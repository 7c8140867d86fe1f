package credential

import (
	"time"

	"samepage/store"
)

// AddressLife is how long the link that confirms a new address works after it was mailed.
const AddressLife = 24 * time.Hour

// addressAgain is the least time between two such links for one account.
const addressAgain = time.Minute

// The kinds of mail about a new address: the link, to the new address, and the notice, to the present one.
const (
	MailedAddress       = "address"
	MailedAddressNotice = "address notice"
)

// AddressPath returns the path of the link with this secret.
func AddressPath(secret string) string { return "/address/" + secret }

// AddressChange is a requested address of an account, in force once its link is opened.
type AddressChange struct {
	ID     string `db:"id"`
	UserID string `db:"user_id"`
	Email  string `db:"email"`
}

// RequestAddress queues a mail with a link to the new address and a notice to the present address now. The
// link replaces earlier ones. A request within a minute of another gives [Conflict].
func RequestAddress(tx *store.Tx, userID, now, email string) error {
	email, err := store.Email(email)
	if err != nil {
		return err
	}
	var under int
	if err := tx.Get(&under, `SELECT count(*) FROM address_changes WHERE user_id = ? AND created_at > ?`,
		userID, store.At(tx.Now.Add(-addressAgain))); err != nil {
		return err
	}
	if under > 0 {
		return store.Errorf(store.Conflict, "A link was mailed just now. Wait a minute before you ask for another.")
	}
	if err := tx.Exec(`DELETE FROM address_changes WHERE user_id = ? AND used_at IS NULL`, userID); err != nil {
		return err
	}
	id := store.NewID()
	if err := tx.Exec(`INSERT INTO address_changes (id, user_id, email, created_at) VALUES (?, ?, ?, ?)`,
		id, userID, email, store.At(tx.Now)); err != nil {
		return err
	}
	if err := tx.QueueMail(MailedAddressNotice, id, now); err != nil {
		return err
	}
	return tx.QueueMail(MailedAddress, id, email)
}

// RequestedAddress returns the request that a queued mail is about. A request that another has replaced
// gives [Missing].
func RequestedAddress(tx *store.Tx, id string) (*AddressChange, error) {
	var c AddressChange
	err := tx.Get(&c, `SELECT id, user_id, email FROM address_changes WHERE id = ?`, id)
	return &c, err
}

// OpenAddress makes the secret of the link, right before it is mailed. A used or replaced request gives
// [Missing].
func OpenAddress(tx *store.Tx, id string) (secret string, err error) {
	return openLink(tx, `UPDATE address_changes SET hash = ?, expires_at = ? WHERE id = ? AND used_at IS NULL`,
		AddressLife, id)
}

// AddressBySecret returns the request that a link confirms. A used, expired, replaced or unknown link gives
// [Missing].
func AddressBySecret(tx *store.Tx, secret string) (*AddressChange, error) {
	var c AddressChange
	err := tx.Get(&c, `SELECT id, user_id, email FROM address_changes WHERE hash = ? AND used_at IS NULL
		AND expires_at > ?`, store.SecretHash(secret), store.At(tx.Now))
	return &c, err
}

// ChangeAddress sets the account's address, by the secret of the mailed link, which works once. A link that
// is not in force gives [Missing]. An address that another account has by now gives [Conflict].
func ChangeAddress(tx *store.Tx, secret string) (*AddressChange, error) {
	c, err := AddressBySecret(tx, secret)
	if err != nil {
		return nil, err
	}
	ok, err := tx.Changed(`UPDATE address_changes SET used_at = ? WHERE id = ? AND used_at IS NULL`, store.At(tx.Now), c.ID)
	if err == nil && !ok {
		err = store.Missing()
	}
	if err != nil {
		return nil, err
	}
	return c, SetEmail(tx, c.UserID, c.Email)
}
