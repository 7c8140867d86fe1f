package credential

import (
	"strings"
	"time"

	"samepage/store"
)

// UnusedClientLife is the time after which an unused client is deleted.
const UnusedClientLife = 24 * time.Hour

// OAuthClient is a program that asks members for a grant.
type OAuthClient struct {
	ID        string // URL of the client's metadata document, or a random id of a registered client
	Name      string // the name that the client gives itself
	Redirects []string
	Verified  bool // the metadata comes from the URL in ID
}

// RegisterClient stores a client. It deletes unused clients after [UnusedClientLife], because any visitor may register
// clients.
func RegisterClient(tx *store.Tx, name string, redirects []string) (*OAuthClient, error) {
	if err := tx.Exec(`DELETE FROM oauth_clients WHERE used_at IS NULL AND made_at < ?`,
		store.At(tx.Now.Add(-UnusedClientLife))); err != nil {
		return nil, err
	}
	id, _ := store.NewSecret()
	c := &OAuthClient{ID: id[:22], Name: name, Redirects: redirects}
	return c, tx.Exec(`INSERT INTO oauth_clients (id, name, redirects, made_at) VALUES (?, ?, ?, ?)`,
		c.ID, name, strings.Join(redirects, "\n"), store.At(tx.Now))
}

// FindClient finds a registered client. It returns [store.Missing] if the client is unknown or was deleted.
func FindClient(tx *store.Tx, id string) (*OAuthClient, error) {
	var row struct {
		Name      string `db:"name"`
		Redirects string `db:"redirects"`
	}
	err := tx.Get(&row, `SELECT name, redirects FROM oauth_clients
		WHERE id = ? AND (used_at IS NOT NULL OR made_at >= ?)`, id, store.At(tx.Now.Add(-UnusedClientLife)))
	return &OAuthClient{ID: id, Name: row.Name, Redirects: strings.Split(row.Redirects, "\n")}, err
}
