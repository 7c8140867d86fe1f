package governance

import (
	"slices"

	"samepage/store"
)

// TopicKind declares topics as a kind of item.
var TopicKind = store.DeclareKind(store.Kind{
	Name:   "topic",
	Letter: "t",
	States: []string{TopicDraft, TopicClarification, TopicReaction, TopicConsent, TopicAccepted, TopicWithdrawn,
		TopicEscalated, TopicExpired, store.Redacted},
	Summary: `SELECT CASE WHEN items.removed_at IS NOT NULL THEN 'redacted' WHEN items.opened_at IS NULL THEN 'draft'
			WHEN t.outcome <> '' THEN t.outcome ELSE t.phase END,
		c.answered, CASE WHEN t.phase = 'consent' THEN c.electorate ELSE 0 END,
		0, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) FROM topics t JOIN consents c ON c.id = t.id WHERE t.id = items.id`,
	Awaits: `SELECT CASE WHEN t.phase = 'consent' AND c.objections > 0 THEN '` + store.AwaitsObjection + `'
			WHEN t.phase = 'consent' AND c.ended_at IS NULL AND c.answered < c.electorate OR t.phase = 'reaction'
			OR t.phase = 'clarification' AND t.unanswered > 0 THEN '` + store.AwaitsAnswers + `'
			ELSE '` + store.AwaitsChair + `' END FROM topics t JOIN consents c ON c.id = t.id WHERE t.id = items.id`,
	Delete: slices.Concat([]string{`DELETE FROM topic_changes WHERE topic_id = ?`, `DELETE FROM topic_reactions WHERE topic_id = ?`,
		`DELETE FROM topic_questions WHERE topic_id = ?`, `DELETE FROM topics WHERE id = ?`}, deleteConsent),
	Erase: []string{eraseResponses,
		`UPDATE topic_changes SET url = '', target = '', params = '', preview = '', message = '', result_url = ''
			WHERE topic_id = ?`,
		`UPDATE topic_reactions SET text = '' WHERE topic_id = ?`,
		`UPDATE topic_questions SET text = '', answer = '' WHERE topic_id = ?`,
		`UPDATE topics SET statement = '' WHERE id = ?`},
	Text: `SELECT text AS title FROM topic_questions WHERE topic_id = ?
		UNION ALL SELECT answer FROM topic_questions WHERE topic_id = ?
		UNION ALL SELECT text FROM topic_reactions WHERE topic_id = ?
		UNION ALL SELECT reason FROM responses WHERE item_id = ?
		UNION ALL SELECT statement FROM topics WHERE id = ?`,
	Waits: []store.Wait{waitForResponse(WaitsForResponse, `JOIN topics t ON t.id = i.id AND t.phase = 'consent'`)},
	Leave: func(tx *store.Tx, m *store.Member, studioID string) ([]string, error) {
		return leaveConsents(tx, m, studioID, `EXISTS (SELECT 1 FROM topics t WHERE t.id = c.id AND t.outcome = '')`)
	},
	Overdue: true,
})

// WaitsForResponse is the name of the action that topics in the consent phase wait for, as in [store.Wait.For].
const WaitsForResponse = "response"

// These are the states of a topic, in addition to [store.Redacted]. The states clarification, reaction and consent are
// also its phases.
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

// Topic is a proposal on which a studio decides by consent. Members clarify it, may then react to it, and finally
// respond in a round of consent. A change of the proposal returns an open topic to clarification, and the earlier
// responses do not count.
type Topic struct {
	store.Item
	Consent
	Phase      string `db:"phase"`
	Reacts     bool   `db:"reacts"` // the topic has a reaction phase
	Questions  int    `db:"questions"`
	Unanswered int    `db:"unanswered"`
	Reactions  int    `db:"reactions"`
	Changes    int    `db:"changes"`
	Outcome    string `db:"outcome"` // state after the resolution; empty before it
	Statement  string `db:"statement"`

	Pending []Question `db:"-"` // questions without an answer
	Carried []Change   `db:"-"` // changes that acceptance makes
	calls   PageCalls
}

