package credential

import (
	"time"

	"samepage/store"
)

// ResetLife is how long the link of a password reset works after it was mailed.
const ResetLife = 30 * time.Minute

// MailedReset is the kind of mail with such a link.
const MailedReset = "reset"

// ResetPath returns the path of the link with this secret.
func ResetPath(secret string) string { return "/reset/" + secret }

// RequestReset queues a mail with a link to the address of an account that has a password, unless one was
// requested since the given time. The error does not tell whether there is such an account.
func RequestReset(tx *store.Tx, email string, since time.Time) error {
	u, err := tx.UserByEmail(email)
	switch {
	case store.CodeOf(err) == store.NotFound:
		return nil
	case err != nil:
		return err
	case u.Password == "":
		return nil // an account without a password is never opened by mail
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

// OpenReset makes the secret of a link, right before it is mailed, in place of an earlier one. A used or
// replaced request gives [Missing].
func OpenReset(tx *store.Tx, id string) (secret string, err error) {
	return openLink(tx, `UPDATE resets SET hash = ?, expires_at = ? WHERE id = ?`, ResetLife, id)
}

// openLink makes the secret of a link, right before it is mailed: the statement stores its hash and expiry
// in the row with the id. A missing row gives [Missing].
func openLink(tx *store.Tx, update string, life time.Duration, id string) (secret string, err error) {
	secret = store.RandomText(32) // 160 bits, in characters that need no escape in a path
	ok, err := tx.Changed(update, store.SecretHash(secret), store.At(tx.Now.Add(life)), id)
	if err == nil && !ok {
		err = store.Missing()
	}
	return secret, err
}

// UserByReset returns the user of a link's secret. A used, expired, replaced or unknown secret gives [Missing].
func UserByReset(tx *store.Tx, secret string) (*store.User, error) {
	var u store.User
	err := tx.Get(&u, `SELECT u.id, u.email, u.password FROM resets r JOIN users u ON u.id = r.user_id
		WHERE r.hash = ? AND r.expires_at > ?`, store.SecretHash(secret), store.At(tx.Now))
	return &u, err
}

// ResetPasswordByLink sets a new password by the secret of a link, which works once, and ends all logins. A secret that
// is not in force gives [Missing].
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
