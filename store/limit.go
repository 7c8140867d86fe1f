package store

import (
	"encoding/json"
	"sync"
	"time"
)

// Use is what a request does, as limits count it.
type Use uint8

// The uses that are counted apart.
const (
	UseRead Use = iota
	UseAction
	UseSearch
	uses
)

// Uses names them, in order.
func Uses() []string { return []string{"reads", "actions", "searches"} }

// Limits are how often a minute an organization lets itself be asked, by use; 0 is any number of times.
type Limits struct {
	Token        [uses]int `json:"token"`        // of one agent's token
	Member       [uses]int `json:"member"`       // of one member, in person and through all of their agents
	Organization [uses]int `json:"organization"` // of all together
}

// DefaultLimits are those of an organization that has set none.
func DefaultLimits() Limits {
	return Limits{Token: [uses]int{60, 10, 20}, Member: [uses]int{600, 120, 120},
		Organization: [uses]int{6000, 1200, 1200}}
}

// readLimits remembers what settings say: every request needs them, and they hardly ever change.
var readLimits sync.Map

// limitsOf reads an organization's settings; the empty string is [DefaultLimits], and so is what cannot be read.
func limitsOf(settings string) Limits {
	if settings == "" {
		return DefaultLimits()
	}
	if l, ok := readLimits.Load(settings); ok {
		return l.(Limits)
	}
	var l Limits
	if json.Unmarshal([]byte(settings), &l) != nil {
		return DefaultLimits()
	}
	readLimits.Store(settings, l)
	return l
}

// SetLimits keeps what an organization allows.
func (tx *Tx) SetLimits(o *Organization, l Limits) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE organizations SET limits = ? WHERE id = ?`, string(text), o.ID); err != nil {
		return err
	}
	return tx.raise(organizationVersion, o.ID)
}

// ShareUse adds what this server has counted under a key in the minute that begins at the given time, and returns what all
// servers of the database have.
func (tx *Tx) ShareUse(key string, minute time.Time, n int) (total int, err error) {
	err = tx.Get(&total, `INSERT INTO use_counts (key, minute, n) VALUES (?, ?, ?)
		ON CONFLICT (key, minute) DO UPDATE SET n = use_counts.n + excluded.n RETURNING n`, key, At(minute), n)
	return total, err
}

// ForgetUse deletes what was counted before a time.
func (tx *Tx) ForgetUse(before time.Time) error {
	return tx.Exec(`DELETE FROM use_counts WHERE minute < ?`, At(before))
}
