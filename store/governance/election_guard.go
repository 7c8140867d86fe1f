package governance

import "samepage/store"

// The guards of an election follow. They decide which actions its phase and the part of the actor in it allow.

// MustBeDraftOf refuses every actor except the author of the draft. It also refuses an election that was opened.
func (e *Election) MustBeDraftOf(by store.Actor) error { return mustBeDraftOf(&e.Item, by, "election") }

// outcomeWords complete a sentence that begins with "This election".
var outcomeWords = map[string]string{
	"": "", Elected: "was decided", NoElection: "ended without a choice", Cancelled: "was cancelled",
}

// MustBeUnresolved returns [store.Conflict] if the election is a draft or is over. It also refuses an actor outside the
// studio.
func (e *Election) MustBeUnresolved() error {
	return mustBeUnresolved(&e.Item, "election", outcomeWords[e.Outcome])
}

// PhaseWords name the phases.
var PhaseWords = map[string]string{Nominating: "nomination", Discussing: "discussion", Changing: "change round",
	Choosing: "consent"}

// MustBeIn refuses an election in another phase, and an actor outside the studio.
func (e *Election) MustBeIn(phase string) error {
	if err := e.MustBeUnresolved(); err != nil {
		return err
	}
	if e.Phase != phase {
		return store.Errorf(store.Conflict, "This belongs to the phase %s, and the election is in the phase %s.",
			PhaseWords[phase], PhaseWords[e.Phase])
	}
	return nil
}

// MustBeFacilitatedBy refuses an election that is over, and an actor who neither proposed it nor keeps the studio.
func (e *Election) MustBeFacilitatedBy(by store.Actor) error {
	if err := e.MustBeUnresolved(); err != nil {
		return err
	}
	return e.MustBeChairedBy(by)
}

// MustBeEditableBy refuses a change once the nominations are revealed, and an actor who does not facilitate.
func (e *Election) MustBeEditableBy(by store.Actor) error {
	if e.Draft() {
		return e.MustBeDraftOf(by)
	}
	if err := e.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if !e.Secret() {
		return store.Errorf(store.Conflict, "The nominations are revealed, so what they answer does not change any more.")
	}
	if by.IsAgent() && e.Nominations > 0 {
		return store.Errorf(store.Forbidden, "Members have nominated already, so only a person can change this now.")
	}
	return nil
}

// MustTakeNominationOf refuses a nomination outside the phase of nomination, and an agent of a member who nominated in
// person.
func (e *Election) MustTakeNominationOf(by store.Actor) error {
	if err := e.MustBeIn(Nominating); err != nil {
		return err
	}
	return e.ownMustYield(by)
}

func (e *Election) ownMustYield(by store.Actor) error {
	if by.IsAgent() && !e.Own.At.IsZero() && e.Own.Agent.ID == "" {
		return store.Errorf(store.Forbidden, "@%s has nominated in person, and an agent's nomination never replaces that.",
			by.Member.Handle)
	}
	return nil
}

// MustTakeChangeOf refuses a change outside the change round, and from an actor without a nomination. It also refuses
// an agent of a member who nominated in person.
func (e *Election) MustTakeChangeOf(by store.Actor) error {
	if err := e.MustBeIn(Changing); err != nil {
		return err
	}
	if e.Own.At.IsZero() {
		return store.Errorf(store.Conflict, "You have not nominated, so there is nothing to change.")
	}
	return e.ownMustYield(by)
}

// MustBeAdvancedBy refuses to end a phase before the change round unless the actor facilitates the election. It refuses
// to reveal no nominations.
func (e *Election) MustBeAdvancedBy(by store.Actor) error {
	if err := e.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	switch {
	case e.Phase == Nominating && e.Nominations == 0:
		return store.Errorf(store.Conflict, "Nobody has nominated yet.")
	case e.Phase == Changing:
		return store.Errorf(store.Conflict, "The last phase begins with a candidate. Propose one of the nominees.")
	case e.Phase == Choosing:
		return store.Errorf(store.Conflict, "This is the last phase. Elect the candidate, or go back.")
	}
	return nil
}

// MustBeSteppedBackBy refuses to go back from the nomination and from the discussion, because what was revealed stays
// revealed. It also refuses an actor who does not facilitate.
func (e *Election) MustBeSteppedBackBy(by store.Actor) error {
	if err := e.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	switch e.Phase {
	case Nominating:
		return store.Errorf(store.Conflict, "This is the first phase.")
	case Discussing:
		return store.Errorf(store.Conflict, "The nominations are revealed, so they cannot be secret again.")
	}
	return nil
}

// MustTakeCandidateFrom refuses a candidate before the change round or without a nominee in the studio, and from an
// actor who does not facilitate.
func (e *Election) MustTakeCandidateFrom(by store.Actor) error {
	if err := e.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if e.Phase != Changing && e.Phase != Choosing {
		return e.MustBeIn(Changing)
	}
	if len(e.Electable()) == 0 {
		return store.Errorf(store.Conflict, "No nominee is in %s any more.", e.Studio.Name)
	}
	return nil
}

// MustAsk implements [Asked].
func (e *Election) MustAsk() error { return e.MustBeIn(Choosing) }

// MustBeJudgedBy implements [Asked]. It refuses the candidate and the member who proposed them.
func (e *Election) MustBeJudgedBy(by store.Actor) error {
	if by.Is(e.CandidateID) || by.Is(e.ProposerID) {
		return store.Errorf(store.Forbidden,
			"Neither the candidate nor the member who proposed them rules on objections to them.")
	}
	return nil
}

// MustBeElectableBy refuses to elect under the conditions under which a topic is not accepted. It also refuses a
// candidate outside the studio and a role that cannot be assigned.
func (e *Election) MustBeElectableBy(by store.Actor) error {
	if err := e.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if err := e.MustBeIn(Choosing); err != nil {
		return err
	}
	if err := e.mustHaveRole(); err != nil {
		return err
	}
	if !e.CandidateIn {
		return store.Errorf(store.Conflict, "@%s is not in %s any more.", e.Candidate, e.Studio.Name)
	}
	return mustPass(e, "@"+e.Candidate, "elected")
}

func (e *Election) mustHaveRole() error {
	switch {
	case e.Role.Deleted:
		return store.Errorf(store.Conflict, "The role %s was deleted, so nobody can be elected to it.", e.Role.Title)
	case e.Role.Mirrored:
		return store.Errorf(store.Conflict, "The role %s mirrors one of the studio above now, and is filled there.", e.Role.Title)
	}
	return nil
}

// MustBeEndableBy refuses every actor except the scheduler, and a period that is not over.
func (e *Election) MustBeEndableBy(by store.Actor) error {
	return mustBeEndable(e, by, e.Outcome != "")
}

// MustBeGivenUpBy refuses to end without a choice before the nominations are revealed, and an actor who does not
// facilitate.
func (e *Election) MustBeGivenUpBy(by store.Actor) error {
	if err := e.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if e.Secret() {
		return store.Errorf(store.Conflict, "The nominations are not revealed yet. Cancel the election instead.")
	}
	return nil
}
