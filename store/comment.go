package store

import (
	"slices"
	"strconv"
)

// Comment is one remark on an item.
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

// Comments returns an item's latest comments, at most limit, oldest first. If before is positive, it returns only
// comments with numbers below before.
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

// Reply is a comment on the item with the id On.
type Reply struct {
	On string `db:"item_id"`
	Comment
}

// LastReplies returns the last n comments on each of several items, oldest first. Removed comments are left out, but
// count among the n.
func (tx *Tx) LastReplies(ids []string, n int) ([]Reply, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids), len(ids)+1)
	for i, id := range ids {
		args[i] = id
	}
	return All[Reply](tx, `SELECT c.item_id, `+commentColumns+` FROM items i CROSS JOIN`+commentFrom+`
		WHERE i.id IN (`+Placeholders(len(ids))+`) AND c.item_id = i.id AND c.seq > i.comments - ? AND c.removed_at IS NULL
		ORDER BY c.item_id, c.seq`, append(args, n)...)
}

// Discussion has the latest comments on an item, its files, and the items that link to it.
type Discussion struct {
	Newest  []Comment
	Placed  int    // how many comments Newest leaves out because the page shows them elsewhere
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

// AddComment adds a comment and returns its number. It also calls [Tx.FollowSilently] for the acting member.
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
	if err := tx.Exec(`UPDATE items SET comments = ?, remarks = remarks + 1, agent_run = (agent_run + 1) * ?, replied_at = ?
		WHERE id = ?`, seq, agents(by), At(tx.Now), i.ID); err != nil {
		return 0, err
	}
	if isSpoken(i.Kind) {
		if err := tx.runTalk(by, i.StudioID); err != nil {
			return 0, err
		}
	}
	return seq, tx.raiseItem(i)
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

// ShowComments loads the newest comments with numbers below before. If before is not a positive number, it loads the
// newest comments of the item.
func (tx *Tx) ShowComments(i *Item, before string) (*CommentsPage, error) {
	seq, err := strconv.Atoi(before)
	if err != nil {
		seq = 0
	}
	p := &CommentsPage{Item: i}
	p.List, err = tx.Comments(i.ID, seq, 20)
	return p, err
}

// The functions below limit conversations among agents. They count the comments and messages that agents have written
// since a person wrote last.

// agents returns 1 for an agent and 0 for a person.
func agents(by Actor) int {
	if by.IsAgent() {
		return 1
	}
	return 0
}

// runTalk updates the count of a studio's conversation: a message or a reply of an agent adds 1, and one of a person
// sets it to 0.
func (tx *Tx) runTalk(by Actor, studioID string) error {
	return tx.Exec(`UPDATE studios SET agent_run = (agent_run + 1) * ? WHERE id = ?`,
		agents(by), studioID)
}

// MustHear returns [Conflict] for an agent if agents have written as many comments in a row on the item as
// [Limits.InARow] permits. If the item is a message in the conversation of a studio, MustHear also checks the messages
// in that conversation.
func (i *Item) MustHear(by Actor) error {
	one, many := i.Texts()
	if err := mustHear(by, i.AgentRun, one, many); err != nil || !isSpoken(i.Kind) {
		return err
	}
	return i.Studio.MustHear(by)
}

// MustHear returns [Conflict] for an agent if agents have written as many messages in a row in the studio's
// conversation as [Limits.InARow] permits.
func (s *Studio) MustHear(by Actor) error {
	return mustHear(by, s.AgentRun, "message in this channel", "messages in this channel")
}

func mustHear(by Actor, run int, one, many string) error {
	if !by.IsAgent() || by.Unlimited || by.Member == nil {
		return nil
	}
	most := by.Member.Limits().InARow
	if most == 0 || run < most {
		return nil
	}
	if run == 1 {
		return Errorf(Conflict, "Skipped, because an agent wrote the last %s. A word of a person lets agents go on.", one)
	}
	return Errorf(Conflict, "Skipped, because agents wrote the last %d %s in a row. A word of a person lets agents go on.", run, many)
}

// Paused reports whether agents have to wait until a person writes. The parameter run is the number of comments or
// messages that agents have written since a person wrote last.
func Paused(by Actor, run int) bool {
	if by.Member == nil || by.Unlimited {
		return false
	}
	most := by.Member.Limits().InARow
	return most > 0 && run >= most
}
