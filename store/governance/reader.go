package governance

import "samepage/store"

// Reader is a member who has confirmed having read an item.
type Reader struct {
	Member string `db:"member"` // handle
	store.Agent
	At store.Time `db:"at"`
}

// ReadersPage is one page of a note's readers.
type ReadersPage struct {
	*Note
	store.Listing[Reader]
}

// ShowReaders loads one page of the readers of a note, sorted by handle. The parameter `after` is the last handle of
// the previous page, or empty.
func ShowReaders(tx *store.Tx, _ store.Actor, n *Note, after string) (*ReadersPage, error) {
	const limit = 50
	list, err := store.All[Reader](tx, `SELECT m.handle AS member, x.agent_id, a.label AS agent, x.at
		FROM readers x JOIN members m ON m.id = x.member_id LEFT JOIN agents a ON a.id = x.agent_id
		WHERE x.item_id = ? AND m.handle > ? ORDER BY m.handle`+store.AtMost,
		n.ID, after, limit)
	return &ReadersPage{n, store.Listing[Reader]{List: list, Limit: limit}}, err
}

// ConfirmRead records that the acting member has read a note. The confirmation replaces an earlier one by the member or
// the member's agent.
func ConfirmRead(tx *store.Tx, by store.Actor, n *Note) error {
	if err := tx.Exec(`INSERT INTO readers (item_id, member_id, org_id, agent_id, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (item_id, member_id) DO UPDATE SET agent_id = excluded.agent_id, at = excluded.at`,
		n.ID, by.MemberID(), n.OrgID, store.Null(by.Agent.ID), store.At(tx.Now)); err != nil {
		return err
	}
	if n.Mine.At.IsZero() {
		if err := tx.Exec(`UPDATE notes SET readers = readers + 1 WHERE id = ?`, n.ID); err != nil {
			return err
		}
	}
	return tx.TouchItem(&n.Item)
}
