package governance

import (
	"time"

	"samepage/store"
)

func insertConsent(tx *store.Tx, s *store.Studio, id string, r ConsentRules) error {
	return tx.Exec(`INSERT INTO consents (id, org_id, studio_id, period, quorum) VALUES (?, ?, ?, ?, ?)`,
		id, s.OrgID, s.ID, r.Period.Milliseconds(), r.Quorum)
}

// Rules returns the rules of the item's rounds.
func (c *Consent) Rules() ConsentRules {
	return ConsentRules{Period: time.Duration(c.Period) * time.Millisecond, Quorum: c.Quorum}
}

// turnRound begins a round if ask is true, and otherwise ends the open round, if there is one.
func turnRound(tx *store.Tx, a Asked, ask bool) error {
	if ask {
		return beginRound(tx, a.Common(), a.Asks())
	}
	return stopRound(tx, a.Common())
}

// beginRound begins a round of consent among the present members of the studio, and sets the item's deadline.
func beginRound(tx *store.Tx, i *store.Item, c *Consent) error {
	if err := tx.Exec(`UPDATE consents SET asking = 1, round = round + 1, consent_at = ?, ended_at = NULL WHERE id = ?`,
		store.At(tx.Now), i.ID); err != nil {
		return err
	}
	if err := countElectorate(tx, i.ID, ""); err != nil {
		return err
	}
	return setDeadline(tx, i, store.At(tx.Now.Add(time.Duration(c.Period)*time.Millisecond)))
}

// stopRound ends the open round of consent, if there is one, without a decision.
func stopRound(tx *store.Tx, i *store.Item) error {
	if err := tx.Exec(`UPDATE consents SET asking = 0, electorate = 0, ended_at = NULL WHERE id = ?`, i.ID); err != nil {
		return err
	}
	return setDeadline(tx, i, store.Time{})
}

// keepOpen records that the period of a round has ended without a decision, and removes the deadline.
func keepOpen(tx *store.Tx, i *store.Item) error {
	if err := tx.Exec(`UPDATE consents SET ended_at = ? WHERE id = ?`, i.DueAt, i.ID); err != nil {
		return err
	}
	if err := setDeadline(tx, i, store.Time{}); err != nil {
		return err
	}
	return tx.TouchItem(i)
}

func setDeadline(tx *store.Tx, i *store.Item, at store.Time) error {
	return tx.Exec(`UPDATE items SET due_at = ?, reminded_at = NULL WHERE id = ?`, at, i.ID)
}

// passConsent records that the round has passed. A database constraint refuses this while an objection is open.
func passConsent(tx *store.Tx, i *store.Item) error {
	return tx.Exec(`UPDATE consents SET passed = 1 WHERE id = ?`, i.ID)
}

// countElectorate stores the number of members who are asked in this round, without the member `except`. A member who
// joined at the very moment when the round began is asked too.
func countElectorate(tx *store.Tx, id, except string) error {
	return tx.Exec(`UPDATE consents SET electorate = (SELECT count(*) FROM studio_members x
		WHERE x.studio_id = consents.studio_id AND x.joined_at <= consents.consent_at AND x.member_id <> ?) WHERE id = ?`,
		except, id)
}

func countResponses(tx *store.Tx, id string) error {
	const round = `(SELECT count(*) FROM responses r WHERE r.item_id = consents.id AND r.round = consents.round
		AND r.left_at IS NULL`
	return tx.Exec(`UPDATE consents SET
		answered = CASE WHEN asking = 1 THEN `+round+`) ELSE 0 END,
		objections = CASE WHEN asking = 1 THEN `+round+` AND r.position = 'objection' AND r.settled = '') ELSE 0 END
		WHERE id = ?`, id)
}

func changedResponses(tx *store.Tx, i *store.Item) error {
	tx.IndexItem(i.ID)
	if err := countResponses(tx, i.ID); err != nil {
		return err
	}
	return tx.TouchItem(i)
}

// Respond stores the acting member's position, which replaces an earlier one of this round.
func Respond(tx *store.Tx, by store.Actor, a Asked, position, reason string) error {
	i, c := a.Common(), a.Asks()
	if err := tx.Exec(`INSERT INTO responses (item_id, round, member_id, org_id, agent_id, position, reason, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (item_id, round, member_id) DO UPDATE SET
		agent_id = excluded.agent_id, position = excluded.position, reason = excluded.reason, at = excluded.at,
		settled = '', settled_at = NULL, settled_by = NULL, ruling = ''`,
		i.ID, c.Round, by.MemberID(), i.OrgID, store.Null(by.Agent.ID), position, reason, store.At(tx.Now)); err != nil {
		return err
	}
	if err := tx.FollowSilently(by, i.ID); err != nil {
		return err
	}
	if err := countElectorate(tx, i.ID, ""); err != nil {
		return err
	}
	return changedResponses(tx, i)
}

// SettleObjection records that a member's objection is withdrawn, integrated or invalid, and blocks no longer. The
// parameter `ruling` has the referee's reason if it is invalid, and is otherwise empty.
func SettleObjection(tx *store.Tx, by store.Actor, a Asked, memberID, settled, ruling string) error {
	if err := tx.Exec(`UPDATE responses SET settled = ?, settled_at = ?, settled_by = ?, ruling = ?
		WHERE item_id = ? AND round = ? AND member_id = ?`,
		settled, store.At(tx.Now), by.MemberID(), ruling, a.Common().ID, a.Asks().Round, memberID); err != nil {
		return err
	}
	return changedResponses(tx, a.Common())
}

// leaveConsents marks a leaving member's responses in open rounds, so that they count no longer, and reduces the
// electorates of the rounds. An empty studioID stands for all studios. The parameter `condition` is SQL that selects
// the rounds, with alias c. The result has the ids of the changed items.
func leaveConsents(tx *store.Tx, m *store.Member, studioID, condition string) ([]string, error) {
	var changed []string
	if err := tx.Select(&changed, `SELECT c.id FROM consents c
		WHERE c.org_id = ? AND c.asking = 1 AND (? = '' OR c.studio_id = ?)
		AND EXISTS (SELECT 1 FROM studio_members x WHERE x.studio_id = c.studio_id AND x.member_id = ?
		AND x.joined_at <= c.consent_at) AND `+condition, m.OrgID, studioID, studioID, m.ID); err != nil {
		return nil, err
	}
	for _, id := range changed {
		if err := tx.Exec(`UPDATE responses SET left_at = ? WHERE item_id = ? AND member_id = ?
			AND round = (SELECT c.round FROM consents c WHERE c.id = ?)`, store.At(tx.Now), id, m.ID, id); err != nil {
			return nil, err
		}
		if err := countElectorate(tx, id, m.ID); err != nil {
			return nil, err
		}
		if err := countResponses(tx, id); err != nil {
			return nil, err
		}
	}
	return changed, nil
}
