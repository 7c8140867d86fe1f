package governance

import "samepage/store"

// The guards below check whether the topic's phase permits an action, and whether the actor may take it. They refuse
// actors outside the studio, but MustBeEndableBy accepts the scheduler.

// MustBeDraftOf returns [store.Forbidden] unless the actor is the author, and [store.Conflict] if the topic was opened.
func (t *Topic) MustBeDraftOf(by store.Actor) error { return mustBeDraftOf(&t.Item, by, "topic") }

// MustBeUnresolved returns [store.Conflict] if the topic is a draft or resolved.
func (t *Topic) MustBeUnresolved() error {
	outcome := t.Outcome
	if outcome != "" {
		outcome = "was " + outcome
	}
	return mustBeUnresolved(&t.Item, "topic", outcome)
}

// MustBeIn returns [store.Conflict] unless the topic is in the phase.
func (t *Topic) MustBeIn(phase string) error {
	if err := t.MustBeUnresolved(); err != nil {
		return err
	}
	if t.Phase != phase {
		return store.Errorf(store.Conflict, "This belongs to the phase %s, and the topic is in the phase %s.", phase, t.Phase)
	}
	return nil
}

// MustBeFacilitatedBy returns [store.Forbidden] unless the actor is the author, the studio's leader or secretary, or
// the organization's owner. It also returns the errors of [Topic.MustBeUnresolved].
func (t *Topic) MustBeFacilitatedBy(by store.Actor) error {
	if err := t.MustBeUnresolved(); err != nil {
		return err
	}
	return t.MustBeChairedBy(by)
}

// MustBeAmendableBy returns the errors of [Topic.MustBeDraftOf] for a draft, and otherwise those of
// [Topic.MustBeFacilitatedBy]. After the clarification phase, agents get [store.Forbidden], because a change discards
// the answers of people.
func (t *Topic) MustBeAmendableBy(by store.Actor) error {
	if t.Draft() {
		return t.MustBeDraftOf(by)
	}
	if err := t.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if by.IsAgent() && t.Phase != TopicClarification {
		return store.Errorf(store.Forbidden,
			"People are asked to answer this proposal, so only a person can change it now.")
	}
	return nil
}

// MustTakeQuestions returns [store.Conflict] outside the clarification phase, and if there are [MaxQuestions]
// questions.
func (t *Topic) MustTakeQuestions() error {
	if err := t.MustBeIn(TopicClarification); err != nil {
		return err
	}
	if t.Questions >= MaxQuestions {
		return store.Errorf(store.Conflict, "There are %d questions, the most there may be. Comment instead.", t.Questions)
	}
	return nil
}

// MustTakeAnswers returns the errors of [Topic.MustBeUnresolved], and [store.Conflict] if every question has an answer.
func (t *Topic) MustTakeAnswers() error {
	if err := t.MustBeUnresolved(); err != nil {
		return err
	}
	if t.Unanswered == 0 {
		return store.Errorf(store.Conflict, "No question waits for an answer.")
	}
	return nil
}

// MustBeAdvancedBy returns the errors of [Topic.MustBeFacilitatedBy], and [store.Conflict] in the last phase.
func (t *Topic) MustBeAdvancedBy(by store.Actor) error {
	if err := t.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if t.Phase == TopicConsent {
		return store.Errorf(store.Conflict, "This is the last phase. Accept the proposal, or go back.")
	}
	return nil
}

// MustBeSteppedBackBy returns the errors of [Topic.MustBeFacilitatedBy], and [store.Conflict] in clarification.
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

// MustBeJudgedBy implements [Asked].
func (t *Topic) MustBeJudgedBy(by store.Actor) error {
	if by.Is(t.MemberID) {
		return store.Errorf(store.Forbidden, "A proposer does not rule on objections to their own proposal.")
	}
	return nil
}

// MustBeAcceptableBy returns the errors of [Topic.MustBeFacilitatedBy]. It returns [store.Conflict] outside the consent
// phase, if an objection is open, if members can still respond, or if the quorum is not reached.
func (t *Topic) MustBeAcceptableBy(by store.Actor) error {
	if err := t.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if err := t.MustBeIn(TopicConsent); err != nil {
		return err
	}
	return mustPass(t, "this", "accepted")
}

// MustBeEndableBy returns [store.Forbidden] unless the actor is the scheduler. It returns [store.Conflict] unless the
// period of an open topic has ended.
func (t *Topic) MustBeEndableBy(by store.Actor) error {
	return mustBeEndable(t, by, t.Outcome != "")
}

// MustBeEscalatedBy returns the errors of [Topic.MustBeFacilitatedBy], and [store.Conflict] if the studio has no parent
// that the actor may see.
func (t *Topic) MustBeEscalatedBy(by store.Actor) error {
	if err := t.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if t.Studio.Parent == "" {
		return store.Errorf(store.Conflict, "%s has no parent studio to decide this.", t.Studio.Name)
	}
	return nil
}
