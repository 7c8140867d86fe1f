package runner

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"samepage/actions/effect/runner/git"
	"samepage/store/work/wire"
)

// merge merges the head of a pull request into the base branch. A pull request that is published on a forge is merged
// there. If there is nothing to merge, the job succeeds, because the report of an earlier attempt may have been lost.
func (r *Runner) merge(ctx context.Context, j *job) (any, error) {
	var want wire.Merge
	if err := j.params(&want); err != nil {
		return nil, err
	}
	head, err := git.ParseHash(want.Head)
	if err != nil {
		return nil, err
	}
	if want.Number > 0 {
		return r.mergeThere(ctx, j, &want)
	}
	repo, err := r.repo(ctx, j.RepoID)
	if err != nil {
		return nil, err
	}
	into, err := repo.Resolve(ctx, j.Base)
	if err != nil {
		return nil, err
	}
	commit, conflicts, err := repo.Merge(ctx, git.Merge{Kind: git.Kind(want.Method), Into: j.Base, Old: into, Head: head,
		Author: git.Person{Name: want.By, Email: want.Email}, Message: want.Title + "\n\n" + want.Message + "\n", At: time.Now()})
	report := wire.MergeReport{Into: string(into), Commit: string(commit)}
	switch {
	case errors.Is(err, git.ErrContained):
		report.Commit = string(into)
	case errors.Is(err, git.ErrMoved):
		report.Problem = "The branch " + j.Base + " got another commit meanwhile. Merge it again."
	case errors.Is(err, git.ErrRefused):
		report.Problem = cut(err.Error(), 300)
	case err != nil:
		return nil, err
	}
	for _, c := range conflicts[:min(wire.MaxConflicts, len(conflicts))] {
		report.Conflicts = append(report.Conflicts, conflictOf(&c))
	}
	if report.Place, err = filepath.Abs(r.repoDir(j.RepoID)); err != nil {
		return nil, err
	}
	report.Repo, err = factsOf(ctx, repo, want.Main)
	return report, err
}

func conflictOf(c *git.Conflict) wire.Conflict {
	side := func(data []byte) string {
		text := strings.ToValidUTF8(string(data[:min(wire.MaxSide, len(data))]), "")
		return strings.ReplaceAll(text, "\x00", "")
	}
	return wire.Conflict{Path: cut(c.Path, 300), Ours: side(c.Ours), Theirs: side(c.Theirs), Binary: c.Binary,
		Cut: c.Cut || max(len(c.Ours), len(c.Theirs)) > wire.MaxSide}
}
