package work

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"samepage/store"
)

// MaxStarts is the greatest number of claims of a turn.
const (
	MaxStarts = 5
	maxStarts = "5" // for SQL
)

// Turn is one prompt of a session, and the process that answers it.
type Turn struct {
	ID         string `db:"id"`
	OrgID      string `db:"org_id"`
	SessionID  string `db:"session_id"`
	N          int    `db:"n"` // number within the session, from 1
	WorktreeID string `db:"worktree_id"`
	RunnerID   string `db:"runner_id"`
	Prompt     string `db:"prompt"`
	Origin     string `db:"origin"`       // person, agent, resume, callback or feedback
	Author     string `db:"author"`       // handle of the prompt's author
	Agent      string `db:"author_agent"` // label of the agent that wrote the prompt; empty for a person
	// ByToken is the id of the token that limits the rights of the turn ([chain], [ContinueSession]). It may be empty.
	ByToken    string     `db:"by_token"`
	Depth      int        `db:"depth"` // number of agents' prompts in the [chain]; 0 for a person's prompt
	Reads      bool       `db:"reads"` // the turn has a folder of its own, and does not change the worktree
	QueuedAt   store.Time `db:"queued_at"`
	Claim      int        `db:"claim"` // number of claims so far
	ClaimedTo  store.Time `db:"claimed_to"`
	TokenID    string     `db:"token_id"`
	BeganAt    store.Time `db:"began_at"`
	StopAt     store.Time `db:"stop_at"` // when its stop was requested
	EndedAt    store.Time `db:"ended_at"`
	Outcome    string     `db:"state"`  // state at the end
	Class      string     `db:"class"`  // word for the cause of a failure; may be empty
	Reason     string     `db:"reason"` // sentence about the state; may be empty
	HeadBefore string     `db:"head_before"`
	HeadAfter  string     `db:"head_after"`
	Fresh      bool       `db:"fresh"`      // the agent began a new conversation, because it could not continue the former
	Events     int        `db:"events"`     // number of reported events
	TokensIn   *int64     `db:"tokens_in"`  // nil if unknown
	TokensOut  *int64     `db:"tokens_out"` // nil if unknown
	Cost       *int64     `db:"cost"`       // of the conversation so far, in millionths of Currency; nil if unknown
	Currency   string     `db:"currency"`
	Waiting    int        `db:"waiting"` // number of unanswered permission requests
	Now        time.Time
}

const turnColumns = `t.id, t.org_id, t.session_id, t.n, t.worktree_id, t.runner_id, t.prompt, t.origin, t.by_token, t.depth, t.reads,
	t.queued_at, t.claim,
	t.claimed_to, t.token_id, t.began_at, t.stop_at, t.ended_at, t.state, t.class, t.reason, t.head_before,
		t.head_after, t.fresh,
	t.events, t.tokens_in, t.tokens_out, t.cost, t.currency,
	(SELECT x.handle FROM members x WHERE x.id = t.member_id) AS author,
	coalesce((SELECT x.label FROM agents x WHERE x.id = t.agent_id), '') AS author_agent,
	(SELECT count(*) FROM permissions q WHERE q.turn_id = t.id AND q.answered_at IS NULL) AS waiting`

// These are the states of a turn. Runners can report all but the first four.
const (
	TurnQueued      = "queued"
	TurnStarting    = "starting"
	TurnRunning     = "running"
	TurnAsking      = "awaiting_permission"
	TurnSucceeded   = "succeeded"
	TurnFailed      = "failed"
	TurnStopped     = "stopped"
	TurnStalled     = "stalled"
	TurnTimedOut    = "timed_out"
	TurnInterrupted = "interrupted"
)

var endStates = []string{TurnSucceeded, TurnFailed, TurnStopped, TurnStalled, TurnTimedOut, TurnInterrupted}

// Byline returns the byline of the prompt's author.
func (t *Turn) Byline() string { return store.Byline(t.Author, t.Agent) }

