package store

// How an item goes: a draft entirely, anything else but for a tombstone that says that something was there.

// How an item or a comment was removed.
const (
	Deleted  = "deleted"  // by its author
	Redacted = "redacted" // by somebody else
)

// removal is how what a member made was removed by another, or by the same.
func removal(author, by string) string {
	if author == by {
		return Deleted
	}
	return Redacted
}

// Removed reports that only a tombstone is left.
func (i *Item) Removed() bool { return !i.RemovedAt.IsZero() }

// Removal is how it was removed: [Deleted] or [Redacted].
func (i *Item) Removal() string { return removal(i.Member, i.RemovedBy) }

// MustBeRedactableBy refuses all but the organization's owner, and what has nothing left to remove.
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

// MustBeDraftBy refuses all but the author of a draft.
func (i *Item) MustBeDraftBy(by Actor) error {
	if err := i.Studio.MustBeJoined(); err != nil {
		return err
	}
	if !i.Draft() {
		return Errorf(Conflict, "This is no draft any more: the studio can see it.")
	}
	if !by.Is(i.MemberID) {
		return Errorf(Forbidden, "Only @%s can do this with the draft.", i.Member)
	}
	return nil
}

// DiscardItem deletes a draft with all that is under it.
func (tx *Tx) DiscardItem(i *Item) error {
	tx.index(itemDocument, i.ID, 0)
	for seq := range i.Comments {
		tx.index(commentDocument, i.ID, seq+1)
	}
	shared := []string{`DELETE FROM comments WHERE item_id = ?`, `DELETE FROM links WHERE from_id = ?`,
		`DELETE FROM links WHERE to_id = ?`,
		`DELETE FROM follows WHERE subject_id = ?`, `DELETE FROM items WHERE id = ?`}
	if err := tx.detachAll(i); err != nil {
		return err
	}
	if err := tx.forgetAsked(i, true); err != nil {
		return err
	}
	if err := tx.Each(kinds[i.Kind].Delete, i.ID); err != nil {
		return err
	}
	if err := tx.Each(shared, i.ID); err != nil {
		return err
	}
	tx.announce(itemVersion.of(i.ID))
	return tx.touchStudio(i.StudioID)
}

// RemoveItem leaves a tombstone with this title of an item: its words go, and with them its files, its versions and what the journal says of before and
// after. The journal's chain stays whole, because it covers digests.
func (tx *Tx) RemoveItem(by Actor, i *Item, title string) error {
	tx.index(itemDocument, i.ID, 0)
	if err := tx.detachAll(i); err != nil {
		return err
	}
	if err := tx.forgetAsked(i, true); err != nil {
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
	}
	if err := tx.Exec(`UPDATE journal SET title = CASE WHEN length(title_digest) = 0 THEN title ELSE '' END,
		`+whyErased+`, before = NULL, after = NULL WHERE org_id = ? AND target_id = ?`, i.OrgID, i.ID); err != nil {
		return err
	}
	if err := tx.touchStudio(i.StudioID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET title = ?, body = '', headline = '', versions = 0, pinned = 0,
		template_at = NULL, removed_at = ?, removed_by = ?,
		closed_at = coalesce(closed_at, ?) WHERE id = ?`,
		title, At(tx.Now), by.MemberID(), At(tx.Now), i.ID); err != nil {
		return err
	}
	return tx.touchItem(i)
}

// detachAll takes the files off an item.
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

// FindComment finds a comment by its number. One that is not there: [Missing].
func (tx *Tx) FindComment(i *Item, seq int) (*Comment, error) {
	var c Comment
	err := tx.Get(&c, `SELECT `+commentColumns+` FROM`+commentFrom+`WHERE c.item_id = ? AND c.seq = ?`, i.ID, seq)
	return &c, err
}

// RemoveComment takes the words of a comment away, and why it was made. The journal never had the words.
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
		WHERE (org_id, target_id, action, at, member_id) IN (SELECT org_id, item_id, 'comment', at, member_id
		FROM comments WHERE item_id = ? AND seq = ?)`, i.ID, seq); err != nil {
		return err
	}
	if err := tx.forgetAsked(i, false); err != nil {
		return err
	}
	return tx.touchItem(i)
}

// whyErased takes out of an entry why it was done.
const whyErased = ` why = CASE WHEN length(why_digest) = 0 THEN why ELSE '' END `

// forgetAsked takes the words out of what agents asked for on an item's page and of what made it, and where the item itself
// goes, its title too. What still waits cannot be approved any more.
func (tx *Tx) forgetAsked(i *Item, titles bool) error {
	for _, which := range []string{`url = ?`, `outcome_url <> '' AND outcome_url = ?`} {
		if err := tx.Exec(`UPDATE approvals SET params = '', preview = '', why = '', comment = '', outcome = '',
			failure = CASE WHEN failure = '' THEN '' ELSE 'The reason was removed.' END
			WHERE `+which, i.URL()); err != nil {
			return err
		}
		if err := tx.Exec(`UPDATE journal SET `+whyErased+`
			WHERE org_id = ? AND target_id IN (SELECT id FROM approvals
			WHERE `+which+`)`, i.OrgID, i.URL()); err != nil {
			return err
		}
		if !titles {
			continue
		}
		if err := tx.Exec(`UPDATE approvals SET target = 'Removed' WHERE `+which, i.URL()); err != nil {
			return err
		}
		if err := tx.Exec(`UPDATE notifications SET title = 'Removed'
			WHERE (org_id, seq) IN (SELECT j.org_id, j.seq FROM approvals a
			JOIN journal j ON j.org_id = a.org_id AND j.target_id = a.id WHERE a.`+which+`)`, i.URL()); err != nil {
			return err
		}
		if err := tx.Exec(`UPDATE journal SET title = CASE WHEN length(title_digest) = 0 THEN title ELSE '' END,
			before = NULL, after = NULL WHERE org_id = ? AND target_id IN (SELECT id FROM approvals
			WHERE `+which+`)`, i.OrgID, i.URL()); err != nil {
			return err
		}
	}
	return nil
}
