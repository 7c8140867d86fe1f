package governance

import (
	"time"

	"samepage/store"
)

// CreateElection adds a draft of an election to the studio. The acting member is the author.
func CreateElection(tx *store.Tx, by store.Actor, s *store.Studio, n NewElection) (*Election, error) {
	id, err := tx.InsertItem(by, s, store.NewItem{Kind: ElectionKind.Name, Title: n.Title, Body: n.Body})
	if err != nil {
		return nil, err
	}
	if err := insertConsent(tx, s, id, n.ConsentRules); err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO elections (id, org_id, studio_id, role_id, term) VALUES (?, ?, ?, ?, ?)`,
		id, s.OrgID, s.ID, n.Role.ID, n.Term.Milliseconds()); err != nil {
		return nil, err
	}
	return FindElection(tx, by, s.Handle, id)
}

// OpenElection shows a draft to the studio and begins the nomination phase.
func OpenElection(tx *store.Tx, e *Election) error { return tx.OpenItem(&e.Item) }

// UpdateElection changes the qualifications, which are the item's body, and the term.
func UpdateElection(tx *store.Tx, e *Election, body string, term time.Duration) error {
	if err := tx.Exec(`UPDATE elections SET term = ? WHERE id = ?`, term.Milliseconds(), e.ID); err != nil {
		return err
	}
	return tx.UpdateItem(&e.Item, e.Title, body, e.DueAt.Time)
}

// NextElectionPhase returns the phase that [AdvanceElection] begins.
func (e *Election) NextElectionPhase() string {
	if e.Phase == Nominating {
		return Discussing
	}
	return Changing
}

// PreviousElectionPhase returns the phase that [StepBackElection] begins.
func (e *Election) PreviousElectionPhase() string {
	if e.Phase == Choosing {
		return Changing
	}
	return Discussing
}

// AdvanceElection begins the next phase. It reveals all nominations when the discussion begins.
func AdvanceElection(tx *store.Tx, e *Election) error {
	if e.Phase == Nominating {
		if err := reveal(tx, e); err != nil {
			return err
		}
	}
	return enterElectionPhase(tx, e, e.NextElectionPhase())
}

// StepBackElection returns to the change round or to the discussion. Responses to a candidate do not count in a later
// round.
func StepBackElection(tx *store.Tx, e *Election) error {
	return enterElectionPhase(tx, e, e.PreviousElectionPhase())
}

func enterElectionPhase(tx *store.Tx, e *Election, phase string) error {
	if err := tx.Exec(`UPDATE elections SET phase = ? WHERE id = ?`, phase, e.ID); err != nil {
		return err
	}
	if err := turnRound(tx, e, phase == Choosing); err != nil {
		return err
	}
	return changedResponses(tx, &e.Item)
}

// ProposeCandidate makes a nominee the candidate, in place of an earlier one, and begins a round of consent.
func ProposeCandidate(tx *store.Tx, by store.Actor, e *Election, nomineeID, why string) error {
	if err := tx.Exec(`UPDATE elections SET candidate_id = ?, proposer_id = ?, proposed_at = ?, reason = ? WHERE id = ?`,
		nomineeID, by.MemberID(), store.At(tx.Now), why, e.ID); err != nil {
		return err
	}
	return enterElectionPhase(tx, e, Choosing)
}

// Elect makes the candidate the holder of the role and of the roles in studios below that mirror it, and closes the
// election. It returns the changed roles, the election's role first.
func Elect(tx *store.Tx, by store.Actor, e *Election, statement string) ([]store.RoleChange, error) {
	r, err := tx.FindRole(by, e.Studio.Handle, e.Role.ID)
	if err != nil {
		return nil, err
	}
	before := r.Record()
	seat := store.Seat{MemberID: e.CandidateID, Election: e.ID}
	if e.Term > 0 {
		seat.Until = tx.Now.Add(time.Duration(e.Term) * time.Millisecond)
	}
	mirrors, err := tx.AssignRole(r, seat)
	if err != nil {
		return nil, err
	}
	if r, err = tx.FindRole(by, e.Studio.Handle, e.Role.ID); err != nil {
		return nil, err
	}
	if err := passConsent(tx, &e.Item); err != nil {
		return nil, err
	}
	changes := append([]store.RoleChange{{Role: r, Before: before}}, mirrors...)
	return changes, EndElection(tx, by, e, Elected, statement, "@"+e.Candidate)
}

// EndElection closes an election with an outcome, and deletes nominations that were not revealed. The parameter
// `headline` is the outcome as lists show it.
func EndElection(tx *store.Tx, by store.Actor, e *Election, outcome, statement, headline string) error {
	if e.Secret() {
		if err := tx.Exec(`DELETE FROM nominations WHERE election_id = ?`, e.ID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE elections SET outcome = ?, statement = ? WHERE id = ?`, outcome, statement, e.ID); err != nil {
		return err
	}
	if err := tx.SetHeadline(&e.Item, headline); err != nil {
		return err
	}
	return tx.CloseItem(by, &e.Item)
}

// EndElectionPeriod records that the time to respond is over.
func EndElectionPeriod(tx *store.Tx, e *Election) error { return keepOpen(tx, &e.Item) }

// leaveElections deletes a leaving member's own nominations in open elections, and does the same as leaveConsents. If
// the member is the candidate, the election returns to the change round. The result has the ids of the changed
// elections, possibly more than once.
func leaveElections(tx *store.Tx, m *store.Member, studioID string) ([]string, error) {
	const open = `EXISTS (SELECT 1 FROM elections e WHERE e.id = c.id AND e.outcome = '')`
	changed, err := leaveConsents(tx, m, studioID, open)
	if err != nil {
		return nil, err
	}
	var nominated, chosen []string
	const undecided = `SELECT e.id FROM elections e WHERE e.org_id = ? AND (? = '' OR e.studio_id = ?) AND e.outcome = '' `
	if err := tx.Select(&nominated, undecided+`AND EXISTS (SELECT 1 FROM nominations n WHERE n.election_id = e.id
		AND n.member_id = ?)`, m.OrgID, studioID, studioID, m.ID); err != nil {
		return nil, err
	}
	for _, id := range nominated {
		if err := tx.Exec(`DELETE FROM nominations WHERE election_id = ? AND member_id = ?`, id, m.ID); err != nil {
			return nil, err
		}
		if err := countNominations(tx, id); err != nil {
			return nil, err
		}
	}
	if err := tx.Select(&chosen, undecided+`AND e.phase = 'consent' AND e.candidate_id = ?`,
		m.OrgID, studioID, studioID, m.ID); err != nil {
		return nil, err
	}
	for _, id := range chosen {
		e := &Election{Item: store.Item{ID: id, Kind: electionKind}, Phase: Choosing}
		if err := StepBackElection(tx, e); err != nil {
			return nil, err
		}
	}
	return append(append(changed, nominated...), chosen...), nil
}

func countNominations(tx *store.Tx, id string) error {
	return tx.Exec(`UPDATE elections SET nominations = (SELECT count(*) FROM nominations n
		WHERE n.election_id = elections.id) WHERE id = ?`, id)
}
