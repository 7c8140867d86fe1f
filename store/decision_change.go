package store

import "time"

// MaxOptions is the most options a decision may have.
const MaxOptions = 200

// NewDecision is a decision to be made. A zero OpensAt leaves it a draft.
type NewDecision struct {
	Question, Body, Method, Rules, Results, Reasons, Imported string
	Everyone                                                  bool
	ClosesAt                                                  time.Time
	Options                                                   []string
}

// CreateDecision makes a draft in the studio, proposed by the actor.
func (tx *Tx) CreateDecision(by Actor, s *Studio, n NewDecision) (*Decision, error) {
	id, err := tx.insertItem(by, s, NewItem{Kind: "decision", Title: n.Question, Body: n.Body, DueAt: n.ClosesAt})
	if err != nil {
		return nil, err
	}
	if err := tx.exec(`INSERT INTO decisions (id, org_id, method, rules, results, reasons, everyone, imported, options) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, s.OrgID, n.Method, n.Rules, n.Results, n.Reasons, n.Everyone, n.Imported, len(n.Options)); err != nil {
		return nil, err
	}
	for i, title := range n.Options {
		if err := tx.insertOption(by, s.OrgID, id, i+1, title); err != nil {
			return nil, err
		}
	}
	return tx.FindDecision(by, s.Handle, id)
}

// changeDecision sets columns of a decision and raises its version.
func (tx *Tx) changeDecision(d *Decision, set string, args ...any) error {
	if err := tx.exec(`UPDATE decisions SET `+set+` WHERE id = ?`, append(args, d.ID)...); err != nil {
		return err
	}
	return tx.touchItem(&d.Item)
}

// UpdateDecision changes a draft.
func (tx *Tx) UpdateDecision(d *Decision, n NewDecision) error {
	if err := tx.updateItem(&d.Item, n.Question, n.Body, n.ClosesAt); err != nil {
		return err
	}
	return tx.exec(`UPDATE decisions SET method = ?, rules = ?, results = ?, reasons = ?, everyone = ? WHERE id = ?`,
		n.Method, n.Rules, n.Results, n.Reasons, n.Everyone, d.ID)
}

// OpenDecision opens a draft. Those who are in the studio now are its electorate.
func (tx *Tx) OpenDecision(d *Decision) error {
	if err := tx.openItem(&d.Item); err != nil {
		return err
	}
	return tx.exec(`UPDATE decisions SET electorate = (SELECT people FROM studios WHERE id = ?) WHERE id = ?`, d.StudioID, d.ID)
}

// AddOption adds an option and keeps the rules and the running tally that go with the longer list.
func (tx *Tx) AddOption(by Actor, d *Decision, title, rules, tally string) error {
	if err := tx.insertOption(by, d.OrgID, d.ID, d.Options+1, title); err != nil {
		return err
	}
	return tx.changeDecision(d, `options = options + 1, rules = ?, tally = ?`, rules, tally)
}

func (tx *Tx) insertOption(by Actor, orgID, decisionID string, n int, title string) error {
	return tx.exec(`INSERT INTO options (decision_id, n, org_id, title, member_id, agent_id) VALUES (?, ?, ?, ?, ?, ?)`,
		decisionID, n, orgID, title, by.MemberID(), null(by.Agent.ID))
}

// RemoveOption takes an option out of a draft; those behind it move up.
func (tx *Tx) RemoveOption(d *Decision, n int, rules string) error {
	if err := tx.exec(`DELETE FROM options WHERE decision_id = ? AND n = ?`, d.ID, n); err != nil {
		return err
	}
	for i := n + 1; i <= d.Options; i++ {
		if err := tx.exec(`UPDATE options SET n = ? WHERE decision_id = ? AND n = ?`, i-1, d.ID, i); err != nil {
			return err
		}
	}
	return tx.changeDecision(d, `options = options - 1, rules = ?`, rules)
}

// ExtendDecision moves the deadline.
func (tx *Tx) ExtendDecision(d *Decision, closesAt time.Time) error {
	return tx.updateItem(&d.Item, d.Title, d.Body, closesAt)
}

// CloseDecision records the result. The moment is the deadline if it has passed, else now.
func (tx *Tx) CloseDecision(by Actor, d *Decision, statement, outcome, result string) error {
	if err := tx.closeItem(by, &d.Item); err != nil {
		return err
	}
	return tx.exec(`UPDATE decisions SET statement = ?, outcome = ?, result = ? WHERE id = ?`, statement, outcome, result, d.ID)
}

// DecideTie records the casting vote for option n; the outcome stays a tie, and who broke it is in the journal.
func (tx *Tx) DecideTie(d *Decision, n int, statement string) error {
	switch {
	case statement == "":
		statement = d.Statement
	case d.Statement != "":
		statement = d.Statement + "\n\n" + statement
	}
	return tx.changeDecision(d, `deciding = ?, statement = ?`, n, statement)
}
