package governance

import (
	"crypto/sha256"
	"strings"

	"samepage/store"
)

// The ballots of anonymous votes are divided between two tables. The table `ballots` has the voters, without marks,
// reasons and times. The table `sealed_ballots` has the marks and the reasons under a random id, the line. Only the
// voter's receipt tells which line belongs to the voter. A receipt is the line and a secret, and the database stores a
// hash of it. There is no running tally, because its changes would reveal each ballot. Sealed ballots have no time,
// because the journal shows when each member voted.

// secretLength is the number of characters in the secret part of a receipt. They have 80 random bits.
const secretLength = 16

func receiptHash(d *Decision, receipt string) []byte {
	sum := sha256.Sum256([]byte(d.ID + "/" + receipt))
	return sum[:]
}

// receiptLine returns the public part of a receipt: the line of its ballot.
func receiptLine(receipt string) string {
	line, _, _ := strings.Cut(receipt, "-")
	return line
}

// CastSealed stores a ballot of an anonymous decision and, separately, that the acting member has voted. It returns the
// receipt, which the database cannot restore.
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

// HoldsReceipt reports whether the decision has a ballot with this receipt.
func HoldsReceipt(tx *store.Tx, d *Decision, receipt string) (bool, error) {
	var n int
	err := tx.Get(&n, `SELECT count(*) FROM sealed_ballots WHERE decision_id = ? AND line = ? AND receipt = ?`,
		d.ID, receiptLine(receipt), receiptHash(d, receipt))
	return n > 0, err
}

// ReplaceSealed replaces the marks and the reason of the ballot with this receipt.
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

// RetractSealed deletes the ballot with this receipt, and the record that the acting member has voted. It does nothing
// if there is no such ballot.
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

// shuffleSealed stores the ballots of an anonymous decision again, in the order of their random lines. Otherwise their
// places in the database file would reveal the order in which they were cast.
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