// State returns the state of the turn, such as [TurnQueued], when the turn was loaded.
func (t *Turn) State() string {
	switch held := t.ClaimedTo.After(t.Now); {
	case !t.EndedAt.IsZero():
		return t.Outcome
	case held && t.BeganAt.IsZero():
		return TurnStarting
	case held && t.Waiting > 0:
		return TurnAsking
	case held:
		return TurnRunning
	case !t.BeganAt.IsZero():
		return TurnInterrupted
	case !t.StopAt.IsZero():
		return TurnStopped
	case t.Claim >= MaxStarts:
		return TurnFailed
	}
	return TurnQueued
}

// MaxDepth is the greatest length of a chain of agents' prompts without a person's prompt.
const MaxDepth = 8

// chain is a chain of agents' prompts, each written during the previous prompt's turn.
type chain struct {
	token string // id of the token with which it began; empty if a person began it
	depth int    // number of agents' prompts so far
}

// chainOf returns the chain that ends with a new prompt of the actor. It returns [store.Conflict] if the chain is
// longer than [MaxDepth].
func chainOf(tx *store.Tx, by store.Actor) (chain, error) {
	if !by.IsAgent() {
		return chain{}, nil
	}
	var t Turn
	err := tx.Get(&t, `SELECT by_token, depth FROM turns WHERE token_id = ?`, by.Token)
	if store.CodeOf(err) == store.NotFound {
		return chain{by.Token, 1}, nil
	}
	if err == nil && t.Depth >= MaxDepth {
		err = store.Errorf(store.Conflict,
			"Agents have prompted each other %d times without a word of a person, the most "+
				"there may be. A person prompts next.", MaxDepth)
	}
	return chain{t.ByToken, t.Depth + 1}, err
}

// AddPrompt adds a turn to a session, with a prompt in the actor's own words. AddPrompt returns [store.Conflict] to an
// agent after [MaxDepth] prompts of agents in a row.
func AddPrompt(tx *store.Tx, by store.Actor, s *Session, text string) error {
	chain, err := chainOf(tx, by)
	if err != nil {
		return err
	}
	return addPrompt(tx, s, prompt{text, originOf(by.Agent.ID), by.In(s.OrgID).MemberID(), by.Agent.ID, chain})
}

// ContinueSession adds a turn that continues the work of a session. If the session's last turn has only the rights of a
// token, the new turn has no more, even if another person or agent causes it. ContinueSession returns the errors of
// [AddPrompt].
func ContinueSession(tx *store.Tx, by store.Actor, s *Session, text, origin string) error {
	chain, err := chainOf(tx, by)
	if err != nil {
		return err
	}
	var last string
	if err := tx.Get(&last, `SELECT coalesce((SELECT by_token FROM turns WHERE session_id = ? ORDER BY n DESC`+store.AtMost+`), '')`,
		s.ID, 1); err != nil {
		return err
	}
	chain.token = cmp.Or(last, chain.token)
	return addPrompt(tx, s, prompt{text, origin, by.In(s.OrgID).MemberID(), by.Agent.ID, chain})
}

func originOf(agentID string) string {
	if agentID == "" {
		return "person"
	}
	return "agent"
}

type prompt struct {
	text, origin, member, agent string
	chain
}

func addPrompt(tx *store.Tx, s *Session, p prompt) error {
	s.Turns, s.After = s.Turns+1, s.After+1
	if err := tx.Exec(`INSERT INTO turns (id, org_id, session_id, n, worktree_id, runner_id, prompt, origin, member_id, agent_id,
		by_token, depth, reads, queued_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, store.NewID(), s.OrgID, s.ID, s.Turns,
		s.WorktreeID, s.RunnerID, p.text, p.origin, p.member, store.Null(p.agent), store.Null(p.token), p.depth,
		number(s.Kin == KinReview),
		store.At(tx.Now)); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE sessions SET turns = ?, moved_at = ? WHERE id = ?`, s.Turns, store.At(tx.Now),
		s.ID); err != nil {
		return err
	}
	return raiseSession(tx, s.ID)
}

