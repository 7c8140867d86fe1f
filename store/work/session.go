package work

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"samepage/store"
)

// SessionKind is the kind of sessions in grants and in the journal.
var SessionKind = store.DeclareGrantKind("session")

// MaxQueue is the greatest number of waiting prompts of one session. [EndReview] may add more.
const MaxQueue = 20

var sessionVersion = store.NewCounter("session", "sessions")

// Session is a conversation with an agent in a worktree. The agent acts for the session's member, with at most the
// member's authority.
type Session struct {
	ID           string     `db:"id"`
	OrgID        string     `db:"org_id"`
	StudioID     string     `db:"studio_id"`
	WorktreeID   string     `db:"worktree_id"`
	ManifestID   string     `db:"manifest_id"`
	MemberID     string     `db:"member_id"`
	ParentID     string     `db:"parent_id"`
	Kin          string     `db:"relation"` // relation to the parent, such as [KinFork]
	Title        string     `db:"title"`
	AgentSession string     `db:"agent_session"` // the agent's id of the conversation; at first the parent's in a fork
	Turns        int        `db:"turns"`
	Failed       int        `db:"failed"`       // number of expired reviews and requests for changes since the last approval
	Rounds       int        `db:"rounds"`       // greatest allowed number of reviews without approval
	Used         int64      `db:"context_used"` // tokens of the agent's context window in use
	Window       int64      `db:"context_size"` // tokens of the context window; 0 if unknown
	Cost         *int64     `db:"cost"`         // in millionths of Currency; nil if unknown
	Currency     string     `db:"currency"`
	Current      int        `db:"current"` // number of the last claimed or withdrawn turn; 0 for none
	Version      int64      `db:"version"`
	CreatedAt    store.Time `db:"created_at"`
	MovedAt      store.Time `db:"moved_at"` // last activity, such as a prompt or the end of a turn
	ArchivedAt   store.Time `db:"archived_at"`

	Member   string `db:"member"` // handle
	Agent    string `db:"agent"`  // title of the manifest
	Key      string `db:"key"`    // of the manifest
	Role     string `db:"role"`
	Resumes  bool   `db:"resumes"`  // the adapter can continue a conversation
	Asks     bool   `db:"asks"`     // the agent asks before it acts
	Worktree string `db:"worktree"` // name
	Host
	Starts       bool   `db:"starts"` // the runner starts agents
	Folder       bool   `db:"folder"` // the worktree has a folder
	Mine         bool   // the actor is the session's agent
	StudioHandle string `db:"studio_handle"` // only in lists
	ParentTitle  string `db:"parent_title"`
	Waiting      int    `db:"waiting"`  // number of unanswered permission requests in the current turn
	Review       string `db:"review"`   // id of the open review; may be empty
	Head         string `db:"head"`     // last commit of the worktree
	Ahead        int    `db:"ahead"`    // number of commits that the base lacks
	Branch       string `db:"branch"`   // of the worktree
	Base         string `db:"base"`     // of the worktree
	Changed      int    `db:"changed"`  // number of files that differ from the base
	Added        int    `db:"added"`    // number of added lines
	Deleted      int    `db:"deleted"`  // number of deleted lines
	Pull         int    `db:"pull"`     // number of the open pull request; 0 for none
	After        int    `db:"after"`    // number of prompts that wait after the current turn
	AtLimit      bool   `db:"at_limit"` // the reviews are at their limit, so a person has to decide how the work goes on

	// The following fields belong to the current turn.
	ClaimedTo store.Time `db:"claimed_to"`
	BeganAt   store.Time `db:"began_at"`
	EndedAt   store.Time `db:"ended_at"`
	StopAt    store.Time `db:"stop_at"`
	Claim     int        `db:"claim"`
	Outcome   string     `db:"outcome"` // state at the end

	Studio *store.Studio
	Now    time.Time

	// Reviewers are the manifests of agents that can review the session. They are loaded only for the session's member
	// and that member's agents, while they can request a review.
	Reviewers []Manifest
}

