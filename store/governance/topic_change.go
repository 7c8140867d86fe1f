package governance

import (
	"fmt"
	"time"

	"samepage/store"
)

// CreateTopic adds a draft of a topic to the studio. The acting member is the author.
func CreateTopic(tx *store.Tx, by store.Actor, s *store.Studio, n NewTopic) (*Topic, error) {
	id, err := tx.InsertItem(by, s, store.NewItem{Kind: TopicKind.Name, Title: n.Title, Body: n.Body})
	if err != nil {
		return nil, err
	}
	if err := insertConsent(tx, s, id, n.ConsentRules); err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO topics (id, org_id, reacts) VALUES (?, ?, ?)`, id, s.OrgID, n.Reacts); err != nil {
		return nil, err
	}
	return FindTopic(tx, by, s.Handle, id)
}

// OpenTopic shows a draft to the studio and begins the clarification phase.
func OpenTopic(tx *store.Tx, t *Topic) error { return tx.OpenItem(&t.Item) }

// AmendTopic changes a proposal. Unless the topic is a draft, the earlier text is kept as a version, and the topic
// returns to clarification.
func AmendTopic(tx *store.Tx, by store.Actor, t *Topic, title, body string) error {
	if err := tx.UpdateItem(&t.Item, title, body, time.Time{}); err != nil {
		return err
	}
	if t.Draft() {
		return nil
	}
	was, now := Words{Title: t.Title, Body: t.Body}, Words{Title: title, Body: body}
	if err := Revise(tx, by, &t.Item, was, now); err != nil {
		return err
	}
	return StepBackTopic(tx, t)
}

// StepBackTopic returns an open topic to clarification. The responses of the round do not count in later rounds.
func StepBackTopic(tx *store.Tx, t *Topic) error {
	return enterPhase(tx, t, TopicClarification)
}

// NextPhase returns the phase that [AdvanceTopic] begins.
func (t *Topic) NextPhase() string {
	if t.Phase == TopicClarification && t.Reacts {
		return TopicReaction
	}
	return TopicConsent
}

// AdvanceTopic begins the next phase of a topic.
func AdvanceTopic(tx *store.Tx, t *Topic) error { return enterPhase(tx, t, t.NextPhase()) }

func enterPhase(tx *store.Tx, t *Topic, phase string) error {
	if err := tx.Exec(`UPDATE topics SET phase = ? WHERE id = ?`, phase, t.ID); err != nil {
		return err
	}
	if err := turnRound(tx, t, phase == TopicConsent); err != nil {
		return err
	}
	return recount(tx, t)
}

func recount(tx *store.Tx, t *Topic) error {
	if err := tx.Exec(`UPDATE topics SET
		questions = (SELECT count(*) FROM topic_questions q WHERE q.topic_id = topics.id),
		unanswered = (SELECT count(*) FROM topic_questions q WHERE q.topic_id = topics.id AND q.answered_at IS NULL),
		reactions = (SELECT count(*) FROM topic_reactions r WHERE r.topic_id = topics.id) WHERE id = ?`, t.ID); err != nil {
		return err
	}
	return changedResponses(tx, &t.Item)
}

// AskQuestion adds a question about the proposal.
func AskQuestion(tx *store.Tx, by store.Actor, t *Topic, text string) error {
	if err := tx.Exec(`INSERT INTO topic_questions (topic_id, n, org_id, member_id, agent_id, text, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		t.ID, t.Questions+1, t.OrgID, by.MemberID(), store.Null(by.Agent.ID), text, store.At(tx.Now)); err != nil {
		return err
	}
	if err := tx.FollowSilently(by, t.ID); err != nil {
		return err
	}
	return recount(tx, t)
}

// AnswerQuestion stores the actor's answer to question n, which replaces an earlier answer.
func AnswerQuestion(tx *store.Tx, by store.Actor, t *Topic, n int, text string) error {
	if err := tx.Exec(`UPDATE topic_questions SET answer = ?, answered_by = ?, answer_agent_id = ?, answered_at = ?
		WHERE topic_id = ? AND n = ?`,
		text, by.MemberID(), store.Null(by.Agent.ID), store.At(tx.Now), t.ID, n); err != nil {
		return err
	}
	return recount(tx, t)
}

