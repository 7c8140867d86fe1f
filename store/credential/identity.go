package credential

import "samepage/store"

// Identity is an account at an OpenID provider with which a user can sign in here.
type Identity struct {
	Issuer    string     `db:"issuer"`
	Subject   string     `db:"subject"`
	UserID    string     `db:"user_id"`
	Email     string     `db:"email"` // the address that the provider reported at the last sign-in
	CreatedAt store.Time `db:"created_at"`
	UsedAt    store.Time `db:"used_at"`
}

const identityColumns = `issuer, subject, user_id, email, created_at, used_at`

// FindIdentity finds the identity for an account at a provider. It returns [store.Missing] for an unknown account.
func FindIdentity(tx *store.Tx, issuer, subject string) (*Identity, error) {
	return store.One[Identity](tx, `SELECT `+identityColumns+` FROM identities WHERE issuer = ? AND subject = ?`, issuer, subject)
}

// ConnectIdentity lets the user sign in with an account at a provider, or records a sign-in if they are already
// connected. It returns [store.Conflict] if the account at the provider belongs to another user.
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

// DisconnectIdentity removes all identities of the user at a provider. It does nothing if there are none.
func DisconnectIdentity(tx *store.Tx, userID, issuer string) error {
	return tx.Exec(`DELETE FROM identities WHERE user_id = ? AND issuer = ?`, userID, issuer)
}
