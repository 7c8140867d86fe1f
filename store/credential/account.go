// Package credential has the ways in: accounts with their passwords, passkeys and identities, logins,
// resets, changes of the address, and the grants of OAuth.
package credential

import (
	"samepage/store"
	"samepage/store/db"
)

// Account has the credentials and logins of one person, in all organizations.
type Account struct {
	UserID     string
	Email      string     `db:"email"`
	Password   string     `db:"password"`    // argon2id hash; empty for none
	PasswordAt store.Time `db:"password_at"` // when the password was last changed
	This       []byte     // hash of the login of the request
	Logins     []Login
	Passkeys   []Passkey // at most [MaxPasskeys]
	Identities []Identity
	Names      []string // names and handles of the person, and names of their organizations
	Next       string   `db:"next"` // requested address, in force once its link is opened; empty for none
	Mails      bool     // this server sends mail
}

// AccountURL is the path of the actor's own account page.
const AccountURL = "/settings/account"

// Ref returns the account's page. No journal has entries of accounts, which belong to no organization.
func (a *Account) Ref() store.Ref {
	return store.Ref{Kind: "account", URL: AccountURL, Title: "Your account"}
}

// Record returns nil, since no journal has entries of accounts.
func (a *Account) Record() any { return nil }

// Relation returns [Self], since an actor loads no other account.
func (a *Account) Relation(by store.Actor) store.Relation {
	if by.UserID != a.UserID || by.IsAgent() {
		return 0
	}
	return store.Self
}

// Others returns the account's logins except the one of the request.
func (a *Account) Others() []*Login {
	var list []*Login
	for i := range a.Logins {
		if string(a.Logins[i].Hash) != string(a.This) {
			list = append(list, &a.Logins[i])
		}
	}
	return list
}

// FindAccount loads the actor's account with at most 100 logins, the one last used first. An agent or an
// anonymous actor gives [Missing].
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
	if a.Passkeys, err = passkeys(tx, by.UserID); err != nil {
		return nil, err
	}
	if a.Identities, err = identities(tx, by.UserID); err != nil {
		return nil, err
	}
	err = tx.Select(&a.Logins, `SELECT hash, agent, address, created_at, proved_at, seen_at, expires_at FROM logins
		WHERE user_id = ? AND expires_at > ?
		ORDER BY seen_at DESC, hash LIMIT 100`, by.UserID, store.At(tx.Now))
	return a, err
}

// SetPassword sets the hash of the account's password; the empty string means no password.
func SetPassword(tx *store.Tx, userID, hash string) error {
	return tx.Exec(`UPDATE users SET password = ?, password_at = ? WHERE id = ?`, hash, store.At(tx.Now), userID)
}

// SetEmail sets the address that the account signs in with. An address of another account gives [Conflict].
func SetEmail(tx *store.Tx, userID, email string) error {
	email, err := store.Email(email)
	if err != nil {
		return err
	}
	err = tx.Exec(`UPDATE users SET email = ? WHERE id = ?`, email, userID)
	if db.IsUnique(err) {
		return store.Errorf(store.Conflict, "Another account signs in with this address. Choose another.")
	}
	return err
}
