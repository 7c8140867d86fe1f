package store

import (
	"slices"
	"strconv"
)

// Comment is one remark under a noun; comments are flat and chronological.
type Comment struct {
	Seq    int    `db:"seq"`
	Member string `db:"member"` // handle
	Agent
	Text string `db:"text"`
	At   Time   `db:"at"`
}

const commentColumns = `c.seq, m.handle AS member, coalesce(c.agent_id, '') AS agent_id, coalesce(a.label, '') AS agent, c.text, c.at`

// Comments lists up to limit comments of a subject in their order: the newest ones, or those before the given sequence.
func (tx *Tx) Comments(subjectID string, before, limit int) ([]Comment, error) {
	if before <= 0 {
		before = 1 << 62
	}
	list := make([]Comment, 0, limit)
	err := tx.all(&list, `SELECT `+commentColumns+` FROM comments c JOIN members m ON m.id = c.member_id LEFT JOIN agents a ON a.id = c.agent_id
		WHERE c.subject_id = ? AND c.seq < ? ORDER BY c.seq DESC`+atMost, subjectID, before, limit)
	slices.Reverse(list)
	return list, err
}

// addComment stores the comment with this sequence; the subject keeps the count.
func (tx *Tx) addComment(by Actor, subjectID string, seq int, text string) error {
	return tx.exec(`INSERT INTO comments (subject_id, seq, org_id, member_id, agent_id, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		subjectID, seq, by.Member.OrgID, by.MemberID(), null(by.Agent.ID), text, At(tx.Now))
}

// null is s, or NULL if it is empty.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// CommentsPage is a stretch of a decision's comments, in their order.
type CommentsPage struct {
	*Decision
	List []Comment
}

// ShowComments loads the comments before the given sequence; anything else begins at the newest.
func (tx *Tx) ShowComments(_ Actor, d *Decision, before string) (*CommentsPage, error) {
	seq, err := strconv.Atoi(before)
	if err != nil {
		seq = 0
	}
	p := &CommentsPage{Decision: d}
	p.List, err = tx.Comments(d.ID, seq, 20)
	return p, err
}
