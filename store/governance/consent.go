package governance

import (
	"time"

	"samepage/store"
)

// These are the positions of a response.
const (
	Consents  = "consent"
	Aside     = "stand_aside"
	Objection = "objection"
)

// PositionWords has the words for the positions on pages.
var PositionWords = map[string]string{Consents: "consent", Aside: "stand aside", Objection: "objection"}

// These are the states of an objection. An open objection blocks acceptance or election.
const (
	ObjectionOpen       = ""
	ObjectionWithdrawn  = "withdrawn"
	ObjectionIntegrated = "integrated"
	ObjectionInvalid    = "invalid" // ruled out by the [store.Referee]
)

// ConsentRules are the rules of every round of consent of an item.
type ConsentRules struct {
	Period time.Duration // length of a round
	Quorum int           // percentage of the members that must respond
}

// Consent is the part of a topic or an election that asks the studio's members for objections. It has rounds, and the
// responses of one round do not count in another. Below, "this round" is the last round.
type Consent struct {
	Period     int64      `db:"period"`     // length of a round in milliseconds
	Quorum     int        `db:"quorum"`     // percentage of the members that must respond
	Asking     bool       `db:"asking"`     // a round is open, or was open when the item was resolved
	Round      int        `db:"round"`      // number of the last round; 0 before the first
	ConsentAt  store.Time `db:"consent_at"` // start of the last round
	EndedAt    store.Time `db:"ended_at"`   // end of the round's period if it ended without a decision; zero otherwise
	Electorate int        `db:"electorate"` // number of members who are asked in this round
	Answered   int        `db:"answered"`   // number of responses in this round
	Objections int        `db:"objections"` // number of open objections in this round
	Mine       Response   // the acting member's response in this round; At is zero if there is none

	Open []Response `db:"-"`
}

// Response is a member's position on a proposal or a candidate.
type Response struct {
	MemberID string `db:"member_id"`
	Member   string `db:"member"`
	store.Agent
	Position  string     `db:"position"`
	Reason    string     `db:"reason"`
	At        store.Time `db:"at"`
	Settled   string     `db:"settled"` // state of an objection; empty for other positions
	SettledAt store.Time `db:"settled_at"`
	Ruling    string     `db:"ruling"` // the referee's reason for ruling the objection out
	// LeftAt is the time at which the member left the studio during the round, so that the response counts no longer.
	LeftAt store.Time `db:"left_at"`
}

// Asked is an item with rounds of consent.
type Asked interface {
	Common() *store.Item
	Asks() *Consent
	// MustAsk returns [store.Conflict] unless a round is open, and an error for an actor outside the studio.
	MustAsk() error
	// MustBeJudgedBy returns [store.Forbidden] if the actor made the proposal or is the candidate, because neither may
	// rule on objections.
	MustBeJudgedBy(by store.Actor) error
}

// Asks implements [Asked] for the types that embed a Consent.
func (c *Consent) Asks() *Consent { return c }

const (
	// consentColumns and consentJoins load a [Consent]. In the SQL, i is the item and mm is the reading member.
	consentColumns = `c.period, c.quorum, c.asking, c.round, c.consent_at, c.ended_at, c.electorate, c.answered,
		c.objections, x.position AS "mine.position", x.reason AS "mine.reason", x.at AS "mine.at", x.agent_id AS "mine.agent_id",
		x.settled AS "mine.settled"`
	consentJoins = `JOIN consents c ON c.id = i.id LEFT JOIN responses x
		ON x.item_id = i.id AND x.round = c.round AND x.member_id = mm.id `

	eraseResponses = `UPDATE responses SET reason = '', ruling = '' WHERE item_id = ?`
)

var deleteConsent = []string{`DELETE FROM responses WHERE item_id = ?`, `DELETE FROM consents WHERE id = ?`}

// waitForResponse declares that items with an open round wait for a member's response. The parameter `what` is the name
// of the response on the home page, and `joins` is SQL that selects the items.
func waitForResponse(what, joins string) store.Wait {
	return store.Wait{
		For:  what,
		From: store.OpenAround + joins + ` JOIN consents c ON c.id = i.id AND me.joined_at <= c.consent_at`,
		Where: `(SELECT x.member_id FROM responses x WHERE x.item_id = i.id AND x.round = c.round
			AND x.member_id = mm.id) IS NULL AND i.due_at + 0 > ?`,
		Due: true,
	}
}

// Needed returns the number of responses that the quorum requires, at least 1.
func (c *Consent) Needed() int { return max((c.Electorate*c.Quorum+99)/100, 1) }

// Over reports whether the period of this round has ended.
func Over(a Asked) bool {
	return !a.Asks().EndedAt.IsZero() || a.Asks().Asking && a.Common().Due()
}

func (r *Response) record() any {
	if r.Position == "" {
		return nil
	}
	return &struct {
		Position string `json:"position"`
		Reason   string `json:"reason,omitempty"`
		Settled  string `json:"settled,omitempty"`
	}{r.Position, r.Reason, r.Settled}
}

func findObjections(tx *store.Tx, i *store.Item, c *Consent) (err error) {
	if c.Objections > 0 {
		c.Open, err = responses(tx, i, c, ` AND r.position = 'objection' AND r.settled = '' AND r.left_at IS NULL`)
	}
	return err
}

// mostShown is the greatest number of reactions, of responses, and of open objections that are loaded.
const mostShown = 100

// showResponses lists at most [mostShown] responses in this round, objections first. It lists none unless c.Asking.
func showResponses(tx *store.Tx, i *store.Item, c *Consent) ([]Response, error) {
	if !c.Asking {
		return nil, nil
	}
	return responses(tx, i, c, "")
}

func responses(tx *store.Tx, i *store.Item, c *Consent, condition string) ([]Response, error) {
	return store.All[Response](tx, `SELECT r.member_id, m.handle AS member, r.agent_id, a.label AS agent, r.position, r.reason,
		r.at, r.settled, r.settled_at, r.ruling, r.left_at FROM responses r JOIN members m ON m.id = r.member_id
		LEFT JOIN agents a ON a.id = r.agent_id WHERE r.item_id = ? AND r.round = ?`+condition+`
		ORDER BY r.position <> 'objection', r.settled <> '' OR r.left_at IS NOT NULL, r.at, r.member_id`+store.AtMost,
		i.ID, c.Round, mostShown)
}

// unanswered and isUnanswered are SQL that selects the members x that are asked in this round and have not responded.
// Its arguments are unansweredArgs.
const (
	unanswered   = ` studio_members x `
	isUnanswered = ` WHERE x.studio_id = ? AND x.joined_at <= ? AND NOT EXISTS (SELECT 1 FROM responses r
		WHERE r.item_id = ? AND r.round = ? AND r.member_id = x.member_id)`
)

func unansweredArgs(i *store.Item, c *Consent) []any {
	return []any{i.StudioID, c.ConsentAt, i.ID, c.Round}
}

// awaited returns the ids of the members asked in this round without a response, at most 10,000.
func awaited(tx *store.Tx, i *store.Item, c *Consent) ([]string, error) {
	list := []string{}
	err := tx.Select(&list, `SELECT x.member_id FROM`+unanswered+isUnanswered+` ORDER BY x.member_id LIMIT 10000`,
		unansweredArgs(i, c)...)
	return list, err
}
