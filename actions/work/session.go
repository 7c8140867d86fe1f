package work

import (
	"cmp"
	"slices"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/work"
)

var _ = action.Describe[*work.Session](
	"The conversation of an agent in a worktree: prompts, and turns in which a process answers them. The agent "+
		"has the rights of one member, and no more.", work.SessionStates()...)

// PromptParams has a prompt for an agent.
type PromptParams struct {
	Prompt string `param:"prompt,markdown" max:"20000" doc:"What the agent is to do, in your words."`
}

// StartSession starts an agent in a worktree.
var StartSession = action.New(action.Action[*work.Worktree, StartSessionParams]{
	Name:   "start_session",
	Past:   "started an agent in",
	Undo:   "Stop it: stop_session, on the session's page.",
	Title:  "Start a session",
	Button: "Start",
	Doc: "Let an agent work in the folder of this worktree. It acts for you, with a token that reads and writes " +
		"as you may, and ends with each turn.",
	Effects:    []action.Effect{action.Makes(work.SessionKind)},
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Guard: func(by store.Actor, w *work.Worktree) error {
		return w.MustTakeSessionsOf(by)
	},
	Offers: func(by store.Actor, w *work.Worktree) param.Offers {
		return param.Offers{"agent": agentOptions(by, w.Agents)}
	},
	Run: func(tx *store.Tx, by store.Actor, w *work.Worktree, p StartSessionParams) (action.Done, error) {
		f := manifestOf(w.Agents, p.Agent)
		s, err := work.StartSession(tx, by, work.NewSession{Title: p.Title, Prompt: p.Prompt, Manifest: f, Worktree: w})
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{Message: queued(w, f.Title),
			URL:  s.URL(),
			Made: []action.Subject{s}}, nil
	},
})

// queued is the answer about a new session. Its first turn waits for the runner or for another turn in the worktree.
func queued(w *work.Worktree, agent string) string {
	return "The session of " + agent + " is there. Its prompt waits for the runner " + w.RunnerNoted() +
		", or for another turn in the worktree " + w.Name + "."
}

// StartSessionParams has the fields of a new session.
type StartSessionParams struct {
	Agent string `param:"agent,choice" doc:"Which agent."`
	PromptParams
	Title string `param:"title,text,optional" max:"100" doc:"What it is about; the beginning of the prompt if you leave it out."`
}

// agentOptions offers the agents that the actor can start. An agent can start only those that ask for permission.
func agentOptions(by store.Actor, list []work.Manifest) *param.Offered {
	f := &param.Offered{}
	for i := range list {
		if m := &list[i]; m.Asks || !by.IsAgent() {
			f.Options = append(f.Options, param.Option{Value: m.Key, Label: m.Title})
		}
	}
	if len(f.Options) > 0 {
		f.Value = f.Options[0].Value
	}
	return f
}

// manifestOf returns the manifest with this key. It panics if the list has none.
func manifestOf(list []work.Manifest, key string) *work.Manifest {
	return &list[slices.IndexFunc(list, func(f work.Manifest) bool { return f.Key == key })]
}

// sessionAction declares an action on a session. By default it is for the session's member, because the session's agent
// acts with that member's rights.
func sessionAction[P any](a action.Action[*work.Session, P]) *action.Spec[*work.Session] {
	a.Scope = store.ScopeWrite
	if a.AllowedFor == 0 {
		a.AllowedFor = store.Author
		a.Guard = ofItsMember(a.Guard)
	}
	return action.New(a)
}

// ofItsMember returns a guard that also requires [work.Session.MustBelongTo].
func ofItsMember(guard func(store.Actor, *work.Session) error) func(store.Actor, *work.Session) error {
	return func(by store.Actor, s *work.Session) error { return cmp.Or(guard(by, s), s.MustBelongTo(by)) }
}

