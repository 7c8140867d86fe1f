// Package runner is the program that keeps git repositories for an organization. It is a client of the page of its
// runner: it reads there which jobs wait, claims one, does it with git, and reports what it found. It knows the site
// only as an http.Handler, in the same process or behind a connection.
package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"samepage/actions/effect/runner/git"
)

// Config is the configuration of a runner.
type Config struct {
	Site    http.Handler
	Origin  string   // scheme and host of the site
	Page    string   // path of the runner's page
	Token   string   // of the runner
	Data    string   // absolute path of the folder that belongs to this runner
	Roots   []string // folders and addresses below which repositories may be; the page names its own, and both must allow
	Version string   // of the program
	Verbs   Verbs
	Log     *slog.Logger
}

// Verbs has the names of the actions on the page of a runner.
type Verbs struct{ Announce, Claim, Renew, Finish string }

// These are the intervals of the runner.
const (
	waitFor      = 30 * time.Second // for a change of the page
	renewEvery   = 10 * time.Second // a claim holds for 30 seconds
	mostBranches = 200
	mostCommits  = 30
)

// Runner is a runner that works.
type Runner struct {
	Config
	site *site
	git  *git.Git // nil if there is none
}

// Run works until the context is done. It returns an error if the folder cannot be used, or another runner uses it.
// When the site cannot be reached or refuses the token, it tries again.
func Run(ctx context.Context, c Config) error {
	if err := os.MkdirAll(filepath.Join(c.Data, "repos"), 0o700); err != nil {
		return fmt.Errorf("the runner's folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(c.Data, "runner.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("the runner's folder: %w", err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("another runner uses the folder %s", c.Data)
	}
	r := &Runner{Config: c, site: &site{handler: c.Site, origin: c.Origin, token: c.Token}}
	pause := time.Second
	for ctx.Err() == nil {
		err := r.look(ctx)
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
	return nil
}

// look says that the runner is there, does the jobs that wait, and waits for others.
func (r *Runner) look(ctx context.Context) error {
	problem := ""
	g, err := git.Find(ctx)
	if err != nil {
		problem = err.Error() + "."
	}
	said := map[string]any{"program": "samepage " + r.Version, "roots": r.Roots, "problem": problem}
	if r.git = g; g != nil {
		said["git"] = g.Version
	}
	if err := r.site.act(ctx, r.Page, r.Verbs.Announce, said); err != nil {
		return err
	}
	p, err := r.site.read(ctx, r.Page)
	if err != nil {
		return err
	}
	for i := range p.Data.Jobs {
		if j := &p.Data.Jobs[i]; j.State == "waiting" && p.Data.State != "stopped" {
			if err := r.take(ctx, j, p.Data.Roots); err != nil {
				return err
			}
		}
	}
	if slices.ContainsFunc(p.Data.Jobs, func(j job) bool { return j.State == "waiting" }) && p.Data.State != "stopped" {
		return nil // others may have come meanwhile
	}
	_, err = r.site.read(ctx, fmt.Sprintf("%s?wait=%d&since=%s", r.Page, int(waitFor/time.Second), p.Version))
	return err
}

// take claims a job, does it, and reports how it ended. A refused claim is no error: another runner was first.
func (r *Runner) take(ctx context.Context, j *job, roots []string) error {
	err := r.site.act(ctx, r.Page, r.Verbs.Claim, map[string]any{"job": j.ID, "claim": j.Claim})
	if refused, ok := errors.AsType[*answerError](err); ok && refused.status == http.StatusConflict {
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
	f, err := r.do(working, j, roots)
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
		report["facts"] = f.text()
	}
	err = r.site.act(ctx, r.Page, r.Verbs.Finish, report)
	if refused, ok := errors.AsType[*answerError](err); ok && refused.status == http.StatusConflict {
		r.Log.Warn("the report of a job was refused", "job", j.ID, "error", err)
		return nil
	}
	return err
}

// renew renews a claim until the context is done. If the site refuses, it stops the work.
func (r *Runner) renew(ctx context.Context, claim map[string]any, stop context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(renewEvery):
		}
		err := r.site.act(ctx, r.Page, r.Verbs.Renew, claim)
		if refused, ok := errors.AsType[*answerError](err); ok && refused.status == http.StatusConflict {
			stop(err)
		}
	}
}

// sentence returns an error as the site shows it: one line of at most 400 bytes.
func sentence(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return strings.ToValidUTF8(text[:min(400, len(text))], "")
}

// do does a job.
func (r *Runner) do(ctx context.Context, j *job, roots []string) (*facts, error) {
	switch {
	case r.git == nil:
		return nil, errors.New("git is missing on the machine of the runner")
	case j.Kind != "fetch":
		return nil, fmt.Errorf("this runner does not know the job %q", j.Kind)
	case git.CheckName(j.RepoID) != nil:
		return nil, fmt.Errorf("%q is no repository", j.RepoID)
	}
	from, err := git.ParseSource(j.Source, roots)
	if err == nil {
		from, err = git.ParseSource(j.Source, r.Roots)
	}
	if err != nil {
		return nil, err
	}
	repo, err := r.repo(ctx, j.RepoID)
	if err != nil {
		return nil, err
	}
	main, err := repo.Fetch(ctx, from)
	if err != nil {
		return nil, err
	}
	return look(ctx, repo, main)
}

// repo opens the runner's copy of a repository, or makes an empty one.
func (r *Runner) repo(ctx context.Context, id string) (*git.Repo, error) {
	dir := filepath.Join(r.Data, "repos", id+".git")
	repo, err := r.git.Open(dir)
	if errors.Is(err, git.ErrMissing) {
		if err := os.RemoveAll(dir); err != nil { // what an interrupted creation left
			return nil, err
		}
		return r.git.Create(ctx, dir)
	}
	return repo, err
}
