package credential

import (
	"time"

	"samepage/store"
)

// AddressLife is the time for which a mailed link that confirms an address is valid.
const AddressLife = 24 * time.Hour

// addressAgain is the shortest time between two requests of an account for a new address.
const addressAgain = time.Minute

// These are the kinds of mail about a new email address. The first goes to the new address and has the link. The second
// warns the old address.
const (
	MailedAddress       = "address"
	MailedAddressNotice = "address notice"
)

// AddressPath returns the path of the link that confirms a new address.
func AddressPath(secret string) string { return "/address/" + secret }

// AddressChange is a request to change an account's email address. The change is made when the link in the mail is
// confirmed.
type AddressChange struct {
	ID     string `db:"id"`
	UserID string `db:"user_id"`
	Email  string `db:"email"`
}

// RequestAddress queues a mail with the link to the new address email, and a notice to the present address, the
// parameter now. The links of earlier requests become invalid. It returns [store.Invalid] if email is no email address,
// and [store.Conflict] if the last request was made within [addressAgain].
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

// RequestedAddress returns the request with this id. It returns [store.Missing] if a later request has replaced it.
func RequestedAddress(tx *store.Tx, id string) (*AddressChange, error) {
	return store.One[AddressChange](tx, `SELECT id, user_id, email FROM address_changes WHERE id = ?`, id)
}

// OpenAddress creates and returns the secret of the link, which is valid for [AddressLife] from now. OpenAddress
// returns [store.Missing] if the request was used, cancelled or replaced.
func OpenAddress(tx *store.Tx, id string) (secret string, err error) {
	return openLink(tx, `UPDATE address_changes SET hash = ?, expires_at = ? WHERE id = ? AND used_at IS NULL`,
		AddressLife, id)
}

// AddressBySecret returns the request that the link with this secret confirms. It returns [store.Missing] if the link
// was used, has expired, was cancelled or replaced, or is unknown.
func AddressBySecret(tx *store.Tx, secret string) (*AddressChange, error) {
	return store.One[AddressChange](tx, `SELECT id, user_id, email FROM address_changes WHERE hash = ? AND used_at IS NULL
		AND expires_at > ?`, store.SecretHash(secret), store.At(tx.Now))
}

// CancelAddress makes the link of a requested change of the user's address invalid. It does nothing if there is none. The
// request stays, so that it counts for the limit of [RequestAddress] and its notice is still mailed.
func CancelAddress(tx *store.Tx, userID string) error {
	return tx.Exec(`UPDATE address_changes SET used_at = ? WHERE user_id = ? AND used_at IS NULL`, store.At(tx.Now), userID)
}

// ChangeAddress sets the account's address to the one that the link with this secret confirms. A link works once.
// ChangeAddress returns [store.Missing] if the link is not valid, and [store.Conflict] if another account has the
// address.
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
