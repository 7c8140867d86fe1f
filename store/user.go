package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// LoginLife is how long a login lasts after it was last seen; SeenEvery how often being seen is written down.
const (
	LoginLife = 30 * 24 * time.Hour
	SeenEvery = 10 * time.Minute
)

// User is who can sign in.
type User struct {
	ID       string `db:"id"`
	Email    string `db:"email"`
	Password string `db:"password"` // argon2id hash
}

// UserByEmail finds a user. Not found: [Missing].
func (tx *Tx) UserByEmail(email string) (*User, error) {
	var u User
	err := tx.get(&u, `SELECT id, email, password FROM users WHERE email = ?`, email)
	return &u, err
}

func (tx *Tx) createUser(email, passwordHash string) (string, error) {
	email, err := Email(email)
	if err != nil {
		return "", err
	}
	u, err := tx.UserByEmail(email)
	if err == nil {
		return u.ID, nil
	}
	if KindOf(err) != NotFound {
		return "", err
	}
	id := NewID()
	return id, tx.exec(`INSERT INTO users (id, email, password, created_at) VALUES (?, ?, ?, ?)`, id, email, passwordHash, At(tx.Now))
}

// HasUsers reports whether anybody can sign in yet.
func (tx *Tx) HasUsers() (bool, error) {
	var n int
	err := tx.get(&n, `SELECT count(*) FROM (SELECT 1 FROM users LIMIT 1) sub`)
	return n > 0, err
}

// NewSecret returns 256 random bits as text, and the hash under which they are stored.
func NewSecret() (secret string, hash []byte) {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	secret = base64.RawURLEncoding.EncodeToString(b)
	return secret, SecretHash(secret)
}

// SecretHash is the stored form of a secret of 256 random bits: a plain hash, because there is nothing to guess.
func SecretHash(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}

// CreateLogin signs the user in on one browser and returns the cookie's value.
func (tx *Tx) CreateLogin(userID string) (string, error) {
	secret, hash := NewSecret()
	return secret, tx.exec(`INSERT INTO logins (hash, user_id, created_at, seen_at, expires_at) VALUES (?, ?, ?, ?, ?)`,
		hash, userID, At(tx.Now), At(tx.Now), At(tx.Now.Add(LoginLife)))
}

// DeleteLogin signs one browser out.
func (tx *Tx) DeleteLogin(secret string) error {
	return tx.exec(`DELETE FROM logins WHERE hash = ?`, SecretHash(secret))
}

// TouchLogin writes down that a login was used, and forgets those that have expired.
func (tx *Tx) TouchLogin(secret string) error {
	if err := tx.exec(`UPDATE logins SET seen_at = ?, expires_at = ? WHERE hash = ?`,
		At(tx.Now), At(tx.Now.Add(LoginLife)), SecretHash(secret)); err != nil {
		return err
	}
	return tx.exec(`DELETE FROM logins WHERE expires_at < ?`, At(tx.Now))
}

// ActorByLogin is the person signed in with this cookie; stale means [Tx.TouchLogin] is due. Not found: [Missing].
func (tx *Tx) ActorByLogin(secret string) (by Actor, stale bool, err error) {
	var rows []struct {
		Member
		Seen Time `db:"seen_at"`
	}
	err = tx.all(&rows, `SELECT `+memberColumns+`, l.seen_at FROM logins l JOIN members m ON m.user_id = l.user_id
		JOIN organizations o ON o.id = m.org_id WHERE l.hash = ? AND l.expires_at > ? ORDER BY m.joined_at, m.id`, SecretHash(secret), At(tx.Now))
	if err != nil {
		return Actor{}, false, err
	}
	if len(rows) == 0 {
		return Actor{}, false, Missing()
	}
	by.UserID = rows[0].UserID
	for _, r := range rows {
		by.Members = append(by.Members, r.Member)
	}
	by.Member = &by.Members[0]
	return by, tx.Now.Sub(rows[0].Seen.Time) > SeenEvery, nil
}

// Instance is a value of the installation as a whole, made on first use; without create, a missing one is [Missing].
func (tx *Tx) Instance(key string, create func() []byte) ([]byte, error) {
	var v []byte
	err := tx.get(&v, `SELECT value FROM instance WHERE key = ?`, key)
	if KindOf(err) != NotFound || create == nil {
		return v, err
	}
	v = create()
	return v, tx.exec(`INSERT INTO instance (key, value) VALUES (?, ?)`, key, v)
}

// DeleteInstance forgets a value of the installation.
func (tx *Tx) DeleteInstance(key string) error {
	return tx.exec(`DELETE FROM instance WHERE key = ?`, key)
}