var sessionColumns = `s.id, s.org_id, s.studio_id, s.worktree_id, s.manifest_id, s.member_id, s.parent_id, s.relation, s.title,
	s.agent_session, s.turns, s.current, s.failed, s.rounds, s.context_used, s.context_size, s.cost, s.currency,
	s.version, s.created_at, s.moved_at, s.archived_at,
	m.handle AS member, f.title AS agent,
	f.key, f.role, f.adapter = 'acp' AS resumes, f.asks, w.name AS worktree, ` + hostColumns + `, r.starts,
	w.made_at IS NOT NULL AND w.archived_at IS NULL AS folder, h.handle AS studio_handle,
	coalesce((SELECT x.title FROM sessions x WHERE x.id = s.parent_id), '') AS parent_title,
	(SELECT count(*) FROM permissions q WHERE q.turn_id = t.id AND q.answered_at IS NULL) AS waiting,
	coalesce((SELECT v.id FROM reviews v WHERE v.session_id = s.id AND v.ended_at IS NULL), '') AS review, w.head,
	w.ahead, w.branch, w.base, w.changed, w.added, w.deleted, ` + openPull + ` AS pull,
	(SELECT count(*) FROM turns o WHERE o.session_id = s.id AND o.n > s.current AND o.ended_at IS NULL) AS after,
	` + atLimit + ` AS at_limit,
	t.claimed_to, t.began_at, t.ended_at, t.stop_at, coalesce(t.claim, 0) AS claim, coalesce(t.state, '') AS outcome`

const sessionFrom = ` FROM sessions s JOIN members m ON m.id = s.member_id JOIN manifests f ON f.id = s.manifest_id
	JOIN worktrees w ON w.id = s.worktree_id JOIN repos p ON p.id = w.repo_id JOIN runners r ON r.id = p.runner_id
	JOIN studios h ON h.id = s.studio_id
	LEFT JOIN turns t ON t.session_id = s.id AND t.n = s.current `

// These are the relations of a session to its parent.
const (
	KinRoot   = "root"   // no parent
	KinFork   = "fork"   // continues a copy of the parent's conversation
	KinSpawn  = "spawn"  // began without a conversation, on behalf of the parent
	KinReview = "review" // reviews the work of the parent
)

// These are the states of a session.
const (
	SessionIdle        = "idle"
	SessionQueued      = "queued" // a prompt waits for the runner
	SessionRunning     = "running"
	SessionAsking      = "awaiting_permission"
	SessionReviewed    = "awaiting_review"
	SessionInterrupted = "interrupted" // the current turn broke off, for example because the runner was lost
	SessionArchived    = "archived"
)

// SessionStates returns the possible states of a session.
func SessionStates() []string {
	return []string{SessionIdle, SessionQueued, SessionRunning, SessionAsking, SessionReviewed,
		SessionInterrupted, SessionArchived}
}

// State returns one of [SessionStates].
func (s *Session) State() string {
	switch live := s.Live(); {
	case !s.ArchivedAt.IsZero():
		return SessionArchived
	case live && s.Waiting > 0:
		return SessionAsking
	case live:
		return SessionRunning
	case s.Queued():
		return SessionQueued
	case s.Current > 0 && s.EndedAt.IsZero() && !s.BeganAt.IsZero() || s.Outcome == TurnInterrupted:
		return SessionInterrupted
	case s.Review != "":
		return SessionReviewed
	}
	return SessionIdle
}

// Live reports whether a runner works on the current turn.
func (s *Session) Live() bool {
	return s.Current > 0 && s.EndedAt.IsZero() && s.ClaimedTo.After(s.Now)
}

// Queued reports whether a prompt waits for an agent process.
func (s *Session) Queued() bool { return s.After > 0 || s.unseen() }

// unseen reports whether the current turn has no agent process yet, but can get one.
func (s *Session) unseen() bool {
	return s.Current > 0 && s.EndedAt.IsZero() && s.BeganAt.IsZero() && s.StopAt.IsZero() && s.Claim < MaxStarts
}

// waiting returns the number of prompts that wait for a claim.
func (s *Session) waiting() int {
	if s.unseen() && !s.Live() {
		return s.After + 1
	}
	return s.After
}

// URL returns the path of the session's page.
func (s *Session) URL() string {
	return studioURL(s.Studio, s.StudioHandle) + "/sessions/" + s.ID
}

// TurnURL returns the path of a turn's page.
func (s *Session) TurnURL(n int) string { return fmt.Sprintf("%s/turns/%d", s.URL(), n) }

// Byline returns the byline of the agent.
func (s *Session) Byline() string { return store.Byline(s.Member, s.Agent) }

// Ref returns the session as the target of a journal entry.
func (s *Session) Ref() store.Ref {
	return store.Ref{OrgID: s.OrgID, StudioID: s.StudioID, Kind: SessionKind, ID: s.ID, URL: s.URL(), Title: s.Title,
		Version: s.Version, Topic: sessionVersion.Topic(s.ID), MemberID: s.MemberID}
}

