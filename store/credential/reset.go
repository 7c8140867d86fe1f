package credential

import (
	"time"

	"samepage/store"
)

// ResetLife is the time for which a mailed link of a password reset is valid.
const ResetLife = 30 * time.Minute

// MailedReset is the kind of a mail with the link of a password reset.
const MailedReset = "reset"

// ResetPath returns the path of the link of a password reset with this secret.
func ResetPath(secret string) string { return "/reset/" + secret }

// RequestReset queues a mail with the link of a password reset, if an account with a password has this email address
// and has requested no link since the given time. Otherwise it also returns nil, so that it does not reveal which
// accounts exist.
func RequestReset(tx *store.Tx, email string, since time.Time) error {
	u, err := tx.UserByEmail(email)
	switch {
	case store.CodeOf(err) == store.NotFound:
		return nil
	case err != nil:
		return err
	case u.Password == "":
		return nil // a mailed link must not open an account without a password
	}
	var under int
	if err := tx.Get(&under, `SELECT count(*) FROM resets WHERE user_id = ? AND created_at > ?`,
		u.ID, store.At(since)); err != nil || under > 0 {
		return err
	}
	if err := tx.Exec(`DELETE FROM resets WHERE user_id = ?`, u.ID); err != nil {
		return err
	}
	id := store.NewID()
	if err := tx.Exec(`INSERT INTO resets (id, user_id, created_at) VALUES (?, ?, ?)`,
		id, u.ID, store.At(tx.Now)); err != nil {
		return err
	}
	return tx.QueueMail(MailedReset, id, email)
}

// OpenReset creates and returns the secret of a link, which is valid for [ResetLife] from now. OpenReset returns
// [store.Missing] if the request was used or replaced.
func OpenReset(tx *store.Tx, id string) (secret string, err error) {
	return openLink(tx, `UPDATE resets SET hash = ?, expires_at = ? WHERE id = ?`, ResetLife, id)
}

// openLink creates the secret of a link. The SQL statement update stores the secret's hash and expiry in the row with
// the id. If there is no such row, openLink returns [store.Missing].
func openLink(tx *store.Tx, update string, life time.Duration, id string) (secret string, err error) {
	secret = store.RandomText(32) // 160 bits, in characters that need no escaping in a path
	ok, err := tx.Changed(update, store.SecretHash(secret), store.At(tx.Now.Add(life)), id)
	if err == nil && !ok {
		err = store.Missing()
	}
	return secret, err
}

// UserByReset returns the user of the link with this secret. It returns [store.Missing] if the link was used, has
// expired, was replaced or is unknown.
func UserByReset(tx *store.Tx, secret string) (*store.User, error) {
	return store.One[store.User](tx, `SELECT u.id, u.email, u.password FROM resets r JOIN users u ON u.id = r.user_id
		WHERE r.hash = ? AND r.expires_at > ?`, store.SecretHash(secret), store.At(tx.Now))
}

// ResetPasswordByLink sets a new password for the user of the link with this secret, and ends all the user's logins. A
// link works once. ResetPasswordByLink returns [store.Missing] if the link is not valid.
func ResetPasswordByLink(tx *store.Tx, secret, hash string) (*store.User, error) {
	u, err := UserByReset(tx, secret)
	if err != nil {
		return nil, err
	}
	ok, err := tx.Changed(`DELETE FROM resets WHERE hash = ?`, store.SecretHash(secret))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, store.Missing()
	}
	if err := SetPassword(tx, u.ID, hash); err != nil {
		return nil, err
	}
	return u, EndLogins(tx, u.ID, nil)
}
