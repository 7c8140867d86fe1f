package store

import (
	"crypto/sha256"
	"strings"
)

// The ballots of anonymous votes. Who has voted is in the table ballots, without marks, reason and time; what was voted is in
// sealed_ballots, under a random line, without a member, an agent and a time. Only the receipt, which its voter is shown once
// and which is kept hashed, says which line is whose. So nothing here keeps what both tables could be joined by: no running
// tally, whose changes would tell each ballot, and no order of casting, which the journal has of the voters.

// secretLength is that of a receipt's secret part, which comes behind its line: 80 bits.
const secretLength = 16

// receiptHash is the stored form of a receipt.
func receiptHash(d *Decision, receipt string) []byte {
	sum := sha256.Sum256([]byte(d.ID + "/" + receipt))
	return sum[:]
}

// receiptLine is the part of a receipt that everybody may see.
func receiptLine(receipt string) string {
	line, _, _ := strings.Cut(receipt, "-")
	return line
}

// CastSealed stores a ballot of an anonymous decision and, apart from it, that the actor has voted. It returns the receipt,
// which is kept nowhere.
func (tx *Tx) CastSealed(by Actor, d *Decision, marks, reason string) (receipt string, err error) {
	line := NewID()
	receipt = line + "-" + randomText(secretLength)
	if err := tx.Exec(`INSERT INTO sealed_ballots (decision_id, line, org_id, receipt, marks, reason)
		VALUES (?, ?, ?, ?, ?, ?)`,
		d.ID, line, d.OrgID, receiptHash(d, receipt), marks, reason); err != nil {
		return "", err
	}
	if err := tx.Exec(`INSERT INTO ballots (decision_id, voter, org_id, member_id, agent_id, marks, cast_at)
		VALUES (?, ?, ?, ?, ?, '', ?)`,
		d.ID, by.MemberID(), d.OrgID, by.MemberID(), null(by.Agent.ID), d.OpenedAt); err != nil {
		return "", err
	}
	return receipt, tx.changeDecision(d, `ballots = ballots + 1`)
}

// HoldsReceipt reports whether this is a receipt of a ballot of the decision.
func (tx *Tx) HoldsReceipt(d *Decision, receipt string) (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM sealed_ballots WHERE decision_id = ? AND line = ? AND receipt = ?`,
		d.ID, receiptLine(receipt), receiptHash(d, receipt))
	return n > 0, err
}

// ReplaceSealed stores another ballot in the place of that of the receipt.
func (tx *Tx) ReplaceSealed(by Actor, d *Decision, receipt, marks, reason string) error {
	if err := tx.Exec(`UPDATE sealed_ballots SET marks = ?, reason = ? WHERE decision_id = ? AND line = ?
		AND receipt = ?`,
		marks, reason, d.ID, receiptLine(receipt), receiptHash(d, receipt)); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE ballots SET agent_id = ? WHERE decision_id = ? AND voter = ?`,
		null(by.Agent.ID), d.ID, by.MemberID()); err != nil {
		return err
	}
	return tx.touchItem(&d.Item)
}

// RetractSealed takes the ballot of the receipt back, and with it that the actor has voted.
func (tx *Tx) RetractSealed(by Actor, d *Decision, receipt string) error {
	gone, err := tx.Changed(`DELETE FROM sealed_ballots WHERE decision_id = ? AND line = ? AND receipt = ?`,
		d.ID, receiptLine(receipt), receiptHash(d, receipt))
	if err != nil || !gone {
		return err
	}
	if err := tx.Exec(`DELETE FROM ballots WHERE decision_id = ? AND voter = ?`, d.ID, by.MemberID()); err != nil {
		return err
	}
	return tx.changeDecision(d, `ballots = ballots - 1`)
}

// shuffleSealed writes the ballots of an anonymous decision anew in the order of their lines. A page of the file keeps its
// rows where they came to lie when they were written, so that until now the file itself knew the order of casting.
func (tx *Tx) shuffleSealed(d *Decision) error {
	var list []struct {
		Line    string `db:"line"`
		Receipt []byte `db:"receipt"`
		Marks   string `db:"marks"`
		Reason  string `db:"reason"`
	}
	if err := tx.Select(&list, `SELECT line, receipt, marks, reason FROM sealed_ballots WHERE decision_id = ?
		ORDER BY line`, d.ID); err != nil {
		return err
	}
	if err := tx.Exec(`DELETE FROM sealed_ballots WHERE decision_id = ?`, d.ID); err != nil {
		return err
	}
	for _, b := range list {
		if err := tx.Exec(`INSERT INTO sealed_ballots (decision_id, line, org_id, receipt, marks, reason)
			VALUES (?, ?, ?, ?, ?, ?)`,
			d.ID, b.Line, d.OrgID, b.Receipt, b.Marks, b.Reason); err != nil {
			return err
		}
	}
	tx.Scrub()
	return nil
}

// sealedBallots lists the ballots of an anonymous decision by line, after the given one.
func (tx *Tx) sealedBallots(d *Decision, after string, limit int) ([]Ballot, error) {
	var list []Ballot
	err := tx.Select(&list, `SELECT line AS voter, marks, reason FROM sealed_ballots
		WHERE decision_id = ? AND line > ? ORDER BY line`+atMost, d.ID, after, limit)
	return list, err
}
