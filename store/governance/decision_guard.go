package governance

import (
	"slices"
	"time"

	"samepage/store"
)

// The guards below check whether the decision's state permits an action, and whether the actor may take it. They refuse
// actors outside the studio, but MustBeClosableBy accepts the scheduler.

// MustBeDraftOf returns [store.Forbidden] unless the actor is the author, and [store.Conflict] if the decision was
// opened.
func (d *Decision) MustBeDraftOf(by store.Actor) error {
	if err := d.Studio.MustBeJoined(); err != nil {
		return err
	}
	if d.State() != DecisionDraft {
		return store.Errorf(store.Conflict,
			"This decision has been opened, so its question and rules stand. Duplicate it to ask anew.")
	}
	if !by.Wrote(d.MemberID) {
		return store.Errorf(store.Forbidden, "Only @%s can change this draft.", d.Member)
	}
	return nil
}

func (d *Decision) mustBeOpen() error {
	if err := d.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch d.State() {
	case DecisionOpen:
		return nil
	case DecisionDraft:
		return store.Errorf(store.Conflict, "This decision is a draft. Its proposer must open it first.")
	case DecisionDue:
		return store.Errorf(store.Conflict, "Voting closed on %s.", d.Stamp(d.DueAt))
	}
	return store.Errorf(store.Conflict, "Voting closed on %s.", d.Stamp(d.ClosedAt))
}

// MustBeVotableBy returns [store.Conflict] unless the decision is open and members can vote on its options. It returns
// [store.Forbidden] to a member who joined too late, and to agents of a member who has voted in person.
func (d *Decision) MustBeVotableBy(by store.Actor) error {
	if err := d.mustBeOpen(); err != nil {
		return err
	}
	if d.Imported != "" {
		return store.Errorf(store.Conflict, "The ballots of this decision were imported, so nobody votes here.")
	}
	if d.Method == "lottery" {
		return store.Errorf(store.Conflict, "This is a lottery: nobody votes, one option is drawn when it closes.")
	}
	if d.Options == 0 {
		return store.Errorf(store.Conflict, "There is nothing to vote on yet. Add an option first.")
	}
	if !d.Everyone && d.Studio.JoinedAt.After(d.OpenedAt.Time) {
		return store.Errorf(store.Forbidden,
			"This decision was opened before you joined %s, so you are not among its voters.",
			d.Studio.Name)
	}
	return d.mineMustYield(by)
}

func (d *Decision) mineMustYield(by store.Actor) error {
	if by.IsAgent() && d.Mine.Voter != "" && d.Mine.Agent.ID == "" {
		return store.Errorf(store.Forbidden, "@%s has voted in person, and an agent's ballot never replaces that.",
			by.Member.Handle)
	}
	return nil
}

// MustBeRetractableBy returns [store.Conflict] if the decision is not open or the actor's member has not voted. It
// returns [store.Forbidden] to agents of a member who has voted in person.
func (d *Decision) MustBeRetractableBy(by store.Actor) error {
	if err := d.mustBeOpen(); err != nil {
		return err
	}
	if d.Mine.Voter == "" {
		return store.Errorf(store.Conflict, "You have not voted, so there is no ballot to take back.")
	}
	return d.mineMustYield(by)
}

// MustTakeOptions returns an error if the actor cannot add options: every member can in an open vote by acceptance, and
// otherwise only the author. An open lottery takes no options, and after the first ballot only votes by acceptance that
// are not anonymous do.
func (d *Decision) MustTakeOptions(by store.Actor) error {
	if d.State() == DecisionDraft {
		return d.MustBeDraftOf(by)
	}
	if err := d.mustBeOpen(); err != nil {
		return err
	}
	if d.Method == "lottery" {
		return store.Errorf(store.Conflict, "The lot was sealed when this opened, so its options stand.")
	}
	if d.Anonymous && d.Ballots > 0 {
		return store.Errorf(store.Conflict,
			"The first ballot fixed the options. Later ones would tell when an anonymous ballot was cast.")
	}
	if d.Method != "acceptance" && d.Ballots > 0 {
		return store.Errorf(store.Conflict,
			"The first ballot fixed the options. Only a vote by acceptance takes new ones while it is open.")
	}
	if d.Method != "acceptance" && !by.Wrote(d.MemberID) {
		return store.Errorf(store.Forbidden, "Only @%s can add options to this vote.", d.Member)
	}
	if d.Options >= MaxOptions {
		return store.Errorf(store.Conflict, "This decision has %d options, the most there may be.", d.Options)
	}
	return nil
}

// MustBeClosableBy returns [store.Forbidden] unless the actor is the author, the studio's leader or secretary, the
// organization's owner or the scheduler. It returns [store.Conflict] for a draft, for a closed decision and, to the
// scheduler, before the deadline.
func (d *Decision) MustBeClosableBy(by store.Actor) error {
	if by.System {
		if err := d.Studio.MustBeActive(); err != nil || d.State() == DecisionDue {
			return err
		}
		return store.Errorf(store.Conflict, "This decision is not due.")
	}
	if d.State() != DecisionDue {
		if err := d.mustBeOpen(); err != nil {
			return err
		}
	} else if err := d.Studio.MustBeJoined(); err != nil {
		return err
	}
	return d.MustBeChairedBy(by)
}

