package store

import (
	"strings"
	"time"
)

// UnusedClientLife is how long a client that registered itself and was never used is remembered.
const UnusedClientLife = 24 * time.Hour

// OAuthClient is a program that asks members to let it act for them.
type OAuthClient struct {
	ID        string // of one that did not register, the address of its metadata document
	Name      string // as it calls itself
	Redirects []string
	Verified  bool // who controls the address it has for an id wrote what it says of itself
}

// RegisterClient remembers a client that anybody may have sent, and forgets those that nobody used for a day.
func (tx *Tx) RegisterClient(name string, redirects []string) (*OAuthClient, error) {
	if err := tx.Exec(`DELETE FROM oauth_clients WHERE used_at IS NULL AND made_at < ?`,
		At(tx.Now.Add(-UnusedClientLife))); err != nil {
		return nil, err
	}
	id, _ := NewSecret()
	c := &OAuthClient{ID: id[:22], Name: name, Redirects: redirects}
	return c, tx.Exec(`INSERT INTO oauth_clients (id, name, redirects, made_at) VALUES (?, ?, ?, ?)`,
		c.ID, name, strings.Join(redirects, "\n"), At(tx.Now))
}

// FindClient finds a client that registered itself. Unknown or forgotten: [Missing].
func (tx *Tx) FindClient(id string) (*OAuthClient, error) {
	var row struct {
		Name      string `db:"name"`
		Redirects string `db:"redirects"`
	}
	err := tx.Get(&row, `SELECT name, redirects FROM oauth_clients
		WHERE id = ? AND (used_at IS NOT NULL OR made_at >= ?)`, id, At(tx.Now.Add(-UnusedClientLife)))
	return &OAuthClient{ID: id, Name: row.Name, Redirects: strings.Split(row.Redirects, "\n")}, err
}
