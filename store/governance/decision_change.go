package governance

import (
	"cmp"
	"time"

	"samepage/store"
)

// MaxOptions is the greatest number of options that a decision can have.
const MaxOptions = 200

// NewDecision has the fields of a decision that its author writes.
type NewDecision struct {
	Question, Body, Method, Rules, Results, Reasons, Imported string
	Everyone, Anonymous                                       bool
	Tie                                                       string // "casting_vote" or "lot"; empty for "casting_vote"
	Caster                                                    Caster
	ClosesAt                                                  time.Time
	Options                                                   []NewOption
}

// Caster determines the member with the casting vote: a member, or the holder of a role at the time of closing. The
// zero Caster stands for the author.
type Caster struct{ MemberID, RoleID string }

// NewOption is a new option. At is the proposed time if members vote on a time, and zero otherwise.
type NewOption struct {
	Title string
	At    time.Time
}

func (n NewDecision) tie() string {
	return cmp.Or(n.Tie, "casting_vote")
}

// CreateDecision adds a draft of a decision to the studio. The acting member is the author.
func CreateDecision(tx *store.Tx, by store.Actor, s *store.Studio, n NewDecision) (*Decision, error) {
	id, err := tx.InsertItem(by, s,
		store.NewItem{Kind: DecisionKind.Name, Title: n.Question, Body: n.Body, DueAt: n.ClosesAt})
	if err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO decisions (id, org_id, method, rules, results, reasons, everyone, anonymous, tie,
		imported, options)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, s.OrgID, n.Method, n.Rules, n.Results, n.Reasons, n.Everyone, n.Anonymous, n.tie(), n.Imported,
		len(n.Options)); err != nil {
		return nil, err
	}
	if err := SetCaster(tx, s.OrgID, id, n.Caster); err != nil {
		return nil, err
	}
	for i, o := range n.Options {
		if err := insertOption(tx, by, s.OrgID, id, i+1, o); err != nil {
			return nil, err
		}
	}
	return FindDecision(tx, by, s.Handle, id)
}

// changeDecision changes columns of a decision and raises its version. The parameter `set` has SQL assignments.
func changeDecision(tx *store.Tx, d *Decision, set string, args ...any) error {
	if err := tx.Exec(`UPDATE decisions SET `+set+` WHERE id = ?`, append(args, d.ID)...); err != nil {
		return err
	}
	return tx.TouchItem(&d.Item)
}

// UpdateDecision changes the fields of a draft, except Imported and Options.
func UpdateDecision(tx *store.Tx, d *Decision, n NewDecision) error {
	if err := tx.UpdateItem(&d.Item, n.Question, n.Body, n.ClosesAt); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE decisions SET method = ?, rules = ?, results = ?, reasons = ?, everyone = ?,
		anonymous = ?, tie = ? WHERE id = ?`,
		n.Method, n.Rules, n.Results, n.Reasons, n.Everyone, n.Anonymous, n.tie(), d.ID); err != nil {
		return err
	}
	return SetCaster(tx, d.OrgID, d.ID, n.Caster)
}

// SetCaster stores the member or the role with the casting vote.
func SetCaster(tx *store.Tx, orgID, decisionID string, c Caster) error {
	if c == (Caster{}) {
		return tx.Exec(`DELETE FROM casters WHERE decision_id = ?`, decisionID)
	}
	return tx.Exec(`INSERT INTO casters (decision_id, org_id, member_id, role_id) VALUES (?, ?, ?, ?)
		ON CONFLICT (decision_id) DO UPDATE SET member_id = excluded.member_id, role_id = excluded.role_id`,
		decisionID, orgID, store.Null(c.MemberID), store.Null(c.RoleID))
}

// OpenDecision opens a draft for voting. The present members of the studio are its electorate.
func OpenDecision(tx *store.Tx, d *Decision) error {
	if err := tx.OpenItem(&d.Item); err != nil {
		return err
	}
	return tx.Exec(`UPDATE decisions SET electorate = (SELECT people FROM studios WHERE id = ?) WHERE id = ?`,
		d.StudioID, d.ID)
}

// AddOption adds an option, and stores the rules and the tally that the caller has adapted to it.
func AddOption(tx *store.Tx, by store.Actor, d *Decision, o NewOption, rules, tally string) error {
	if err := insertOption(tx, by, d.OrgID, d.ID, d.Options+1, o); err != nil {
		return err
	}
	return changeDecision(tx, d, `options = options + 1, rules = ?, tally = ?`, rules, tally)
}

func insertOption(tx *store.Tx, by store.Actor, orgID, decisionID string, n int, o NewOption) error {
	tx.IndexItem(decisionID)
	return tx.Exec(`INSERT INTO options (decision_id, n, org_id, title, at, member_id, agent_id)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		decisionID, n, orgID, o.Title, store.At(o.At), by.MemberID(), store.Null(by.Agent.ID))
}

