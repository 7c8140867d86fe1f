package governance

import (
	"encoding/json"
	"fmt"

	"samepage/store"
)

// DecisionIDs returns the ids of all decisions of an organization, for a check.
func DecisionIDs(tx *store.Tx, o *store.Organization) (ids []string, err error) {
	err = tx.Select(&ids, `SELECT id FROM decisions WHERE org_id = ? ORDER BY id`, o.ID)
	return ids, err
}

// StrayBallots counts the ballots in the names of members for which the journal has no entry of this action at that
// time. An anonymous ballot has no time.
func StrayBallots(tx *store.Tx, d *Decision, action string) (n int, err error) {
	err = tx.Get(&n, `SELECT count(*) FROM ballots b WHERE b.decision_id = ? AND b.member_id IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.org_id = b.org_id AND j.target_id = b.decision_id
			AND j.member_id = b.member_id AND j.action = ? AND (? = 1 OR j.at = b.cast_at))`, d.ID, action, d.Anonymous)
	return n, err
}

// RecordedResult returns the result in the latest entry of the journal about the decision that has one, as JSON. It is
// empty if there is none, or if it was erased.
func RecordedResult(tx *store.Tx, d *Decision) (string, error) {
	var list []string
	if err := tx.Select(&list, `SELECT after FROM journal WHERE org_id = ? AND target_id = ? AND after LIKE '%"result"%'
		ORDER BY seq DESC LIMIT 1`, d.OrgID, d.ID); err != nil || len(list) == 0 {
		return "", err
	}
	var record struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal([]byte(list[0]), &record); err != nil {
		return "", fmt.Errorf("read the journal: %w", err)
	}
	return string(record.Result), nil
}
