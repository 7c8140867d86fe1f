package store

import (
	"encoding/json"
	"time"
)

// Decision is a question with options and ballots. Tally, Rules and Result are kept as the counting package writes them.
type Decision struct {
	ID        string `db:"id"`
	OrgID     string `db:"org_id"`
	StudioID  string `db:"studio_id"`
	MemberID  string `db:"member_id"`
	Member    string `db:"member"` // the proposer's handle
	Agent            // under which it was proposed
	Question  string `db:"question"`
	Body      string `db:"body"`
	Method    string `db:"method"`
	Rules     string `db:"rules"`
	Results   string `db:"results"`  // shown, after_voting or after_closing
	Reasons   string `db:"reasons"`  // off, optional or required
	Everyone  bool   `db:"everyone"` // who joins later may vote too
	Imported  string `db:"imported"` // where its ballots come from, if not from here
	CreatedAt Time   `db:"created_at"`
	OpenedAt  Time   `db:"opened_at"`
	ClosesAt  Time   `db:"closes_at"`
	ClosedAt  Time   `db:"closed_at"`
	ClosedBy  string `db:"closed_by"` // handle; empty when the clock closed it
	Statement string `db:"statement"`
	// Electorate is how many could vote when it opened.
	Electorate int    `db:"electorate"`
	Options    int    `db:"options"`
	Ballots    int    `db:"ballots"`
	Comments   int    `db:"comments"`
	Pinned     bool   `db:"pinned"`
	Tally      string `db:"tally"`
	Result     string `db:"result"`
	Outcome    string `db:"outcome"`
	Deciding   *int   `db:"deciding"` // the option that the casting vote chose
	Version    int64  `db:"version"`
	// ProposerGone reports that who asked is no longer in the studio.
	ProposerGone bool `db:"proposer_gone"`

	Mine   Ballot  // the actor's own; Voter is empty if there is none
	Studio *Studio // as the actor sees it
	Choice []Option
	Now    time.Time
}

// Option is one thing that may be decided. N counts from 1 and is its server id.
type Option struct {
	N        int    `db:"n"`
	Title    string `db:"title"`
	MemberID string `db:"member_id"`
	Member   string `db:"member"`
	Agent
}

const decisionListColumns = `d.id, d.org_id, d.studio_id, d.member_id, m.handle AS member, coalesce(d.agent_id, '') AS agent_id, coalesce(a.label, '') AS agent,
	d.question, d.method, d.rules, d.results, d.reasons, d.everyone, d.imported, d.created_at, d.opened_at, d.closes_at, d.closed_at,
	d.electorate, d.options, d.ballots, d.comments, d.pinned, d.outcome, d.deciding, d.version, coalesce(b.voter, '') AS "mine.voter"`

const decisionColumns = decisionListColumns + `, d.body, d.tally, d.result, d.statement, coalesce(z.handle, '') AS closed_by,
	NOT EXISTS (SELECT 1 FROM studio_members y WHERE y.studio_id = d.studio_id AND y.member_id = d.member_id) AS proposer_gone,
	coalesce(b.marks, '') AS "mine.marks", coalesce(b.reason, '') AS "mine.reason", coalesce(b.agent_id, '') AS "mine.agent_id", b.cast_at AS "mine.cast_at"`

// The states of a decision. Due is one whose deadline has passed before anybody recorded it: it is shown as closed.
const (
	DecisionDraft    = "draft"
	DecisionOpen     = "open"
	DecisionDue      = "due"
	DecisionResult   = "result"
	DecisionTie      = "tie"
	DecisionNoQuorum = "no_quorum"
)

// DecisionStates are the states of a decision.
func DecisionStates() []string {
	return []string{DecisionDraft, DecisionOpen, DecisionDue, DecisionResult, DecisionTie, DecisionNoQuorum}
}

// State is one of [DecisionStates], at the time it was loaded.
func (d *Decision) State() string {
	switch {
	case !d.ClosedAt.IsZero():
		return d.Outcome
	case d.OpenedAt.IsZero():
		return DecisionDraft
	case !d.ClosesAt.IsZero() && !d.Now.Before(d.ClosesAt.Time):
		return DecisionDue
	}
	return DecisionOpen
}

// Closed reports that nobody can vote any more.
func (d *Decision) Closed() bool { return d.State() != DecisionOpen && d.State() != DecisionDraft }