// RemoveOption removes option n from a draft, and stores the new rules. The numbers of later options decrease by one.
func RemoveOption(tx *store.Tx, d *Decision, n int, rules string) error {
	tx.IndexItem(d.ID)
	if err := tx.Exec(`DELETE FROM options WHERE decision_id = ? AND n = ?`, d.ID, n); err != nil {
		return err
	}
	for i := n + 1; i <= d.Options; i++ {
		if err := tx.Exec(`UPDATE options SET n = ? WHERE decision_id = ? AND n = ?`, i-1, d.ID, i); err != nil {
			return err
		}
	}
	return changeDecision(tx, d, `options = options - 1, rules = ?`, rules)
}

// ChangeResults sets when the results are visible before the decision is closed.
func ChangeResults(tx *store.Tx, d *Decision, results string) error {
	return changeDecision(tx, d, `results = ?`, results)
}

// CloseDecision closes a decision at its deadline if that has passed, and otherwise now. If a role has the casting
// vote, its present holder keeps that vote. Anonymous ballots are stored again in a random order.
func CloseDecision(tx *store.Tx, by store.Actor, d *Decision, statement, outcome, result, headline string) error {
	if err := tx.CloseItem(by, &d.Item); err != nil {
		return err
	}
	if err := tx.SetHeadline(&d.Item, headline); err != nil {
		return err
	}
	if d.Anonymous {
		if err := shuffleSealed(tx, d); err != nil {
			return err
		}
	}
	if d.CasterRoleID != "" {
		if err := tx.Exec(`UPDATE casters SET member_id = (SELECT holder_id FROM roles
			WHERE roles.id = casters.role_id) WHERE decision_id = ?`, d.ID); err != nil {
			return err
		}
	}
	return tx.Exec(`UPDATE decisions SET statement = ?, outcome = ?, result = ? WHERE id = ?`,
		statement, outcome, result, d.ID)
}

// DateDecision sets the voting period of an imported decision.
func DateDecision(tx *store.Tx, d *Decision, opened, closed time.Time) error {
	tx.IndexItem(d.ID)
	return tx.Exec(`UPDATE items SET opened_at = ?, closed_at = ? WHERE id = ?`, store.At(opened), store.At(closed), d.ID)
}

// SealLot stores the secret of a lot, and publishes the cryptographic commitment to it.
func SealLot(tx *store.Tx, d *Decision, secret, commitment string) error {
	if err := tx.Exec(`INSERT INTO lots (decision_id, org_id, secret) VALUES (?, ?, ?)`,
		d.ID, d.OrgID, secret); err != nil {
		return err
	}
	return tx.Exec(`UPDATE decisions SET commitment = ? WHERE id = ?`, commitment, d.ID)
}

// OpenLot publishes and returns the secret of a closed decision's lot. It returns [store.Missing] if there is no sealed
// lot.
func OpenLot(tx *store.Tx, d *Decision) (secret string, err error) {
	if err := tx.Get(&secret, `SELECT secret FROM lots WHERE decision_id = ?`, d.ID); err != nil {
		return "", err
	}
	if err := tx.Exec(`DELETE FROM lots WHERE decision_id = ?`, d.ID); err != nil {
		return "", err
	}
	return secret, changeDecision(tx, d, `secret = ?`, secret)
}

// DecideByLot stores that the lot chose option n.
func DecideByLot(tx *store.Tx, d *Decision, n int) error {
	if err := tx.SetHeadline(&d.Item, d.Choice[n-1].Title); err != nil {
		return err
	}
	return changeDecision(tx, d, `deciding = ?`, n)
}

// DecideTie stores the acting member's casting vote for option n. The decision's outcome is still a tie.
func DecideTie(tx *store.Tx, by store.Actor, d *Decision, n int, statement string) error {
	tx.IndexItem(d.ID)
	if err := tx.SetHeadline(&d.Item, d.Choice[n-1].Title); err != nil {
		return err
	}
	return changeDecision(tx, d, `deciding = ?, decided_by = ?, decided_at = ?, deciding_statement = ?`,
		n, by.MemberID(), store.At(tx.Now), statement)
}