// React stores the acting member's reaction, which replaces an earlier one.
func React(tx *store.Tx, by store.Actor, t *Topic, text string) error {
	if err := tx.Exec(`INSERT INTO topic_reactions (topic_id, member_id, org_id, agent_id, text, at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (topic_id, member_id) DO UPDATE SET agent_id = excluded.agent_id,
		text = excluded.text, at = excluded.at`,
		t.ID, by.MemberID(), t.OrgID, store.Null(by.Agent.ID), text, store.At(tx.Now)); err != nil {
		return err
	}
	if err := tx.FollowSilently(by, t.ID); err != nil {
		return err
	}
	return recount(tx, t)
}

// ResolveTopic closes a topic with an outcome, such as [TopicAccepted], and a statement. For [TopicAccepted], it also
// makes the changes that the topic carries. If one of them cannot be made, ResolveTopic returns [store.Conflict], and
// the caller must undo the transaction.
func ResolveTopic(tx *store.Tx, by store.Actor, t *Topic, outcome, statement, headline string) error {
	if err := tx.Exec(`UPDATE topics SET outcome = ?, statement = ? WHERE id = ?`, outcome, statement, t.ID); err != nil {
		return err
	}
	if outcome == TopicAccepted {
		if err := takeChanges(tx, t); err != nil {
			return err
		}
		if err := passConsent(tx, &t.Item); err != nil {
			return err
		}
	}
	if err := tx.SetHeadline(&t.Item, headline); err != nil {
		return err
	}
	return tx.CloseItem(by, &t.Item)
}

// EndPeriod ends a consent phase when its period is over, and returns [TopicAccepted] or [TopicExpired]. If an
// objection is open or a carried change cannot be made, EndPeriod returns "", and the topic stays in the consent phase
// without a deadline.
func EndPeriod(tx *store.Tx, by store.Actor, t *Topic) (outcome string, err error) {
	switch {
	case t.Objections > 0:
		return "", keepOpen(tx, &t.Item)
	case t.Answered < t.Needed():
		return TopicExpired, ResolveTopic(tx, by, t, TopicExpired, "", "too few responded")
	}
	err = tx.Nested(func() error { return ResolveTopic(tx, by, t, TopicAccepted, "", AcceptedHeadline) })
	// A carried change cannot be made.
	if store.CodeOf(err) == store.Conflict {
		return "", keepOpen(tx, &t.Item)
	}
	return TopicAccepted, err
}

// AcceptedHeadline is the outcome of an accepted topic as lists show it.
const AcceptedHeadline = "nobody objects"

// EscalateTopic resolves a topic and opens a topic with the same proposal in the parent studio. It returns the new
// topic, and the changes that a topic of the parent studio cannot carry.
func EscalateTopic(tx *store.Tx, by store.Actor, t *Topic, parent *store.Studio, statement string) (*Topic, []Change, error) {
	passed, left, err := passChanges(tx, t, parent)
	if err != nil {
		return nil, nil, err
	}
	body := t.Body
	if body != "" {
		body += "\n\n"
	}
	up, err := CreateTopic(tx, by, parent, NewTopic{
		Title: t.Title, Body: body + "Passed on from " + t.URL() + "." + without(left),
		Reacts: t.Reacts, ConsentRules: t.Consent.Rules(),
	})
	if err != nil {
		return nil, nil, err
	}
	if err := insertChanges(tx, up, passed); err != nil {
		return nil, nil, err
	}
	if err := OpenTopic(tx, up); err != nil {
		return nil, nil, err
	}
	if err := ResolveTopic(tx, by, t, TopicEscalated, statement, "passed on to "+parent.Name); err != nil {
		return nil, nil, err
	}
	up, err = FindTopic(tx, by, parent.Handle, up.ID)
	return up, left, err
}

// without returns a text about the changes that the new topic does not carry. It leaves out the names of their pages,
// which readers in the parent studio may not be allowed to see.
func without(left []Change) string {
	text := ""
	for _, c := range left {
		text += fmt.Sprintf("\n\nWithout change %d (%s), which a topic of this studio cannot make.", c.N, c.Title)
	}
	return text
}
