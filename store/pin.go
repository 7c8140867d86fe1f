package store

// MaxPins is how many pages a studio may pin.
const MaxPins = 20

// pin puts a page on its studio's page. Too many: [Conflict].
func (tx *Tx) pin(by Actor, studioID, kind, subjectID string) error {
	var n int
	if err := tx.get(&n, `SELECT count(*) FROM pins WHERE studio_id = ?`, studioID); err != nil {
		return err
	}
	if n >= MaxPins {
		return Errorf(Conflict, "This studio has %d pins already. Unpin one first.", n)
	}
	return tx.exec(`INSERT INTO pins (studio_id, subject_id, org_id, kind, member_id, at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		studioID, subjectID, by.Member.OrgID, kind, by.MemberID(), At(tx.Now))
}

func (tx *Tx) unpin(studioID, subjectID string) error {
	return tx.exec(`DELETE FROM pins WHERE studio_id = ? AND subject_id = ?`, studioID, subjectID)
}

func (tx *Tx) pinnedDecisions(by Actor, s *Studio) ([]Decision, error) {
	var list []Decision
	err := tx.all(&list, `SELECT `+decisionListColumns+` FROM pins p JOIN decisions d ON d.id = p.subject_id JOIN members m ON m.id = d.member_id
		LEFT JOIN agents a ON a.id = d.agent_id LEFT JOIN ballots b ON b.decision_id = d.id AND b.voter = ?
		WHERE p.studio_id = ? AND p.kind = 'decision' ORDER BY p.at DESC`+atMost, by.In(s.OrgID).MemberID(), s.ID, MaxPins)
	tx.placed(list, s)
	return list, err
}
