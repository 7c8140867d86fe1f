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

// doer does one kind of jobs.
type doer struct {
	do func(r *Runner, ctx context.Context, j *job) (any, error) // its result is the report, as JSON has it
	// aside is set if other jobs are done meanwhile, and an agent may work in the worktree.
	aside  bool
	inTurn bool // jobs of this kind about one worktree or repository are done one after the other
}

// doers has the doer of each kind of jobs, by the name that the site gives the kind.
var doers = map[string]doer{
	"fetch":         {do: (*Runner).fetch},
	"checkout":      {do: (*Runner).checkout},
	"setup":         {do: (*Runner).setUp},
	"refresh":       {do: (*Runner).refresh},
	"archive":       {do: (*Runner).archive},
	"merge":         {do: (*Runner).merge},
	"rewind":        {do: (*Runner).rewind},
	"check":         {do: (*Runner).check, aside: true},
	"publish":       {do: (*Runner).publish, aside: true, inTurn: true},
	"issues":        {do: (*Runner).issues, aside: true, inTurn: true},
	environmentKind: {do: (*Runner).environment, aside: true, inTurn: true},
}

// Kinds returns the kinds of jobs that a runner can do, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(doers)) }

// do does a job and returns its report.
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

// fetch brings the commits of a repository's source.
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

// fetchInto brings the commits of the source of a job's repository, if the page of the runner and the runner itself
// allow it. It returns the default branch.
func (r *Runner) fetchInto(ctx context.Context, repo *git.Repo, j *job) (string, error) {
	from, err := r.source(j.Source, j.roots)
	if err != nil {
		return "", err
	}
	return repo.Fetch(ctx, from)
}

// source returns the source of a repository with the runner's access to it, if the roots of its page and its own roots
// allow it.
func (r *Runner) source(at string, roots []string) (git.Source, error) {
	from, err := git.ParseSource(at, roots)
	if err == nil {
		from, err = git.ParseSource(at, r.Roots)
	}
	if account, ok := forge.AccountOf(from.Remote, r.Forges); ok && err == nil {
		from.Access = git.Access{Token: account.Token, CA: account.CA}
	}
	return from, err
}

// repoDir returns the folder of the runner's copy of a repository.
func (r *Runner) repoDir(id string) string { return filepath.Join(r.Data, "repos", id+".git") }

// repo opens the runner's copy of a repository, or makes an empty one. All users of a repository share one value,
// because it has the lock of its branches and indexes.
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
	repo, err := r.git.Open(dir) // each time, because it refuses a configuration that was changed
	if open := r.repos[id]; open != nil && err == nil {
		return open, nil
	}
	if errors.Is(err, git.ErrMissing) {
		if err := os.RemoveAll(dir); err != nil { // what an interrupted creation left
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
