package work

import (
	"fmt"
	"slices"

	"samepage/store"
)

// RunnerTurn is a turn with everything that its runner needs to know.
type RunnerTurn struct {
	Turn
	RepoID       string `db:"repo_id"`
	Branch       string `db:"branch"`
	Base         string `db:"base"`
	AgentSession string `db:"agent_session"`
	Fork         bool   `db:"fork"` // the turn goes on with a copy of the agent's session
	Adapter      string `db:"adapter"`
	Argv         Lines  `db:"argv"`
	Env          Lines  `db:"env"`
	Mode         string `db:"mode"`
	Model        string `db:"model"`
	SignIn       string `db:"sign_in"`
	Label        string `db:"label"` // name of the agent
	Told         string `db:"told"`  // instructions of the manifest
	Title        string `db:"title"`
	Member       string `db:"member"`      // handle
	Studio       string `db:"studio"`      // handle
	Commit       string `db:"commit_hash"` // that is reviewed, in a folder of its own; empty for the worktree itself
	StudioName   string `db:"studio_name"`
	Answers      []Answer
}

// Answer is the answer to a request of a turn.
type Answer struct {
	Event  int    `db:"event" json:"event"` // number of the turn's event about the request
	Choice string `db:"choice" json:"choice"`
}

// URL returns the path of the page of the turn's session.
func (t *RunnerTurn) URL() string { return "/studios/" + t.Studio + "/sessions/" + t.SessionID }

const runnerTurnColumns = turnColumns + `, w.repo_id, w.branch, w.base, s.agent_session, s.relation = 'fork' AND t.n = 1 AS fork, f.adapter,
	f.argv, f.env, f.mode, f.model, f.sign_in, f.title AS label, f.prompt AS told, s.title, m.handle AS member, h.handle AS studio,
	h.name AS studio_name, coalesce(v.commit_hash, '') AS commit_hash`

const runnerTurnFrom = ` FROM turns t JOIN sessions s ON s.id = t.session_id JOIN worktrees w ON w.id = t.worktree_id
	JOIN manifests f ON f.id = s.manifest_id JOIN members m ON m.id = s.member_id JOIN studios h ON h.id = s.studio_id
	LEFT JOIN reviews v ON v.reviewer_id = s.id `

// mostTaken is the number of turns on the page of a runner.
const mostTaken = 20

