package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"samepage/store/db"
)

// User is a person that can sign in. A user may be a member of several organizations.
type User struct {
	ID       string `db:"id"`
	Email    string `db:"email"`
	Password string `db:"password"` // argon2id hash of the password
}

// UserByEmail finds a user by the email address. It returns [Missing] for an unknown address.
func (tx *Tx) UserByEmail(email string) (*User, error) {
	return One[User](tx, `SELECT id, email, password FROM users WHERE email = ?`, email)
}

// createUser returns the id of the user with this address, and adds the user if necessary. It does not change the
// password of an existing user. It returns [Invalid] if the text is no email address.
func (tx *Tx) createUser(email, passwordHash string) (string, error) {
	email, err := Email(email)
	if err != nil {
		return "", err
	}
	u, err := tx.UserByEmail(email)
	if err == nil {
		return u.ID, nil
	}
	if CodeOf(err) != NotFound {
		return "", err
	}
	return tx.CreateUser(email, passwordHash)
}

// CreateUser adds a user. It returns [Invalid] if the text is no email address, and [Conflict] if another user has the
// address.
func (tx *Tx) CreateUser(email, passwordHash string) (string, error) {
	email, err := Email(email)
	if err != nil {
		return "", err
	}
	id := NewID()
	err = tx.Exec(`INSERT INTO users (id, email, password, created_at) VALUES (?, ?, ?, ?)`,
		id, email, passwordHash, At(tx.Now))
	if db.IsUnique(err) {
		return "", Errorf(Conflict, "Somebody signs in with this address already.")
	}
	return id, err
}

// UserEmail returns the address of a user. It returns [Missing] for an unknown user.
func (tx *Tx) UserEmail(id string) (email string, err error) {
	err = tx.Get(&email, `SELECT email FROM users WHERE id = ?`, id)
	return email, err
}

// HasUsers reports whether at least one user exists.
func (tx *Tx) HasUsers() (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM (SELECT 1 FROM users LIMIT 1) sub`)
	return n > 0, err
}

// NewSecret returns a secret of 256 random bits as text, and the [SecretHash] of the secret.
func NewSecret() (secret string, hash []byte) {
	b := make([]byte, 32)
	rand.Read(b) // crypto/rand never returns an error
	secret = base64.RawURLEncoding.EncodeToString(b)
	return secret, SecretHash(secret)
}

// SecretHash returns the form in which a random secret is stored. It is a SHA-256 hash without a salt, because a secret
// of at least 100 random bits cannot be guessed.
func SecretHash(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}

// Instance returns the installation's value for the key. If there is none, it stores and returns the result of the
// function create, or returns [Missing] if create is nil.
func (tx *Tx) Instance(key string, create func() []byte) ([]byte, error) {
	var v []byte
	err := tx.Get(&v, `SELECT value FROM instance WHERE key = ?`, key)
	if CodeOf(err) != NotFound || create == nil {
		return v, err
	}
	v = create()
	return v, tx.Exec(`INSERT INTO instance (key, value) VALUES (?, ?)`, key, v)
}

// DeleteInstance deletes the installation's value for the key.
func (tx *Tx) DeleteInstance(key string) error {
	return tx.Exec(`DELETE FROM instance WHERE key = ?`, key)
}
