package work

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"samepage/store"
	"samepage/store/work/wire"
)

// ClaimTurn claims a turn that has had this number of claims, and returns the secret of its agent's token. If the agent
// cannot have a token, the turn ends as failed, and the secret is empty. ClaimTurn returns [store.Conflict] if the turn
// cannot be claimed now.
func ClaimTurn(tx *store.Tx, r *Runner, id string, claims int) (secret string, err error) {
	now, until := store.At(tx.Now), store.At(tx.Now.Add(wire.TurnLease))
	ok, err := tx.Changed(`UPDATE turns SET claim = claim + 1, claimed_to = ? WHERE id IN (SELECT t.id FROM turns t
		JOIN worktrees w ON w.id = t.worktree_id WHERE t.id = ? AND t.runner_id = ? AND t.claim = ? AND t.ended_at IS NULL
		AND t.began_at IS NULL AND (t.claimed_to IS NULL OR t.claimed_to <= ?) AND `+claimable()+`)`, until, id, r.ID,
		claims, now, now, now)
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
	s.Current = t.N
	if err := tx.Exec(`UPDATE sessions SET current = ?, moved_at = ? WHERE id = ?`, t.N, now, s.ID); err != nil {
		return "", err
	}
	token, secret, err := turnToken(tx, t, s, until)
	if code := store.CodeOf(err); code == store.Conflict || code == store.Invalid {
		return "", FinishTurn(tx, t, s, &wire.TurnEnd{State: TurnFailed, Class: "refused", Reason: err.Error()})
	}
	if err != nil {
		return "", err
	}
	if t.TokenID != "" {
		if err := tx.EndToken(t.TokenID); err != nil {
			return "", err
		}
	}
	if err := tx.Exec(`UPDATE turns SET token_id = ? WHERE id = ?`, token.ID, id); err != nil {
		return "", err
	}
	if err := raiseSession(tx, s.ID); err != nil || s.Kin != KinReview {
		return secret, err
	}
	return secret, raiseReviewOf(tx, s)
}

// turnToken makes the token of a turn, with at most the rights of the token with which the chain of prompts began. It
// returns [store.Conflict] if that token is not in force, the agent is paused, or the session's member is not in the
// studio, and [store.Invalid] if the title of the manifest cannot be the label of an agent.
func turnToken(tx *store.Tx, t *Turn, s *Session, until store.Time) (*store.Token, string, error) {
	m, err := tx.MemberIn(s.StudioID, s.MemberID)
	if store.CodeOf(err) == store.NotFound {
		return nil, "", store.Errorf(store.Conflict, "@%s, for whom the agent acts, is not in the studio any more.",
			s.Member)
	}
	if err != nil {
		return nil, "", err
	}
	switch paused, err := tx.IsAgentPaused(m, s.Agent); {
	case err != nil:
		return nil, "", err
	case paused:
		return nil, "", store.Errorf(store.Conflict,
			"%s is paused. Resume the agent on its page, and prompt again.", s.Byline())
	}
	var g store.Grant
	if t.ByToken != "" {
		if g, err = tx.GrantInForce(t.ByToken); store.CodeOf(err) == store.NotFound {
			return nil, "", store.Errorf(store.Conflict,
				"The token with which an agent wrote the prompt is not in force any more.")
		}
		if err != nil {
			return nil, "", err
		}
	}
	return tx.CreateToken(m, store.Grant{Label: s.Agent, Scopes: store.Set[store.Scope]{store.ScopeRead,
		store.ScopeWrite},
		Roles: g.Roles, Kinds: g.Kinds, Asks: g.Asks, Public: g.Public, Turn: true, BegunBy: t.ByToken, Expires: until})
}

func turnOf(tx *store.Tx, r *Runner, id string) (*Turn, *Session, error) {
	t := &Turn{Now: tx.Now}
	if err := tx.Get(t, `SELECT `+turnColumns+` FROM turns t WHERE t.runner_id = ? AND t.id = ?`, r.ID,
		id); err != nil {
		return nil, nil, err
	}
	s, err := SessionByID(tx, t.SessionID)
	return t, s, err
}

// SessionOfTurn finds the session of a turn of the runner, or returns [store.Missing].
func SessionOfTurn(tx *store.Tx, r *Runner, id string) (*Session, error) {
	_, s, err := turnOf(tx, r, id)
	return s, err
}

// HeldTurn finds a turn of the runner with its session. It returns [store.Missing] if there is none, and
// [store.Conflict] if the claim is not in force.
func HeldTurn(tx *store.Tx, r *Runner, id string, claim int) (*Turn, *Session, error) {
	t, s, err := turnOf(tx, r, id)
	if err == nil && (t.Claim != claim || !t.EndedAt.IsZero() || !t.ClaimedTo.After(tx.Now)) {
		err = store.Errorf(store.Conflict, "This claim holds no more. End the process, and claim nothing for it.")
	}
	return t, s, err
}

