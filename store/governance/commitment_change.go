package governance

import "samepage/store"

// CreateCommitment adds a draft of a commitment to the studio. The acting member is the author.
func CreateCommitment(tx *store.Tx, by store.Actor, s *store.Studio, n NewCommitment) (*Commitment, error) {
	id, err := tx.InsertItem(by, s, store.NewItem{Kind: CommitmentKind.Name, Title: n.Title, Body: n.Body, DueAt: n.ClosesAt})
	if err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO commitments (id, org_id, studio_id, critical_mass, capacity, place, starts_at,
		ends_at, revised_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, s.OrgID, s.ID, n.CriticalMass, n.Limit, n.Place, store.At(n.StartsAt), store.At(n.EndsAt), store.At(tx.Now)); err != nil {
		return nil, err
	}
	return FindCommitment(tx, by, s.Handle, id)
}

// UpdateCommitment changes the fields of a commitment that is not binding yet.
func UpdateCommitment(tx *store.Tx, c *Commitment, n NewCommitment) error {
	if err := tx.UpdateItem(&c.Item, n.Title, n.Body, n.ClosesAt); err != nil {
		return err
	}
	if err := tx.TouchStudio(c.StudioID); err != nil {
		return err
	}
	return tx.Exec(`UPDATE commitments SET critical_mass = ?, capacity = ?, place = ?, starts_at = ?, ends_at = ?,
		revised_at = ? WHERE id = ?`,
		n.CriticalMass, n.Limit, n.Place, store.At(n.StartsAt), store.At(n.EndsAt), store.At(tx.Now), c.ID)
}

// OpenCommitment opens a draft, so that members can join.
func OpenCommitment(tx *store.Tx, c *Commitment) error { return tx.OpenItem(&c.Item) }

// JoinCommitment adds the acting member to the participants, and makes the commitment binding at its critical mass.
func JoinCommitment(tx *store.Tx, by store.Actor, c *Commitment) error {
	if err := tx.Exec(`INSERT INTO participants (commitment_id, member_id, org_id, agent_id, joined_at)
		VALUES (?, ?, ?, ?, ?)`,
		c.ID, by.MemberID(), c.OrgID, store.Null(by.Agent.ID), store.At(tx.Now)); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE commitments SET joined = joined + 1, bound_at = CASE WHEN bound_at IS NULL
		AND joined + 1 >= critical_mass THEN ? ELSE bound_at END WHERE id = ?`,
		store.At(tx.Now), c.ID); err != nil {
		return err
	}
	if err := tx.FollowSilently(by, c.ID); err != nil {
		return err
	}
	return tx.TouchItem(&c.Item)
}

// LeaveCommitment removes the acting member from the participants of a commitment that is not binding yet.
func LeaveCommitment(tx *store.Tx, by store.Actor, c *Commitment) error {
	if err := tx.Exec(`DELETE FROM participants WHERE commitment_id = ? AND member_id = ?`,
		c.ID, by.MemberID()); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE commitments SET joined = joined - 1 WHERE id = ?`, c.ID); err != nil {
		return err
	}
	return tx.TouchItem(&c.Item)
}

// CloseCommitment ends joining. The recorded time is the deadline if the deadline has passed, and otherwise now.
func CloseCommitment(tx *store.Tx, by store.Actor, c *Commitment) error {
	return tx.CloseItem(by, &c.Item)
}

// MarkCommitment records that the acting member did the member's part, or missed it if done is false. The mark replaces
// an earlier one. Once every participant has given a mark or left the studio, the commitment is settled and closed.
func MarkCommitment(tx *store.Tx, by store.Actor, c *Commitment, done bool, note string) error {
	mark := CommitmentMissed
	if done {
		mark = CommitmentDone
	}
	if err := tx.Exec(`UPDATE participants SET mark = ?, note = ?, marked_at = ?, gone_at = NULL
		WHERE commitment_id = ? AND member_id = ?`,
		mark, note, store.At(tx.Now), c.ID, by.MemberID()); err != nil {
		return err
	}
	change := map[string]int{c.Mine.Mark: -1}
	change[mark]++
	back := 0
	if !c.Mine.GoneAt.IsZero() {
		back = 1
	}
	settled := c.SettledAt
	if settled.IsZero() && c.Done+c.Missed+c.Gone-back+change[CommitmentDone]+change[CommitmentMissed] == c.Joined {
		settled = store.At(tx.Now)
		if c.ClosedAt.IsZero() {
			if err := tx.CloseItem(by, &c.Item); err != nil {
				return err
			}
		}
	}
	if err := tx.Exec(`UPDATE commitments SET done = done + ?, missed = missed + ?, gone = gone - ?, settled_at = ?
		WHERE id = ?`,
		change[CommitmentDone], change[CommitmentMissed], back, settled, c.ID); err != nil {
		return err
	}
	if err := tx.TouchStudio(c.StudioID); err != nil {
		return err
	}
	return tx.TouchItem(&c.Item)
}

// leaveCommitments removes a leaving member from open commitments that are not binding. In a binding commitment, a
// member without a mark counts as gone. An empty studioID stands for all studios. The result has the ids of the changed
// commitments.
func leaveCommitments(tx *store.Tx, m *store.Member, studioID string) ([]string, error) {
	const theirs = `SELECT p.commitment_id FROM participants p JOIN commitments c ON c.id = p.commitment_id
		JOIN items i ON i.id = c.id
		WHERE p.member_id = ? AND p.mark = '' AND p.gone_at IS NULL AND (? = '' OR c.studio_id = ?) AND c.bound_at `
	now := store.At(tx.Now)
	var open, bound []string
	if err := tx.Select(&open, theirs+`IS NULL AND i.closed_at IS NULL`, m.ID, studioID, studioID); err != nil {
		return nil, err
	}
	if err := tx.Select(&bound, theirs+`IS NOT NULL`, m.ID, studioID, studioID); err != nil {
		return nil, err
	}
	for _, id := range open {
		if err := tx.Exec(`UPDATE commitments SET joined = joined - 1 WHERE id = ?`, id); err != nil {
			return nil, err
		}
		if err := tx.Exec(`DELETE FROM participants WHERE commitment_id = ? AND member_id = ?`, id, m.ID); err != nil {
			return nil, err
		}
	}
	for _, id := range bound {
		if err := tx.Exec(`UPDATE participants SET gone_at = ? WHERE commitment_id = ? AND member_id = ?`,
			now, id, m.ID); err != nil {
			return nil, err
		}
		if err := tx.Exec(`UPDATE commitments SET gone = gone + 1, settled_at = CASE WHEN settled_at IS NULL
			AND done + missed > 0 AND done + missed + gone + 1 = joined THEN ? ELSE settled_at END WHERE id = ?`, now,
			id); err != nil {
			return nil, err
		}
		if err := tx.Exec(`UPDATE items SET closed_at = ? WHERE id = ? AND closed_at IS NULL
			AND EXISTS (SELECT 1 FROM commitments c WHERE c.id = items.id AND c.settled_at IS NOT NULL)`, now,
			id); err != nil {
			return nil, err
		}
	}
	return append(open, bound...), nil
}
