// Package runner keeps git repositories for an organization and runs agents. It is a client of the Samepage server: it
// reads the waiting jobs and turns from the runner's page, claims them, does them, and reports. The server is an
// http.Handler, in the same process or behind a network connection.
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"samepage/actions/effect/runner/forge"
	"samepage/actions/effect/runner/git"
	"samepage/actions/effect/runner/machine"
	"samepage/actions/effect/runner/process"
)

// Config is the configuration of a runner.
type Config struct {
	Site    http.Handler
	Origin  string   // scheme and host of the server's URL
	Page    string   // path of the runner's page
	Token   string   // access token of the runner
	Data    string   // absolute path of a folder that belongs to this runner
	Roots   []string // folders and URLs that may hold repositories; the runner's page must allow a source too
	Version string   // version of this program
	Agents  bool     // whether the runner starts agents and other programs, as its own user
	Scripts string   // folder of scripts; if set, the runner starts only "samepage agent-script NAME" with one of these
	Verbs   Verbs
	Forges  []forge.Account // accounts for fetching, pushing and pull requests
	// WatchEvery is the interval at which published pull requests are polled. The default is 2 minutes.
	WatchEvery time.Duration
	// CheckTime is the time limit of a check or setup program. The default is 15 minutes.
	CheckTime time.Duration
	MCP       string // URL of the server's MCP endpoint, for agents
	Program   string // path of the samepage program, for scripts, and as the MCP server of agents without MCP over HTTP
	Log       *slog.Logger
}

// Verbs has the names of the actions that a runner takes on its page.
type Verbs struct {
	Announce, Claim, Renew, Finish                    string
	ReportPull, ReportEnvironment                     string
	ClaimTurn, RenewTurn, ReportTurn, Ask, FinishTurn string
}

const (
	waitFor    = 30 * time.Second // maximum wait for a change of the page
	renewEvery = 10 * time.Second // a third of the time after which claims expire
)

// Runner is the state of a runner that [Run] runs.
type Runner struct {
	Config
	site    *site
	mu      sync.Mutex
	git     *git.Git             // nil if git is not installed; guarded by mu
	repos   map[string]*git.Repo // by id; guarded by mu
	working map[string]*working  // by turn id; guarded by mu
	aside   map[string]*job      // jobs that run beside others, by id; guarded by mu
	envs    map[string]*program  // by worktree id; guarded by mu
	ended   chan struct{}        // receives a value when a turn, a job in aside or a program has ended
	watched time.Time            // end of the last poll, or later for a limit of the forge; guarded by mu
	// watching means that pull requests are being polled; guarded by mu.
	watching bool
	// lastSeen is the id of the last pull request in the previous poll; guarded by mu.
	lastSeen string

	beside sync.WaitGroup // jobs beside others, environments, and polls of pull requests
}

