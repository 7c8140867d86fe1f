package governance

import (
	"encoding/json"

	"samepage/store"
)

// sealPurpose is the purpose argument of [store.Tx.Seal] for nominations.
const sealPurpose = "nominations"

// sealed is the content of a nomination before the encryption.
type sealed struct {
	Nominee string `json:"nominee"` // id of the member
	Handle  string `json:"handle"`  // at the time of the nomination
	Reason  string `json:"reason"`
}

func (e *Election) sealName(memberID string) string { return e.ID + "/" + memberID }

// Nominate stores the acting member's nomination in encrypted form, and replaces an earlier one. No text that is stored
// unencrypted reveals the nominee.
func Nominate(tx *store.Tx, by store.Actor, e *Election, nominee *store.Member, reason string) error {
	text, err := json.Marshal(sealed{nominee.ID, nominee.Handle, reason})
	if err != nil {
		return err
	}
	box, err := tx.Seal(sealPurpose, e.sealName(by.MemberID()), string(text))
	if err != nil {
		return err
	}
	if err := tx.Exec(`INSERT INTO nominations (election_id, member_id, org_id, agent_id, sealed, at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (election_id, member_id) DO UPDATE SET agent_id = excluded.agent_id,
		sealed = excluded.sealed, at = excluded.at`,
		e.ID, by.MemberID(), e.OrgID, store.Null(by.Agent.ID), box, store.At(tx.Now)); err != nil {
		return err
	}
	return changedNominations(tx, by, e)
}

// ChangeNomination replaces the acting member's revealed nomination. The first nominee stays visible.
func ChangeNomination(tx *store.Tx, by store.Actor, e *Election, nominee *store.Member, reason string) error {
	if err := tx.Exec(`UPDATE nominations SET first_id = coalesce(first_id, nominee_id), nominee_id = ?, reason = ?,
		agent_id = ?, at = ? WHERE election_id = ? AND member_id = ?`,
		nominee.ID, reason, store.Null(by.Agent.ID), store.At(tx.Now), e.ID, by.MemberID()); err != nil {
		return err
	}
	return changedNominations(tx, by, e)
}

func changedNominations(tx *store.Tx, by store.Actor, e *Election) error {
	if err := tx.FollowSilently(by, e.ID); err != nil {
		return err
	}
	if err := countNominations(tx, e.ID); err != nil {
		return err
	}
	tx.IndexItem(e.ID)
	return tx.TouchItem(&e.Item)
}

// unsealOwn decrypts the acting member's nomination. It does so for an agent only if that agent made the nomination.
func (e *Election) unsealOwn(tx *store.Tx, by store.Actor) error {
	if len(e.Own.Sealed) == 0 || by.IsAgent() && by.Agent.ID != e.Own.Agent.ID {
		return nil
	}
	s, err := e.unseal(tx, &e.Own)
	if err == store.ErrUnsealed {
		return nil // the page says that the nomination cannot be decrypted
	}
	e.Own.NomineeID, e.Own.Nominee, e.Own.Reason = s.Nominee, s.Handle, s.Reason
	return err
}

func (e *Election) unseal(tx *store.Tx, n *Nomination) (s sealed, err error) {
	text, err := tx.Unseal(sealPurpose, e.sealName(n.MemberID), n.Sealed)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal([]byte(text), &s)
}

// reveal decrypts all nominations. It deletes nominations that the installation's keys cannot decrypt, and stores their
// number.
func reveal(tx *store.Tx, e *Election) error {
	var list []Nomination
	if err := tx.Select(&list, `SELECT member_id, sealed FROM nominations WHERE election_id = ? AND sealed IS NOT NULL
		ORDER BY member_id LIMIT 10000`, e.ID); err != nil {
		return err
	}
	lost := 0
	for i := range list {
		n := &list[i]
		s, err := e.unseal(tx, n)
		switch {
		case err == store.ErrUnsealed:
			lost++
			err = tx.Exec(`DELETE FROM nominations WHERE election_id = ? AND member_id = ?`, e.ID, n.MemberID)
		case err == nil:
			err = tx.Exec(`UPDATE nominations SET sealed = NULL, nominee_id = ?, reason = ? WHERE election_id = ?
				AND member_id = ?`, s.Nominee, s.Reason, e.ID, n.MemberID)
		}
		if err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE elections SET lost = ? WHERE id = ?`, lost, e.ID); err != nil {
		return err
	}
	return countNominations(tx, e.ID)
}
