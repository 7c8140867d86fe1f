// Package toy declares a kind of item outside the packages store, actions, views and web, so that its tests show that a
// new kind needs no change of the product. The items are wishes of members for a studio. A wish is granted once enough
// members of the studio have seconded it.
package toy

import (
	"samepage/store"
)

// WishKind declares wishes as a kind of item.
var WishKind = store.DeclareKind(store.Kind{
	Name:   "wish",
	Letter: "w",
	States: []string{WishDraft, WishOpen, WishGranted, store.Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN items.opened_at IS NULL THEN 'draft'
			WHEN items.closed_at IS NOT NULL THEN 'granted' ELSE 'open' END,
		w.seconded, w.goal, 0, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) FROM wishes w WHERE w.id = items.id`,
	Delete: []string{`DELETE FROM seconders WHERE wish_id = ?`, `DELETE FROM wishes WHERE id = ?`},
	Erase:  []string{`UPDATE wishes SET reason = '' WHERE id = ?`},
	Text:   `SELECT reason AS title FROM wishes WHERE id = ? AND reason <> ''`,
	Waits: []store.Wait{{
		For:  waitsForSeconder,
		From: store.OpenAround + `JOIN wishes w ON w.id = i.id`,
		Where: `(SELECT x.member_id FROM seconders x WHERE x.wish_id = i.id AND x.member_id = mm.id) IS NULL
			AND (i.due_at IS NULL OR i.due_at > ?)`,
	}},
	Leave: leaveWishes,
})

// These are the states of a wish, in addition to [store.Redacted].
const (
	WishDraft   = "draft"
	WishOpen    = "open"
	WishGranted = "granted"
)

const waitsForSeconder = "seconder"

// Tables has the statements that create the tables of wishes.
var Tables = []string{`CREATE TABLE wishes (
		id TEXT PRIMARY KEY, org_id TEXT NOT NULL, goal BIGINT NOT NULL, seconded BIGINT NOT NULL,
		reason TEXT NOT NULL)`,
	`CREATE TABLE seconders (
		wish_id TEXT NOT NULL, member_id TEXT NOT NULL, org_id TEXT NOT NULL, at BIGINT NOT NULL,
		PRIMARY KEY (wish_id, member_id))`}

// Wish is a wish of a member for a studio. It is granted once Goal members have seconded it.
type Wish struct {
	store.Item
	Goal     int        `db:"goal"`
	Seconded int        `db:"seconded"`
	Reason   string     `db:"reason"`
	Mine     store.Time `db:"mine"` // time at which the actor's member seconded the wish, or zero
}

// Record returns the content of a wish for the journal.
func (w *Wish) Record() any {
	return struct {
		Title    string `json:"title"`
		Text     string `json:"text,omitempty"`
		Reason   string `json:"reason,omitempty"`
		Goal     int    `json:"goal"`
		Seconded int    `json:"seconded"`
		Pinned   bool   `json:"pinned"`
	}{w.Title, w.Body, w.Reason, w.Goal, w.Seconded, w.Pinned}
}

// MustBeSecondable returns an error if the actor is not in the studio, and a [store.Conflict] if the wish is granted or
// the actor has already seconded it.
func (w *Wish) MustBeSecondable() error {
	if err := w.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case !w.ClosedAt.IsZero():
		return store.Errorf(store.Conflict, "This wish is granted already.")
	case !w.Mine.IsZero():
		return store.Errorf(store.Conflict, "You have seconded this wish.")
	}
	return nil
}

var wishFinder = store.NewFinder(`w.goal, w.seconded, w.reason, x.at AS mine`,
	`JOIN wishes w ON w.id = i.id LEFT JOIN seconders x ON x.wish_id = i.id AND x.member_id = mm.id `)

// FindWish finds a wish of a studio. If it does not exist, or the actor may not see it, the error is [store.Missing].
func FindWish(tx *store.Tx, by store.Actor, studio, id string) (*Wish, error) {
	var row struct {
		Wish
		Home store.Studio `db:"home"`
	}
	err := tx.Locate(wishFinder, by, &row, &row.Item, &row.Home, studio, id)
	return &row.Wish, err
}

// WishPage has the data for the page of a wish.
type WishPage struct {
	*Wish
	store.Discussion
}

// ShowWish loads the data for the page of a wish.
func ShowWish(tx *store.Tx, by store.Actor, w *Wish) (*WishPage, error) {
	d, err := tx.ShowDiscussion(by, &w.Item)
	return &WishPage{w, d}, err
}

// NewWish has the contents of a wish to create.
type NewWish struct {
	Title, Body, Reason string
	Goal                int
}

// CreateWish creates a wish in the studio, as a draft of the actor.
func CreateWish(tx *store.Tx, by store.Actor, s *store.Studio, n NewWish) (*Wish, error) {
	id, err := tx.InsertItem(by, s, store.NewItem{Kind: WishKind.Name, Title: n.Title, Body: n.Body})
	if err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO wishes (id, org_id, goal, seconded, reason) VALUES (?, ?, ?, 0, ?)`,
		id, s.OrgID, n.Goal, n.Reason); err != nil {
		return nil, err
	}
	return FindWish(tx, by, s.Handle, id)
}

// SecondWish records that the actor's member seconds the wish, and grants the wish if it has reached its goal.
func SecondWish(tx *store.Tx, by store.Actor, w *Wish) error {
	if err := tx.Exec(`INSERT INTO seconders (wish_id, member_id, org_id, at) VALUES (?, ?, ?, ?)`,
		w.ID, by.MemberID(), w.OrgID, store.At(tx.Now)); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE wishes SET seconded = seconded + 1 WHERE id = ?`, w.ID); err != nil {
		return err
	}
	if w.Seconded+1 < w.Goal {
		return tx.TouchItem(&w.Item)
	}
	if err := tx.SetHeadline(&w.Item, "the last word was that of @"+by.Member.Handle); err != nil {
		return err
	}
	return tx.CloseItem(by, &w.Item)
}

// leaveWishes withdraws the support of a member who leaves a studio, or all studios if studioID is empty. It returns
// the ids of the changed wishes. Granted wishes keep their support.
func leaveWishes(tx *store.Tx, m *store.Member, studioID string) (changed []string, err error) {
	if err := tx.Select(&changed, `SELECT i.id FROM seconders x JOIN items i ON i.id = x.wish_id WHERE x.member_id = ?
		AND (? = '' OR i.studio_id = ?) AND i.closed_at IS NULL`, m.ID, studioID, studioID); err != nil {
		return nil, err
	}
	for _, id := range changed {
		if err := tx.Exec(`UPDATE wishes SET seconded = seconded - 1 WHERE id = ?`, id); err != nil {
			return nil, err
		}
		if err := tx.Exec(`DELETE FROM seconders WHERE wish_id = ? AND member_id = ?`, id, m.ID); err != nil {
			return nil, err
		}
	}
	return changed, nil
}