// Record returns the fields that the journal stores about a session.
func (s *Session) Record() any {
	return struct {
		Title    string `json:"title"`
		Agent    string `json:"agent"`
		Worktree string `json:"worktree"`
		State    string `json:"state"`
		Turns    int    `json:"turns"`
	}{s.Title, s.Agent, s.Worktree, s.State(), s.Turns}
}

// Relation returns the actor's relations to the session.
func (s *Session) Relation(by store.Actor) store.Relation {
	return relationOf(by, s.Studio, s.MemberID)
}

// IsAnsweredBy reports whether the actor may answer the agent's requests. The parameter h is the session's studio.
func (s *Session) IsAnsweredBy(by store.Actor, h *store.Studio) bool {
	return !by.IsAgent() && relationOf(by, h, s.MemberID)&store.Chair != 0
}

// FindSession finds a session of a studio. It returns [store.Missing] if there is none, if the actor may not see the
// studio, or if the actor is neither a member of the organization nor the scheduler.
func FindSession(tx *store.Tx, by store.Actor, studio, id string) (*Session, error) {
	h, err := tx.FindStudio(by, studio)
	if err != nil {
		return nil, err
	}
	if by.In(h.OrgID).Member == nil && !by.System {
		return nil, store.Missing()
	}
	s := &Session{Studio: h, Now: tx.Now, Host: Host{asOf: tx.Now}}
	err = tx.Get(s, `SELECT `+sessionColumns+sessionFrom+`WHERE s.studio_id = ? AND s.id = ?`, h.ID, id)
	if err == nil && by.IsAgent() {
		s.Mine, err = isAgentOf(tx, by, s.ID)
	}
	if err == nil && s.Folder && s.Starts && s.Relation(by)&store.Author != 0 && s.MustBeReviewableBy(by) == nil {
		s.Reviewers, err = startable(tx, s.OrgID)
		s.Reviewers = slices.DeleteFunc(s.Reviewers, func(f Manifest) bool { return f.Adapter != AdapterACP })
	}
	return s, err
}

func isAgentOf(tx *store.Tx, by store.Actor, session string) (is bool, err error) {
	err = tx.Get(&is, `SELECT EXISTS (SELECT 1 FROM turns WHERE token_id = ? AND session_id = ?)`, by.Token, session)
	return is, err
}

// SessionByID finds a session as the scheduler sees it, without checking rights.
func SessionByID(tx *store.Tx, id string) (*Session, error) {
	var handle string
	if err := tx.Get(&handle, `SELECT h.handle FROM sessions s JOIN studios h ON h.id = s.studio_id WHERE s.id = ?`,
		id); err != nil {
		return nil, err
	}
	return FindSession(tx, store.System(), handle, id)
}

// Sessions is a list of a studio's sessions.
type Sessions struct {
	*store.Studio
	List     []Session
	Archived bool // the list has the archived sessions
	More     bool // there are more
}

// ShowSessions lists the archived or the other sessions of a studio, the most recently active first.
func ShowSessions(tx *store.Tx, h *store.Studio, archived bool) (*Sessions, error) {
	v := &Sessions{Studio: h, Archived: archived}
	which := `s.archived_at IS NULL`
	if archived {
		which = `s.archived_at IS NOT NULL`
	}
	var err error
	v.List, err = listSessions(tx, `s.studio_id = ? AND `+which, h.ID)
	v.List, v.More = listed(v.List)
	return v, err
}

func sessionsIn(tx *store.Tx, w *Worktree) ([]Session, error) {
	return listSessions(tx, `s.worktree_id = ?`, w.ID)
}

// raiseSessionsIn raises the versions of a worktree's sessions, except archived ones, and of the boards with cards for
// the worktree or its sessions.
func raiseSessionsIn(tx *store.Tx, worktree string) error {
	var ids []string
	if err := tx.Select(&ids, `SELECT id FROM sessions WHERE worktree_id = ? AND archived_at IS NULL`, worktree); err != nil {
		return err
	}
	for _, id := range ids {
		if err := tx.Raise(sessionVersion, id); err != nil {
			return err
		}
	}
	return raiseBoardsOf(tx, worktree)
}

