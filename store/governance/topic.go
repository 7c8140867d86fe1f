package governance

import (
	"time"

	"samepage/store"
)

// TopicKind declares the kind of item that a [Topic] is.
var TopicKind = store.DeclareKind(store.Kind{
	Name:   "topic",
	Letter: "t",
	States: []string{TopicDraft, TopicClarification, TopicReaction, TopicConsent, TopicAccepted, TopicWithdrawn,
		TopicEscalated, TopicExpired, store.Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN items.opened_at IS NULL THEN 'draft'
			WHEN t.outcome <> '' THEN t.outcome ELSE t.phase END,
		t.answered, CASE WHEN t.phase = 'consent' THEN t.electorate ELSE 0 END,
		0, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) FROM topics t WHERE t.id = items.id`,
	Delete: []string{`DELETE FROM topic_responses WHERE topic_id = ?`, `DELETE FROM topic_reactions WHERE topic_id = ?`,
		`DELETE FROM topic_questions WHERE topic_id = ?`, `DELETE FROM topics WHERE id = ?`},
	Erase: []string{`UPDATE topic_responses SET reason = '', ruling = '' WHERE topic_id = ?`,
		`UPDATE topic_reactions SET text = '' WHERE topic_id = ?`,
		`UPDATE topic_questions SET text = '', answer = '' WHERE topic_id = ?`,
		`UPDATE topics SET statement = '' WHERE id = ?`},
	Text: `SELECT text AS title FROM topic_questions WHERE topic_id = ?
		UNION ALL SELECT answer FROM topic_questions WHERE topic_id = ?
		UNION ALL SELECT text FROM topic_reactions WHERE topic_id = ?
		UNION ALL SELECT reason FROM topic_responses WHERE topic_id = ?
		UNION ALL SELECT statement FROM topics WHERE id = ?`,
	Waits: []store.Wait{{
		For: WaitsForResponse,
		From: store.OpenAround + `JOIN topics t ON t.id = i.id AND t.phase = 'consent'
			AND me.joined_at <= t.consent_at`,
		Where: `(SELECT x.member_id FROM topic_responses x WHERE x.topic_id = i.id AND x.round = t.round
			AND x.member_id = mm.id) IS NULL AND i.due_at + 0 > ?`,
		Due: true,
	}},
	Leave:   leaveTopics,
	Overdue: true,
})

// WaitsForResponse is the action for which a topic in its consent phase waits.
const WaitsForResponse = "response"

// These are the states of a topic, in addition to [store.Redacted]. The states clarification, reaction and
// consent are also its phases.
const (
	TopicDraft         = "draft"
	TopicClarification = "clarification"
	TopicReaction      = "reaction"
	TopicConsent       = "consent"
	TopicAccepted      = "accepted"
	TopicWithdrawn     = "withdrawn"
	TopicEscalated     = "escalated" // passed on to the parent studio
	TopicExpired       = "expired"   // too few responded before the end of the period
)

// These are the positions that a response can take.
const (
	Consents  = "consent"
	Aside     = "stand_aside"
	Objection = "objection"
)

// PositionWords describe the positions.
var PositionWords = map[string]string{Consents: "consent", Aside: "stand aside", Objection: "objection"}

// These are the states of an objection. An open objection blocks acceptance.
const (
	ObjectionOpen       = ""
	ObjectionWithdrawn  = "withdrawn"
	ObjectionIntegrated = "integrated"
	ObjectionInvalid    = "invalid" // ruled out by the referee
)

// Topic is a proposal on which a studio decides by consent. It is accepted if nobody in the studio objects to
// it. Members first clarify it, may react to it, and then respond in a round of consent. A change of the
// proposal begins a new round, in which the earlier responses do not count.
type Topic struct {
	store.Item
	Phase      string     `db:"phase"`
	Reacts     bool       `db:"reacts"`     // whether there is a phase of reactions
	Period     int64      `db:"period"`     // length of the consent phase in milliseconds
	Quorum     int        `db:"quorum"`     // share of the members that must respond, in percent
	Round      int        `db:"round"`      // number of the last consent phase; 0 before the first
	ConsentAt  store.Time `db:"consent_at"` // start of the last consent phase
	EndedAt    store.Time `db:"ended_at"`   // end of a period in which an objection was open
	Electorate int        `db:"electorate"` // members of the studio since the consent phase began, or longer
	Answered   int        `db:"answered"`   // responses in this round
	Objections int        `db:"objections"` // open objections in this round
	Questions  int        `db:"questions"`
	Unanswered int        `db:"unanswered"` // questions without an answer
	Reactions  int        `db:"reactions"`
	Outcome    string     `db:"outcome"` // state after the topic is resolved; empty before
	Statement  string     `db:"statement"`
	Mine       Response   // the acting member's response in this round; At is zero if there is none

	Pending []Question `db:"-"` // the questions without an answer
	Open    []Response `db:"-"` // the open objections
}

// Question is a question about a proposal, with its answer.
type Question struct {
	N      int    `db:"n"` // counts from 1
	Member string `db:"member"`
	store.Agent
	Text          string     `db:"text"`
	At            store.Time `db:"at"`
	Answer        string     `db:"answer"`
	Answerer      string     `db:"answerer"` // handle of the member who answered
	AnsweringWith string     `db:"answering_with"`
	AnsweredAt    store.Time `db:"answered_at"`
}

// Response is a member's position on a proposal.
type Response struct {
	MemberID string `db:"member_id"`
	Member   string `db:"member"`
	store.Agent
	Position  string     `db:"position"`
	Reason    string     `db:"reason"`
	At        store.Time `db:"at"`
	Settled   string     `db:"settled"` // state of an objection; [ObjectionOpen] while it blocks
	SettledAt store.Time `db:"settled_at"`
	Ruling    string     `db:"ruling"` // reason of the referee for ruling the objection out
}

// Reaction is a member's first reaction to a proposal.
type Reaction struct {
	Member string `db:"member"`
	store.Agent
	Text string     `db:"text"`
	At   store.Time `db:"at"`
}

const topicColumns = `t.phase, t.reacts, t.period, t.quorum, t.round, t.consent_at, t.ended_at, t.electorate, t.answered,
	t.objections, t.questions, t.unanswered, t.reactions, t.outcome, t.statement,
	x.position AS "mine.position", x.reason AS "mine.reason", x.at AS "mine.at", x.agent_id AS "mine.agent_id",
	x.settled AS "mine.settled"`

var topicFinder = store.NewFinder(topicColumns, `JOIN topics t ON t.id = i.id LEFT JOIN topic_responses x
	ON x.topic_id = i.id AND x.round = t.round AND x.member_id = mm.id `)

// State returns one of the states of [TopicKind].
func (t *Topic) State() string {
	switch {
	case t.Removed():
		return store.Redacted
	case t.Draft():
		return TopicDraft
	case t.Outcome != "":
		return t.Outcome
	}
	return t.Phase
}

// Over reports whether the period of the present consent phase has ended.
func (t *Topic) Over() bool { return !t.EndedAt.IsZero() || t.Phase == TopicConsent && t.Due() }

// Needed returns the number of responses that the quorum requires, at least 1.
func (t *Topic) Needed() int { return max((t.Electorate*t.Quorum+99)/100, 1) }

// Record returns the fields of a topic that the journal stores, with the acting member's own response.
func (t *Topic) Record() any {
	type mine struct {
		Position string `json:"position"`
		Reason   string `json:"reason,omitempty"`
		Settled  string `json:"settled,omitempty"`
	}
	var own *mine
	if t.Mine.Position != "" {
		own = &mine{t.Mine.Position, t.Mine.Reason, t.Mine.Settled}
	}
	return struct {
		Title      string     `json:"title"`
		Text       string     `json:"text"`
		Round      int        `json:"round,omitempty"`
		Ends       store.Time `json:"ends,omitzero"`
		Quorum     int        `json:"quorum"`
		Electorate int        `json:"electorate,omitempty"`
		Answered   int        `json:"answered,omitempty"`
		Objections int        `json:"open_objections,omitempty"`
		Questions  int        `json:"questions,omitempty"`
		Unanswered int        `json:"unanswered,omitempty"`
		Reactions  int        `json:"reactions,omitempty"`
		Mine       *mine      `json:"mine,omitempty"`
		Statement  string     `json:"statement,omitempty"`
		Comments   int        `json:"comments"`
		Pinned     bool       `json:"pinned"`
		State      string     `json:"state"`
	}{t.Title, t.Body, t.Round, t.DueAt, t.Quorum, t.Electorate, t.Answered, t.Objections, t.Questions, t.Unanswered,
		t.Reactions, own, t.Statement, t.Comments, t.Pinned, t.State()}
}

// FindTopic finds a topic in a studio, with the acting member's response and the choices that the forms of its
// actions offer. It returns [store.Missing] if there is none, if the actor may not see the studio, or if it is
// another member's draft.
func FindTopic(tx *store.Tx, by store.Actor, studio, id string) (*Topic, error) {
	var row struct {
		Topic
		Home store.Studio `db:"home"`
	}
	if err := tx.Locate(topicFinder, by, &row, &row.Item, &row.Home, studio, id); err != nil {
		return nil, err
	}
	t := &row.Topic
	var err error
	if t.Unanswered > 0 {
		if t.Pending, err = topicQuestions(tx, t, ` AND q.answered_at IS NULL`); err != nil {
			return nil, err
		}
	}
	if t.Objections > 0 {
		t.Open, err = topicResponses(tx, t, ` AND r.position = 'objection' AND r.settled = ''`)
	}
	return t, err
}

// TopicPage is a topic with everything that its page shows.
type TopicPage struct {
	*Topic
	Latest   *Version // nil if the proposal was never changed
	Asking   []Question
	Reacting []Reaction
	Answers  []Response // of this round, objections first
	store.Discussion
}

// MaxQuestions is the greatest number of questions about one proposal.
const MaxQuestions = 100

// ShowTopic loads the rest of the topic's page.
func ShowTopic(tx *store.Tx, by store.Actor, t *Topic) (*TopicPage, error) {
	p := &TopicPage{Topic: t}
	var err error
	if p.Latest, err = latestVersion(tx, &t.Item); err != nil {
		return nil, err
	}
	if t.Questions > 0 {
		if p.Asking, err = topicQuestions(tx, t, ""); err != nil {
			return nil, err
		}
	}
	if t.Reactions > 0 {
		if err := tx.Select(&p.Reacting, `SELECT m.handle AS member, r.agent_id, a.label AS agent, r.text, r.at
			FROM topic_reactions r JOIN members m ON m.id = r.member_id LEFT JOIN agents a ON a.id = r.agent_id
			WHERE r.topic_id = ? ORDER BY r.at, r.member_id`+store.AtMost, t.ID, mostShown); err != nil {
			return nil, err
		}
	}
	if t.Answered > 0 {
		if p.Answers, err = topicResponses(tx, t, ""); err != nil {
			return nil, err
		}
	}
	p.Discussion, err = tx.ShowDiscussion(by, &t.Item)
	return p, err
}

// mostShown is the greatest number of reactions or responses on the page of a topic. The objections come first.
const mostShown = 100

func topicQuestions(tx *store.Tx, t *Topic, condition string) (list []Question, err error) {
	err = tx.Select(&list, `SELECT q.n, m.handle AS member, q.agent_id, a.label AS agent, q.text, q.at, q.answer,
		coalesce(am.handle, '') AS answerer, coalesce(aa.label, '') AS answering_with, q.answered_at
		FROM topic_questions q JOIN members m ON m.id = q.member_id LEFT JOIN agents a ON a.id = q.agent_id
		LEFT JOIN members am ON am.id = q.answered_by LEFT JOIN agents aa ON aa.id = q.answer_agent_id
		WHERE q.topic_id = ?`+condition+` ORDER BY q.n`+store.AtMost, t.ID, MaxQuestions)
	return list, err
}

func topicResponses(tx *store.Tx, t *Topic, condition string) (list []Response, err error) {
	err = tx.Select(&list, `SELECT r.member_id, m.handle AS member, r.agent_id, a.label AS agent, r.position, r.reason,
		r.at, r.settled, r.settled_at, r.ruling FROM topic_responses r JOIN members m ON m.id = r.member_id
		LEFT JOIN agents a ON a.id = r.agent_id WHERE r.topic_id = ? AND r.round = ?`+condition+`
		ORDER BY r.position <> 'objection', r.settled <> '', r.at, r.member_id`+store.AtMost, t.ID, t.Round, mostShown)
	return list, err
}

// Awaited returns the ids of the members who have not responded in a consent phase, and nil in other phases, in
// which a topic waits for nobody.
func (t *Topic) Awaited(tx *store.Tx) ([]string, error) {
	if t.Phase != TopicConsent {
		return nil, nil
	}
	list := []string{}
	err := tx.Select(&list, `SELECT x.member_id FROM studio_members x WHERE x.studio_id = ? AND x.joined_at <= ?
		AND NOT EXISTS (SELECT 1 FROM topic_responses r WHERE r.topic_id = ? AND r.round = ?
		AND r.member_id = x.member_id) ORDER BY x.member_id LIMIT 10000`, t.StudioID, t.ConsentAt, t.ID, t.Round)
	return list, err
}

// NewTopic has the fields of a topic that its author can write.
type NewTopic struct {
	Title, Body string
	Reacts      bool
	Period      time.Duration
	Quorum      int
}
