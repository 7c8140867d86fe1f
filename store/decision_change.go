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
	id := NewID()
	if err := tx.exec(`INSERT INTO decisions (id, org_id, studio_id, member_id, agent_id, question, body, method, rules, results, reasons, everyone, imported, created_at, closes_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, s.OrgID, s.ID, by.MemberID(), null(by.Agent.ID), n.Question, n.Body, n.Method, n.Rules,
		n.Results, n.Reasons, n.Everyone, n.Imported, At(tx.Now), At(n.ClosesAt)); err != nil {
		return nil, err
	}
	for i, title := range n.Options {
		if err := tx.insertOption(by, s.OrgID, id, i+1, title); err != nil {
			return nil, err
		}
	}
	if err := tx.exec(`UPDATE decisions SET options = ? WHERE id = ?`, len(n.Options), id); err != nil {
		return nil, err
	}
	if err := tx.touchStudio(s.ID); err != nil {
		return nil, err
	}
	return tx.FindDecision(by, s.Handle, id)
}

// UpdateDecision changes a draft.
func (tx *Tx) UpdateDecision(d *Decision, n NewDecision) error {
	return tx.exec(`UPDATE decisions SET question = ?, body = ?, method = ?, rules = ?, results = ?, reasons = ?, everyone = ?, closes_at = ?, version = version + 1
		WHERE id = ?`, n.Question, n.Body, n.Method, n.Rules, n.Results, n.Reasons, n.Everyone, At(n.ClosesAt), d.ID)
}

// OpenDecision opens a draft. Those who are in the studio now are its electorate.
func (tx *Tx) OpenDecision(d *Decision) error {
	if err := tx.touchStudio(d.StudioID); err != nil {
		return err
	}
	return tx.exec(`UPDATE decisions SET opened_at = ?, electorate = (SELECT people FROM studios WHERE id = decisions.studio_id), version = version + 1 WHERE id = ?`,
		At(tx.Now), d.ID)
}

// AddOption adds an option and keeps the rules and the running tally that go with the longer list.
func (tx *Tx) AddOption(by Actor, d *Decision, title, rules, tally string) error {
	if err := tx.insertOption(by, d.OrgID, d.ID, d.Options+1, title); err != nil {
		return err
	}
	return tx.exec(`UPDATE decisions SET options = options + 1, rules = ?, tally = ?, version = version + 1 WHERE id = ?`, rules, tally, d.ID)
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
	return tx.exec(`UPDATE decisions SET options = options - 1, rules = ?, version = version + 1 WHERE id = ?`, rules, d.ID)
}

// ExtendDecision moves the deadline.
func (tx *Tx) ExtendDecision(d *Decision, closesAt time.Time) error {
	return tx.exec(`UPDATE decisions SET closes_at = ?, version = version + 1 WHERE id = ?`, At(closesAt), d.ID)
}

// CloseDecision records the result. The moment is the deadline if it has passed, else now.
func (tx *Tx) CloseDecision(by Actor, d *Decision, statement, outcome, result string) error {
	if err := tx.touchStudio(d.StudioID); err != nil {
		return err
	}
	at := tx.Now
	if d.State() == DecisionDue {
		at = d.ClosesAt.Time
	}
	return tx.exec(`UPDATE decisions SET closed_at = ?, closed_by = ?, statement = ?, outcome = ?, result = ?, version = version + 1 WHERE id = ?`,
		At(at), null(by.MemberID()), statement, outcome, result, d.ID)
}

// DecideTie records the casting vote for option n; the outcome stays a tie, and who broke it is in the journal.
func (tx *Tx) DecideTie(d *Decision, n int, statement string) error {
	switch {
	case statement == "":
		statement = d.Statement
	case d.Statement != "":
		statement = d.Statement + "\n\n" + statement
	}
	return tx.exec(`UPDATE decisions SET deciding = ?, statement = ?, version = version + 1 WHERE id = ?`, n, statement, d.ID)
}

// CommentDecision adds a comment and returns its sequence.
func (tx *Tx) CommentDecision(by Actor, d *Decision, text string) (int, error) {
	seq := d.Comments + 1
	if err := tx.addComment(by, d.ID, seq, text); err != nil {
		return 0, err
	}
	return seq, tx.exec(`UPDATE decisions SET comments = ?, version = version + 1 WHERE id = ?`, seq, d.ID)
}

// PinDecision puts the decision on its studio's page, or takes it off.
func (tx *Tx) PinDecision(by Actor, d *Decision, pinned bool) error {
	change := func() error { return tx.unpin(d.StudioID, d.ID) }
	if pinned {
		change = func() error { return tx.pin(by, d.StudioID, "decision", d.ID) }
	}
	if err := change(); err != nil {
		return err
	}
	if err := tx.touchStudio(d.StudioID); err != nil {
		return err
	}
	return tx.exec(`UPDATE decisions SET pinned = ?, version = version + 1 WHERE id = ?`, pinned, d.ID)
}
