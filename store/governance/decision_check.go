package governance

import (
	"encoding/json"
	"fmt"

	"samepage/store"
)

// DecisionIDs returns the IDs of all decisions of an organization.
func DecisionIDs(tx *store.Tx, o *store.Organization) ([]string, error) {
	return store.All[string](tx, `SELECT id FROM decisions WHERE org_id = ? ORDER BY id`, o.ID)
}

// StrayBallots returns the number of cast ballots without a journal entry of the given action by the ballot's member.
// In a decision that is not anonymous, the entry must also have the ballot's time.
func StrayBallots(tx *store.Tx, d *Decision, action string) (n int, err error) {
	err = tx.Get(&n, `SELECT count(*) FROM ballots b WHERE b.decision_id = ? AND b.member_id IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.org_id = b.org_id AND j.target_id = b.decision_id
			AND j.member_id = b.member_id AND j.action = ? AND (? = 1 OR j.at = b.cast_at))`, d.ID, action, d.Anonymous)
	return n, err
}

// Titles returns the titles of the options.
func (d *Decision) Titles() []string {
	titles := make([]string, len(d.Choice))
	for i, o := range d.Choice {
		titles[i] = o.Title
	}
	return titles
}

// RecordedOptions returns the titles of the options in the latest journal entry that has them. It returns nil if there
// is no such entry or it was erased.
func RecordedOptions(tx *store.Tx, d *Decision) ([]string, error) {
	var list []string
	if err := tx.Select(&list, `SELECT after FROM journal WHERE org_id = ? AND target_id = ? AND after LIKE '%"options"%'
		ORDER BY seq DESC LIMIT 1`, d.OrgID, d.ID); err != nil || len(list) == 0 {
		return nil, err
	}
	var record struct{ Options []string }
	if err := json.Unmarshal([]byte(list[0]), &record); err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return record.Options, nil
}

// RecordedResult returns the result, as JSON, in the latest journal entry that has one. It returns "" if there is no
// such entry or it was erased.
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
