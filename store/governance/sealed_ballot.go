package governance

import (
	"crypto/sha256"
	"strings"

	"samepage/store"
)

// Ballots of anonymous votes are in two tables. The table ballots has the voters, without marks, reason and
// time. The table sealed_ballots has the marks under a random line, without member, agent and time. Only
// the receipt, which the voter sees once and which is stored as a hash, connects the two. No stored value
// may join them: there is no running tally, since its changes would reveal each ballot, and no order of
// casting, since the journal has that order for the voters.

// secretLength is the number of characters of a receipt's secret part, after the line: 80 bits.
const secretLength = 16

// receiptHash returns the stored form of a receipt.
func receiptHash(d *Decision, receipt string) []byte {
	sum := sha256.Sum256([]byte(d.ID + "/" + receipt))
	return sum[:]
}

// receiptLine returns the public part of a receipt.
func receiptLine(receipt string) string {
	line, _, _ := strings.Cut(receipt, "-")
	return line
}

// CastSealed stores a ballot of an anonymous decision and, apart from it, that the actor has voted. It
// returns the receipt, of which only a hash is stored.
func CastSealed(tx *store.Tx, by store.Actor, d *Decision, marks, reason string) (receipt string, err error) {
	line := store.NewID()
	receipt = line + "-" + store.RandomText(secretLength)
	if err := tx.Exec(`INSERT INTO sealed_ballots (decision_id, line, org_id, receipt, marks, reason)
		VALUES (?, ?, ?, ?, ?, ?)`,
		d.ID, line, d.OrgID, receiptHash(d, receipt), marks, reason); err != nil {
		return "", err
	}
	if err := tx.Exec(`INSERT INTO ballots (decision_id, voter, org_id, member_id, agent_id, marks, cast_at)
		VALUES (?, ?, ?, ?, ?, '', ?)`,
		d.ID, by.MemberID(), d.OrgID, by.MemberID(), store.Null(by.Agent.ID), d.OpenedAt); err != nil {
		return "", err
	}
	return receipt, changeDecision(tx, d, `ballots = ballots + 1`)
}

// HoldsReceipt reports that a ballot of the decision has this receipt.
func HoldsReceipt(tx *store.Tx, d *Decision, receipt string) (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM sealed_ballots WHERE decision_id = ? AND line = ? AND receipt = ?`,
		d.ID, receiptLine(receipt), receiptHash(d, receipt))
	return n > 0, err
}

// ReplaceSealed replaces the ballot of the receipt.
func ReplaceSealed(tx *store.Tx, by store.Actor, d *Decision, receipt, marks, reason string) error {
	if err := tx.Exec(`UPDATE sealed_ballots SET marks = ?, reason = ? WHERE decision_id = ? AND line = ?
		AND receipt = ?`,
		marks, reason, d.ID, receiptLine(receipt), receiptHash(d, receipt)); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE ballots SET agent_id = ? WHERE decision_id = ? AND voter = ?`,
		store.Null(by.Agent.ID), d.ID, by.MemberID()); err != nil {
		return err
	}
	return tx.TouchItem(&d.Item)
}

// RetractSealed deletes the ballot of the receipt, and that the actor has voted.
func RetractSealed(tx *store.Tx, by store.Actor, d *Decision, receipt string) error {
	gone, err := tx.Changed(`DELETE FROM sealed_ballots WHERE decision_id = ? AND line = ? AND receipt = ?`,
		d.ID, receiptLine(receipt), receiptHash(d, receipt))
	if err != nil || !gone {
		return err
	}
	if err := tx.Exec(`DELETE FROM ballots WHERE decision_id = ? AND voter = ?`, d.ID, by.MemberID()); err != nil {
		return err
	}
	return changeDecision(tx, d, `ballots = ballots - 1`)
}

// shuffleSealed rewrites the ballots of an anonymous decision in the order of their lines. Otherwise the
// position of rows on a page of the file would reveal the order of casting.
func shuffleSealed(tx *store.Tx, d *Decision) error {
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
func sealedBallots(tx *store.Tx, d *Decision, after string, limit int) ([]Ballot, error) {
	var list []Ballot
	err := tx.Select(&list, `SELECT line AS voter, marks, reason FROM sealed_ballots
		WHERE decision_id = ? AND line > ? ORDER BY line`+store.AtMost, d.ID, after, limit)
	return list, err
}