// MustHaveBegun returns [store.Conflict] if the runner has not announced an agent process. Such a turn can be claimed
// again, so the events of two claims could mix.
func (t *Turn) MustHaveBegun() error {
	if t.BeganAt.IsZero() {
		return store.Errorf(store.Conflict, "The turn has not begun. Say so first, with begins (renew_turn).")
	}
	return nil
}

// RenewTurn extends the claim of a turn and the life of its token. If begins is true, it also records that a process is
// about to start. The turn then cannot be claimed again. If the turn's token was revoked, or the token with which the
// turn began is not in force any more, RenewTurn asks the runner to stop the turn, and gives the token no longer life.
func RenewTurn(tx *store.Tx, t *Turn, s *Session, begins bool) error {
	until := store.At(tx.Now.Add(wire.TurnLease))
	if err := tx.Exec(`UPDATE turns SET claimed_to = ? WHERE id = ?`, until, t.ID); err != nil {
		return err
	}
	if err := extendToken(tx, t, s, until); err != nil {
		return err
	}
	if !begins || !t.BeganAt.IsZero() {
		return nil
	}
	if err := tx.Exec(`UPDATE turns SET began_at = ? WHERE id = ?`, store.At(tx.Now), t.ID); err != nil {
		return err
	}
	return raiseSession(tx, s.ID)
}

// ReportEvents adds events to a turn, and skips those that were reported before. It returns [store.Invalid] if an event
// is missing before them or between them, or if an event is too long.
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
		if e.Kind == "began" &&
			len(e.Text) <= wire.MaxAgentSession { // stored now, so that the next turn can continue even if this one never ends
			if err := tx.Exec(`UPDATE sessions SET agent_session = ?, copied = 0 WHERE id = ?`, e.Text,
				s.ID); err != nil {
				return err
			}
		}
	}
	if err := noteStep(tx, t, s, list); err != nil {
		return err
	}
	if u := lastUsage(list); u != nil {
		if err := u.store(tx, t, s); err != nil {
			return err
		}
		return raiseSession(tx, s.ID)
	}
	return tx.Raise(sessionVersion, s.ID)
}

// usage is the data of an event of the kind usage: the tokens of the context window, and the cost so far.
type usage struct {
	Used, Size int64
	Cost       *struct {
		Amount   float64
		Currency string
	}
}

// lastUsage returns the last plausible usage in the events, or nil.
func lastUsage(list []TurnEvent) *usage {
	for _, e := range slices.Backward(list) {
		const most = 1 << 40
		var u usage
		if e.Kind == "usage" && json.Unmarshal(e.Data, &u) == nil && u.Used >= 0 && u.Used < most && u.Size > 0 && u.Size < most {
			return &u
		}
	}
	return nil
}

// store stores the usage with the session, and the cost unless it is missing or implausible.
func (u *usage) store(tx *store.Tx, t *Turn, s *Session) error {
	if err := tx.Exec(`UPDATE sessions SET context_used = ?, context_size = ? WHERE id = ?`, u.Used, u.Size, s.ID); err != nil {
		return err
	}
	c := u.Cost
	if c == nil || c.Amount < 0 || c.Amount >= 1e9 || len(c.Currency) > 10 {
		return nil
	}
	return setCost(tx, t, s, int64(c.Amount*1e6+0.5), c.Currency)
}

