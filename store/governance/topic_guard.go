package governance

import "samepage/store"

// The guards of a topic follow. They decide which actions the phase of the topic and the part of the actor in it
// allow.

// MustBeDraftOf refuses every actor except the author of the draft. It also refuses a topic that was opened.
func (t *Topic) MustBeDraftOf(by store.Actor) error {
	if err := t.Studio.MustBeJoined(); err != nil {
		return err
	}
	if !t.Draft() {
		return store.Errorf(store.Conflict, "This topic has been opened.")
	}
	if !by.Is(t.MemberID) {
		return store.Errorf(store.Forbidden, "Only @%s can change this draft.", t.Member)
	}
	return nil
}

// MustBeUnresolved returns [store.Conflict] if the topic is a draft or is resolved. It also refuses an actor
// outside the studio.
func (t *Topic) MustBeUnresolved() error {
	if err := t.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case t.Draft():
		return store.Errorf(store.Conflict, "This topic is a draft. Its proposer must open it first.")
	case t.Outcome != "":
		return store.Errorf(store.Conflict, "This topic was %s on %s.", t.Outcome, t.Stamp(t.ClosedAt))
	}
	return nil
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

// MustTakeResponseOf refuses an actor whose response does not count. They joined after the phase began, or the
// period is over and they have no open objection, or they are an agent of a member who responded in person.
func (t *Topic) MustTakeResponseOf(by store.Actor) error {
	if err := t.MustBeIn(TopicConsent); err != nil {
		return err
	}
	if t.Studio.JoinedAt.After(t.ConsentAt.Time) {
		return store.Errorf(store.Forbidden, "You joined %s after this phase began, so you are not asked in it.", t.Studio.Name)
	}
	if t.Over() && !t.Mine.blocks() {
		return store.Errorf(store.Conflict, "The time to respond is over.")
	}
	return t.mineMustYield(by)
}

func (t *Topic) mineMustYield(by store.Actor) error {
	if by.IsAgent() && t.Mine.Position != "" && t.Mine.Agent.ID == "" {
		return store.Errorf(store.Forbidden, "@%s has responded in person, and an agent's response never replaces that.",
			by.Member.Handle)
	}
	return nil
}

// blocks reports whether the response is an open objection.
func (r *Response) blocks() bool { return r.Position == Objection && r.Settled == ObjectionOpen }

// MustHaveObjectionOf refuses every actor except one with an open objection.
func (t *Topic) MustHaveObjectionOf(by store.Actor) error {
	if err := t.MustBeIn(TopicConsent); err != nil {
		return err
	}
	if !t.Mine.blocks() {
		return store.Errorf(store.Conflict, "You have no open objection here.")
	}
	return t.mineMustYield(by)
}

// MustBeRuledBy refuses every actor except the studio's referee. It also refuses the referee on their own
// proposal and if no objection of another member is open.
func (t *Topic) MustBeRuledBy(by store.Actor) error {
	if err := t.MustBeIn(TopicConsent); err != nil {
		return err
	}
	switch {
	case !t.Studio.Holds(by, store.Referee):
		return store.Errorf(store.Forbidden, "Only the referee of %s can rule on an objection.", t.Studio.Name)
	case by.Is(t.MemberID):
		return store.Errorf(store.Forbidden, "A proposer does not rule on objections to their own proposal.")
	case len(t.Ruleable(by)) == 0:
		return store.Errorf(store.Conflict, "No objection of another member is open.")
	}
	return nil
}

// Ruleable returns the open objections of members other than the actor.
func (t *Topic) Ruleable(by store.Actor) (list []Response) {
	for _, r := range t.Open {
		if !by.Is(r.MemberID) {
			list = append(list, r)
		}
	}
	return list
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
	return t.mustBeAccepted()
}

func (t *Topic) mustBeAccepted() error {
	switch {
	case t.Objections == 1:
		return store.Errorf(store.Conflict, "An objection is open, so this cannot be accepted.")
	case t.Objections > 1:
		return store.Errorf(store.Conflict, "%d objections are open, so this cannot be accepted.", t.Objections)
	case !t.Over() && t.Answered < t.Electorate:
		return store.Errorf(store.Conflict, "%d of %d have responded. This can be accepted when all have, or on %s.",
			t.Answered, t.Electorate, t.Stamp(t.DueAt))
	case t.Answered < t.Needed():
		return store.Errorf(store.Conflict, "%d have responded, and it takes %d.", t.Answered, t.Needed())
	}
	return nil
}

// MustBeEndableBy refuses every actor except the scheduler, and a period that is not over.
func (t *Topic) MustBeEndableBy(by store.Actor) error {
	if !by.System {
		return store.Errorf(store.Forbidden, "Only the scheduler ends a period.")
	}
	if t.Draft() || t.Outcome != "" || t.Phase != TopicConsent || !t.Due() {
		return store.Errorf(store.Conflict, "No period of this topic is over.")
	}
	return t.Studio.MustBeActive()
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
