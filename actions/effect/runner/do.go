package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"samepage/actions/effect/runner/forge"
	"samepage/actions/effect/runner/git"
)

type doer struct {
	do func(r *Runner, ctx context.Context, j *job) (any, error) // result is encoded as JSON for the report
	// aside means that a job may run beside other jobs, within the limits of [Runner.can], and beside an agent in the
	// same worktree.
	aside  bool
	serial bool // jobs of this kind on one worktree or repository run one after the other
}

// doers has the doer of each kind of job, by the kind's name on the server.
var doers = map[string]doer{
	"fetch":         {do: (*Runner).fetch},
	"checkout":      {do: (*Runner).checkout},
	"setup":         {do: (*Runner).setUp},
	"refresh":       {do: (*Runner).refresh},
	"archive":       {do: (*Runner).archive},
	"merge":         {do: (*Runner).merge},
	"rewind":        {do: (*Runner).rewind},
	"check":         {do: (*Runner).check, aside: true},
	"publish":       {do: (*Runner).publish, aside: true, serial: true},
	"issues":        {do: (*Runner).issues, aside: true, serial: true},
	environmentKind: {do: (*Runner).environment, aside: true, serial: true},
}

// Kinds returns the kinds of jobs that a runner can do, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(doers)) }

func (r *Runner) do(ctx context.Context, j *job) (string, error) {
	does, ok := doers[j.Kind]
	if !ok {
		return "", fmt.Errorf("this runner does not know the job %q", j.Kind)
	}
	report, err := does.do(r, ctx, j)
	if err != nil {
		return "", err
	}
	text, err := encode(report)
	return string(text), err
}

func (r *Runner) fetch(ctx context.Context, j *job) (any, error) {
	repo, err := r.repo(ctx, j.RepoID)
	if err != nil {
		return nil, err
	}
	main, err := r.fetchInto(ctx, repo, j)
	if err != nil {
		return nil, err
	}
	return factsOf(ctx, repo, main)
}

// fetchInto fetches the commits of the source of a job's repository, and returns the name of the default branch.
func (r *Runner) fetchInto(ctx context.Context, repo *git.Repo, j *job) (string, error) {
	from, err := r.source(j.Source, j.roots)
	if err != nil {
		return "", err
	}
	return repo.Fetch(ctx, from)
}

// source returns the source at an address, with the token of the account that covers it, if there is one. It returns an
// error unless [git.ParseSource] accepts the address with the given roots, and with the runner's own roots.
func (r *Runner) source(at string, roots []string) (git.Source, error) {
	from, err := git.ParseSource(at, roots)
	if err == nil {
		if from, err = git.ParseSource(at, r.Roots); err != nil {
			err = fmt.Errorf("%w with which the program of the runner was started", err)
		}
	}
	if account, ok := forge.AccountOf(from.Remote, r.Forges); ok && err == nil {
		from.Access = git.Access{Token: account.Token, CA: account.CA}
	}
	return from, err
}

func (r *Runner) repoDir(id string) string { return filepath.Join(r.Data, "repos", id+".git") }

// repo opens the runner's copy of a repository, or creates an empty one. While the folder exists, all calls with the
// same id return the same *git.Repo, because it has the lock of the branches and indexes.
func (r *Runner) repo(ctx context.Context, id string) (*git.Repo, error) {
	if git.CheckName(id) != nil {
		return nil, fmt.Errorf("%q is no repository", id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.git == nil {
		return nil, errors.New("git is missing on the machine of the runner")
	}
	dir := r.repoDir(id)
	repo, err := r.git.Open(dir) // also if it is open already, because Open refuses a changed git configuration
	if open := r.repos[id]; open != nil && err == nil {
		return open, nil
	}
	if errors.Is(err, git.ErrMissing) {
		if err := os.RemoveAll(dir); err != nil { // leftovers of an interrupted creation
			return nil, err
		}
		repo, err = r.git.Create(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	r.repos[id] = repo
	return repo, nil
}