// PromptSession gives the agent of a session a prompt.
var PromptSession = sessionAction(action.Action[*work.Session, PromptParams]{
	Name:  "prompt_session",
	Past:  "prompted the agent of",
	Undo:  "Stop it: stop_session. What the agent has done stays.",
	Title: "Prompt",
	Slot:  "prompt",
	Doc:   "Say what the agent is to do next. While a turn runs, the prompt waits for its end.",
	Guard: func(by store.Actor, s *work.Session) error { return s.MustTakePromptsFrom(by) },
	Run: func(tx *store.Tx, by store.Actor, s *work.Session, p PromptParams) (action.Done, error) {
		message := "The prompt waits for the runner " + s.RunnerNoted() + "."
		if s.Live() || s.Queued() {
			message = "The prompt waits for the end of the turn before it."
		}
		return action.Done{Message: message}, work.AddPrompt(tx, by, s, p.Prompt)
	},
})

// StopSession stops the running turn of a session, and its waiting turns.
var StopSession = sessionAction(action.Action[*work.Session, struct{}]{
	Name:  "stop_session",
	Past:  "stopped the agent of",
	Undo:  "Go on: resume_session.",
	Title: "Stop",
	Doc: "Let the runner end the turn that runs, and withdraw the prompts that wait. What the agent has " +
		"written stays.",
	AllowedFor: store.Chair,
	Tool:       true,
	Guard:      func(_ store.Actor, s *work.Session) error { return s.MustBeBusy() },
	Run: func(tx *store.Tx, _ store.Actor, s *work.Session, _ struct{}) (action.Done, error) {
		message := "The prompts that waited are withdrawn."
		if s.Live() {
			message = "The runner is asked to end the turn. Prompts that waited are withdrawn."
		}
		return action.Done{Message: message}, work.StopSession(tx, s)
	},
})

// ResumeSession continues a session after a last turn that has not succeeded.
var ResumeSession = sessionAction(action.Action[*work.Session, struct{}]{
	Name:  "resume_session",
	Past:  "resumed",
	Undo:  "Stop it: stop_session.",
	Title: "Resume",
	Doc:   "Let the agent go on where the last turn broke off.",
	Tool:  true,
	Guard: func(by store.Actor, s *work.Session) error { return s.MustBeResumableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, s *work.Session, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The runner " + s.RunnerNoted() + " is to let the agent go on."},
			work.ResumeSession(tx, by, s)
	},
})

// ForkSession starts a session with a copy of another session's conversation.
var ForkSession = sessionAction(action.Action[*work.Session, ForkParams]{
	Name:  "fork_session",
	Past:  "copied",
	Undo:  "Stop the copy: stop_session, on its page.",
	Title: "Fork",
	Doc: "Start another session of the same agent, with a copy of this conversation. If the agent cannot " +
		"copy, it reads this page.",
	Effects: []action.Effect{action.Makes(work.SessionKind)},
	Guard:   func(by store.Actor, s *work.Session) error { return s.MustBeForkableBy(by) },
	Run: func(tx *store.Tx, by store.Actor, s *work.Session, p ForkParams) (action.Done, error) {
		return child(tx, by, s, work.NewSession{Title: p.Title, Prompt: p.Prompt, Kin: work.KinFork})
	},
})

// SpawnSession starts a child of a session, which does not get a copy of the conversation.
var SpawnSession = sessionAction(action.Action[*work.Session, ForkParams]{
	Name:  "spawn_session",
	Past:  "started a child of",
	Undo:  "Stop the child: stop_session, on its page.",
	Title: "Spawn a child",
	Doc: "Start another session of the same agent in the same worktree, without this conversation. Its turns " +
		"wait for those here.",
	Effects: []action.Effect{action.Makes(work.SessionKind)},
	Guard:   func(by store.Actor, s *work.Session) error { return s.MustTakePromptsFrom(by) },
	Run: func(tx *store.Tx, by store.Actor, s *work.Session, p ForkParams) (action.Done, error) {
		return child(tx, by, s, work.NewSession{Title: p.Title, Prompt: p.Prompt, Kin: work.KinSpawn})
	},
})

