package store

import "samepage/store/db"

// Account is who can sign in and how: what belongs to a person, in whatever organizations they are.
type Account struct {
	UserID     string
	Email      string `db:"email"`
	Password   string `db:"password"`    // argon2id hash; empty for none
	PasswordAt Time   `db:"password_at"` // when it was changed last
	This       []byte // hash of the login that asks
	Logins     []Login
	Passkeys   []Passkey // at most [MaxPasskeys]
	Identities []Identity
	Names      []string // what the person is called anywhere
	Next       string   `db:"next"` // address that counts once its link is opened; empty for none
	Mails      bool     // links are mailed
}

// AccountURL is the page of one's own account.
const AccountURL = "/settings/account"

// Ref names the account's page. It is in no journal: an account belongs to no organization.
func (a *Account) Ref() Ref { return Ref{Kind: "account", URL: AccountURL, Title: "Your account"} }

// Record is empty: no journal keeps anything of an account.
func (a *Account) Record() any { return nil }

// Relation is [Self]: nobody finds another's account.
func (a *Account) Relation(by Actor) Relation {
	if by.UserID != a.UserID || by.IsAgent() {
		return 0
	}
	return Self
}

// Others are the account's logins but the one that asks.
func (a *Account) Others() []*Login {
	var list []*Login
	for i := range a.Logins {
		if string(a.Logins[i].Hash) != string(a.This) {
			list = append(list, &a.Logins[i])
		}
	}
	return list
}

// FindAccount loads the account of whoever is signed in, with at most 100 logins, the one seen last first. For an agent and
// for nobody: [Missing].
func (tx *Tx) FindAccount(by Actor) (*Account, error) {
	if by.UserID == "" || by.IsAgent() {
		return nil, Missing()
	}
	a := &Account{UserID: by.UserID, This: by.Login}
	if err := tx.Get(a, `SELECT email, password, password_at,
		coalesce((SELECT c.email FROM address_changes c WHERE c.user_id = users.id AND c.used_at IS NULL
		AND (c.expires_at IS NULL OR c.expires_at > ?)), '') AS next
		FROM users WHERE id = ?`, At(tx.Now), by.UserID); err != nil {
		return nil, err
	}
	for i := range by.Members {
		m := &by.Members[i]
		a.Names = append(a.Names, m.Name, m.Handle, m.OrgName)
	}
	var err error
	if a.Passkeys, err = tx.passkeys(by.UserID); err != nil {
		return nil, err
	}
	if a.Identities, err = tx.identities(by.UserID); err != nil {
		return nil, err
	}
	err = tx.Select(&a.Logins, `SELECT hash, agent, address, created_at, proved_at, seen_at, expires_at FROM logins
		WHERE user_id = ? AND expires_at > ?
		ORDER BY seen_at DESC, hash LIMIT 100`, by.UserID, At(tx.Now))
	return a, err
}

// SetPassword gives the account another password, by its hash; empty leaves it none.
func (tx *Tx) SetPassword(userID, hash string) error {
	return tx.Exec(`UPDATE users SET password = ?, password_at = ? WHERE id = ?`, hash, At(tx.Now), userID)
}

// SetEmail gives the account another address to sign in with. One that has an account already: [Conflict].
func (tx *Tx) SetEmail(userID, email string) error {
	email, err := Email(email)
	if err != nil {
		return err
	}
	err = tx.Exec(`UPDATE users SET email = ? WHERE id = ?`, email, userID)
	if db.IsUnique(err) {
		return Errorf(Conflict, "Another account signs in with this address. Choose another.")
	}
	return err
}
