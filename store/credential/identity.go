package credential

import "samepage/store"

// Identity is an account at an OpenID provider that may sign in as a user.
type Identity struct {
	Issuer    string     `db:"issuer"`
	Subject   string     `db:"subject"`
	UserID    string     `db:"user_id"`
	Email     string     `db:"email"` // as the provider has it
	CreatedAt store.Time `db:"created_at"`
	UsedAt    store.Time `db:"used_at"`
}

const identityColumns = `issuer, subject, user_id, email, created_at, used_at`

// FindIdentity finds the identity of a provider's account. An unknown account gives [Missing].
func FindIdentity(tx *store.Tx, issuer, subject string) (*Identity, error) {
	var i Identity
	err := tx.Get(&i, `SELECT `+identityColumns+` FROM identities WHERE issuer = ? AND subject = ?`, issuer, subject)
	return &i, err
}

func identities(tx *store.Tx, userID string) ([]Identity, error) {
	var list []Identity
	err := tx.Select(&list, `SELECT `+identityColumns+` FROM identities WHERE user_id = ?
		ORDER BY created_at, issuer, subject LIMIT 100`, userID)
	return list, err
}

// ConnectIdentity makes a provider's account sign in as the user, or records another sign-in. An account of another
// user gives [Conflict].
func ConnectIdentity(tx *store.Tx, userID, issuer, subject, email string) error {
	ok, err := tx.Changed(`INSERT INTO identities (issuer, subject, user_id, email, created_at, used_at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (issuer, subject) DO UPDATE SET email = excluded.email, used_at = excluded.used_at
		WHERE identities.user_id = excluded.user_id`,
		issuer, subject, userID, email, store.At(tx.Now), store.At(tx.Now))
	if err == nil && !ok {
		return store.Errorf(store.Conflict, "Another account here is connected to that one.")
	}
	return err
}

// DisconnectIdentity removes the user's identities at a provider.
func DisconnectIdentity(tx *store.Tx, userID, issuer string) error {
	return tx.Exec(`DELETE FROM identities WHERE user_id = ? AND issuer = ?`, userID, issuer)
}
