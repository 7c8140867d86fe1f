package store

// SigningKey is a key that signs access tokens, or is known for a while longer because it did.
type SigningKey struct {
	ID      string `db:"id"`
	Private []byte `db:"private"` // PKCS #8
	MadeAt  Time   `db:"made_at"`
	SignsAt Time   `db:"signs_at"`
	EndsAt  Time   `db:"ends_at"` // zero until there is a successor
}

// SigningKeys lists the keys whose signatures count, newest first.
func (tx *Tx) SigningKeys() ([]SigningKey, error) {
	var list []SigningKey
	err := tx.Select(&list, `SELECT id, private, made_at, signs_at, ends_at FROM oauth_keys
		WHERE ends_at IS NULL OR ends_at > ? ORDER BY signs_at DESC, id LIMIT 10`, At(tx.Now))
	return list, err
}

// AddSigningKey adds the successor of all keys, which end at the time given, and forgets those that have ended.
func (tx *Tx) AddSigningKey(k SigningKey, others Time) error {
	if err := tx.Exec(`DELETE FROM oauth_keys WHERE ends_at < ?`, At(tx.Now)); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE oauth_keys SET ends_at = ? WHERE ends_at IS NULL OR ends_at > ?`,
		others, others); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO oauth_keys (id, private, made_at, signs_at) VALUES (?, ?, ?, ?)`,
		k.ID, k.Private, k.MadeAt, k.SignsAt)
}

// RemoveSigningKeys forgets all keys: nothing that they signed counts any more.
func (tx *Tx) RemoveSigningKeys() error { return tx.Exec(`DELETE FROM oauth_keys`) }
