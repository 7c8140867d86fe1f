package governance

import (
	"time"

	"samepage/store"
)

// CreateTopic adds a draft of a topic to the studio. The acting member is its author.
func CreateTopic(tx *store.Tx, by store.Actor, s *store.Studio, n NewTopic) (*Topic, error) {
	id, err := tx.InsertItem(by, s, store.NewItem{Kind: TopicKind.Name, Title: n.Title, Body: n.Body})
	if err != nil {
		return nil, err
	}
	if err := tx.Exec(`INSERT INTO topics (id, org_id, studio_id, reacts, period, quorum) VALUES (?, ?, ?, ?, ?, ?)`,
		id, s.OrgID, s.ID, n.Reacts, n.Period.Milliseconds(), n.Quorum); err != nil {
		return nil, err
	}
	return FindTopic(tx, by, s.Handle, id)
}

// OpenTopic shows a draft to the studio and begins its clarification.
func OpenTopic(tx *store.Tx, t *Topic) error { return tx.OpenItem(&t.Item) }

// AmendTopic changes a proposal. The earlier text is kept as a version, unless the topic is a draft. An open
// topic goes back to clarification, so that the responses to the earlier text do not count.
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

// StepBackTopic returns an open topic to the phase of clarification. The responses of the round do not count in
// a later one.
func StepBackTopic(tx *store.Tx, t *Topic) error {
	return enterPhase(tx, t, TopicClarification)
}

// NextPhase returns the phase that follows the present one.
func (t *Topic) NextPhase() string {
	if t.Phase == TopicClarification && t.Reacts {
		return TopicReaction
	}
	return TopicConsent
}

// AdvanceTopic begins the next phase of a topic.
func AdvanceTopic(tx *store.Tx, t *Topic) error { return enterPhase(tx, t, t.NextPhase()) }

// enterPhase begins a phase. A consent phase asks those who are in the studio now, and has a deadline.
func enterPhase(tx *store.Tx, t *Topic, phase string) error {
	due := store.Time{}
	if phase == TopicConsent {
		due = store.At(tx.Now.Add(time.Duration(t.Period) * time.Millisecond))
		if err := tx.Exec(`UPDATE topics SET round = round + 1, consent_at = ? WHERE id = ?`, store.At(tx.Now), t.ID); err != nil {
			return err
		}
		if err := countElectorate(tx, t.ID, ""); err != nil {
			return err
		}
	} else if err := tx.Exec(`UPDATE topics SET electorate = 0 WHERE id = ?`, t.ID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE topics SET phase = ?, ended_at = NULL WHERE id = ?`, phase, t.ID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET due_at = ?, reminded_at = NULL WHERE id = ?`, due, t.ID); err != nil {
		return err
	}
	return recount(tx, t)
}

// countElectorate counts the members who are asked in the present consent phase, except one. Those who join at the
// very moment at which the phase begins are among them.
func countElectorate(tx *store.Tx, id, except string) error {
	return tx.Exec(`UPDATE topics SET electorate = (SELECT count(*) FROM studio_members x
		WHERE x.studio_id = topics.studio_id AND x.joined_at <= topics.consent_at AND x.member_id <> ?) WHERE id = ?`,
		except, id)
}

// recount counts the rows of a topic again, after a change of them.
func recount(tx *store.Tx, t *Topic) error {
	tx.IndexItem(t.ID)
	if err := countTopic(tx, t.ID); err != nil {
		return err
	}
	return tx.TouchItem(&t.Item)
}