// Run runs a runner until the context is done. It returns an error if the folder c.Data cannot be used, or if another
// runner uses it. If the server cannot be reached or refuses the token, Run tries again.
func Run(ctx context.Context, c Config) error {
	c.WatchEvery, c.CheckTime = cmp.Or(c.WatchEvery, watchEvery), cmp.Or(c.CheckTime, checkTime)
	ctx, release := stoppable(ctx)
	defer release()
	if err := os.MkdirAll(filepath.Join(c.Data, "repos"), 0o700); err != nil {
		return fmt.Errorf("the runner's folder: %w", err)
	}
	held, err := os.OpenFile(filepath.Join(c.Data, "runner.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("the runner's folder: %w", err)
	}
	defer unlock(held)
	if err := lock(held); err != nil {
		return fmt.Errorf("another runner may use the folder %s: %w", c.Data, err)
	}
	if c.Agents {
		if err := hideMemory(); err != nil {
			c.Log.Warn("agents of the same user can read the environment of this program", "error", err)
		}
		if os.Geteuid() == 0 && c.Scripts == "" {
			c.Log.Warn("the runner is root, and so are its agents: they can read its token and change everything on this machine. " +
				"Give it a user of its own.")
		}
	}
	left, err := process.EndLeftovers(filepath.Join(c.Data, "runs"))
	if err != nil {
		return fmt.Errorf("the processes of an earlier run: %w", err)
	}
	for _, l := range left {
		c.Log.Warn("a process of an earlier run was ended", "turn", l.Turn, "processes", l.Ended)
	}
	if err := os.RemoveAll(filepath.Join(c.Data, "checks")); err != nil {
		c.Log.Warn("the folders of earlier checks could not be removed", "error", err)
	}
	r := &Runner{Config: c, site: &site{handler: c.Site, origin: c.Origin, token: c.Token},
		repos:   map[string]*git.Repo{},
		working: map[string]*working{}, aside: map[string]*job{}, envs: map[string]*program{}, ended: make(chan struct{}, 1)}
	var agents sync.WaitGroup
	if c.Agents {
		agents.Go(func() { r.again(ctx, func(ctx context.Context) error { return r.tend(ctx, &agents) }) })
	}
	r.again(ctx, r.poll)
	agents.Wait()
	r.stopEnvironments()
	r.beside.Wait()
	return nil
}

// again calls do until the context is done. After an error, it pauses for a second, after each further error in a row
// for longer, up to 30 seconds, and at least as long as the server says. An error of a call that took more than a
// second counts as the first, because a proxy may have cut a request that waited for a change.
func (r *Runner) again(ctx context.Context, do func(context.Context) error) {
	pause := time.Second
	for ctx.Err() == nil {
		began := time.Now()
		err := do(ctx)
		if time.Since(began) > time.Second {
			pause = time.Second
		}
		switch {
		case ctx.Err() != nil:
		case err == nil:
			pause = time.Second
			continue
		default:
			r.Log.Warn("the runner tries again", "in", pause, "error", err)
		}
		if refused, ok := errors.AsType[*answerError](err); ok && refused.after > pause {
			pause = refused.after
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, 30*time.Second)
	}
}

// poll announces the runner and, unless the runner is stopped, reports environments, and does or starts the waiting
// jobs. If it has done no job itself, it then calls [Runner.await].
func (r *Runner) poll(ctx context.Context) error {
	problem := ""
	g, err := machine.Git(ctx)
	if err != nil {
		problem = err.Error()
	}
	said := map[string]any{"program": "samepage " + r.Version, "roots": r.Roots, "problem": problem,
		"starts": r.Agents, "forges": []string{}}
	if r.Agents && r.Scripts == "" {
		said["agents"] = machine.Agents(ctx)
	}
	if g != nil {
		said["git"] = g.Version
	}
	for _, a := range r.Forges {
		said["forges"] = append(said["forges"].([]string), a.Root)
	}
	r.mu.Lock()
	r.git = g
	r.mu.Unlock()
	if err := r.site.act(ctx, r.Page, r.Verbs.Announce, said); err != nil {
		return err
	}
	p, err := r.site.read(ctx, r.Page)
	if err != nil {
		return err
	}
	if p.Data.State == "stopped" {
		return r.await(ctx, p)
	}
	r.watchBeside(ctx, p)
	if err := r.reportEnvironments(ctx, p); err != nil {
		return err
	}
	done := false
	for i := range p.Data.Jobs { // the oldest first
		j := &job{&p.Data.Jobs[i], p.Data.Roots}
		switch {
		case !r.can(j):
		case doers[j.Kind].aside:
			r.takeBeside(ctx, j)
		default:
			done = true
			if err := r.take(ctx, j); err != nil {
				return err
			}
		}
	}
	if done {
		return nil // there may be new jobs
	}
	return r.await(ctx, p)
}

// can reports whether the runner can start a waiting job now. Of a kind with doer.aside, at most mostBeside jobs run
// at the same time, and if the kind is serial, at most one on each worktree or repository. A job of another kind can
// start if neither an agent nor a job about an environment runs in its worktree.
func (r *Runner) can(j *job) bool {
	if j.State != "waiting" {
		return false
	}
	if !doers[j.Kind].aside {
		return !r.worksIn(j.WorktreeID) && !r.startsIn(j.WorktreeID)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	same := 0
	for o := range maps.Values(r.aside) {
		if o.Kind != j.Kind {
			continue
		}
		if same++; doers[j.Kind].serial && o.RepoID == j.RepoID && o.WorktreeID == j.WorktreeID {
			return false
		}
	}
	return same < mostBeside
}

func (r *Runner) startsIn(worktree string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for o := range maps.Values(r.aside) {
		if o.Kind == environmentKind && o.WorktreeID == worktree {
			return true
		}
	}
	return false
}

func (r *Runner) takeBeside(ctx context.Context, j *job) {
	r.mu.Lock()
	r.aside[j.ID] = j
	r.mu.Unlock()
	r.beside.Go(func() {
		if err := r.take(ctx, j); err != nil && ctx.Err() == nil {
			r.Log.Warn("the result of a job could not be reported; it is done again", "job", j.ID, "kind", j.Kind, "error", err)
		}
		r.mu.Lock()
		delete(r.aside, j.ID)
		r.mu.Unlock()
		r.tell()
	})
}

func (r *Runner) tell() {
	select {
	case r.ended <- struct{}{}:
	default: // a value is waiting already
	}
}

// await waits until the page changes, or until a turn, a job or a program ends, because another job may then be able to
// start. It waits for at most waitFor, or for WatchEvery if there are published pull requests and that is shorter.
func (r *Runner) await(ctx context.Context, p *runnerPage) error {
	waiting, end := context.WithCancel(ctx)
	defer end()
	watch := waitFor
	if len(p.Data.Pulls) > 0 {
		watch = min(watch, r.WatchEvery)
	}
	go func() {
		select {
		case <-r.ended:
			end()
		case <-time.After(watch):
			end()
		case <-waiting.Done():
		}
	}()
	_, err := r.site.read(waiting, fmt.Sprintf("%s?wait=%d&since=%s", r.Page, int(waitFor/time.Second), p.Version))
	if waiting.Err() != nil {
		return ctx.Err()
	}
	return err
}

// worksIn reports whether an agent runs in the worktree. An agent counts until it has ended, even if the claim is lost;
// the agent of a review does not count.
func (r *Runner) worksIn(worktree string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for w := range maps.Values(r.working) {
		if worktree != "" && w.WorktreeID == worktree && w.Commit == "" {
			return true
		}
	}
	return false
}

// take claims a job, does it, and reports the result. A conflict is not an error, because the job may have been claimed
// or ended meanwhile.
func (r *Runner) take(ctx context.Context, j *job) error {
	err := r.site.act(ctx, r.Page, r.Verbs.Claim, map[string]any{"job": j.ID, "claim": j.Claim})
	if isConflict(err) {
		return nil
	}
	if err != nil {
		return err
	}
	claim := map[string]any{"job": j.ID, "claim": j.Claim + 1}
	working, stop := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.renew(working, claim, stop)
	}()
	facts, err := r.do(working, j)
	lost := context.Cause(working)
	stop(nil)
	<-done
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if lost != nil {
		r.Log.Warn("the runner gave a job up", "job", j.ID, "error", lost)
		return nil
	}
	report := map[string]any{"job": j.ID, "claim": j.Claim + 1}
	if err != nil {
		report["problem"] = sentence(err)
	} else {
		report["facts"] = facts
	}
	err = r.site.act(ctx, r.Page, r.Verbs.Finish, report)
	if isConflict(err) {
		r.Log.Warn("the report of a job was refused", "job", j.ID, "error", err)
		return nil
	}
	return err
}

// renew renews a claim until the context is done. After a conflict, it calls stop; it ignores other errors.
func (r *Runner) renew(ctx context.Context, claim map[string]any, stop context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(renewEvery):
		}
		err := r.site.act(ctx, r.Page, r.Verbs.Renew, claim)
		if isConflict(err) {
			stop(err)
		}
	}
}

// sentence returns the message of an error as one line of at most 400 bytes. The server accepts 500 characters
// (FinishParams in actions/work).
func sentence(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return strings.ToValidUTF8(text[:min(400, len(text))], "")
}

// errStopped is the reason for turns that are interrupted by the end of the runner. It is shown to people.
var errStopped = errors.New("The runner was stopped.")

func stoppable(ctx context.Context) (stoppable context.Context, release func()) {
	stoppable, end := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { end(errStopped) })
	return stoppable, func() {
		unhook()
		end(nil)
	}
}
