package store

// The guards of a commitment: what its state and the actor's place in it allow. Each refusal says why, in the page's own words.

// MustBeRevisableBy refuses all but the author, and a commitment that binds already or is over.
func (c *Commitment) MustBeRevisableBy(by Actor) error {
	if err := c.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case c.Bound():
		return Errorf(Conflict,
			"This commitment binds %d people, so what it says stands. Comment, or make another one.", c.Joined)
	case c.Over():
		return Errorf(Conflict, "This commitment did not come about. Make another one.")
	case !by.Is(c.MemberID):
		return Errorf(Forbidden, "Only @%s can change this commitment.", c.Member)
	}
	return nil
}

// MustBeDraftOf refuses all but the author of a draft, and one that could not be joined because it is too late.
func (c *Commitment) MustBeDraftOf(by Actor) error {
	if !c.Draft() {
		return Errorf(Conflict, "This commitment is open already.")
	}
	if err := c.MustBeRevisableBy(by); err != nil {
		return err
	}
	if c.Due() {
		return Errorf(Conflict, "The deadline of this draft has passed. Change it first.")
	}
	return nil
}

// mustTakePeople refuses what needs a commitment that can be joined.
func (c *Commitment) mustTakePeople() error {
	if err := c.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case c.Draft():
		return Errorf(Conflict, "This commitment is a draft. Its author must open it first.")
	case c.Over():
		return Errorf(Conflict, "Joining ended on %s.", c.stamp(c.EndedAt()))
	}
	return nil
}

// MustBeJoinable refuses who is in it already, and anybody once it is over or full.
func (c *Commitment) MustBeJoinable() error {
	if err := c.mustTakePeople(); err != nil {
		return err
	}
	switch {
	case c.In():
		return Errorf(Conflict, "You are in already.")
	case c.Limit > 0 && c.Joined >= c.Limit:
		return Errorf(Conflict, "All %d places are taken.", c.Limit)
	}
	return nil
}

// MustBeLeavable refuses who is not in it, and everybody once it binds.
func (c *Commitment) MustBeLeavable() error {
	if err := c.mustTakePeople(); err != nil {
		return err
	}
	switch {
	case !c.In():
		return Errorf(Conflict, "You are not in.")
	case c.Bound():
		return Errorf(Conflict, "This commitment binds since %s, so nobody can leave it.", c.stamp(c.BoundAt))
	}
	return nil
}

// MustBeClosableBy refuses who may not end the joining: the author, the studio's leader and secretary and the organization's owner may,
// and the clock.
func (c *Commitment) MustBeClosableBy(by Actor) error {
	if err := c.Studio.MustBeActive(); err != nil {
		return err
	}
	if !c.ClosedAt.IsZero() {
		return Errorf(Conflict, "Joining ended on %s.", c.stamp(c.ClosedAt))
	}
	if by.System {
		if c.Draft() || !c.Due() {
			return Errorf(Conflict, "This commitment is not due.")
		}
		return nil
	}
	if err := c.Studio.MustBeJoined(); err != nil {
		return err
	}
	if c.Draft() {
		return Errorf(Conflict, "This commitment is a draft. There is nothing to close.")
	}
	return c.MustBeChairedBy(by)
}

// MustBeMarkable refuses a mark by who did not join, of what binds nobody, of an event before it starts, and the mark that is
// there already.
func (c *Commitment) MustBeMarkable(mark string) error {
	if err := c.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case !c.In():
		return Errorf(Forbidden, "Only those who joined say whether they did it.")
	case !c.Bound():
		return Errorf(Conflict, "This commitment binds nobody, so there is nothing to mark.")
	case c.Event() && c.Now.Before(c.StartsAt.Time):
		return Errorf(Conflict, "The event starts on %s. Mark it after that.", c.stamp(c.StartsAt))
	case c.Mine.Mark == mark:
		return Errorf(Conflict, "You have marked it %s already.", mark)
	}
	return nil
}
