package work

import (
	"slices"

	"samepage/store"
)

// mustBeOpen refuses an actor outside of the studio, and an archived session.
func (s *Session) mustBeOpen() error {
	if err := s.Studio.MustBeJoined(); err != nil {
		return err
	}
	if !s.ArchivedAt.IsZero() {
		return store.Errorf(store.Conflict, "The session is archived.")
	}
	return nil
}

// MustTakePrompts refuses an archived session, one whose agent cannot be started, and one in which [MaxQueue] prompts
// wait.
func (s *Session) MustTakePrompts() error {
	if err := s.mustBeStartable(); err != nil {
		return err
	}
	if s.Turns-s.Current >= MaxQueue {
		return store.Errorf(store.Conflict, "%d prompts wait already, the most there may be.", MaxQueue)
	}
	return nil
}

// mustBeStartable refuses an archived session, one whose worktree has no folder, and one whose runner starts no agents.
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

// MustBeBusy refuses a session in which nothing runs or waits, or in which the turn is being stopped.
func (s *Session) MustBeBusy() error {
	if !s.ArchivedAt.IsZero() { // a turn is stopped in an archived studio, too
		return store.Errorf(store.Conflict, "The session is archived.")
	}
	switch {
	case s.Live() && !s.StopAt.IsZero() && s.Turns == s.Current:
		return store.Errorf(store.Conflict, "The turn is being stopped.")
	case !s.Live() && !s.Queued():
		return store.Errorf(store.Conflict, "Nothing runs or waits in this session.")
	}
	return nil
}

// MustBeResumableBy refuses a session whose last turn ended by itself, one in which something runs or waits, and what
// [Session.MustBeSpawnableBy] refuses.
func (s *Session) MustBeResumableBy(by store.Actor) error {
	if err := s.MustBeSpawnableBy(by); err != nil {
		return err
	}
	switch {
	case s.Live() || s.Queued():
		return store.Errorf(store.Conflict, "A turn runs or waits.")
	case s.State() == SessionInterrupted:
		return nil
	case s.Current == 0 || s.Outcome == TurnSucceeded:
		return store.Errorf(store.Conflict, "The last turn ended by itself. Prompt again.")
	}
	return nil
}

// MustBeRestful refuses an archived session, and one in which something runs or waits.
func (s *Session) MustBeRestful() error {
	if err := s.mustBeOpen(); err != nil {
		return err
	}
	if s.Live() || s.Queued() {
		return store.Errorf(store.Conflict, "A turn runs or waits. Stop it first.")
	}
	return nil
}

// MustBeSpawnableBy refuses an agent if the agent of the session does not ask before it acts, and whatever
// [Session.MustTakePrompts] refuses.
func (s *Session) MustBeSpawnableBy(by store.Actor) error {
	if by.IsAgent() && !s.Asks {
		return store.Errorf(store.Conflict,
			"%s does not ask before it acts, so only people start it and prompt it.", s.Agent)
	}
	return s.MustTakePrompts()
}

// MustBeForkableBy refuses a session whose agent cannot go on with a copy of its conversation, and one without a
// conversation.
func (s *Session) MustBeForkableBy(by store.Actor) error {
	if err := s.MustBeSpawnableBy(by); err != nil {
		return err
	}
	if s.AgentSession == "" || !s.Resumes {
		return store.Errorf(store.Conflict, "There is no conversation yet that could be copied.")
	}
	return nil
}

// MustBeArchived refuses a session that is not archived.
func (s *Session) MustBeArchived() error {
	if err := s.Studio.MustBeJoined(); err != nil {
		return err
	}
	if s.ArchivedAt.IsZero() {
		return store.Errorf(store.Conflict, "The session is not archived.")
	}
	return nil
}

// MustTakeSessionsOf refuses an actor outside of the studio, and a worktree without a folder. It refuses all if there
// is no agent to start, and an agent if there is none that asks before it acts.
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
		return store.Errorf(store.Conflict, "No agent here asks before it acts, and only people start others.")
	}
	return nil
}

// mustBeUnworked refuses to archive a worktree in which a turn runs or waits.
func (w *Worktree) mustBeUnworked() error {
	if w.Turns > 0 {
		return store.Errorf(store.Conflict, "%d turns run or wait in it. Stop their sessions first.", w.Turns)
	}
	return nil
}
