package store

import "time"

// ResetLife is how long a link to set another password works, from when it was made for its reader.
const ResetLife = 30 * time.Minute

// MailedReset is the kind of mail that brings such a link.
const MailedReset = "reset"

// ResetPath is where the link with this secret leads.
func ResetPath(secret string) string { return "/reset/" + secret }

// RequestReset has a link mailed to the address of an account that has a password, unless one is under way since the given
// time. Whether there is such an account is not told.
func (tx *Tx) RequestReset(email string, since time.Time) error {
	u, err := tx.UserByEmail(email)
	switch {
	case CodeOf(err) == NotFound:
		return nil
	case err != nil:
		return err
	case u.Password == "":
		return nil // who signs in otherwise is not to be got at through their mail
	}
	var under int
	if err := tx.Get(&under, `SELECT count(*) FROM resets WHERE user_id = ? AND created_at > ?`,
		u.ID, At(since)); err != nil || under > 0 {
		return err
	}
	if err := tx.Exec(`DELETE FROM resets WHERE user_id = ?`, u.ID); err != nil {
		return err
	}
	id := NewID()
	if err := tx.Exec(`INSERT INTO resets (id, user_id, created_at) VALUES (?, ?, ?)`,
		id, u.ID, At(tx.Now)); err != nil {
		return err
	}
	return tx.Queue(MailedReset, id, email)
}

// OpenReset makes the secret of a link that is about to be mailed, in place of an earlier one. Used or replaced: [Missing].
func (tx *Tx) OpenReset(id string) (secret string, err error) {
	return tx.openLink(`UPDATE resets SET hash = ?, expires_at = ? WHERE id = ?`, ResetLife, id)
}

// openLink makes the secret of a link that is about to be mailed: the update keeps its hash and when it expires, of the row with
// the id. No row: [Missing].
func (tx *Tx) openLink(update string, life time.Duration, id string) (secret string, err error) {
	secret = randomText(32) // 160 bits, in characters that any path keeps
	ok, err := tx.Changed(update, SecretHash(secret), At(tx.Now.Add(life)), id)
	if err == nil && !ok {
		err = Missing()
	}
	return secret, err
}

// UserByReset is whose password a link is for, by its secret. Used, expired, replaced, unknown: [Missing].
func (tx *Tx) UserByReset(secret string) (*User, error) {
	var u User
	err := tx.Get(&u, `SELECT u.id, u.email, u.password FROM resets r JOIN users u ON u.id = r.user_id
		WHERE r.hash = ? AND r.expires_at > ?`, SecretHash(secret), At(tx.Now))
	return &u, err
}

// Reset sets another password with the secret of a link, which works once, and ends every login. Not in force: [Missing].
func (tx *Tx) Reset(secret, hash string) (*User, error) {
	u, err := tx.UserByReset(secret)
	if err != nil {
		return nil, err
	}
	ok, err := tx.Changed(`DELETE FROM resets WHERE hash = ?`, SecretHash(secret))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, Missing()
	}
	if err := tx.SetPassword(u.ID, hash); err != nil {
		return nil, err
	}
	return u, tx.EndLogins(u.ID, nil)
}
