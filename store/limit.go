package store

import (
	"encoding/json"
	"time"
)

// Use is a class of requests that rate limits count separately.
type Use uint8

// These are the classes of requests; uses is their number.
const (
	UseRead Use = iota
	UseAction
	UseSearch
	uses
)

// Uses returns the names of the classes, in the order of the constants.
func Uses() []string { return []string{"reads", "actions", "searches"} }

// Limits are the rate limits of an organization. Token, Member and Organization are numbers of requests per minute; the
// limit 0 permits any number.
type Limits struct {
	Token        [uses]int `json:"token"`        // for one token
	Member       [uses]int `json:"member"`       // for one member together with all of their agents
	Organization [uses]int `json:"organization"` // for everybody in the organization together
	// InARow is the number of comments on a page, or of messages in a studio's channel, that agents may write in a row
	// until a person writes. The limit 0 permits any number.
	InARow int `json:"agents_in_a_row"`
}

// DefaultLimits returns the limits of an organization that has not set any.
func DefaultLimits() Limits {
	return Limits{Token: [uses]int{60, 10, 20}, Member: [uses]int{600, 120, 120},
		Organization: [uses]int{6000, 1200, 1200}, InARow: 3}
}

// limitsOf parses the stored limits of an organization. It returns [DefaultLimits] for empty and for invalid text.
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

// ShareUse adds n to the count of requests with this key in this minute, and returns the new count. All processes with
// this database share the count. The parameter minute is the beginning of the minute.
func (tx *Tx) ShareUse(key string, minute time.Time, n int) (total int, err error) {
	err = tx.Get(&total, `INSERT INTO use_counts (key, minute, n) VALUES (?, ?, ?)
		ON CONFLICT (key, minute) DO UPDATE SET n = use_counts.n + excluded.n RETURNING n`, key, At(minute), n)
	return total, err
}

// ForgetUse deletes the shared counts of minutes that began before the given time.
func (tx *Tx) ForgetUse(before time.Time) error {
	return tx.Exec(`DELETE FROM use_counts WHERE minute < ?`, At(before))
}