func countTopic(tx *store.Tx, id string) error {
	const round = `(SELECT count(*) FROM topic_responses r WHERE r.topic_id = topics.id AND r.round = topics.round`
	return tx.Exec(`UPDATE topics SET
		answered = CASE WHEN phase = 'consent' THEN `+round+`) ELSE 0 END,
		objections = CASE WHEN phase = 'consent' THEN `+round+` AND r.position = 'objection' AND r.settled = '') ELSE 0 END,
		questions = (SELECT count(*) FROM topic_questions q WHERE q.topic_id = topics.id),
		unanswered = (SELECT count(*) FROM topic_questions q WHERE q.topic_id = topics.id AND q.answered_at IS NULL),
		reactions = (SELECT count(*) FROM topic_reactions r WHERE r.topic_id = topics.id) WHERE id = ?`, id)
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

// AnswerQuestion stores the answer to question n.
func AnswerQuestion(tx *store.Tx, by store.Actor, t *Topic, n int, text string) error {
	if err := tx.Exec(`UPDATE topic_questions SET answer = ?, answered_by = ?, answer_agent_id = ?, answered_at = ?
		WHERE topic_id = ? AND n = ?`,
		text, by.MemberID(), store.Null(by.Agent.ID), store.At(tx.Now), t.ID, n); err != nil {
		return err
	}
	return recount(tx, t)
}

// React stores the acting member's reaction. It replaces an earlier one.
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

// Respond stores the acting member's position. It replaces an earlier one of this round.
func Respond(tx *store.Tx, by store.Actor, t *Topic, position, reason string) error {
	if err := tx.Exec(`INSERT INTO topic_responses (topic_id, round, member_id, org_id, agent_id, position, reason, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (topic_id, round, member_id) DO UPDATE SET
		agent_id = excluded.agent_id, position = excluded.position, reason = excluded.reason, at = excluded.at,
		settled = '', settled_at = NULL, settled_by = NULL, ruling = ''`,
		t.ID, t.Round, by.MemberID(), t.OrgID, store.Null(by.Agent.ID), position, reason, store.At(tx.Now)); err != nil {
		return err
	}
	if err := tx.FollowSilently(by, t.ID); err != nil {
		return err
	}
	if err := countElectorate(tx, t.ID, ""); err != nil {
		return err
	}
	return recount(tx, t)
}

// SettleObjection records that the objection of a member does not block the proposal any more: it is
// withdrawn, integrated or invalid. Ruling has the reason of the referee.
func SettleObjection(tx *store.Tx, by store.Actor, t *Topic, memberID, settled, ruling string) error {
	if err := tx.Exec(`UPDATE topic_responses SET settled = ?, settled_at = ?, settled_by = ?, ruling = ?
		WHERE topic_id = ? AND round = ? AND member_id = ?`,
		settled, store.At(tx.Now), by.MemberID(), ruling, t.ID, t.Round, memberID); err != nil {
		return err
	}
	return recount(tx, t)
}

// ResolveTopic closes a topic with an outcome, such as [TopicAccepted], and a statement.
func ResolveTopic(tx *store.Tx, by store.Actor, t *Topic, outcome, statement, headline string) error {
	if err := tx.Exec(`UPDATE topics SET outcome = ?, statement = ? WHERE id = ?`, outcome, statement, t.ID); err != nil {
		return err
	}
	if err := tx.SetHeadline(&t.Item, headline); err != nil {
		return err
	}
	return tx.CloseItem(by, &t.Item)
}

// EndPeriod ends a consent phase whose time is over. It returns the outcome: [TopicAccepted] or [TopicExpired],
// or none while an objection is open. The topic then stays in the phase without a deadline.
func EndPeriod(tx *store.Tx, by store.Actor, t *Topic) (outcome string, err error) {
	switch {
	case t.Objections > 0:
		if err := tx.Exec(`UPDATE topics SET ended_at = ? WHERE id = ?`, t.DueAt, t.ID); err != nil {
			return "", err
		}
		if err := tx.Exec(`UPDATE items SET due_at = NULL WHERE id = ?`, t.ID); err != nil {
			return "", err
		}
		return "", tx.TouchItem(&t.Item)
	case t.Answered < t.Needed():
		return TopicExpired, ResolveTopic(tx, by, t, TopicExpired, "", "too few responded")
	}
	return TopicAccepted, ResolveTopic(tx, by, t, TopicAccepted, "", AcceptedHeadline)
}

// AcceptedHeadline is the outcome of an accepted topic in lists.
const AcceptedHeadline = "nobody objects"

// EscalateTopic resolves a topic by passing its proposal on to the parent studio. It returns the topic there,
// which is in clarification.
func EscalateTopic(tx *store.Tx, by store.Actor, t *Topic, parent *store.Studio, statement string) (*Topic, error) {
	body := t.Body
	if body != "" {
		body += "\n\n"
	}
	up, err := CreateTopic(tx, by, parent, NewTopic{
		Title: t.Title, Body: body + "Passed on from " + t.URL() + ".",
		Reacts: t.Reacts, Period: time.Duration(t.Period) * time.Millisecond, Quorum: t.Quorum,
	})
	if err != nil {
		return nil, err
	}
	if err := OpenTopic(tx, up); err != nil {
		return nil, err
	}
	if err := ResolveTopic(tx, by, t, TopicEscalated, statement, "passed on to "+parent.Name); err != nil {
		return nil, err
	}
	return FindTopic(tx, by, parent.Handle, up.ID)
}

// leaveTopics removes the response of a member who leaves a studio from topics in their consent phase. An empty
// studioID stands for all studios. The member is no longer among those who are asked.
func leaveTopics(tx *store.Tx, m *store.Member, studioID string) ([]string, error) {
	var changed []string
	if err := tx.Select(&changed, `SELECT t.id FROM topics t JOIN items i ON i.id = t.id
		WHERE t.org_id = ? AND t.phase = 'consent' AND t.outcome = '' AND (? = '' OR t.studio_id = ?)
		AND EXISTS (SELECT 1 FROM studio_members x WHERE x.studio_id = t.studio_id AND x.member_id = ?
		AND x.joined_at <= t.consent_at)`, m.OrgID, studioID, studioID, m.ID); err != nil {
		return nil, err
	}
	for _, id := range changed {
		if err := tx.Exec(`DELETE FROM topic_responses WHERE topic_id = ? AND member_id = ?
			AND round = (SELECT t.round FROM topics t WHERE t.id = ?)`, id, m.ID, id); err != nil {
			return nil, err
		}
		if err := countElectorate(tx, id, m.ID); err != nil {
			return nil, err
		}
		if err := countTopic(tx, id); err != nil {
			return nil, err
		}
	}
	return changed, nil
}
