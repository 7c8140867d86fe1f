package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"samepage/actions/effect/runner/acp"
	"samepage/actions/effect/runner/git"
	"samepage/actions/effect/runner/turn"
	"samepage/store/work/wire"
)

// mostAgents is the maximum number of turns that run at the same time.
const mostAgents = 20

// working is a turn that this runner has claimed and runs.
type working struct {
	*wire.Turn
	since  time.Time      // when the claim was requested; if not renewed, it expires [wire.TurnLease] later
	claim  map[string]any // params that identify the claim
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	waiting map[int]chan string // channels for the answers to permission requests, by the number of the request's event

	moved string // head of the worktree if it differs from a known LastHead; otherwise empty
}

// tend claims those queued turns that can run now, passes answers and stop requests to the running turns, and waits up
// to waitFor for a change of the runner's page.
func (r *Runner) tend(ctx context.Context, agents *sync.WaitGroup) error {
	p, err := r.site.read(ctx, r.Page)
	if err != nil {
		return err
	}
	for i := range p.Data.Turns {
		t := &p.Data.Turns[i]
		r.mu.Lock()
		w, busy, many := r.working[t.ID], false, len(r.working) >= mostAgents || r.git == nil
		for other := range maps.Values(r.working) {
			busy = busy || other.WorktreeID == t.WorktreeID && other.Commit == "" && t.Commit == ""
		}
		r.mu.Unlock()
		switch {
		case w != nil && t.Claim == w.Claim+1:
			w.relay(t)
		case t.State == "queued" && !busy && !many && p.Data.State != "stopped":
			if err := r.claim(ctx, t, agents); err != nil {
				return err
			}
		}
	}
	_, err = r.site.read(ctx, fmt.Sprintf("%s?wait=%d&since=%s", r.Page, int(waitFor/time.Second), p.Version))
	return err
}

// claim claims a turn and starts a goroutine that runs it. A conflict is no error.
func (r *Runner) claim(ctx context.Context, t *wire.Turn, agents *sync.WaitGroup) error {
	since := time.Now()
	secret, err := r.site.take(ctx, r.Page, r.Verbs.ClaimTurn, map[string]any{"turn": t.ID, "claim": t.Claim})
	if isConflict(err) || err == nil && secret == "" {
		return nil
	}
	if err != nil {
		return err
	}
	w := &working{Turn: t, since: since, claim: map[string]any{"turn": t.ID, "claim": t.Claim + 1},
		waiting: map[int]chan string{}}
	working, cancel := context.WithCancelCause(ctx)
	w.cancel = cancel
	r.mu.Lock()
	r.working[t.ID] = w
	r.mu.Unlock()
	agents.Go(func() {
		defer cancel(nil)
		r.work(ctx, working, w, secret)
		r.mu.Lock()
		delete(r.working, t.ID)
		r.mu.Unlock()
		r.tell()
	})
	return nil
}

func (w *working) with(params map[string]any) map[string]any {
	all := maps.Clone(w.claim)
	maps.Copy(all, params)
	return all
}

// relay passes answers and a stop request from the runner's page to the turn.
func (w *working) relay(t *wire.Turn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range t.Answers {
		if c := w.waiting[a.Event]; c != nil {
			c <- a.Choice
			delete(w.waiting, a.Event) // because the page can list the same answer again
		}
	}
	if t.Stop {
		w.cancel(turn.ErrStop)
	}
}

// farewell is how long turns may still send their last reports after the runner was stopped.
const farewell = 10 * time.Second

// work runs a turn to its end and reports the result. If the claim is lost, it abandons the turn.
func (r *Runner) work(runner, ctx context.Context, w *working, secret string) {
	held, lose := context.WithCancelCause(context.WithoutCancel(ctx)) // ends when the claim is lost or farewell is over
	defer lose(nil)
	defer context.AfterFunc(runner, func() {
		time.AfterFunc(farewell, func() { lose(errors.New("the runner has ended")) })
	})()
	go r.hold(held, w, lose)
	end := r.run(ctx, held, w, secret)
	if held.Err() != nil {
		r.Log.Warn("the runner gave a turn up", "turn", w.ID, "error", context.Cause(held))
		return
	}
	err := r.finish(held, w, end)
	if refused, ok := errors.AsType[*answerError](err); ok && !isConflict(err) {
		err = r.finish(held, w, &wire.TurnEnd{State: end.State, Class: end.Class, HeadBefore: end.HeadBefore,
			HeadAfter: end.HeadAfter,
			Reason:    strings.TrimSpace(end.Reason + " The rest of the report was refused: " + refused.message)})
	}
	if err != nil {
		r.Log.Warn("the end of a turn could not be reported", "turn", w.ID, "error", err)
	}
}

func (r *Runner) finish(held context.Context, w *working, end *wire.TurnEnd) error {
	text, err := encode(end)
	if err != nil {
		return err
	}
	return r.persist(held, r.Verbs.FinishTurn, w.with(map[string]any{"report": string(text)}))
}

// persist takes an action on the runner's page. It tries again until the server accepts or refuses the action, or the
// context is done. A status of 429, or from 500 on, is not a refusal.
func (r *Runner) persist(held context.Context, verb string, params map[string]any) error {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := r.site.act(held, r.Page, verb, params)
		refused, ok := errors.AsType[*answerError](err)
		if err == nil || ok && refused.status < http.StatusInternalServerError &&
			refused.status != http.StatusTooManyRequests {
			return err
		}
		select {
		case <-held.Done():
			return context.Cause(held)
		case <-time.After(pause):
		}
	}
}

