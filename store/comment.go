package store

import (
	"slices"
	"strconv"
)

// Comment is one remark on an item. Comments are sorted by time and have no replies of their own.
type Comment struct {
	Seq    int    `db:"seq"`
	Member string `db:"member"` // handle of the author
	Agent
	Text      string `db:"text"`
	At        Time   `db:"at"`
	RemovedAt Time   `db:"removed_at"`
	RemovedBy string `db:"removed_by"` // handle of the member who removed the comment
}

// Removal returns [Deleted] for a comment that its author removed and [Redacted] for one that another member
// removed.
func (c *Comment) Removal() string { return removal(c.Member, c.RemovedBy) }

const commentColumns = `c.seq, m.handle AS member, c.agent_id, a.label AS agent, c.text, c.at, c.removed_at,
	r.handle AS removed_by`

const commentFrom = ` comments c JOIN members m ON m.id = c.member_id LEFT JOIN agents a ON a.id = c.agent_id
	LEFT JOIN members r ON r.id = c.removed_by `

// Comments returns up to limit comments on an item, oldest first. They are the last ones with a number below
// before, or the last of all if before is 0.
func (tx *Tx) Comments(itemID string, before, limit int) ([]Comment, error) {
	if before <= 0 {
		before = 1 << 62
	}
	list := make([]Comment, 0, limit)
	err := tx.Select(&list, `SELECT `+commentColumns+` FROM`+commentFrom+`WHERE c.item_id = ? AND c.seq < ?
		ORDER BY c.seq DESC`+AtMost, itemID, before, limit)
	slices.Reverse(list)
	return list, err
}

// Discussion has the latest comments on an item, its files, and the items that link to it.
type Discussion struct {
	Newest  []Comment
	Linking []Item // items that link to the discussed item and that the actor may see
	Files   []File
}

// ShowDiscussion loads the discussion of an item, with up to 10 comments and 20 linking items.
func (tx *Tx) ShowDiscussion(by Actor, i *Item) (d Discussion, err error) {
	if i.Comments > 0 {
		if d.Newest, err = tx.Comments(i.ID, 0, 10); err != nil {
			return d, err
		}
	}
	if i.Linked {
		if d.Linking, err = tx.linking(by, i, 20); err != nil {
			return d, err
		}
	}
	if i.Files > 0 {
		d.Files, err = tx.AttachedFiles(i)
	}
	return d, err
}

// AddComment adds a comment and returns its number.
func (tx *Tx) AddComment(by Actor, i *Item, text string) (int, error) {
	seq := i.Comments + 1
	tx.index(commentDocument, i.ID, seq)
	if err := tx.Exec(`INSERT INTO comments (item_id, seq, org_id, member_id, agent_id, text, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		i.ID, seq, i.OrgID, by.MemberID(), Null(by.Agent.ID), text, At(tx.Now)); err != nil {
		return 0, err
	}
	if err := tx.link(i, seq, text); err != nil {
		return 0, err
	}
	if err := tx.FollowSilently(by, i.ID); err != nil {
		return 0, err
	}
	if err := tx.Exec(`UPDATE items SET comments = ?, remarks = remarks + 1 WHERE id = ?`, seq, i.ID); err != nil {
		return 0, err
	}
	return seq, tx.raise(itemVersion, i.ID)
}

// Null returns s, or NULL for the empty string.
func Null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// CommentsPage is one page of an item's comments, oldest first.
type CommentsPage struct {
	*Item
	List []Comment
}

// ShowComments loads the comments with numbers below before. It loads the last comments if before is not a
// number.
func (tx *Tx) ShowComments(i *Item, before string) (*CommentsPage, error) {
	seq, err := strconv.Atoi(before)
	if err != nil {
		seq = 0
	}
	p := &CommentsPage{Item: i}
	p.List, err = tx.Comments(i.ID, seq, 20)
	return p, err
}