// setCost stores the cost of the conversation so far, in millionths of the currency, and adds the increase to the
// agent's cost of today. An empty currency leaves the turn's currency unchanged.
func setCost(tx *store.Tx, t *Turn, s *Session, cost int64, currency string) error {
	var before int64
	if t.Cost != nil {
		before = *t.Cost
	} else {
		var err error
		if before, err = costBefore(tx, t); err != nil {
			return err
		}
	}
	t.Cost, t.Currency = &cost, cmp.Or(currency, t.Currency)
	if err := tx.Exec(`UPDATE turns SET cost = ?, currency = ? WHERE id = ?`, cost, t.Currency, t.ID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE sessions SET cost = ?, currency = ? WHERE id = ?`, cost, t.Currency, s.ID); err != nil {
		return err
	}
	return tx.AddCost(t.TokenID, cost-before, t.Currency)
}

// costBefore returns the last known cost of the session before the turn, or 0.
func costBefore(tx *store.Tx, t *Turn) (cost int64, err error) {
	err = tx.Get(&cost, `SELECT coalesce((SELECT cost FROM turns WHERE session_id = ? AND n < ? AND cost IS NOT NULL
		ORDER BY n DESC LIMIT 1), 0)`, t.SessionID, t.N)
	return cost, err
}

// countFresh corrects the agent's cost of today after a turn with a fresh conversation. The cost of that conversation
// began at zero, but setCost has subtracted the session's earlier cost. countFresh adds the earlier cost again.
func countFresh(tx *store.Tx, t *Turn) error {
	if t.Cost == nil {
		return nil
	}
	before, err := costBefore(tx, t)
	if err != nil || before == 0 {
		return err
	}
	return tx.AddCost(t.TokenID, before, t.Currency)
}

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

// CheckTurnEnd returns [store.Invalid] for a malformed report.
func CheckTurnEnd(e *wire.TurnEnd) error {
	if !slices.Contains(endStates, e.State) {
		return store.Errorf(store.Invalid, "A turn ends in none of the states %q.", e.State)
	}
	if len(e.AgentSession) > wire.MaxAgentSession || len(e.Class) > 50 || len(e.Currency) > 10 || len(e.HeadBefore) > 40 ||
		len(e.HeadAfter) > 40 {
		return store.Errorf(store.Invalid, "A name or a hash is too long.")
	}
	if e.Tree != nil {
		return checkWorktree(e.Tree)
	}
	return nil
}

// FinishTurn ends a turn and its token, and stores the report on the worktree. It begins a review that waited for the
// end, or cancels it if there is no commit.
func FinishTurn(tx *store.Tx, t *Turn, s *Session, e *wire.TurnEnd) error {
	now := store.At(tx.Now)
	if err := tx.Exec(`UPDATE turns SET ended_at = ?, state = ?, class = ?, reason = ?, fresh = ?, head_before = ?, head_after = ?,
		tokens_in = ?, tokens_out = ? WHERE id = ?`, now, e.State, e.Class, cutText(e.Reason, 500), number(e.Fresh),
		e.HeadBefore, e.HeadAfter, e.TokensIn, e.TokensOut, t.ID); err != nil {
		return err
	}
	if e.Cost != nil {
		if err := setCost(tx, t, s, *e.Cost, e.Currency); err != nil {
			return err
		}
	}
	if e.Fresh {
		if err := countFresh(tx, t); err != nil {
			return err
		}
	}
	if e.AgentSession != "" {
		if err := tx.Exec(`UPDATE sessions SET agent_session = ?, copied = 0 WHERE id = ?`, e.AgentSession, s.ID); err != nil {
			return err
		}
	}
	if e.Tree != nil {
		if err := ReportWorktree(tx, s.WorktreeID, *e.Tree); err != nil {
			return err
		}
	}
	if err := endTurn(tx, t, s, e.State); err != nil {
		return err
	}
	head := e.HeadAfter
	if head == "" { // the runner could not read the worktree
		if err := tx.Get(&head, `SELECT head FROM worktrees WHERE id = ?`, s.WorktreeID); err != nil {
			return err
		}
	}
	return beginReviews(tx, s, head)
}

// endTurn ends the token of an ended turn, updates the session and prompts the parent of a spawned session. If all
// turns of the session have ended, the last one becomes the current one, even if it was withdrawn.
func endTurn(tx *store.Tx, t *Turn, s *Session, state string) error {
	if t.TokenID != "" {
		if err := tx.EndToken(t.TokenID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE sessions SET moved_at = ?, current = CASE WHEN EXISTS (SELECT 1 FROM turns o
		WHERE o.session_id = sessions.id AND o.ended_at IS NULL) THEN current ELSE turns END WHERE id = ?`, store.At(tx.Now),
		s.ID); err != nil {
		return err
	}
	if err := tx.Get(&s.Current, `SELECT current FROM sessions WHERE id = ?`, s.ID); err != nil {
		return err
	}
	if err := tellParent(tx, t, s, state); err != nil {
		return err
	}
	if s.Kin == KinReview {
		if err := raiseReviewOf(tx, s); err != nil {
			return err
		}
	}
	return raiseSession(tx, s.ID)
}

// tellParent prompts the parent session after the last turn of a spawned session, if an agent wrote its first prompt.
// The parent gets no prompt if it is archived, acts for another member, or has [MaxQueue] prompts waiting.
func tellParent(tx *store.Tx, t *Turn, s *Session, state string) error {
	if s.Kin != KinSpawn {
		return nil
	}
	var goesOn bool
	if err := tx.Get(&goesOn, `SELECT EXISTS (SELECT 1 FROM turns WHERE session_id = ? AND ended_at IS NULL)`,
		s.ID); err != nil || goesOn {
		return err
	}
	first, err := FindTurn(tx, s, 1)
	if err != nil || first.Origin != "agent" {
		return err
	}
	parent, err := SessionByID(tx, s.ParentID)
	if err != nil || !parent.ArchivedAt.IsZero() || parent.waiting() >= MaxQueue ||
		parent.MemberID != s.MemberID {
		return err
	}
	return addPrompt(tx, parent, prompt{
		text:   fmt.Sprintf("The session that you began has ended a turn: %s. Its page is %s.", state, s.URL()),
		origin: "callback", member: s.MemberID, chain: chain{t.ByToken, t.Depth}})
}
