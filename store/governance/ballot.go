package governance

import (
	"fmt"

	"samepage/store"
)

// Ballot is one voter's ballot in a decision. Voter is the member's id, a text such as "line-00000001" for an imported
// ballot, or a random text for an anonymous ballot. Package tally defines the format of Marks.
type Ballot struct {
	Voter  string `db:"voter"`
	Member string `db:"member"` // handle; empty for an imported or anonymous ballot
	store.Agent
	Marks string `db:"marks"`
	// Weight is the number of voters with this ballot: 1 for a member's ballot, and possibly more for an imported one.
	// It is not set for an anonymous ballot.
	Weight int        `db:"weight"`
	Reason string     `db:"reason"`
	CastAt store.Time `db:"cast_at"`
}

// CastBallot stores the actor's ballot, which replaces an earlier one, and the decision's new tally.
func CastBallot(tx *store.Tx, by store.Actor, d *Decision, marks, reason, tally string) error {
	if err := tx.Exec(`INSERT INTO ballots (decision_id, voter, org_id, member_id, agent_id, marks, reason, cast_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (decision_id, voter) DO UPDATE SET agent_id = excluded.agent_id, marks = excluded.marks,
		reason = excluded.reason, cast_at = excluded.cast_at`,
		d.ID, by.MemberID(), d.OrgID, by.MemberID(), store.Null(by.Agent.ID), marks, reason, store.At(tx.Now)); err != nil {
		return err
	}
	n := d.Ballots
	if d.Mine.Voter == "" {
		n++
	}
	return changeDecision(tx, d, `ballots = ?, tally = ?`, n, tally)
}

// RetractBallot deletes the actor's ballot and stores the decision's new tally. It does nothing if there is no ballot.
func RetractBallot(tx *store.Tx, by store.Actor, d *Decision, tally string) error {
	gone, err := tx.Changed(`DELETE FROM ballots WHERE decision_id = ? AND voter = ?`, d.ID, by.MemberID())
	if err != nil || !gone {
		return err
	}
	return changeDecision(tx, d, `ballots = ballots - 1, tally = ?`, tally)
}

// ImportBallots stores the ballots of a file and the decision's new tally. The parameter `from` is the id of the vote
// in the file.
func ImportBallots(tx *store.Tx, d *Decision, from string, ballots []Ballot, tally string) error {
	total := 0
	for i, b := range ballots {
		if err := tx.Exec(`INSERT INTO ballots (decision_id, voter, org_id, marks, weight, cast_at)
			VALUES (?, ?, ?, ?, ?, ?)`,
			d.ID, fmt.Sprintf("line-%08d", i+1), d.OrgID, b.Marks, b.Weight, store.At(tx.Now)); err != nil {
			return err
		}
		total += b.Weight
	}
	return changeDecision(tx, d, `ballots = ?, electorate = ?, tally = ?, imported = ?`,
		total, max(d.Electorate, total), tally, from)
}

// Profile is a combination of marks, with the number of voters that gave these marks.
type Profile struct {
	Marks string `db:"marks"`
	Count int    `db:"n"`
}

// Profiles groups the ballots of a decision by their marks.
func Profiles(tx *store.Tx, d *Decision) ([]Profile, error) {
	if d.Anonymous {
		return store.All[Profile](tx, `SELECT marks, count(*) AS n FROM sealed_ballots WHERE decision_id = ? GROUP BY marks
			ORDER BY marks`, d.ID)
	}
	return store.All[Profile](tx, `SELECT marks, sum(weight) AS n FROM ballots WHERE decision_id = ? GROUP BY marks
		ORDER BY marks`, d.ID)
}

// Ballots lists ballots of a decision, sorted by Voter. The parameter `after` is the last Voter of the previous page,
// or empty.
func Ballots(tx *store.Tx, d *Decision, after string, limit int) ([]Ballot, error) {
	if d.Anonymous {
		return store.All[Ballot](tx, `SELECT line AS voter, marks, reason FROM sealed_ballots
		WHERE decision_id = ? AND line > ? ORDER BY line`+store.AtMost, d.ID, after, limit)
	}
	return store.All[Ballot](tx, `SELECT b.voter, m.handle AS member, b.agent_id, a.label AS agent,
		b.marks, b.weight, b.reason, b.cast_at FROM ballots b LEFT JOIN members m ON m.id = b.member_id
		LEFT JOIN agents a ON a.id = b.agent_id
		WHERE b.decision_id = ? AND b.voter > ? ORDER BY b.voter`+store.AtMost, d.ID, after, limit)
}

// BallotsPage is one page of a decision's ballots.
type BallotsPage struct {
	*Decision
	store.Listing[Ballot]
}

// ShowBallots loads one page of a decision's ballots. It returns [store.Missing] if the results are hidden from the
// actor.
func ShowBallots(tx *store.Tx, _ store.Actor, d *Decision, after string) (*BallotsPage, error) {
	if !d.ShowsResults() {
		return nil, store.Missing()
	}
	const limit = 50
	list, err := Ballots(tx, d, after, limit)
	return &BallotsPage{d, store.Listing[Ballot]{List: list, Limit: limit}}, err
}
