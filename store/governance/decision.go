// Package governance has kinds of items: decisions, topics, elections, policies, commitments, notes and messages. It
// also has webhooks. A guard that refuses actors outside the studio returns the errors of [store.Studio.MustBeJoined].
package governance

import (
	"encoding/json"
	"slices"
	"strconv"

	"samepage/store"
)

// DecisionKind declares decisions as a kind of item.
var DecisionKind = store.DeclareKind(store.Kind{
	Name:   "decision",
	Letter: "d",
	States: []string{DecisionDraft, DecisionOpen, DecisionDue, DecisionResult, DecisionTie, DecisionNoQuorum, store.Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN d.deciding IS NOT NULL THEN 'result'
			WHEN items.closed_at IS NOT NULL THEN d.outcome
			WHEN items.opened_at IS NULL THEN 'draft' ELSE 'open' END,
		d.ballots, CASE WHEN d.method = 'lottery' THEN 0 WHEN d.electorate > d.ballots THEN d.electorate
		ELSE d.ballots END, CASE WHEN d.outcome = 'tie' AND d.deciding IS NULL AND d.imported = ''
		AND items.removed_at IS NULL THEN 1 ELSE 0 END,
		CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) FROM decisions d WHERE d.id = items.id`,
	Awaits: `SELECT CASE WHEN d.everyone = 1 OR d.electorate = 0 OR d.ballots < d.electorate THEN '` + store.AwaitsAnswers + `'
			WHEN items.due_at IS NULL THEN '` + store.AwaitsChair + `' ELSE '` + store.AwaitsClock + `' END
		FROM decisions d WHERE d.id = items.id`,
	Delete: []string{`DELETE FROM casters WHERE decision_id = ?`, `DELETE FROM lots WHERE decision_id = ?`,
		`DELETE FROM sealed_ballots WHERE decision_id = ?`, `DELETE FROM ballots WHERE decision_id = ?`,
		`DELETE FROM options WHERE decision_id = ?`, `DELETE FROM decisions WHERE id = ?`},
	Erase: []string{`UPDATE options SET title = 'Removed' WHERE decision_id = ?`,
		`UPDATE ballots SET reason = '' WHERE decision_id = ?`,
		`UPDATE sealed_ballots SET reason = '' WHERE decision_id = ?`,
		`UPDATE decisions SET statement = '', deciding_statement = '', imported = CASE WHEN imported = '' THEN ''
			ELSE 'Removed' END WHERE id = ?`},
	Text: `SELECT title FROM options WHERE decision_id = ? UNION ALL SELECT statement FROM decisions
		WHERE id = ? AND statement <> ''
		UNION ALL SELECT deciding_statement FROM decisions WHERE id = ? AND deciding_statement <> ''`,
	Waits: []store.Wait{{
		For:  store.WaitsForVote,
		From: store.OpenAround + `JOIN decisions d ON d.id = i.id`,
		// A correlated subquery looks up one ballot by its key. A join would read all the decision's ballots.
		Where: `i.kind || '' = 'decision' AND (SELECT b.voter FROM ballots b WHERE b.decision_id = i.id
			AND b.voter = mm.id) IS NULL
			AND (i.due_at IS NULL OR i.due_at > ?) AND d.method <> 'lottery' AND d.options > 0
			AND (d.everyone = 1 OR me.joined_at <= i.opened_at)`,
		Due: true,
	}},
	Decides: true,
})

// Decision is a question with options, on which members vote with ballots. The item's title is the question, and its
// deadline ends the vote. Package tally defines the formats of Tally, Rules and Result.
type Decision struct {
	store.Item
	Method   string `db:"method"`
	Rules    string `db:"rules"`
	Results  string `db:"results"`  // when results are visible: "shown", "after_voting" or "after_closing"
	Reasons  string `db:"reasons"`  // reasons on ballots: "off", "optional" or "required"
	Everyone bool   `db:"everyone"` // members who join the studio during the vote may vote
	Imported string `db:"imported"` // id of the vote that was imported from a file; empty if the ballots were cast here
	// Anonymous means that ballots are stored apart from their voters, and that results are hidden until the decision
	// is closed.
	Anonymous bool `db:"anonymous"`
	// Tie is the way to break a tie: "casting_vote" or "lot".
	Tie string `db:"tie"`
	// Caster is the handle of the member with the casting vote; if it is empty, the author has it. If a role has the
	// casting vote, Caster is the role's present holder or, once the decision is closed, the holder at the closing.
	Caster       string `db:"caster"`
	CasterID     string `db:"caster_id"`
	CasterGone   bool   `db:"caster_gone"` // Caster has left the studio, or is empty
	CasterRole   string `db:"caster_role"` // title of the role that has the casting vote
	CasterRoleID string `db:"caster_role_id"`
	// Commitment is the cryptographic commitment to the lot's Secret. Secret is empty until the decision is closed.
	Commitment string `db:"commitment"`
	Secret     string `db:"secret"`
	// Electorate is the number of members who could vote when the decision was opened, or a greater number of imported
	// ballots.
	Electorate int    `db:"electorate"`
	Options    int    `db:"options"`
	Ballots    int    `db:"ballots"`
	Statement  string `db:"statement"`
	Tally      string `db:"tally"`
	Result     string `db:"result"`
	Outcome    string `db:"outcome"`
	Deciding   *int   `db:"deciding"` // number of the option that the casting vote or the lot chose; nil before that
	// DecidedBy is the handle of the member who gave the casting vote. It is empty if a lot decided.
	DecidedBy         string     `db:"decided_by"`
	DecidedAt         store.Time `db:"decided_at"`
	DecidingStatement string     `db:"deciding_statement"`

	Mine   Ballot // the acting member's ballot; Voter is empty if there is none
	Choice []Option
}

// Option is one option of a decision. Ballots refer to its number N, which counts from 1.
type Option struct {
	N        int        `db:"n"`
	Title    string     `db:"title"`
	At       store.Time `db:"at"` // proposed time, if members vote on a time
	MemberID string     `db:"member_id"`
	Member   string     `db:"member"`
	store.Agent
}

const decisionColumns = `d.method, d.rules, d.results, d.reasons, d.everyone, d.imported, d.anonymous, d.tie,
	d.electorate, d.options, d.ballots, d.outcome, d.deciding, d.tally, d.result, d.statement, d.deciding_statement, d.decided_at,
	dm.handle AS decided_by, d.commitment, d.secret, cm.id AS caster_id, cm.handle AS caster,
	NOT EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = i.studio_id
	AND y.member_id = cm.id) AS caster_gone, ca.role_id AS caster_role_id, cr.title AS caster_role,
	b.voter AS "mine.voter", b.marks AS "mine.marks", b.reason AS "mine.reason", b.agent_id AS "mine.agent_id",
	b.cast_at AS "mine.cast_at"`

const decisionJoins = `JOIN decisions d ON d.id = i.id LEFT JOIN ballots b ON b.decision_id = i.id AND b.voter = mm.id
	LEFT JOIN members dm ON dm.id = d.decided_by LEFT JOIN casters ca ON ca.decision_id = i.id
	LEFT JOIN roles cr ON cr.id = ca.role_id
	LEFT JOIN members cm ON cm.id = CASE WHEN i.closed_at IS NULL THEN coalesce(ca.member_id, cr.holder_id)
	ELSE ca.member_id END `

// These are the states of a decision, in addition to [store.Redacted]. A due decision has passed its deadline, and the
// scheduler has not closed it yet.
const (
	DecisionDraft    = "draft"
	DecisionOpen     = "open"
	DecisionDue      = "due"
	DecisionResult   = "result"
	DecisionTie      = "tie"
	DecisionNoQuorum = "no_quorum"
)

// State returns one of the states of [DecisionKind].
func (d *Decision) State() string {
	switch {
	case d.Removed():
		return store.Redacted
	case !d.ClosedAt.IsZero():
		return d.Outcome
	case d.OpenedAt.IsZero():
		return DecisionDraft
	case d.Due():
		return DecisionDue
	}
	return DecisionOpen
}

// Closed reports whether voting has ended.
func (d *Decision) Closed() bool { return d.State() != DecisionOpen && d.State() != DecisionDraft }

// Record returns the fields that the journal stores about a decision. They include the result once it is public, but no
// ballots.
func (d *Decision) Record() any {
	state := d.State()
	if state == DecisionDue {
		state = DecisionOpen // the journal has only states that actions cause
	}
	tie := d.Tie
	if tie == "casting_vote" {
		tie = "" // the default
	}
	caster := d.Caster
	if d.CasterRoleID != "" && d.ClosedAt.IsZero() {
		caster = "" // until the closing, the role's holder can change
	}
	return struct {
		Question   string          `json:"question"`
		Text       string          `json:"text,omitempty"`
		Method     string          `json:"method"`
		Rules      json.RawMessage `json:"rules,omitempty"`
		Results    string          `json:"results"`
		Reasons    string          `json:"reasons"`
		Anonymous  bool            `json:"anonymous,omitempty"`
		Tie        string          `json:"tie,omitempty"`
		Caster     string          `json:"caster,omitempty"`
		CasterRole string          `json:"caster_role,omitempty"`
		Options    []string        `json:"options"`
		Closes     store.Time      `json:"closes,omitzero"`
		Ballots    int             `json:"ballots"`
		Comments   int             `json:"comments"`
		Pinned     bool            `json:"pinned"`
		State      string          `json:"state"`
		Statement  string          `json:"statement,omitempty"`
		Casting    string          `json:"deciding_statement,omitempty"`
		Commitment string          `json:"commitment,omitempty"`
		Secret     string          `json:"secret,omitempty"`
		Deciding   *int            `json:"deciding,omitempty"`
		Result     json.RawMessage `json:"result,omitempty"`
		Imported   string          `json:"imported,omitempty"`
	}{d.Title, d.Body, d.Method, json.RawMessage(d.Rules), d.Results, d.Reasons, d.Anonymous, tie, caster,
		d.CasterRole, d.Titles(), d.DueAt, d.Ballots, d.Comments,
		d.Pinned, state, d.Statement, d.DecidingStatement, d.Commitment, d.Secret, d.Deciding,
		json.RawMessage(d.Result), d.Imported}
}

// Order returns the indexes in d.Choice of all options in the order in which pages show them.
func (d *Decision) Order() []int {
	order := make([]int, len(d.Choice))
	for i := range order {
		order[i] = i
	}
	if d.Method == "time" {
		slices.SortStableFunc(order, func(a, b int) int { return d.Choice[a].At.Compare(d.Choice[b].At.Time) })
	}
	return order
}

// LotIDs returns the ids that a lot is drawn from, one for each option. The id of an option does not change after the
// opening.
func (d *Decision) LotIDs() []string {
	ids := make([]string, len(d.Choice))
	for i, o := range d.Choice {
		ids[i] = d.ID + "-" + strconv.Itoa(o.N)
	}
	return ids
}

// ShowsResults reports whether the actor may see the results.
func (d *Decision) ShowsResults() bool {
	switch {
	case d.State() == DecisionDraft, d.Removed():
		return false
	case d.Closed():
		return true
	case d.Anonymous:
		return false
	case d.Results == "shown":
		return true
	}
	return d.Results == "after_voting" && d.Mine.Voter != ""
}

// FindDecision finds a decision in a studio. It returns [store.Missing] if there is none, if the actor may not see the
// studio, or if it is another member's draft.
func FindDecision(tx *store.Tx, by store.Actor, studio, id string) (*Decision, error) {
	var row struct {
		Decision
		Home store.Studio `db:"home"`
	}
	if err := tx.Locate(decisionFinder, by, &row, &row.Item, &row.Home, studio, id); err != nil {
		return nil, err
	}
	d := &row.Decision
	d.Choice = make([]Option, 0, d.Options)
	err := tx.Select(&d.Choice, `SELECT x.n, x.title, x.at, x.member_id, m.handle AS member, x.agent_id,
		a.label AS agent
		FROM options x JOIN members m ON m.id = x.member_id LEFT JOIN agents a ON a.id = x.agent_id
		WHERE x.decision_id = ? ORDER BY x.n`, d.ID)
	return d, err
}

var decisionFinder = store.NewFinder(decisionColumns, decisionJoins)

// DecisionPage is a decision with its turnout and its discussion.
type DecisionPage struct {
	*Decision
	Voted Turnout
	store.Discussion
}

// ShowDecision loads the data for the decision's page.
func ShowDecision(tx *store.Tx, by store.Actor, d *Decision) (*DecisionPage, error) {
	voters, err := d.turnout(tx, by)
	if err != nil {
		return nil, err
	}
	around, err := tx.ShowDiscussion(by, &d.Item)
	return &DecisionPage{d, voters, around}, err
}

// Awaited returns the ids of the members who may vote and have not voted, at most 10,000. It returns none for a
// lottery.
func (d *Decision) Awaited(tx *store.Tx) ([]string, error) {
	list := []string{}
	if d.Method == "lottery" {
		return list, nil
	}
	err := tx.Select(&list, `SELECT x.member_id FROM studio_members x LEFT JOIN ballots b ON b.decision_id = ?
		AND b.voter = x.member_id
		WHERE x.studio_id = ? AND b.voter IS NULL AND (? = 1 OR x.joined_at <= ?)
		ORDER BY x.member_id LIMIT 10000`, d.ID, d.StudioID, d.Everyone, d.OpenedAt)
	return list, err
}
