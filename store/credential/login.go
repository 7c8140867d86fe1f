package credential

import (
	"encoding/hex"
	"time"

	"samepage/store"
)

// LoginIdle and LoginLife bound a login: since its last use, and in all. ProofLife is how long a proof of identity counts.
const (
	LoginIdle = 12 * time.Hour
	LoginLife = 14 * 24 * time.Hour
	ProofLife = 15 * time.Minute
)

// Browser is the origin of a request.
type Browser struct {
	Agent   string `db:"agent"`   // User-Agent
	Address string `db:"address"` // IP address, as the server sees it
}

// Login is a signed-in browser of a person.
type Login struct {
	Hash []byte `db:"hash"` // SHA-256 of its secret
	Browser
	CreatedAt store.Time `db:"created_at"`
	ProvedAt  store.Time `db:"proved_at"` // the last sign-in or confirmation by password or passkey
	SeenAt    store.Time `db:"seen_at"`
	ExpiresAt store.Time `db:"expires_at"`
}

// ID returns the id of the login on its person's account page.
func (l *Login) ID() string { return loginID(l.Hash) }

func loginID(hash []byte) string { return hex.EncodeToString(hash[:min(len(hash), 8)]) }

// LoginID returns the id of the login with this secret.
func LoginID(secret string) string { return loginID(store.SecretHash(secret)) }

// CreateLogin signs the user in on one browser and returns the cookie's value. Proved is the time of the
// last proof of identity; zero if there is no recent one.
func CreateLogin(tx *store.Tx, userID string, b Browser, proved time.Time) (string, error) {
	secret, hash := store.NewSecret()
	return secret, tx.Exec(`INSERT INTO logins (hash, user_id, agent, address, created_at, proved_at, seen_at,
		expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		hash, userID, b.Agent, b.Address, store.At(tx.Now), store.At(proved), store.At(tx.Now), store.At(tx.Now.Add(LoginIdle)))
}

// DeleteLogin signs one browser out.
func DeleteLogin(tx *store.Tx, secret string) error {
	return tx.Exec(`DELETE FROM logins WHERE hash = ?`, store.SecretHash(secret))
}

// EndLogin signs one of the user's browsers out.
func EndLogin(tx *store.Tx, userID string, hash []byte) error {
	return tx.Exec(`DELETE FROM logins WHERE user_id = ? AND hash = ?`, userID, hash)
}

// EndLogins signs the user out on all browsers except the login with this hash; nil for no exception.
func EndLogins(tx *store.Tx, userID string, but []byte) error {
	if but == nil {
		but = []byte{}
	}
	return tx.Exec(`DELETE FROM logins WHERE user_id = ? AND hash <> ?`, userID, but)
}

// TouchLogin records a use of a login and its origin, and deletes expired logins.
func TouchLogin(tx *store.Tx, secret string, b Browser) error {
	idle, life := tx.Now.Add(LoginIdle).UnixMilli(), LoginLife.Milliseconds()
	if err := tx.Exec(`UPDATE logins SET seen_at = ?, agent = ?, address = ?,
		expires_at = CASE WHEN created_at + ? < ? THEN created_at + ? ELSE ? END WHERE hash = ?`,
		store.At(tx.Now), b.Agent, b.Address, life, idle, life, idle, store.SecretHash(secret)); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM logins WHERE expires_at < ?`, store.At(tx.Now))
}

// ActorByLogin returns the person signed in with this cookie. An unknown or expired cookie gives [Missing].
func ActorByLogin(tx *store.Tx, secret string) (store.Actor, error) {
	var rows []struct {
		store.Member
		used
	}
	hash := store.SecretHash(secret)
	if err := tx.Select(&rows, `SELECT `+store.ActingColumns+`, `+usedColumns+` FROM logins l
		JOIN members m ON m.user_id = l.user_id
		JOIN organizations o ON o.id = m.org_id WHERE l.hash = ? AND l.expires_at > ? AND m.ended_at IS NULL
		ORDER BY m.joined_at, m.id`, hash, store.At(tx.Now)); err != nil {
		return store.Actor{}, err
	}
	if len(rows) == 0 {
		return actorWithoutMember(tx, hash)
	}
	by := rows[0].actor(rows[0].UserID, hash)
	for _, r := range rows {
		by.Members = append(by.Members, r.Member)
	}
	by.Member = &by.Members[0]
	return by, nil
}

// used has the columns of a login about its use.
type used struct {
	Seen   store.Time `db:"seen_at"`
	Proved store.Time `db:"proved_at"`
}

const usedColumns = `l.seen_at, l.proved_at`

// actor returns the user of the login.
func (u *used) actor(userID string, hash []byte) store.Actor {
	return store.Actor{UserID: userID, Login: hash, Proved: u.Proved.Time, Seen: u.Seen.Time}
}

// Unproved reports that a signed-in person must prove their identity again before a sensitive change.
func Unproved(a store.Actor, now time.Time) bool {
	return a.Login != nil && now.Sub(a.Proved) > ProofLife
}

// actorWithoutMember returns a signed-in person without memberships, for example after a removal from the only organization.
func actorWithoutMember(tx *store.Tx, hash []byte) (store.Actor, error) {
	var row struct {
		UserID string `db:"user_id"`
		used
	}
	if err := tx.Get(&row, `SELECT l.user_id, `+usedColumns+` FROM logins l WHERE l.hash = ? AND l.expires_at > ?`,
		hash, store.At(tx.Now)); err != nil {
		return store.Actor{}, err
	}
	return row.actor(row.UserID, hash), nil
}
