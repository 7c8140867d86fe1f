package governance

import "samepage/store"

// The guards below check whether the election's phase permits an action, and whether the actor may take it. They refuse
// actors outside the studio, but MustBeEndableBy accepts the scheduler.

// MustBeDraftOf returns [store.Forbidden] unless the actor is the author, and [store.Conflict] if the election was
// opened.
func (e *Election) MustBeDraftOf(by store.Actor) error { return mustBeDraftOf(&e.Item, by, "election") }

// outcomeWords complete a sentence that begins with "This election".
var outcomeWords = map[string]string{
	"": "", Elected: "was decided", NoElection: "ended without a choice", Cancelled: "was cancelled",
}

// MustBeUnresolved returns [store.Conflict] if the election is a draft or over.
func (e *Election) MustBeUnresolved() error {
	return mustBeUnresolved(&e.Item, "election", outcomeWords[e.Outcome])
}

// PhaseWords has the names of the phases on pages.
var PhaseWords = map[string]string{Nominating: "nomination", Discussing: "discussion", Changing: "change round",
	Choosing: "consent"}

// MustBeIn returns [store.Conflict] unless the election is in the phase.
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

// MustBeFacilitatedBy returns [store.Forbidden] unless the actor is the author, the studio's leader or secretary, or
// the organization's owner. It also returns the errors of [Election.MustBeUnresolved].
func (e *Election) MustBeFacilitatedBy(by store.Actor) error {
	if err := e.MustBeUnresolved(); err != nil {
		return err
	}
	return e.MustBeChairedBy(by)
}

// MustBeEditableBy returns the errors of [Election.MustBeDraftOf] for a draft, and otherwise those of
// [Election.MustBeFacilitatedBy]. It also returns [store.Conflict] once the nominations are revealed, and
// [store.Forbidden] to an agent after the first nomination.
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

// MustTakeNominationOf returns [store.Conflict] outside the nomination phase, and [store.Forbidden] to agents of a
// member who has nominated in person.
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

// MustTakeChangeOf returns [store.Conflict] outside the change round, or if the actor's member has not nominated. It
// returns [store.Forbidden] to agents of a member who has nominated in person.
func (e *Election) MustTakeChangeOf(by store.Actor) error {
	if err := e.MustBeIn(Changing); err != nil {
		return err
	}
	if e.Own.At.IsZero() {
		return store.Errorf(store.Conflict, "You have not nominated, so there is nothing to change.")
	}
	return e.ownMustYield(by)
}

// MustBeAdvancedBy returns the errors of [Election.MustBeFacilitatedBy]. It returns [store.Conflict] if there are no
// nominations to reveal, and in the last two phases.
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

// MustBeSteppedBackBy returns the errors of [Election.MustBeFacilitatedBy]. It returns [store.Conflict] in the first
// two phases, because revealed nominations stay revealed.
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

// MustTakeCandidateFrom returns the errors of [Election.MustBeFacilitatedBy], and [store.Conflict] before the change
// round or if no nominee is in the studio.
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

// MustBeJudgedBy implements [Asked].
func (e *Election) MustBeJudgedBy(by store.Actor) error {
	if by.Is(e.CandidateID) || by.Is(e.ProposerID) {
		return store.Errorf(store.Forbidden,
			"Neither the candidate nor the member who proposed them rules on objections to them.")
	}
	return nil
}

// MustBeElectableBy returns the errors of [Election.MustBeFacilitatedBy]. It returns [store.Conflict] unless the round
// of consent can pass, the candidate is in the studio and the role can be filled.
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

// MustBeEndableBy returns [store.Forbidden] unless the actor is the scheduler. It returns [store.Conflict] unless the
// period of an open election has ended.
func (e *Election) MustBeEndableBy(by store.Actor) error {
	return mustBeEndable(e, by, e.Outcome != "")
}

// MustBeGivenUpBy returns the errors of [Election.MustBeFacilitatedBy]. It returns [store.Conflict] while nominations
// are secret, because such an election is cancelled instead.
func (e *Election) MustBeGivenUpBy(by store.Actor) error {
	if err := e.MustBeFacilitatedBy(by); err != nil {
		return err
	}
	if e.Secret() {
		return store.Errorf(store.Conflict, "The nominations are not revealed yet. Cancel the election instead.")
	}
	return nil
}