// ResumeSession adds a turn that continues after the last turn. The prompt quotes the prompts that the agent has not
// heard: those after its last turn that began or, without a conversation, all of them. It quotes only the latest
// [mostTurns], and none that were made by ResumeSession.
func ResumeSession(tx *store.Tx, by store.Actor, s *Session) error {
	var began []Turn
	if err := tx.Select(&began, `SELECT n, state FROM turns WHERE session_id = ? AND began_at IS NOT NULL ORDER BY n DESC`+store.AtMost,
		s.ID, 1); err != nil {
		return err
	}
	text, heard := "That turn never began. Do now what you were asked.", 0
	if len(began) > 0 {
		if began[0].Outcome != TurnSucceeded {
			text = "Your last turn broke off. Look at what is done, and go on."
		}
		if s.AgentSession != "" {
			heard = began[0].N
		}
	}
	var unheard []string
	if err := tx.Select(&unheard, `SELECT prompt FROM turns WHERE session_id = ? AND n > ? AND origin <> 'resume' ORDER BY n DESC`+
		store.AtMost, s.ID, heard, mostTurns); err != nil {
		return err
	}
	for _, earlier := range unheard {
		text = quoted(earlier) + "\n\n" + text
	}
	if len(unheard) > 0 {
		text = "You were asked this before:\n\n" + text
	}
	return ContinueSession(tx, by, s, text, "resume")
}

var _ = store.DeclareErrands(func(tx *store.Tx, by store.Actor, token string) (*store.Errand, error) {
	var s struct {
		Session
		N int `db:"n"`
	}
	err := tx.Get(&s, `SELECT s.id, s.title, s.relation, w.name AS worktree, h.handle AS studio_handle, t.n FROM turns t
		JOIN sessions s ON s.id = t.session_id JOIN worktrees w ON w.id = s.worktree_id JOIN studios h ON h.id = s.studio_id
		WHERE t.token_id = ?`, token)
	if err == nil {
		s.Studio, err = tx.FindStudio(by, s.StudioHandle)
	}
	if store.CodeOf(err) == store.NotFound || err == nil && by.In(s.Studio.OrgID).Member == nil {
		// No turn has the token, or the actor may not see the session any more.
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if s.Kin == KinReview {
		var id string
		err := tx.Get(&id, `SELECT id FROM reviews WHERE reviewer_id = ?`, s.ID)
		return &store.Errand{Title: s.Title, URL: s.Studio.URL() + "/reviews/" + id,
			Note: ". Approve the work, or send feedback, and end your turn."}, err
	}
	return &store.Errand{Title: s.Title, URL: s.URL(),
		Note: fmt.Sprintf(", turn %d, in the worktree %s of %s. End your turn when the "+
			"prompt is answered.", s.N, s.Worktree, s.Studio.Name)}, nil
})

// TurnEvent is an event during a turn.
type TurnEvent struct {
	N    int             `db:"n" json:"n"`
	At   store.Time      `db:"at" json:"-"`
	Kind string          `db:"kind" json:"kind"`
	Text string          `db:"text" json:"text,omitempty"`
	JSON string          `db:"data" json:"-"`
	Data json.RawMessage `db:"-" json:"data,omitempty"`
}

// CallHead has the fields of a [Call] that are shown in one line.
type CallHead struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
}

// Call is the data of an event of the kind call or permission.
type Call struct {
	CallHead
	Text   []string        `json:"text"`
	Input  json.RawMessage `json:"input"`
	Places []string        `json:"places"` // paths of files; a known line number follows after a colon, as in main.go:12
	Diffs  []struct {
		Path string `json:"path"`
		Old  string `json:"oldText"`
		New  string `json:"newText"`
	} `json:"diffs"`
}

// These are the limits of reported events.
const (
	MaxEvents     = 500      // in one report
	MaxEventBytes = 64 << 10 // of text and data in one event
)