// runnerTurns lists the turns of a runner that it may claim or works on. A turn waits for those before it in its
// session, and for the one that writes in its worktree, unless it only reads.
func runnerTurns(tx *store.Tx, r *Runner) ([]RunnerTurn, error) {
	var list []RunnerTurn
	now := store.At(tx.Now)
	if err := tx.Select(&list, `SELECT `+runnerTurnColumns+runnerTurnFrom+`WHERE t.runner_id = ? AND t.ended_at IS NULL
		AND (t.claimed_to > ? OR t.began_at IS NULL AND `+claimable+`) ORDER BY t.queued_at, t.id LIMIT ?`, r.ID,
		now, now, now,
		mostTaken); err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Now = tx.Now
		if list[i].State() == TurnQueued || list[i].State() == TurnStarting {
			continue
		}
		if err := tx.Select(&list[i].Answers,
			`SELECT event, choice FROM permissions WHERE turn_id = ? AND answered_at IS NOT NULL
			ORDER BY n`, list[i].ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// claimable is the condition that a turn (alias t) in a worktree (alias w) can be claimed now. Its arguments are
// twice the present time.
const claimable = `t.claim < ` + maxStarts + ` AND w.made_at IS NOT NULL AND w.archived_at IS NULL
	AND (t.reads = 1 OR NOT EXISTS (SELECT 1 FROM turns o WHERE o.worktree_id = t.worktree_id AND o.ended_at IS NULL AND o.id <> t.id
		AND o.reads = 0 AND o.claimed_to > ?))
	AND NOT EXISTS (SELECT 1 FROM turns o WHERE o.session_id = t.session_id AND o.n < t.n AND o.ended_at IS NULL
		AND (o.claimed_to > ? OR o.began_at IS NULL AND o.claim < ` + maxStarts + `))
	AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.worktree_id = t.worktree_id AND j.kind IN ('archive', 'checkout')
		AND j.ended_at IS NULL AND j.claim < ` + maxClaims + `)`

// ClaimTurn claims a turn that has had this number of claims. The claim comes with a token of the agent that ends
// with the turn. It returns [store.Conflict] if the turn cannot be claimed now. If the agent cannot have a token, the
// turn ends as failed, and the secret is empty.
func ClaimTurn(tx *store.Tx, r *Runner, id string, claims int) (secret string, err error) {
	now, until := store.At(tx.Now), store.At(tx.Now.Add(TurnLease))
	ok, err := tx.Changed(`UPDATE turns SET claim = claim + 1, claimed_to = ? WHERE id IN (SELECT t.id FROM turns t
		JOIN worktrees w ON w.id = t.worktree_id WHERE t.id = ? AND t.runner_id = ? AND t.claim = ? AND t.ended_at IS NULL
		AND t.began_at IS NULL AND (t.claimed_to IS NULL OR t.claimed_to <= ?) AND `+claimable+`)`, until, id, r.ID,
		claims, now,
		now, now)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", store.Errorf(store.Conflict, "The turn cannot be claimed now. Read this page again.")
	}
	t, s, err := turnOf(tx, r, id)
	if err != nil {
		return "", err
	}
	token, secret, err := turnToken(tx, s, until)
	if code := store.CodeOf(err); code == store.Conflict || code == store.Invalid {
		return "", FinishTurn(tx, t, s, &TurnEnd{State: TurnFailed, Class: "refused", Reason: err.Error()})
	}
	if err != nil {
		return "", err
	}
	if t.TokenID != "" {
		if _, err := tx.RevokeToken(store.System(), t.TokenID); err != nil && store.CodeOf(err) != store.NotFound {
			return "", err
		}
	}
	if err := tx.Exec(`UPDATE turns SET token_id = ? WHERE id = ?`, token.ID, id); err != nil {
		return "", err
	}
	if err := tx.Exec(`UPDATE sessions SET current = ?, moved_at = ? WHERE id = ?`, t.N, now, s.ID); err != nil {
		return "", err
	}
	if err := tx.Raise(sessionVersion, s.ID); err != nil || s.Kin != KinReview {
		return secret, err
	}
	return secret, raiseReviewOf(tx, s)
}

// turnToken makes the token of a turn. It returns [store.Conflict] if the member of the session is not in the studio
// any more, and [store.Invalid] if an agent cannot have the title of the manifest as its name.
func turnToken(tx *store.Tx, s *Session, until store.Time) (*store.Token, string, error) {
	m, err := tx.MemberIn(s.StudioID, s.MemberID)
	if store.CodeOf(err) == store.NotFound {
		return nil, "", store.Errorf(store.Conflict, "@%s, for whom the agent acts, is not in the studio any more.",
			s.Member)
	}
	if err != nil {
		return nil, "", err
	}
	return tx.CreateToken(m, store.Grant{Label: s.Agent, Scopes: store.Set[store.Scope]{store.ScopeRead,
		store.ScopeWrite},
		Expires: until})
}

// turnOf finds a turn of the runner, and its session. It returns [store.Missing] if there is none.
func turnOf(tx *store.Tx, r *Runner, id string) (*Turn, *Session, error) {
	t := &Turn{Now: tx.Now}
	if err := tx.Get(t, `SELECT `+turnColumns+` FROM turns t WHERE t.runner_id = ? AND t.id = ?`, r.ID,
		id); err != nil {
		return nil, nil, err
	}
	s, err := SessionByID(tx, t.SessionID)
	return t, s, err
}

// HeldTurn finds a turn on which the runner works under this claim, and its session. It returns [store.Conflict] if
// the claim holds no more.
func HeldTurn(tx *store.Tx, r *Runner, id string, claim int) (*Turn, *Session, error) {
	t, s, err := turnOf(tx, r, id)
	if err == nil && (t.Claim != claim || !t.EndedAt.IsZero() || !t.ClaimedTo.After(tx.Now)) {
		err = store.Errorf(store.Conflict, "This claim holds no more. End the process, and claim nothing for it.")
	}
	return t, s, err
}

// RenewTurn extends a claim, and the life of its token. If begins is set, a process is about to start, and the turn
// is never given to another one.
func RenewTurn(tx *store.Tx, t *Turn, s *Session, begins bool) error {
	until := store.At(tx.Now.Add(TurnLease))
	if err := tx.Exec(`UPDATE turns SET claimed_to = ? WHERE id = ?`, until, t.ID); err != nil {
		return err
	}
	if err := tx.ExtendToken(t.TokenID, until); err != nil {
		return err
	}
	if !begins || !t.BeganAt.IsZero() {
		return nil
	}
	if err := tx.Exec(`UPDATE turns SET began_at = ? WHERE id = ?`, store.At(tx.Now), t.ID); err != nil {
		return err
	}
	return tx.Raise(sessionVersion, s.ID)
}

// ReportEvents adds events to a turn, in order. Those that were reported before change nothing. It returns
// [store.Invalid] if one is missing before them, or one is too long.
func ReportEvents(tx *store.Tx, t *Turn, s *Session, list []TurnEvent) error {
	list = slices.DeleteFunc(list, func(e TurnEvent) bool { return e.N <= t.Events })
	for i, e := range list {
		if e.N != t.Events+i+1 {
			return store.Errorf(store.Invalid, "Event %d is missing.", t.Events+i+1)
		}
		if len(e.Text)+len(e.Data) > MaxEventBytes {
			return store.Errorf(store.Invalid, "Event %d has more than %d bytes.", e.N, MaxEventBytes)
		}
	}
	if len(list) == 0 {
		return nil
	}
	if err := insertEvents(tx, t, list); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE turns SET events = ? WHERE id = ?`, t.Events+len(list), t.ID); err != nil {
		return err
	}
	for _, e := range list {
		if e.Kind == "began" { // stored at once, so that the next turn can go on even if this one never ends
			if err := tx.Exec(`UPDATE sessions SET agent_session = ? WHERE id = ?`, cutText(e.Text, 200),
				s.ID); err != nil {
				return err
			}
		}
	}
	return tx.Raise(sessionVersion, s.ID)
}

// insertEvents inserts events, 100 with each statement.
func insertEvents(tx *store.Tx, t *Turn, list []TurnEvent) error {
	for some := range slices.Chunk(list, 100) {
		query, args := `INSERT INTO turn_events (turn_id, n, org_id, at, kind, text, data) VALUES `, []any{}
		for i, e := range some {
			if i > 0 {
				query += `, `
			}
			query += `(?, ?, ?, ?, ?, ?, ?)`
			args = append(args, t.ID, e.N, t.OrgID, store.At(tx.Now), e.Kind, e.Text, string(e.Data))
		}
		if err := tx.Exec(query, args...); err != nil {
			return err
		}
	}
	return nil
}

// TurnEnd is the report of the end of a turn.
type TurnEnd struct {
	State        string         `json:"state"`
	Class        string         `json:"class"`
	Reason       string         `json:"reason"`
	AgentSession string         `json:"agent_session"`
	Fresh        bool           `json:"fresh"`
	HeadBefore   string         `json:"head_before"`
	HeadAfter    string         `json:"head_after"`
	TokensIn     *int64         `json:"tokens_in"`
	TokensOut    *int64         `json:"tokens_out"`
	Cost         *int64         `json:"cost"`
	Currency     string         `json:"currency"`
	Tree         *WorktreeFacts `json:"tree"` // the worktree after the turn; nil if it could not be looked at
}

// Check returns [store.Invalid] for a report that no runner makes.
func (e *TurnEnd) Check() error {
	if !slices.Contains(endStates, e.State) {
		return store.Errorf(store.Invalid, "A turn ends in none of the states %q.", e.State)
	}
	if len(e.AgentSession) > 200 || len(e.Class) > 50 || len(e.Currency) > 10 || len(e.HeadBefore) > 40 ||
		len(e.HeadAfter) > 40 {
		return store.Errorf(store.Invalid, "A name or a hash is too long.")
	}
	if e.Tree != nil {
		return e.Tree.check()
	}
	return nil
}

// FinishTurn ends a turn, and with it the token of the agent.
func FinishTurn(tx *store.Tx, t *Turn, s *Session, e *TurnEnd) error {
	now := store.At(tx.Now)
	fresh := 0
	if e.Fresh {
		fresh = 1
	}
	if err := tx.Exec(`UPDATE turns SET ended_at = ?, state = ?, class = ?, reason = ?, fresh = ?, head_before = ?, head_after = ?,
		tokens_in = ?, tokens_out = ?, cost = ?, currency = ? WHERE id = ?`, now, e.State, e.Class,
		cutText(e.Reason, 500), fresh,
		e.HeadBefore, e.HeadAfter, e.TokensIn, e.TokensOut, e.Cost, e.Currency, t.ID); err != nil {
		return err
	}
	if _, err := tx.RevokeToken(store.System(), t.TokenID); t.TokenID != "" && err != nil &&
		store.CodeOf(err) != store.NotFound {
		return err
	}
	if e.AgentSession != "" {
		if err := tx.Exec(`UPDATE sessions SET agent_session = ? WHERE id = ?`, e.AgentSession, s.ID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE sessions SET moved_at = ? WHERE id = ?`, now, s.ID); err != nil {
		return err
	}
	if e.Tree != nil {
		if err := ReportWorktree(tx, s.WorktreeID, *e.Tree); err != nil {
			return err
		}
	}
	if err := tellParent(tx, s, e); err != nil {
		return err
	}
	if err := beginReviews(tx, s, e.HeadAfter); err != nil {
		return err
	}
	if s.Kin == KinReview {
		if err := raiseReviewOf(tx, s); err != nil {
			return err
		}
	}
	return tx.Raise(sessionVersion, s.ID)
}

// tellParent prompts the session whose agent spawned this one, once nothing waits here any more. A person who spawned
// it sees the end on the page.
func tellParent(tx *store.Tx, s *Session, e *TurnEnd) error {
	if s.Kin != KinSpawn || s.Turns > s.Current {
		return nil
	}
	first, err := FindTurn(tx, s, 1)
	if err != nil || first.Origin != "agent" {
		return err
	}
	parent, err := SessionByID(tx, s.ParentID)
	if err != nil || !parent.ArchivedAt.IsZero() || parent.Turns-parent.Current >= MaxQueue ||
		parent.MemberID != s.MemberID {
		return err
	}
	return addPrompt(tx, parent, prompt{
		text:   fmt.Sprintf("The session that you began has ended a turn: %s. Its page is %s.", e.State, s.URL()),
		origin: "callback", member: s.MemberID, depth: first.Depth})
}

// cutText returns the first characters of a text.
func cutText(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