// ForkParams are the params of [ForkSession] and [SpawnSession].
type ForkParams struct {
	PromptParams
	Title string `param:"title,text,optional" max:"100" doc:"What it is about; the beginning of the prompt if you leave it out."`
}

// child starts a session with the agent and the worktree of s. It returns an error if the manifest is retired, or if
// the actor is an agent and the manifest's agent does not ask before it acts.
func child(tx *store.Tx, by store.Actor, s *work.Session, n work.NewSession) (action.Done, error) {
	w, err := work.FindWorktree(tx, by, s.Studio.Handle, s.Worktree)
	if err != nil {
		return action.Done{}, err
	}
	if err := w.MustTakeSessionsOf(by); err != nil {
		return action.Done{}, err
	}
	i := slices.IndexFunc(w.Agents, func(f work.Manifest) bool { return f.Key == s.Key })
	if i < 0 {
		return action.Done{}, store.Errorf(store.Conflict,
			"The manifest %s is retired, so nobody starts a session with it any more.", s.Agent)
	}
	if by.IsAgent() && !w.Agents[i].Asks {
		return action.Done{}, store.Errorf(store.Conflict,
			"%s does not ask before it acts, so only people start it.", s.Agent)
	}
	n.Parent, n.Worktree, n.Manifest = s, w, &w.Agents[i]
	made, err := work.StartSession(tx, by, n)
	if err != nil {
		return action.Done{}, err
	}
	return action.Done{Message: queued(w, s.Agent),
		URL:  made.URL(),
		Made: []action.Subject{made}}, nil
}

// RenameSession changes the title of a session.
var RenameSession = sessionAction(action.Action[*work.Session, RenameParams]{
	Name:       "rename_session",
	Past:       "renamed",
	Undo:       "Rename it again: rename_session.",
	Title:      "Rename",
	Doc:        "Change what the session is called.",
	AllowedFor: store.Chair,
	Guard:      func(_ store.Actor, s *work.Session) error { return s.Studio.MustBeJoined() },
	Offers: func(_ store.Actor, s *work.Session) param.Offers {
		return param.Offers{"title": {Value: s.Title}}
	},
	Run: func(tx *store.Tx, _ store.Actor, s *work.Session, p RenameParams) (action.Done, error) {
		return action.Done{Message: "The session has another title."}, work.RenameSession(tx, s, p.Title)
	},
})

// RenameParams has the new title of a session.
type RenameParams struct {
	Title string `param:"title,text" max:"100" doc:"What it is about, in a line."`
}

// ArchiveSession archives a session.
var ArchiveSession = sessionAction(action.Action[*work.Session, struct{}]{
	Name:       "archive_session",
	Past:       "archived",
	Undo:       "Undo: unarchive_session.",
	Title:      "Archive",
	Doc:        "Take the session off the list. Its page and its worktree stay.",
	AllowedFor: store.Chair,
	Tool:       true,
	Guard:      func(_ store.Actor, s *work.Session) error { return s.MustBeIdle() },
	Run: func(tx *store.Tx, _ store.Actor, s *work.Session, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The session is archived."}, work.ArchiveSession(tx, s, true)
	},
})

// UnarchiveSession makes an archived session active again.
var UnarchiveSession = sessionAction(action.Action[*work.Session, struct{}]{
	Name:       "unarchive_session",
	Past:       "brought back",
	Undo:       "Undo: archive_session.",
	Title:      "Bring back",
	Doc:        "Put the session on the list again.",
	AllowedFor: store.Chair,
	Tool:       true,
	Guard:      func(_ store.Actor, s *work.Session) error { return s.MustBeArchived() },
	Run: func(tx *store.Tx, _ store.Actor, s *work.Session, _ struct{}) (action.Done, error) {
		return action.Done{Message: "The session is on the list again."}, work.ArchiveSession(tx, s, false)
	},
})