// URL is the decision's page.
func (d *Decision) URL() string { return d.Studio.URL() + "/d/" + d.ID }

// Proposer names who asked.
func (d *Decision) Proposer() string { return Byline(d.Member, d.Agent.Label) }

// Ref names the decision for the journal. A draft is its proposer's own.
func (d *Decision) Ref() Ref {
	r := Ref{OrgID: d.OrgID, StudioID: d.StudioID, Kind: "decision", ID: d.ID, URL: d.URL(), Title: d.Question, Version: d.Version}
	if d.State() == DecisionDraft {
		r.PrivateTo = d.MemberID
	}
	return r
}

// Record is what the journal keeps of a decision: never a ballot, and no result before there is one to show.
func (d *Decision) Record() any {
	options := make([]string, len(d.Choice))
	for i, o := range d.Choice {
		options[i] = o.Title
	}
	state := d.State()
	if state == DecisionDue {
		state = DecisionOpen // being due is not a change that anybody made
	}
	return struct {
		Question  string          `json:"question"`
		Text      string          `json:"text,omitempty"`
		Method    string          `json:"method"`
		Rules     json.RawMessage `json:"rules,omitempty"`
		Results   string          `json:"results"`
		Reasons   string          `json:"reasons"`
		Options   []string        `json:"options"`
		Closes    Time            `json:"closes,omitzero"`
		Ballots   int             `json:"ballots"`
		Comments  int             `json:"comments"`
		Pinned    bool            `json:"pinned"`
		State     string          `json:"state"`
		Statement string          `json:"statement,omitempty"`
		Deciding  *int            `json:"deciding,omitempty"`
		Result    json.RawMessage `json:"result,omitempty"`
		Imported  string          `json:"imported,omitempty"`
	}{d.Question, d.Body, d.Method, json.RawMessage(d.Rules), d.Results, d.Reasons, options, d.ClosesAt, d.Ballots, d.Comments, d.Pinned,
		state, d.Statement, d.Deciding, json.RawMessage(d.Result), d.Imported}
}

// ShowsResults reports whether this actor may see how it stands.
func (d *Decision) ShowsResults() bool {
	switch {
	case d.State() == DecisionDraft:
		return false
	case d.Closed(), d.Results == "shown":
		return true
	}
	return d.Results == "after_voting" && d.Mine.Voter != ""
}

// decisionVisible hides a draft from all but its proposer.
const decisionVisible = ` (d.opened_at IS NOT NULL OR d.member_id = ?) `

// FindDecision finds a decision of a studio the actor may see, with its options and the actor's ballot. A draft of somebody
// else, and any other: [Missing].
func (tx *Tx) FindDecision(by Actor, studio, id string) (*Decision, error) {
	s, err := tx.FindStudio(by, studio)
	if err != nil {
		return nil, err
	}
	d := Decision{Studio: s, Now: tx.Now}
	me := by.In(s.OrgID).MemberID()
	if err := tx.get(&d, `SELECT `+decisionColumns+` FROM decisions d JOIN members m ON m.id = d.member_id LEFT JOIN agents a ON a.id = d.agent_id
		LEFT JOIN members z ON z.id = d.closed_by LEFT JOIN ballots b ON b.decision_id = d.id AND b.voter = ?
		WHERE d.id = ? AND d.studio_id = ? AND`+decisionVisible, me, id, s.ID, me); err != nil {
		return nil, err
	}
	err = tx.all(&d.Choice, `SELECT x.n, x.title, x.member_id, m.handle AS member, coalesce(x.agent_id, '') AS agent_id, coalesce(a.label, '') AS agent
		FROM options x JOIN members m ON m.id = x.member_id LEFT JOIN agents a ON a.id = x.agent_id WHERE x.decision_id = ? ORDER BY x.n`, d.ID)
	return &d, err
}

// DecisionPage is a decision with what its page shows: the newest comments.
type DecisionPage struct {
	*Decision
	Newest []Comment
}

// ShowDecision loads the rest of what a decision's page shows: its newest comments.
func (tx *Tx) ShowDecision(_ Actor, d *Decision) (*DecisionPage, error) {
	p := &DecisionPage{Decision: d}
	if d.Comments == 0 {
		return p, nil
	}
	var err error
	p.Newest, err = tx.Comments(d.ID, 0, 10)
	return p, err
}