// listSessions lists the sessions that meet the SQL condition, the most recently active first: at most [mostListed],
// and one more for [listed].
func listSessions(tx *store.Tx, where string, args ...any) (list []Session, err error) {
	err = tx.Select(&list, `SELECT `+sessionColumns+sessionFrom+`WHERE `+where+`
		ORDER BY s.moved_at DESC, s.created_at DESC, s.id`+store.AtMost, append(args, mostListed+1)...)
	for i := range list {
		list[i].Now = tx.Now
	}
	return list, err
}

// A page shows a session's family: all sessions above it, and all sessions below the uppermost one. mostAbove limits
// the number of sessions above, and MostFamily the number of the uppermost and those below it.
const (
	mostAbove  = 10
	MostFamily = mostListed - mostAbove
)

// sessionsAround lists the family of a session, without the session itself and its children: the sessions above it, and
// the [MostFamily] sessions nearest to the uppermost one.
func sessionsAround(tx *store.Tx, s *Session) ([]Session, error) {
	return listSessions(tx, `s.id <> ? AND coalesce(s.parent_id, '') <> ? AND s.id IN (WITH RECURSIVE
		up (id, parent_id, n) AS (SELECT id, parent_id, 0 FROM sessions WHERE id = ?
			UNION ALL SELECT p.id, p.parent_id, up.n + 1 FROM up JOIN sessions p ON p.id = up.parent_id WHERE up.n < ?),
		down (id) AS (SELECT id FROM (SELECT id FROM up ORDER BY n DESC`+store.AtMost+`) top
			UNION ALL SELECT c.id FROM down JOIN sessions c ON c.parent_id = down.id)
		SELECT id FROM up UNION SELECT id FROM (SELECT id FROM down`+store.AtMost+`) near)`,
		s.ID, s.ID, s.ID, mostAbove, 1, MostFamily)
}

// NewSession has the fields of a new session. An empty Title is made from Prompt.
type NewSession struct {
	Title, Prompt string
	Manifest      *Manifest
	Worktree      *Worktree
	Parent        *Session // nil for none
	Kin           string   // relation to the parent; empty for none
}

// StartSession adds a session of the acting member, with its first turn. It returns the errors of [AddPrompt].
func StartSession(tx *store.Tx, by store.Actor, n NewSession) (*Session, error) {
	s, err := insertSession(tx, by.In(n.Worktree.OrgID).MemberID(), n)
	if err != nil {
		return nil, err
	}
	if s, err = FindSession(tx, by, n.Worktree.Studio.Handle, s.ID); err != nil {
		return nil, err
	}
	return s, AddPrompt(tx, by, s, n.Prompt)
}

// insertSession adds a session without turns. The result has only the id.
func insertSession(tx *store.Tx, memberID string, n NewSession) (*Session, error) {
	id, w, parent, copied := store.NewID(), n.Worktree, "", ""
	if n.Parent != nil {
		parent = n.Parent.ID
	}
	if n.Kin == KinFork {
		copied = n.Parent.AgentSession
	}
	return &Session{ID: id}, tx.Exec(`INSERT INTO sessions (id, org_id, studio_id, worktree_id, manifest_id, member_id, parent_id,
		relation, title, agent_session, copied, created_at, moved_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, w.OrgID,
		w.StudioID, w.ID, n.Manifest.ID, memberID, store.Null(parent), cmp.Or(n.Kin, KinRoot), titleOf(n), copied,
		number(copied != ""),
		store.At(tx.Now), store.At(tx.Now))
}

func titleOf(n NewSession) string {
	if n.Title != "" {
		return n.Title
	}
	line, _, _ := strings.Cut(strings.TrimSpace(n.Prompt), "\n")
	line = strings.TrimLeft(strings.NewReplacer("**", "", "`", "").Replace(line), "#>- ") // without markdown
	line = cmp.Or(line, "A session")
	return cutText(line, 80)
}

// RenameSession changes the title of a session.
func RenameSession(tx *store.Tx, s *Session, title string) error {
	s.Title = title
	if err := tx.Exec(`UPDATE sessions SET title = ? WHERE id = ?`, title, s.ID); err != nil {
		return err
	}
	return raiseSession(tx, s.ID)
}

// ArchiveSession archives a session, or restores it if archived is false.
func ArchiveSession(tx *store.Tx, s *Session, archived bool) error {
	s.ArchivedAt = store.Time{}
	if archived {
		s.ArchivedAt = store.At(tx.Now)
	}
	if err := tx.Exec(`UPDATE sessions SET archived_at = ? WHERE id = ?`, s.ArchivedAt, s.ID); err != nil {
		return err
	}
	return raiseSession(tx, s.ID)
}
