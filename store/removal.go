package store

// This file is about the removal of items and comments. A discarded draft is deleted. Any other removed item becomes a
// tombstone, which is its row with another title and without texts.

// These are the kinds of removal of an item or a comment.
const (
	Deleted  = "deleted"  // removed by its author
	Redacted = "redacted" // removed by another member
)

func removal(author, by string) string {
	if author == by {
		return Deleted
	}
	return Redacted
}

// Removed reports whether the item is a tombstone.
func (i *Item) Removed() bool { return !i.RemovedAt.IsZero() }

// Removal returns [Deleted] or [Redacted] for a removed item.
func (i *Item) Removal() string { return removal(i.Member, i.RemovedBy) }

// MustBeRedactableBy returns [Forbidden] unless the actor is the organization's owner, and [Conflict] for a draft, for
// a removed item without any comment left, and for an archived studio.
func (i *Item) MustBeRedactableBy(by Actor) error {
	if err := i.Studio.MustBeActive(); err != nil {
		return err
	}
	switch {
	case by.Member == nil || !by.Member.Owner:
		return Errorf(Forbidden, "Only the organization's owner can do this.")
	case i.Draft():
		return Errorf(Conflict, "This is a draft. Discard it instead, and nothing of it stays.")
	case i.Removed() && i.Remarks == 0:
		return Errorf(Conflict, "This page was removed already.")
	}
	return nil
}

// MustBeDiscardableBy returns [Conflict] unless the item is a draft, and [Forbidden] unless the actor is the author. The
// studio may be archived, because nobody else has seen the draft.
func (i *Item) MustBeDiscardableBy(by Actor) error {
	if !i.Draft() {
		return Errorf(Conflict, "This is no draft any more: the studio can see it.")
	}
	if !by.Is(i.MemberID) {
		return Errorf(Forbidden, "Only @%s can do this with the draft.", i.Member)
	}
	return nil
}

// MustBeDraftBy returns the errors of [Studio.MustBeJoined] and of [Item.MustBeDiscardableBy].
func (i *Item) MustBeDraftBy(by Actor) error {
	if err := i.Studio.MustBeJoined(); err != nil {
		return err
	}
	return i.MustBeDiscardableBy(by)
}

// DiscardItem deletes a draft and its rows in other tables. Approvals about the draft stay, without their texts.
func (tx *Tx) DiscardItem(i *Item) error {
	tx.IndexItem(i.ID)
	for seq := range i.Comments {
		tx.index(commentDocument, i.ID, seq+1)
	}
	shared := []string{`DELETE FROM comments WHERE item_id = ?`, `DELETE FROM links WHERE from_id = ?`,
		`DELETE FROM links WHERE to_id = ?`,
		`DELETE FROM follows WHERE subject_id = ?`, `DELETE FROM items WHERE id = ?`}
	if err := tx.detachAll(i); err != nil {
		return err
	}
	if err := tx.eraseApprovalsOf(i); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE approvals SET item_id = NULL WHERE item_id = ?`, i.ID); err != nil {
		return err
	}
	if err := tx.Each(kinds[i.Kind].Delete, i.ID); err != nil {
		return err
	}
	if err := tx.Each(shared, i.ID); err != nil {
		return err
	}
	tx.announce(itemVersion.of(i.ID))
	return tx.TouchStudio(i.StudioID)
}

// RemoveItem turns an item into a tombstone with the given title. It deletes the item's texts, files and versions, and
// the item's records in the journal. The hash chain of the journal stays valid, because the hashes cover only digests
// of the records.
func (tx *Tx) RemoveItem(by Actor, i *Item, title string) error {
	tx.IndexItem(i.ID)
	if err := tx.detachAll(i); err != nil {
		return err
	}
	if err := tx.eraseApprovalsOf(i); err != nil {
		return err
	}
	if err := tx.Each(kinds[i.Kind].Erase, i.ID); err != nil {
		return err
	}
	if err := tx.Each([]string{`DELETE FROM versions WHERE item_id = ?`,
		`DELETE FROM links WHERE from_id = ? AND seq = 0`}, i.ID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE notifications SET title = ? WHERE item_id = ?`, title, i.ID); err != nil {
		return err
	}
	if i.Pinned {
		if err := tx.unpin(i); err != nil {
			return err
		}
		if err := tx.TouchStudio(i.StudioID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE journal SET title = CASE WHEN length(title_digest) = 0 THEN title ELSE '' END, `+
		whyErased+`, before = NULL, after = NULL WHERE org_id = ? AND target_id = ?`, i.OrgID, i.ID); err != nil {
		return err
	}
	if err := tx.touchHome(i.Kind, i.StudioID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET title = ?, body = '', headline = '', versions = 0, pinned = 0,
		template_at = NULL, removed_at = ?, removed_by = ?, closed_at = coalesce(closed_at, ?) WHERE id = ?`,
		title, At(tx.Now), by.MemberID(), At(tx.Now), i.ID); err != nil {
		return err
	}
	return tx.TouchItem(i)
}