// MustBeExtendableBy returns [store.Conflict] if the decision is not open or has no deadline, and [store.Forbidden] if
// the actor may not close it.
func (d *Decision) MustBeExtendableBy(by store.Actor) error {
	if err := d.mustBeOpen(); err != nil {
		return err
	}
	if d.DueAt.IsZero() {
		return store.Errorf(store.Conflict, "This decision has no deadline to move. It stays open until it is closed.")
	}
	return d.MustBeChairedBy(by)
}

// resultRules are the values of [Decision.Results], with the strictest last.
var resultRules = []string{"shown", "after_voting", "after_closing"}

// OtherResults returns the rules that can replace the present rule on results. After the first ballot, only stricter
// rules can, because the voters have relied on the present one.
func (d *Decision) OtherResults() []string {
	own := slices.Index(resultRules, d.Results)
	if d.Ballots > 0 {
		return resultRules[own+1:]
	}
	return slices.Concat(resultRules[:own], resultRules[own+1:])
}

// MustTakeResultsBy returns [store.Conflict] if the rule on results cannot change, and [store.Forbidden] if the actor
// may not close the decision.
func (d *Decision) MustTakeResultsBy(by store.Actor) error {
	if err := d.mustBeOpen(); err != nil {
		return err
	}
	switch {
	case d.Anonymous:
		return store.Errorf(store.Conflict, "An anonymous vote stays hidden until it is closed.")
	case d.Method == "lottery":
		return store.Errorf(store.Conflict, "Nobody votes in a lottery, so there is nothing to hide.")
	case len(d.OtherResults()) == 0:
		return store.Errorf(store.Conflict, "People have voted, and it is hidden until it is closed. It stays so.")
	}
	return d.MustBeChairedBy(by)
}

// MustBeTiedFor returns [store.Conflict] if there is no tie to break, and [store.Forbidden] if the actor has no casting
// vote. If the member with the casting vote has left the studio, every member who may close the decision has it
// instead.
func (d *Decision) MustBeTiedFor(by store.Actor) error {
	if err := d.Studio.MustBeJoined(); err != nil {
		return err
	}
	if d.State() != DecisionTie {
		return store.Errorf(store.Conflict, "There is no tie to break.")
	}
	if d.Deciding != nil {
		return store.Errorf(store.Conflict, "The tie has been broken already.")
	}
	switch {
	case d.DeciderGone():
		return d.MustBeChairedBy(by)
	case d.CasterID != "" && !by.Note(by.Is(d.CasterID), store.Authority{As: store.AsSelf}):
		return store.Errorf(store.Forbidden, "Only @%s has the casting vote.", d.Caster)
	case d.CasterID == "" && !by.Wrote(d.MemberID):
		return store.Errorf(store.Forbidden, "Only the author, @%s, has the casting vote.", d.Member)
	}
	// This call records the role as the actor's authority, unless another member got the role after the closing.
	d.Studio.HoldsRole(by, d.CasterRoleID)
	return nil
}

// Decider returns the handle of the member who has the casting vote.
func (d *Decision) Decider() string {
	if d.CasterID != "" {
		return d.Caster
	}
	return d.Member
}

// Ref returns the decision as the target of a journal entry. After a tie, MemberID is the member with the casting vote.
func (d *Decision) Ref() store.Ref {
	r := d.Item.Ref()
	if d.State() == DecisionTie && d.CasterID != "" {
		r.MemberID = d.CasterID
	}
	return r
}

// DeciderGone reports whether the member who has the casting vote has left the studio.
func (d *Decision) DeciderGone() bool {
	if d.CasterID != "" {
		return d.CasterGone
	}
	return d.AuthorGone
}

// MustTakeBallots is the guard of an import of ballots. It returns [store.Conflict] if the decision has ballots, is
// anonymous or is not open, and [store.Forbidden] if the actor may not close it. A draft takes no ballots, because
// changing its method or options would make them unreadable.
func (d *Decision) MustTakeBallots(by store.Actor) error {
	if err := d.mustBeOpen(); err != nil {
		return err
	}
	if d.Anonymous {
		return store.Errorf(store.Conflict, "This vote is anonymous, so ballots get in only with a receipt.")
	}
	if d.Ballots > 0 {
		return store.Errorf(store.Conflict, "Ballots have been cast here. Import into a decision without any.")
	}
	return d.MustBeChairedBy(by)
}

// MustBeLater returns [store.Invalid] unless the deadline is in the future and later than the present deadline.
func (d *Decision) MustBeLater(deadline time.Time) error {
	if !deadline.After(d.Now) {
		return store.Errorf(store.Invalid, "That has passed already. Name a time in the future, such as 3d.")
	}
	if !d.DueAt.IsZero() && !deadline.After(d.DueAt.Time) {
		return store.Errorf(store.Invalid, "A deadline can only be moved later than %s.", d.Stamp(d.DueAt))
	}
	return nil
}
