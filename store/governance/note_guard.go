package governance

import "samepage/store"

// The guards below check whether the note's state permits an action, and whether the actor may take it. They refuse
// actors outside the studio.

// MustBeEditableBy returns [store.Forbidden] unless the actor is the author, the studio's leader or secretary, or the
// organization's owner. It returns [store.Conflict] for a reminder that is done.
func (n *Note) MustBeEditableBy(by store.Actor) error {
	if err := n.Studio.MustBeJoined(); err != nil {
		return err
	}
	if n.State() == NoteDone {
		return store.Errorf(store.Conflict, "This reminder is done, so its text stands. Write a new one.")
	}
	return n.MustBeChairedBy(by)
}

func (n *Note) mustBePosted() error {
	if err := n.Studio.MustBeJoined(); err != nil {
		return err
	}
	if n.Draft() {
		return store.Errorf(store.Conflict, "This note is a draft. Publish it first.")
	}
	return nil
}

// MustBeConfirmableBy returns [store.Conflict] for a draft, to an author who wrote the note in person, and to a member
// who has confirmed in person. After a confirmation by an agent, its member can still confirm in person, but agents get
// [store.Forbidden].
func (n *Note) MustBeConfirmableBy(by store.Actor) error {
	if err := n.mustBePosted(); err != nil {
		return err
	}
	switch {
	case by.Is(n.MemberID) && n.Agent.ID == "":
		return store.Errorf(store.Conflict, "You wrote this note, so nobody asks you to confirm that you have read it.")
	case n.Mine.At.IsZero():
		return nil
	case n.Mine.Agent.ID == "":
		return store.Errorf(store.Conflict, "You have confirmed on %s that you have read this.", n.Stamp(n.Mine.At))
	case by.IsAgent():
		return store.Errorf(store.Forbidden, "You have confirmed on %s, as an agent, that you have read this.", n.Stamp(n.Mine.At))
	}
	return nil
}

// MustBeUndone returns [store.Conflict] unless the note is an open reminder.
func (n *Note) MustBeUndone() error {
	if err := n.mustBePosted(); err != nil {
		return err
	}
	switch {
	case n.Type != Reminder:
		return store.Errorf(store.Conflict, "This note is no reminder, so there is nothing to do.")
	case n.State() == NoteDone:
		return store.Errorf(store.Conflict, "This was done on %s.", n.Stamp(n.ClosedAt))
	}
	return nil
}

// MustBeDeletableBy returns [store.Forbidden] unless the actor is the author, and [store.Conflict] for a draft.
func (n *Note) MustBeDeletableBy(by store.Actor) error {
	if err := n.Studio.MustBeJoined(); err != nil {
		return err
	}
	if n.Draft() {
		return store.Errorf(store.Conflict, "This note is a draft. Discard it instead, and nothing of it stays.")
	}
	if !by.Is(n.MemberID) {
		return store.Errorf(store.Forbidden, "Only @%s can delete this note.", n.Member)
	}
	return nil
}
