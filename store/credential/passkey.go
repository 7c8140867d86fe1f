package credential

import (
	"time"

	"samepage/store"
	"samepage/store/db"
)

const maxPasskeys = 20

// Passkey is a WebAuthn credential with which its user can sign in.
type Passkey struct {
	ID         string     `db:"id"`
	UserID     string     `db:"user_id"`
	Credential []byte     `db:"credential"` // credential id
	Name       string     `db:"name"`
	Record     string     `db:"record"` // public key, signature counter and flags, as JSON
	CreatedAt  store.Time `db:"created_at"`
	UsedAt     store.Time `db:"used_at"`
}

const passkeyColumns = `id, user_id, credential, name, record, created_at, used_at`

// PasskeyByCredential finds a passkey by its credential id. It returns [store.Missing] for an unknown id.
func PasskeyByCredential(tx *store.Tx, credential []byte) (*Passkey, error) {
	return store.One[Passkey](tx, `SELECT `+passkeyColumns+` FROM passkeys WHERE credential = ?`, credential)
}

// CreatePasskey adds a passkey to an account. It returns [store.Conflict] if the credential is known, or if the account
// has [maxPasskeys] passkeys.
func CreatePasskey(tx *store.Tx, a *Account, name string, credential []byte, record string) error {
	if len(a.Passkeys) >= maxPasskeys {
		return store.Errorf(store.Conflict, "An account has at most %d passkeys. Remove one first.", maxPasskeys)
	}
	err := tx.Exec(`INSERT INTO passkeys (id, user_id, credential, name, record, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
		store.NewID(), a.UserID, credential, name, record, store.At(tx.Now))
	if db.IsUnique(err) {
		return store.Errorf(store.Conflict, "This passkey is in use already.")
	}
	return err
}

// UsePasskey stores a passkey's new record, and the present time as that of its last use.
func UsePasskey(tx *store.Tx, k *Passkey, record string) error {
	return tx.Exec(`UPDATE passkeys SET record = ?, used_at = ? WHERE id = ?`, record, store.At(tx.Now), k.ID)
}

// RenamePasskey renames one of the user's passkeys. It does nothing if the passkey is another user's.
func RenamePasskey(tx *store.Tx, userID, id, name string) error {
	return tx.Exec(`UPDATE passkeys SET name = ? WHERE id = ? AND user_id = ?`, name, id, userID)
}

// RemovePasskey deletes one of the user's passkeys. It does nothing if the passkey is another user's.
func RemovePasskey(tx *store.Tx, userID, id string) error {
	return tx.Exec(`DELETE FROM passkeys WHERE id = ? AND user_id = ?`, id, userID)
}

// SpendNonce records the use of a one-time secret until the secret expires. It returns [store.Conflict] if the secret
// was used before.
func SpendNonce(tx *store.Tx, secret string, until time.Time) error {
	if err := tx.Exec(`DELETE FROM spent WHERE expires_at < ?`, store.At(tx.Now)); err != nil {
		return err
	}
	err := tx.Exec(`INSERT INTO spent (hash, expires_at) VALUES (?, ?)`, store.SecretHash(secret), store.At(until))
	if db.IsUnique(err) {
		return store.Errorf(store.Conflict, "This was used already.")
	}
	return err
}
