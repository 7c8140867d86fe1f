package governance

import "samepage/store"

// Turnout has the sorted handles of the members who are asked to vote on a decision or to confirm having read a note.
// Done has the members who have done so, and Missing has the others.
type Turnout struct{ Done, Missing []string }

// turnout runs a query that selects member_id and done for each member who is asked. The result is empty for agents,
// for readers outside the organization, for drafts, for removed items, and if more than [MostSilent] members are asked.
func turnout(tx *store.Tx, by store.Actor, i *store.Item, asked int, query string, args ...any) (t Turnout, err error) {
	if by.IsAgent() || by.In(i.OrgID).Member == nil || i.Draft() || i.Removed() || asked > MostSilent {
		return t, nil
	}
	var list []struct {
		Handle string `db:"handle"`
		Done   bool   `db:"done"`
	}
	err = tx.Select(&list, `SELECT m.handle, sub.done FROM (`+query+`) sub JOIN members m ON m.id = sub.member_id
		ORDER BY m.handle`, args...)
	for _, m := range list {
		if m.Done {
			t.Done = append(t.Done, m.Handle)
		} else {
			t.Missing = append(t.Missing, m.Handle)
		}
	}
	return t, err
}

// turnout lists the members who have voted, and the others who may vote. It is empty for an anonymous vote, for
// imported ballots and for a lottery.
func (d *Decision) turnout(tx *store.Tx, by store.Actor) (Turnout, error) {
	if d.Anonymous || d.Imported != "" || d.Method == "lottery" {
		return Turnout{}, nil
	}
	return turnout(tx, by, &d.Item, max(d.Electorate, d.Ballots), `SELECT member_id, TRUE AS done FROM ballots
		WHERE decision_id = ? UNION ALL SELECT x.member_id, FALSE FROM studio_members x
		LEFT JOIN ballots b ON b.decision_id = ? AND b.voter = x.member_id
		WHERE x.studio_id = ? AND b.voter IS NULL AND (? = 1 OR x.joined_at <= ?)`,
		d.ID, d.ID, d.StudioID, d.Everyone, d.OpenedAt)
}

// turnout lists the members who have confirmed having read the note, and the others of the note's [Note.Audience].
func (n *Note) turnout(tx *store.Tx, by store.Actor) (Turnout, error) {
	author := n.MemberID
	if n.Agent.ID != "" {
		author = ""
	}
	return turnout(tx, by, &n.Item, n.Audience(), `SELECT member_id, TRUE AS done FROM readers
		WHERE item_id = ? UNION ALL SELECT x.member_id, FALSE FROM studio_members x
		LEFT JOIN readers r ON r.item_id = ? AND r.member_id = x.member_id
		WHERE x.studio_id = ? AND r.member_id IS NULL AND x.member_id <> ?`, n.ID, n.ID, n.StudioID, author)
}