// hold renews the claim of a turn until the context is done. After a conflict, or if the claim expires, hold calls lose
// and ends the turn.
func (r *Runner) hold(ctx context.Context, w *working, lose context.CancelCauseFunc) {
	last := w.since
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(renewEvery, wire.TurnLease-time.Since(last))):
		}
		asked, until := time.Now(), last.Add(wire.TurnLease)
		err := context.DeadlineExceeded
		if asked.Before(until) {
			renewal, end := context.WithDeadline(ctx, until)
			err = r.site.act(renewal, r.Page, r.Verbs.RenewTurn, w.claim)
			end()
		}
		switch {
		case err == nil:
			last = asked
			continue
		case ctx.Err() != nil:
			return
		case !isConflict(err) && time.Since(last) < wire.TurnLease:
			continue
		}
		lose(err)
		w.cancel(err)
		return
	}
}

// run runs the agent of a turn, commits the changed files of the worktree, and returns the report of the end. The agent
// of a review works in an exported copy of a commit, where nothing is committed.
func (r *Runner) run(ctx, held context.Context, w *working, secret string) *wire.TurnEnd {
	failed := func(err error) *wire.TurnEnd {
		return &wire.TurnEnd{State: string(turn.Failed), Class: string(acp.Crashed), Reason: sentence(err) + "."}
	}
	if w.Commit != "" {
		if err := r.export(held, w); err != nil {
			return failed(err)
		}
		end, err := r.converse(ctx, held, w, secret, r.reviewDir(w.Session))
		if err != nil {
			return failed(err)
		}
		end.HeadBefore, end.HeadAfter = w.Commit, w.Commit
		return end
	}
	t, err := r.tree(held, w.RepoID, w.WorktreeID, w.Branch)
	if err != nil {
		return failed(err)
	}
	before, err := r.keep(held, t, w)
	if err != nil {
		return failed(err)
	}
	if w.LastHead != "" && w.LastHead != string(before) {
		w.moved = string(before)
	}
	end, err := r.converse(ctx, held, w, secret, t.Dir)
	if err != nil {
		return failed(err)
	}
	end.HeadBefore = string(before)
	after, _, err := t.CommitTurn(held, git.Turn{ID: w.ID, Author: w.author(),
		Message: w.message(r.Origin), At: time.Now(), Branch: true})
	if err != nil {
		end.Reason = strings.TrimSpace(end.Reason + " The files could not be committed: " + sentence(err) + ".")
		return end
	}
	end.HeadAfter = string(after)
	if end.Tree, err = lookTree(held, t, w.Base); err != nil {
		end.Reason = strings.TrimSpace(end.Reason + " The worktree could not be looked at: " + sentence(err) + ".")
	}
	return end
}

func (r *Runner) reviewDir(session string) string { return filepath.Join(r.Data, "reviews", session) }

func (r *Runner) export(ctx context.Context, w *working) error {
	if git.CheckName(w.Session) != nil {
		return fmt.Errorf("%q is no session", w.Session)
	}
	repo, err := r.repo(ctx, w.RepoID)
	if err != nil {
		return err
	}
	at, err := git.ParseHash(w.Commit)
	if err != nil {
		return err
	}
	return repo.Export(ctx, "review-"+w.Session, r.reviewDir(w.Session), at)
}

func (r *Runner) converse(ctx, held context.Context, w *working, secret, dir string) (*wire.TurnEnd, error) {
	spec, err := r.spec(w, secret, dir)
	if err != nil {
		return nil, err
	}
	if err := r.persist(held, r.Verbs.RenewTurn, w.with(map[string]any{"begins": true})); err != nil {
		return nil, err
	}
	result := turn.Run(ctx, spec, &reporter{r: r, w: w, held: held, dir: dir})
	end := &wire.TurnEnd{State: string(result.State), Class: string(result.Class), Reason: result.Reason,
		AgentSession: result.Session,
		Fresh:        result.Fresh && (w.N > 1 || w.Fork)}
	if len(end.AgentSession) > wire.MaxAgentSession {
		end.AgentSession = ""
		end.Reason = strings.TrimSpace(end.Reason + fmt.Sprintf(" The agent's name of the conversation has more than "+
			"%d bytes, so the next turn begins a new one.", wire.MaxAgentSession))
	}
	count(end, &result)
	return end, nil
}

// keep saves the worktree's uncommitted files in a commit before a turn, and returns the HEAD commit of the worktree.
// The branch does not move.
func (r *Runner) keep(ctx context.Context, t *git.Tree, w *working) (git.Hash, error) {
	s, err := t.Look(ctx)
	if err != nil || !s.Dirty {
		return s.Head, err
	}
	_, s, err = t.CommitTurn(ctx, git.Turn{ID: fmt.Sprintf("%s-before-%d", w.ID, w.Claim),
		Message: "Files that were there before a turn",
		At:      time.Now()})
	if err != nil {
		return "", err
	}
	return s.Head, nil
}

func count(e *wire.TurnEnd, result *turn.Result) {
	if t := result.Tokens; t != nil {
		e.TokensIn, e.TokensOut = &t.Input, &t.Output
	}
	if u := result.Usage; u != nil && u.Cost != nil {
		if len(u.Cost.Currency) <= 10 { // a code, such as EUR
			e.Cost, e.Currency = new(int64(u.Cost.Amount*1e6+0.5)), u.Cost.Currency
		}
	}
}
