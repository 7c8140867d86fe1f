// Package credential stores the data with which people and programs sign in: accounts with their passwords, passkeys
// and identities at OpenID providers, logins, password resets, changes of the email address, and OAuth grants.
package credential

import (
	"samepage/store"
	"samepage/store/db"
)

// Account has one person's credentials and logins. It is the same in all organizations.
type Account struct {
	UserID     string
	Email      string     `db:"email"`
	Password   string     `db:"password"`    // argon2id hash; empty without a password
	PasswordAt store.Time `db:"password_at"` // when the password was last changed
	This       []byte     // hash of the secret of the login that made the request
	Logins     []Login
	Passkeys   []Passkey // at most [maxPasskeys]
	Identities []Identity
	Names      []string // of the person and of the organizations; a password must not be made from one
	Next       string   `db:"next"` // requested email address that is not confirmed yet; may be empty
	Mails      bool     // this server can send mail; set by the caller
}

// AccountURL is the path of the account page.
const AccountURL = "/settings/account"

// Ref returns the account as the target of an action.
func (a *Account) Ref() store.Ref {
	return store.Ref{Kind: "account", URL: AccountURL, Title: "Your account"}
}

// Record returns nil, since no journal has entries about accounts.
func (a *Account) Record() any { return nil }

// Relation returns [store.Self] for the person with this account, and 0 for others and for agents.
func (a *Account) Relation(by store.Actor) store.Relation {
	if by.UserID != a.UserID || by.IsAgent() {
		return 0
	}
	return store.Self
}

// Others returns the logins except the one that made the request.
func (a *Account) Others() []*Login {
	var list []*Login
	for i := range a.Logins {
		if string(a.Logins[i].Hash) != string(a.This) {
			list = append(list, &a.Logins[i])
		}
	}
	return list
}

// FindAccount loads the actor's account with at most 100 logins, the last used first. It returns [store.Missing] for an
// agent or an anonymous actor.
func FindAccount(tx *store.Tx, by store.Actor) (*Account, error) {
	if by.UserID == "" || by.IsAgent() {
		return nil, store.Missing()
	}
	a := &Account{UserID: by.UserID, This: by.Login}
	if err := tx.Get(a, `SELECT email, password, password_at,
		coalesce((SELECT c.email FROM address_changes c WHERE c.user_id = users.id AND c.used_at IS NULL
		AND (c.expires_at IS NULL OR c.expires_at > ?)), '') AS next
		FROM users WHERE id = ?`, store.At(tx.Now), by.UserID); err != nil {
		return nil, err
	}
	for i := range by.Members {
		m := &by.Members[i]
		a.Names = append(a.Names, m.Name, m.Handle, m.OrgName)
	}
	var err error
	if a.Passkeys, err = store.All[Passkey](tx, `SELECT `+passkeyColumns+` FROM passkeys WHERE user_id = ?
		ORDER BY created_at, id LIMIT 100`, by.UserID); err != nil {
		return nil, err
	}
	if a.Identities, err = store.All[Identity](tx, `SELECT `+identityColumns+` FROM identities WHERE user_id = ?
		ORDER BY created_at, issuer, subject LIMIT 100`, by.UserID); err != nil {
		return nil, err
	}
	err = tx.Select(&a.Logins, `SELECT hash, agent, address, created_at, seen_at, expires_at FROM logins
		WHERE user_id = ? AND expires_at > ?
		ORDER BY seen_at DESC, hash LIMIT 100`, by.UserID, store.At(tx.Now))
	return a, err
}

// SetPassword sets the hash of the account's password. An empty hash removes the password. The links that were mailed
// to reset the password or to change the address become invalid.
func SetPassword(tx *store.Tx, userID, hash string) error {
	if err := tx.Exec(`UPDATE users SET password = ?, password_at = ? WHERE id = ?`, hash, store.At(tx.Now), userID); err != nil {
		return err
	}
	return voidLinks(tx, userID)
}

// voidLinks makes the links invalid that were mailed to reset the user's password or to change the address.
func voidLinks(tx *store.Tx, userID string) error {
	if err := tx.Exec(`DELETE FROM resets WHERE user_id = ?`, userID); err != nil {
		return err
	}
	return CancelAddress(tx, userID)
}

// ResetPassword sets the password of the user with this address, and ends all logins of the user. It returns
// [store.Missing] for an unknown address, and [store.Invalid] if the text is no email address.
func ResetPassword(tx *store.Tx, email, hash string) error {
	email, err := store.Email(email)
	if err != nil {
		return err
	}
	u, err := tx.UserByEmail(email)
	if err != nil {
		return err
	}
	// The password is set first. The UPDATE waits for transactions that sign in with the old password, so that EndLogins
	// also ends their logins.
	if err := SetPassword(tx, u.ID, hash); err != nil {
		return err
	}
	return EndLogins(tx, u.ID, nil)
}

// KeepPassword returns [store.Conflict] if the hash is no longer that of the user's password. It prevents changes of
// the password until tx ends.
func KeepPassword(tx *store.Tx, userID, hash string) error {
	kept, err := tx.Changed(`UPDATE users SET password = password WHERE id = ? AND password = ?`, userID, hash)
	if err == nil && !kept {
		err = store.Errorf(store.Conflict, "The password was changed in this moment. Sign in with the new one.")
	}
	return err
}

// SetEmail sets the email address with which the user signs in. It returns [store.Invalid] if the text is no email
// address, and [store.Conflict] if another account has the address. The links that were mailed to reset the password or
// to change the address become invalid.
func SetEmail(tx *store.Tx, userID, email string) error {
	email, err := store.Email(email)
	if err != nil {
		return err
	}
	err = tx.Exec(`UPDATE users SET email = ? WHERE id = ?`, email, userID)
	if db.IsUnique(err) {
		return store.Errorf(store.Conflict, "Another account signs in with this address. Choose another.")
	}
	if err != nil {
		return err
	}
	return voidLinks(tx, userID)
}
