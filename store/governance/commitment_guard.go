package governance

import (
	"strconv"

	"samepage/store"
)

// The guards below check whether the commitment's state permits an action, and whether the actor may take it. They
// refuse actors outside the studio, but MustBeClosableBy accepts the scheduler.

// MustBeRevisableBy returns [store.Forbidden] unless the actor is the author, and [store.Conflict] if the commitment is
// binding or over.
func (c *Commitment) MustBeRevisableBy(by store.Actor) error {
	if err := c.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case c.Bound():
		whom := strconv.Itoa(c.Joined) + " people"
		if c.Joined == 1 {
			whom = "1 person"
		}
		return store.Errorf(store.Conflict,
			"This commitment binds %s, so its text stands. Comment, or make another one.", whom)
	case c.Over():
		return store.Errorf(store.Conflict, "This commitment did not come about. Make another one.")
	case !by.Is(c.MemberID):
		return store.Errorf(store.Forbidden, "Only @%s can change this commitment.", c.Member)
	}
	return nil
}

// MustBeDraftOf returns [store.Conflict] if the commitment was opened or its deadline has passed, and the errors of
// [Commitment.MustBeRevisableBy].
func (c *Commitment) MustBeDraftOf(by store.Actor) error {
	if !c.Draft() {
		return store.Errorf(store.Conflict, "This commitment is open already.")
	}
	if err := c.MustBeRevisableBy(by); err != nil {
		return err
	}
	if c.Due() {
		return store.Errorf(store.Conflict, "The deadline of this draft has passed. Change it first.")
	}
	return nil
}

func (c *Commitment) mustBeOpenForJoining() error {
	if err := c.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case c.Draft():
		return store.Errorf(store.Conflict, "This commitment is a draft. Its author must open it first.")
	case c.Over():
		return store.Errorf(store.Conflict, "Joining ended on %s.", c.Stamp(c.EndedAt()))
	}
	return nil
}

// MustBeJoinable returns [store.Conflict] if the actor has joined already, or if the commitment is a draft, over or
// full.
func (c *Commitment) MustBeJoinable() error {
	if err := c.mustBeOpenForJoining(); err != nil {
		return err
	}
	switch {
	case c.In():
		return store.Errorf(store.Conflict, "You are in already.")
	case c.Limit == 1 && c.Joined >= c.Limit:
		return store.Errorf(store.Conflict, "The only place is taken.")
	case c.Limit > 0 && c.Joined >= c.Limit:
		return store.Errorf(store.Conflict, "All %d places are taken.", c.Limit)
	}
	return nil
}

// MustBeLeavable returns [store.Conflict] if the actor has not joined, or if the commitment is a draft, over or
// binding.
func (c *Commitment) MustBeLeavable() error {
	if err := c.mustBeOpenForJoining(); err != nil {
		return err
	}
	switch {
	case !c.In():
		return store.Errorf(store.Conflict, "You are not in.")
	case c.Bound():
		return store.Errorf(store.Conflict, "This commitment binds since %s, so nobody can leave it.",
			c.Stamp(c.BoundAt))
	}
	return nil
}

// MustBeClosableBy returns [store.Forbidden] unless the actor is the author, the studio's leader or secretary, the
// organization's owner or the scheduler. It returns [store.Conflict] for a draft, for a closed commitment and, to the
// scheduler, before the deadline.
func (c *Commitment) MustBeClosableBy(by store.Actor) error {
	if err := c.Studio.MustBeActive(); err != nil {
		return err
	}
	if !c.ClosedAt.IsZero() {
		return store.Errorf(store.Conflict, "Joining ended on %s.", c.Stamp(c.ClosedAt))
	}
	if by.System {
		if c.Draft() || !c.Due() {
			return store.Errorf(store.Conflict, "This commitment is not due.")
		}
		return nil
	}
	if err := c.Studio.MustBeJoined(); err != nil {
		return err
	}
	if c.Draft() {
		return store.Errorf(store.Conflict, "This commitment is a draft. There is nothing to close.")
	}
	return c.MustBeChairedBy(by)
}

// IsLastMark reports whether joining is open and ends with the acting member's mark, because all other participants
// have given theirs or left the studio.
func (c *Commitment) IsLastMark() bool {
	others := c.Done + c.Missed + c.Gone
	if !c.Mine.GoneAt.IsZero() {
		others-- // the actor left the studio, and is back
	}
	return !c.Over() && c.Mine.Mark == "" && others+1 == c.Joined
}

// MustBeMarkable returns [store.Forbidden] if the actor has not joined. It returns [store.Conflict] if the commitment
// is not binding, its event has not started, or the actor has given this mark already.
func (c *Commitment) MustBeMarkable(mark string) error {
	if err := c.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case !c.In():
		return store.Errorf(store.Forbidden, "Only participants mark it as done or missed.")
	case !c.Bound():
		return store.Errorf(store.Conflict, "This commitment binds nobody, so there is nothing to mark.")
	case c.Event() && c.Now.Before(c.StartsAt.Time):
		return store.Errorf(store.Conflict, "The event starts on %s. Mark it after that.", c.Stamp(c.StartsAt))
	case c.Mine.Mark == mark:
		return store.Errorf(store.Conflict, "You have marked it %s already.", mark)
	}
	return nil
}