// DecisionCursor is where a list of decisions goes on: after the one made then with this id.
type DecisionCursor struct {
	At int64 // milliseconds since 1970
	ID string
}

// Decisions lists the decisions of a studio that the actor may see, newest first, from the cursor on.
func (tx *Tx) Decisions(by Actor, s *Studio, after DecisionCursor, limit int) ([]Decision, error) {
	if after.At == 0 {
		after.At = 1 << 62
	}
	me := by.In(s.OrgID).MemberID()
	var list []Decision
	err := tx.all(&list, `SELECT `+decisionListColumns+` FROM decisions d JOIN members m ON m.id = d.member_id LEFT JOIN agents a ON a.id = d.agent_id
		LEFT JOIN ballots b ON b.decision_id = d.id AND b.voter = ?
		WHERE d.studio_id = ? AND d.created_at <= ? AND (d.created_at < ? OR d.id > ?) AND`+decisionVisible+`
		ORDER BY d.created_at DESC, d.id`+atMost, me, s.ID, after.At, after.At, after.ID, me, limit)
	tx.placed(list, s)
	return list, err
}

// Waiting is a decision that waits for somebody, with where it is.
type Waiting struct {
	Decision
	StudioHandle string `db:"studio_handle"`
	StudioName   string `db:"studio_name"`
}

// WaitingDecisions lists the open decisions of the actor's studios that they may still vote on, first what is due.
func (tx *Tx) WaitingDecisions(by Actor, limit int) ([]Waiting, error) {
	var list []Waiting
	err := tx.all(&list, `SELECT `+decisionListColumns+`, s.handle AS studio_handle, s.name AS studio_name
		FROM members mm JOIN studio_members me ON me.member_id = mm.id JOIN studios s ON s.id = me.studio_id AND s.archived_at IS NULL
		JOIN decisions d ON d.studio_id = s.id AND d.opened_at IS NOT NULL AND d.closed_at IS NULL
		JOIN members m ON m.id = d.member_id LEFT JOIN agents a ON a.id = d.agent_id
		LEFT JOIN ballots b ON b.decision_id = d.id AND b.voter = mm.id
		WHERE mm.user_id = ? AND (? = '' OR mm.org_id = ?) AND b.voter IS NULL AND (d.closes_at IS NULL OR d.closes_at > ?)
		AND (d.everyone = 1 OR me.joined_at <= d.opened_at)
		ORDER BY d.closes_at IS NULL, d.closes_at, d.created_at DESC`+atMost, by.studioArgs(At(tx.Now), limit)...)
	for i := range list {
		list[i].Studio = &Studio{Handle: list[i].StudioHandle, Name: list[i].StudioName}
		list[i].Now = tx.Now
	}
	return list, err
}

func (tx *Tx) placed(list []Decision, s *Studio) {
	for i := range list {
		list[i].Studio, list[i].Now = s, tx.Now
	}
}

// DueDecisions lists the pages of decisions whose deadline has passed and that nobody has closed yet.
func (tx *Tx) DueDecisions(limit int) ([]string, error) {
	var list []string
	err := tx.all(&list, `SELECT '/studios/' || s.handle || '/d/' || d.id FROM decisions d JOIN studios s ON s.id = d.studio_id
		WHERE d.opened_at IS NOT NULL AND d.closed_at IS NULL AND d.closes_at IS NOT NULL AND d.closes_at <= ? AND s.archived_at IS NULL ORDER BY d.closes_at`+atMost, At(tx.Now), limit)
	return list, err
}

// DecisionsByPrefix lists the decisions of a studio whose id begins with the prefix: at most ten. (Prefixes are rare, studios
// large: the empty string keeps the planner from going through the studio.)
func (tx *Tx) DecisionsByPrefix(by Actor, s *Studio, prefix string) ([]Decision, error) {
	me := by.In(s.OrgID).MemberID()
	var list []Decision
	err := tx.all(&list, `SELECT `+decisionListColumns+` FROM decisions d JOIN members m ON m.id = d.member_id LEFT JOIN agents a ON a.id = d.agent_id
		LEFT JOIN ballots b ON b.decision_id = d.id AND b.voter = ?
		WHERE d.id >= ? AND d.id < ? AND d.studio_id || '' = ? AND`+decisionVisible+`ORDER BY d.id LIMIT 10`, me, prefix, prefix+"~", s.ID, me)
	tx.placed(list, s)
	return list, err
}