func (tx *Tx) detachAll(i *Item) error {
	if i.Files == 0 {
		return nil
	}
	var bytes int64
	if err := tx.Get(&bytes, `SELECT coalesce(sum(size), 0) FROM files WHERE item_id = ?`, i.ID); err != nil {
		return err
	}
	if err := tx.Exec(`DELETE FROM files WHERE item_id = ?`, i.ID); err != nil {
		return err
	}
	return tx.countFiles(i, -i.Files, -bytes)
}

// FindComment finds a comment on an item by its number. It returns [Missing] for an unknown number.
func (tx *Tx) FindComment(i *Item, seq int) (*Comment, error) {
	return One[Comment](tx, `SELECT `+commentColumns+` FROM`+commentFrom+`WHERE c.item_id = ? AND c.seq = ?`, i.ID, seq)
}

// RemoveComment removes the text of a comment, and the reason in the journal entry about the comment. An approval has
// no reference to the comment that it permitted. So RemoveComment also removes the texts of all settled approvals of
// comments on the item by agents of the same member.
func (tx *Tx) RemoveComment(by Actor, i *Item, seq int) error {
	tx.index(commentDocument, i.ID, seq)
	if err := tx.Exec(`UPDATE comments SET text = '', removed_at = ?, removed_by = ? WHERE item_id = ? AND seq = ?`,
		At(tx.Now), by.MemberID(), i.ID, seq); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET remarks = remarks - 1 WHERE id = ?`, i.ID); err != nil {
		return err
	}
	if err := tx.Exec(`DELETE FROM links WHERE from_id = ? AND seq = ?`, i.ID, seq); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE journal SET `+whyErased+`
		WHERE (org_id, target_id, action, at, member_id) IN
			(SELECT org_id, item_id, 'comment', at, member_id FROM comments WHERE item_id = ? AND seq = ?)`, i.ID, seq); err != nil {
		return err
	}
	if err := tx.eraseApprovals(i.OrgID, `item_id = ? AND action = 'comment' AND settled_at IS NOT NULL
		AND member_id = (SELECT member_id FROM comments WHERE item_id = ? AND seq = ?)`, i.ID, i.ID, seq); err != nil {
		return err
	}
	return tx.TouchItem(i)
}

// whyErased is an SQL assignment that empties the reason of a journal entry. It does not change a reason without a
// digest, because the hash of such an entry covers the reason itself.
const whyErased = ` why = CASE WHEN length(why_digest) = 0 THEN why ELSE '' END `

// eraseApprovalsOf removes the texts and the item's title from the approvals that were requested on the pages of the
// item, and from the approval that created the item. Pending approvals among them end as removed.
func (tx *Tx) eraseApprovalsOf(i *Item) error {
	for _, of := range [][2]string{{`item_id = ?`, i.ID}, {`outcome_url <> '' AND outcome_url = ?`, i.URL()}} {
		condition, arg := of[0], of[1]
		if err := tx.eraseApprovals(i.OrgID, condition, arg); err != nil {
			return err
		}
		if err := tx.Exec(`UPDATE approvals SET target = 'Removed', query = '' WHERE `+condition, arg); err != nil {
			return err
		}
		if err := tx.Exec(`UPDATE notifications SET title = 'Removed'
			WHERE (org_id, seq) IN (SELECT j.org_id, j.seq FROM approvals a
			JOIN journal j ON j.org_id = a.org_id AND j.target_id = a.id WHERE a.`+condition+`)`, arg); err != nil {
			return err
		}
		if err := tx.Exec(`UPDATE journal SET title = CASE WHEN length(title_digest) = 0 THEN title ELSE '' END,
			before = NULL, after = NULL
			WHERE org_id = ? AND target_id IN (SELECT id FROM approvals WHERE `+condition+`)`, i.OrgID, arg); err != nil {
			return err
		}
	}
	pending, err := All[string](tx, `SELECT id FROM approvals WHERE item_id = ? AND settled_at IS NULL`, i.ID)
	for _, id := range pending {
		tx.announce(approvalTopic.of(id))
	}
	if err != nil {
		return err
	}
	return tx.Exec(`UPDATE approvals SET verdict = ?, settled_at = ? WHERE item_id = ? AND settled_at IS NULL`,
		ApprovalRemoved, At(tx.Now), i.ID)
}

// eraseApprovals removes the texts of the organization's approvals that meet the SQL condition, and the reasons in the
// journal entries about them.
func (tx *Tx) eraseApprovals(orgID, condition string, args ...any) error {
	if err := tx.Exec(`UPDATE approvals SET params = '', preview = '', why = '', sealed = NULL, comment = '', outcome = '',
		failure = CASE WHEN failure = '' THEN '' ELSE 'The reason was removed.' END
		WHERE `+condition, args...); err != nil {
		return err
	}
	return tx.Exec(`UPDATE journal SET `+whyErased+`
		WHERE org_id = ? AND target_id IN (SELECT id FROM approvals WHERE `+condition+`)`, append([]any{orgID}, args...)...)
}
