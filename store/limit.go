package store

import (
	"encoding/json"
	"time"
)

// Use is a class of requests that rate limits count apart.
type Use uint8

// The classes of requests.
const (
	UseRead Use = iota
	UseAction
	UseSearch
	uses
)

// Uses returns the names of the classes, in order.
func Uses() []string { return []string{"reads", "actions", "searches"} }

// Limits are the requests per minute that an organization permits, by [Use]; 0 for any number.
type Limits struct {
	Token        [uses]int `json:"token"`        // per token
	Member       [uses]int `json:"member"`       // per member, with all of their agents
	Organization [uses]int `json:"organization"` // for the whole organization
}

// DefaultLimits returns the limits of an organization that has set none.
func DefaultLimits() Limits {
	return Limits{Token: [uses]int{60, 10, 20}, Member: [uses]int{600, 120, 120},
		Organization: [uses]int{6000, 1200, 1200}}
}

// limitsOf parses an organization's limits. The empty string, and text that is not valid, mean [DefaultLimits].
func limitsOf(settings string) Limits {
	if settings == "" {
		return DefaultLimits()
	}
	var l Limits
	if json.Unmarshal([]byte(settings), &l) != nil {
		return DefaultLimits()
	}
	return l
}

// SetLimits stores the limits of an organization.
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

// ShareUse adds the count of this process under a key in the minute that begins at the given time, and
// returns the sum of all processes that share the database.
func (tx *Tx) ShareUse(key string, minute time.Time, n int) (total int, err error) {
	err = tx.Get(&total, `INSERT INTO use_counts (key, minute, n) VALUES (?, ?, ?)
		ON CONFLICT (key, minute) DO UPDATE SET n = use_counts.n + excluded.n RETURNING n`, key, At(minute), n)
	return total, err
}

// ForgetUse deletes the counts of minutes before a time.
func (tx *Tx) ForgetUse(before time.Time) error {
	return tx.Exec(`DELETE FROM use_counts WHERE minute < ?`, At(before))
}