// Question is a question about a proposal, with its answer.
type Question struct {
	N      int    `db:"n"` // number within the topic, from 1
	Member string `db:"member"`
	store.Agent
	Text          string     `db:"text"`
	At            store.Time `db:"at"`
	Answer        string     `db:"answer"`
	Answerer      string     `db:"answerer"`       // handle
	AnsweringWith string     `db:"answering_with"` // label of the agent that answered for the member; empty for none
	AnsweredAt    store.Time `db:"answered_at"`
}

// Reaction is a member's text about a proposal, from the reaction phase.
type Reaction struct {
	Member string `db:"member"`
	store.Agent
	Text string     `db:"text"`
	At   store.Time `db:"at"`
}

const topicColumns = `t.phase, t.reacts, t.questions, t.unanswered, t.reactions, t.changes, t.outcome, t.statement, ` + consentColumns

var topicFinder = store.NewFinder(topicColumns, `JOIN topics t ON t.id = i.id `+consentJoins)

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

// Record returns the fields that the journal stores about a topic, including the acting member's own response.
func (t *Topic) Record() any {
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
		Changes    int        `json:"changes,omitempty"`
		Mine       any        `json:"mine,omitempty"`
		Statement  string     `json:"statement,omitempty"`
		Comments   int        `json:"comments"`
		Pinned     bool       `json:"pinned"`
		State      string     `json:"state"`
	}{t.Title, t.Body, t.Round, t.DueAt, t.Quorum, t.Electorate, t.Answered, t.Objections, t.Questions, t.Unanswered,
		t.Reactions, t.Changes, t.Mine.record(), t.Statement, t.Comments, t.Pinned, t.State()}
}

// FindTopic finds a topic in a studio. It returns [store.Missing] if there is none, if the actor may not see the
// studio, or if it is another member's draft.
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
	if t.Carried, err = topicChanges(tx, t); err != nil {
		return nil, err
	}
	return t, findObjections(tx, &t.Item, &t.Consent)
}

// TopicPage is a topic with its last versions, questions, reactions, responses and discussion.
type TopicPage struct {
	*Topic
	Last     []Version // the last [ShownVersions] versions, newest first; for a person one more, for a comparison
	Asking   []Question
	Reacting []Reaction
	Answers  []Response // in the last round, if [Consent.Asking]; objections first
	Silent   []string   // handles of members without a response, at most [MostSilent]
	store.Discussion
}

// MaxQuestions is the greatest number of questions about one proposal.
const MaxQuestions = 100

// ShowTopic loads the data for the topic's page.
func ShowTopic(tx *store.Tx, by store.Actor, t *Topic) (*TopicPage, error) {
	p := &TopicPage{Topic: t}
	var err error
	if p.Last, err = lastVersions(tx, by, &t.Item); err != nil {
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
	if p.Answers, err = showResponses(tx, &t.Item, &t.Consent); err != nil {
		return nil, err
	}
	if p.Silent, err = silent(tx, by, t); err != nil {
		return nil, err
	}
	p.Discussion, err = tx.ShowDiscussion(by, &t.Item)
	return p, err
}

func topicQuestions(tx *store.Tx, t *Topic, condition string) ([]Question, error) {
	return store.All[Question](tx, `SELECT q.n, m.handle AS member, q.agent_id, a.label AS agent, q.text, q.at, q.answer,
		coalesce(am.handle, '') AS answerer, coalesce(aa.label, '') AS answering_with, q.answered_at
		FROM topic_questions q JOIN members m ON m.id = q.member_id LEFT JOIN agents a ON a.id = q.agent_id
		LEFT JOIN members am ON am.id = q.answered_by LEFT JOIN agents aa ON aa.id = q.answer_agent_id
		WHERE q.topic_id = ?`+condition+` ORDER BY q.n`+store.AtMost, t.ID, MaxQuestions)
}

// NewTopic has the fields of a topic that its author writes.
type NewTopic struct {
	Title, Body string
	Reacts      bool
	ConsentRules
}
