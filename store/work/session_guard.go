package work

import (
	"slices"

	"samepage/store"
)

func (s *Session) mustBeOpen() error {
	if err := s.Studio.MustBeJoined(); err != nil {
		return err
	}
	if !s.ArchivedAt.IsZero() {
		return store.Errorf(store.Conflict, "The session is archived.")
	}
	return nil
}

// MustBelongTo returns [store.Forbidden] unless the actor is the session's member or an agent of that member.
func (s *Session) MustBelongTo(by store.Actor) error {
	if !by.In(s.OrgID).Is(s.MemberID) {
		return store.Errorf(store.Forbidden,
			"The agent works for @%s, so this is for @%[1]s. On the page of the worktree %s you can "+
				"start a session of your own (start_session), or open a pull request (create_pull_request).", s.Member,
			s.Worktree)
	}
	return nil
}

// MustTakePrompts returns [store.Conflict] if the session is archived, if its worktree has no folder, if its runner
// starts no agents, or if [MaxQueue] prompts wait. It returns an error for an actor outside the studio.
func (s *Session) MustTakePrompts() error {
	if err := s.mustBeStartable(); err != nil {
		return err
	}
	if s.waiting() >= MaxQueue {
		return store.Errorf(store.Conflict, "%d prompts wait already, the most there may be.", MaxQueue)
	}
	return nil
}

func (s *Session) mustBeStartable() error {
	if err := s.mustBeOpen(); err != nil {
		return err
	}
	switch {
	case !s.Folder:
		return store.Errorf(store.Conflict, "The worktree %s has no folder. Restore it first.", s.Worktree)
	case !s.Starts:
		return store.Errorf(store.Conflict,
			"The runner %s starts no agents: its program was started without --agents.", s.Runner)
	}
	return nil
}

// MustBeBusy returns [store.Conflict] if the session is archived, if no turn runs or waits, or if the running turn is
// already being stopped and no other waits.
func (s *Session) MustBeBusy() error {
	if !s.ArchivedAt.IsZero() { // not MustBeJoined, because turns can be stopped in an archived studio
		return store.Errorf(store.Conflict, "The session is archived.")
	}
	switch {
	case s.Live() && !s.StopAt.IsZero() && s.After == 0:
		return store.Errorf(store.Conflict, "The turn is being stopped.")
	case !s.Live() && !s.Queued():
		return store.Errorf(store.Conflict, "Nothing runs or waits in this session.")
	}
	return nil
}

// MustBeResumableBy returns the errors of [Session.MustTakePromptsFrom], and [store.Conflict] if a turn runs or waits,
// if there was no turn, or if the last turn succeeded.
func (s *Session) MustBeResumableBy(by store.Actor) error {
	if err := s.MustTakePromptsFrom(by); err != nil {
		return err
	}
	switch {
	case s.Live() || s.Queued():
		return store.Errorf(store.Conflict, "A turn runs or waits.")
	case s.Current == 0 || s.Outcome == TurnSucceeded:
		return store.Errorf(store.Conflict, "The last turn ended by itself. Prompt again.")
	}
	return nil
}

// MustBeIdle returns [store.Conflict] if the session is archived, or if a turn runs or waits. It returns an error for
// an actor outside the studio.
func (s *Session) MustBeIdle() error {
	if err := s.mustBeOpen(); err != nil {
		return err
	}
	if s.Live() || s.Queued() {
		return store.Errorf(store.Conflict, "A turn runs or waits. Stop it first.")
	}
	return nil
}

// MustTakePromptsFrom returns the errors of [Session.MustTakePrompts], and [store.Forbidden] to agents unless the
// session's agent asks before it acts.
func (s *Session) MustTakePromptsFrom(by store.Actor) error {
	if by.IsAgent() && !s.Asks {
		return store.Errorf(store.Forbidden,
			"%s does not ask before it acts, so only people start it and prompt it.", s.Agent)
	}
	return s.MustTakePrompts()
}

// MustBeForkableBy returns the errors of [Session.MustTakePromptsFrom], and [store.Conflict] if there is no
// conversation, or the agent cannot continue a copy.
func (s *Session) MustBeForkableBy(by store.Actor) error {
	if err := s.MustTakePromptsFrom(by); err != nil {
		return err
	}
	if s.AgentSession == "" || !s.Resumes {
		return store.Errorf(store.Conflict, "There is no conversation yet that could be copied.")
	}
	return nil
}

// MustBeArchived returns [store.Conflict] unless the session is archived, and an error for an actor outside the studio.
func (s *Session) MustBeArchived() error {
	if err := s.Studio.MustBeJoined(); err != nil {
		return err
	}
	if s.ArchivedAt.IsZero() {
		return store.Errorf(store.Conflict, "The session is not archived.")
	}
	return nil
}

// MustTakeSessionsOf returns [store.Conflict] if the worktree has no folder, its runner starts no agents, or there is
// no manifest. Agents get [store.Forbidden] unless some agent asks before it acts. MustTakeSessionsOf returns an error
// for an actor outside the studio.
func (w *Worktree) MustTakeSessionsOf(by store.Actor) error {
	if err := w.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case w.State() != WorktreeReady:
		return store.Errorf(store.Conflict, "The worktree is %s: it has no folder.", w.State())
	case !w.Starts:
		return store.Errorf(store.Conflict,
			"The runner %s starts no agents: its program was started without --agents.", w.Runner)
	case len(w.Agents) == 0:
		return store.Errorf(store.Conflict, "There is no manifest of an agent yet. The owner adds one at %s.",
			ManifestsURL(w.Studio.Org))
	case by.IsAgent() && !slices.ContainsFunc(w.Agents, func(f Manifest) bool { return f.Asks }):
		return store.Errorf(store.Forbidden, "No agent here asks before it acts, and only people start others.")
	}
	return nil
}

func (w *Worktree) mustBeUnworked() error {
	if w.Turns > 0 {
		if w.Turns == 1 {
			return store.Errorf(store.Conflict, "A turn runs or waits in it. Stop its session first.")
		}
		return store.Errorf(store.Conflict, "%d turns run or wait in it. Stop their sessions first.", w.Turns)
	}
	return nil
}
