package credential

import (
	"encoding/hex"
	"time"

	"samepage/store"
)

// LoginIdle is how long a login stays valid after its last use, and LoginLife is how long it can last in all. ProofLife
// is the time for which a proof of identity, such as entering the password, permits sensitive changes.
const (
	LoginIdle = 12 * time.Hour
	LoginLife = 14 * 24 * time.Hour
	ProofLife = 15 * time.Minute
)

// Browser describes the browser from which a request came.
type Browser struct {
	Agent   string `db:"agent"`   // User-Agent header
	Address string `db:"address"` // IP address as seen by the server
}

// Login is a browser in which a person is signed in.
type Login struct {
	Hash []byte `db:"hash"` // SHA-256 of the secret in the browser's cookie
	Browser
	CreatedAt store.Time `db:"created_at"`
	SeenAt    store.Time `db:"seen_at"`
	ExpiresAt store.Time `db:"expires_at"`
}

// ID returns a short id of the login.
func (l *Login) ID() string { return loginID(l.Hash) }

func loginID(hash []byte) string { return hex.EncodeToString(hash[:min(len(hash), 8)]) }

// LoginID returns the [Login.ID] of the login with this secret.
func LoginID(secret string) string { return loginID(store.SecretHash(secret)) }

// CreateLogin signs the user in on a browser and returns the value of the cookie. The parameter proved is the time of
// the user's last proof of identity, or zero without a recent proof.
func CreateLogin(tx *store.Tx, userID string, b Browser, proved time.Time) (string, error) {
	secret, hash := store.NewSecret()
	return secret, tx.Exec(`INSERT INTO logins (hash, user_id, agent, address, created_at, proved_at, seen_at,
		expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		hash, userID, b.Agent, b.Address, store.At(tx.Now), store.At(proved), store.At(tx.Now),
		store.At(tx.Now.Add(LoginIdle)))
}

// DeleteLogin ends the login with this secret. It does nothing for an unknown secret.
func DeleteLogin(tx *store.Tx, secret string) error {
	return tx.Exec(`DELETE FROM logins WHERE hash = ?`, store.SecretHash(secret))
}

// EndLogin ends the user's login with this hash. It does nothing if the user has no such login.
func EndLogin(tx *store.Tx, userID string, hash []byte) error {
	return tx.Exec(`DELETE FROM logins WHERE user_id = ? AND hash = ?`, userID, hash)
}

// EndLogins ends all logins of the user except the login with the hash `but`. If `but` is nil, it ends all logins. It
// also cancels a requested change of the address, which an ended login may have made.
func EndLogins(tx *store.Tx, userID string, but []byte) error {
	if but == nil {
		but = []byte{}
	}
	if err := tx.Exec(`DELETE FROM logins WHERE user_id = ? AND hash <> ?`, userID, but); err != nil {
		return err
	}
	return CancelAddress(tx, userID)
}

// TouchLogin records that a login was used from a browser, and deletes expired logins.
func TouchLogin(tx *store.Tx, secret string, b Browser) error {
	idle, life := tx.Now.Add(LoginIdle).UnixMilli(), LoginLife.Milliseconds()
	if err := tx.Exec(`UPDATE logins SET seen_at = ?, agent = ?, address = ?,
		expires_at = CASE WHEN created_at + ? < ? THEN created_at + ? ELSE ? END WHERE hash = ?`,
		store.At(tx.Now), b.Agent, b.Address, life, idle, life, idle, store.SecretHash(secret)); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM logins WHERE expires_at < ?`, store.At(tx.Now))
}

// ActorByLogin returns the person with this login. It returns [store.Missing] if the login is unknown or has expired.
func ActorByLogin(tx *store.Tx, secret string) (store.Actor, error) {
	var rows []struct {
		store.Member
		used
	}
	hash := store.SecretHash(secret)
	if err := tx.Select(&rows, `SELECT `+store.ActingColumns+`, m.direct_unread, m.person_version, `+usedColumns+` FROM logins l
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
		r.Own += r.PersonVersion // also counts the changes that agents never see
		by.Members = append(by.Members, r.Member)
	}
	by.Member = &by.Members[0]
	return by, nil
}

type used struct {
	Seen   store.Time `db:"seen_at"`
	Proved store.Time `db:"proved_at"`
}

const usedColumns = `l.seen_at, l.proved_at`

func (u *used) actor(userID string, hash []byte) store.Actor {
	return store.Actor{UserID: userID, Login: hash, Proved: u.Proved.Time, Seen: u.Seen.Time}
}

// Unproved reports whether a signed-in person needs a new proof of identity before a sensitive change.
func Unproved(a store.Actor, now time.Time) bool {
	return a.Login != nil && now.Sub(a.Proved) > ProofLife
}

// actorWithoutMember returns a signed-in person without a membership.
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
