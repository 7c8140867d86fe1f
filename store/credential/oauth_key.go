package credential

import "samepage/store"

// SigningKey signs access tokens. A former key stays until its last signatures have expired.
type SigningKey struct {
	ID      string     `db:"id"`
	Sealed  []byte     `db:"sealed"` // PKCS #8, encrypted with the keys of the installation
	MadeAt  store.Time `db:"made_at"`
	SignsAt store.Time `db:"signs_at"`
	EndsAt  store.Time `db:"ends_at"` // zero for the newest key
}

// SigningKeys lists up to ten keys that have not ended, newest first.
func SigningKeys(tx *store.Tx) ([]SigningKey, error) {
	return store.All[SigningKey](tx, `SELECT id, sealed, made_at, signs_at, ends_at FROM oauth_keys
		WHERE ends_at IS NULL OR ends_at > ? ORDER BY signs_at DESC, id LIMIT 10`, store.At(tx.Now))
}

// AddSigningKey adds a key. The other keys end at the time `others`, unless they end earlier. AddSigningKey deletes
// keys that have ended.
func AddSigningKey(tx *store.Tx, k SigningKey, others store.Time) error {
	if err := tx.Exec(`DELETE FROM oauth_keys WHERE ends_at < ?`, store.At(tx.Now)); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE oauth_keys SET ends_at = ? WHERE ends_at IS NULL OR ends_at > ?`,
		others, others); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO oauth_keys (id, sealed, made_at, signs_at) VALUES (?, ?, ?, ?)`,
		k.ID, k.Sealed, k.MadeAt, k.SignsAt)
}

// RemoveSigningKeys deletes all keys, so that the access tokens that they have signed become invalid.
func RemoveSigningKeys(tx *store.Tx) error { return tx.Exec(`DELETE FROM oauth_keys`) }
