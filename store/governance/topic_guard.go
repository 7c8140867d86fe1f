package governance

import "samepage/store"

// The guards of a topic follow. They decide which actions the phase of the topic and the part of the actor in it
// allow.

// MustBeDraftOf refuses every actor except the author of the draft. It also refuses a topic that was opened.
func (t *Topic) MustBeDraftOf(by store.Actor) error { return mustBeDraftOf(&t.Item, by, "topic") }

// MustBeUnresolved returns [store.Conflict] if the topic is a draft or is resolved. It also refuses an actor
// outside the studio.
func (t *Topic) MustBeUnresolved() error {
	outcome := t.Outcome
	if outcome != "" {
		outcome = "was " + outcome
	}
	return mustBeUnresolved(&t.Item, "topic", outcome)
}

// MustBeIn refuses a topic in another phase, and an actor outside the studio.
func (t *Topic) MustBeIn(phase string) error {
	if err := t.MustBeUnresolved(); err != nil {
		return err
	}
	if t.Phase != phase {
		return store.Errorf(store.Conflict, "This belongs to the phase %s, and the topic is in the phase %s.", phase, t.Phase)
	}
	return nil
}

// MustBeFacilitatedBy refuses a resolved topic, and an actor who is neither the proposer nor keeps the studio.
func (t *Topic) MustBeFacilitatedBy(by store.Actor) error {
	if err := t.MustBeUnresolved(); err != nil {
		return err
	}
	return t.MustBeChairedBy(by)
}

// MustBeAmendableBy refuses a change of the proposal by an actor who does not facilitate it. Once the members
// react or respond, it also refuses agents, because a change begins anew what people have done.
func (t *Topic) MustBeAmendableBy(by store.Actor) error {
	if t.Draft() {
		return t.MustBeDraftOf(by)
	}
	if err := t.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if by.IsAgent() && t.Phase != TopicClarification {
		return store.Errorf(store.Forbidden, "People have begun to answer this proposal, so only a person can change it now.")
	}
	return nil
}

// MustTakeQuestions refuses a question outside the phase of clarification, and one too many.
func (t *Topic) MustTakeQuestions() error {
	if err := t.MustBeIn(TopicClarification); err != nil {
		return err
	}
	if t.Questions >= MaxQuestions {
		return store.Errorf(store.Conflict, "There are %d questions, the most there may be. Comment instead.", t.Questions)
	}
	return nil
}

// MustTakeAnswers refuses an answer if no question lacks one.
func (t *Topic) MustTakeAnswers() error {
	if err := t.MustBeUnresolved(); err != nil {
		return err
	}
	if t.Unanswered == 0 {
		return store.Errorf(store.Conflict, "No question waits for an answer.")
	}
	return nil
}

// MustBeAdvancedBy refuses to end a phase before the consent phase unless the actor facilitates the topic.
func (t *Topic) MustBeAdvancedBy(by store.Actor) error {
	if err := t.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if t.Phase == TopicConsent {
		return store.Errorf(store.Conflict, "This is the last phase. Accept the proposal, or go back.")
	}
	return nil
}

// MustBeSteppedBackBy refuses a topic that is in clarification already, and an actor who does not facilitate.
func (t *Topic) MustBeSteppedBackBy(by store.Actor) error {
	if err := t.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if t.Phase == TopicClarification {
		return store.Errorf(store.Conflict, "This is the first phase.")
	}
	return nil
}

// MustAsk implements [Asked].
func (t *Topic) MustAsk() error { return t.MustBeIn(TopicConsent) }

// MustBeJudgedBy implements [Asked]. It refuses the proposer.
func (t *Topic) MustBeJudgedBy(by store.Actor) error {
	if by.Is(t.MemberID) {
		return store.Errorf(store.Forbidden, "A proposer does not rule on objections to their own proposal.")
	}
	return nil
}

// MustBeAcceptableBy refuses to accept a proposal while an objection is open, or below the quorum, or before
// everybody has responded or the period is over. It also refuses an actor who does not facilitate.
func (t *Topic) MustBeAcceptableBy(by store.Actor) error {
	if err := t.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if err := t.MustBeIn(TopicConsent); err != nil {
		return err
	}
	return mustPass(t, "this", "accepted")
}

// MustBeEndableBy refuses every actor except the scheduler, and a period that is not over.
func (t *Topic) MustBeEndableBy(by store.Actor) error {
	return mustBeEndable(t, by, t.Outcome != "")
}

// MustBeEscalatedBy refuses to pass a topic on if the studio has no parent that the actor sees, and an actor who
// does not facilitate.
func (t *Topic) MustBeEscalatedBy(by store.Actor) error {
	if err := t.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if t.Studio.Parent == "" {
		return store.Errorf(store.Conflict, "%s has no parent studio to decide this.", t.Studio.Name)
	}
	return nil
}
