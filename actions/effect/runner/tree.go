package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"samepage/actions/effect/runner/git"
	"samepage/store/work/wire"
)

func (r *Runner) treeDir(id string) string { return filepath.Join(r.Data, "worktrees", id) }

// tree opens the checkout of a worktree. If the folder is missing, it is created from the branch, which must
// exist or have been deleted by [git.Tree.DeleteBranch].
func (r *Runner) tree(ctx context.Context, repoID, worktreeID, branch string) (*git.Tree, error) {
	repo, err := r.repo(ctx, repoID)
	if err != nil {
		return nil, err
	}
	dir := r.treeDir(worktreeID)
	t, err := repo.Tree(worktreeID, dir, branch)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(dir); err == nil {
		return t, nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}
	return addTree(ctx, repo, worktreeID, dir, branch, "")
}

// personal has the files in which an agent stores the permissions that it was given on this machine.
// [git.Tree.Ignore] keeps them out of commits.
var personal = []string{".claude/settings.local.json"}

func addTree(ctx context.Context, repo *git.Repo, name, dir, branch string, at git.Hash) (*git.Tree, error) {
	t, err := repo.AddTree(ctx, name, dir, branch, at)
	if err != nil {
		return nil, err
	}
	return t, t.Ignore(personal)
}

// checkout creates the folder of a worktree if it is missing, and reports on the worktree. The branch begins at the
// last commit of the base, unless the branch exists already according to [wire.Checkout].
func (r *Runner) checkout(ctx context.Context, j *job) (any, error) {
	var want wire.Checkout
	if err := j.params(&want); err != nil {
		return nil, err
	}
	repo, err := r.repo(ctx, j.RepoID)
	if err != nil {
		return nil, err
	}
	if want.Fetch {
		if _, err := r.fetchInto(ctx, repo, j); err != nil {
			return nil, err
		}
	}
	dir := r.treeDir(j.WorktreeID)
	if _, err := os.Lstat(dir); !want.Again && errors.Is(err, os.ErrNotExist) {
		at, err := repo.Resolve(ctx, j.Base)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
			return nil, err
		}
		if _, err := addTree(ctx, repo, j.WorktreeID, dir, j.Branch, at); err != nil {
			return nil, err
		}
	}
	return r.refresh(ctx, j)
}

func (r *Runner) refresh(ctx context.Context, j *job) (any, error) {
	t, err := r.tree(ctx, j.RepoID, j.WorktreeID, j.Branch)
	if err != nil {
		return nil, err
	}
	return lookTree(ctx, t, j.Base)
}

// archive removes the folder of a worktree. The repository keeps the files, except ignored ones, in a commit.
// [wire.Archive] describes the other effects and the reasons for an error.
func (r *Runner) archive(ctx context.Context, j *job) (any, error) {
	var want wire.Archive
	if err := j.params(&want); err != nil {
		return nil, err
	}
	t, err := r.tree(ctx, j.RepoID, j.WorktreeID, j.Branch)
	if err != nil {
		return nil, err
	}
	s, err := t.Look(ctx)
	if err != nil {
		return nil, err
	}
	base, err := t.Repo.Resolve(ctx, j.Base)
	if err != nil {
		return nil, fmt.Errorf("the base: %w", err)
	}
	last := git.Turn{ID: fmt.Sprintf("%s-%d", j.ID, j.Claim), Message: "The files of a worktree that is archived",
		At: time.Now(), Branch: true}
	if want.Merged != "" {
		if want.Merged != string(s.Head) {
			return nil, errors.New("it has got another commit since the merge")
		}
		base = s.Head // everything is merged, perhaps as one squashed commit
		if want.Published {
			if err := r.unpush(ctx, t, j, s.Head); err != nil {
				return nil, fmt.Errorf("its branch at the source could not be deleted: %w", err)
			}
		}
	}
	r.endEnvironment(j.WorktreeID)
	if want.Force { // the branch gets the uncommitted files, so that a restored worktree has them
		if _, s, err = t.CommitTurn(ctx, last); err != nil {
			return nil, err
		}
	}
	if err := t.Remove(ctx, base, want.Force, last); err != nil {
		if loss, ok := errors.AsType[*git.Loss](err); ok {
			err = fmt.Errorf("%w, so its name must be typed", loss)
		}
		return nil, err
	}
	if want.Merged != "" {
		if err := t.DeleteBranch(ctx); err != nil {
			return nil, err
		}
	}
	return wire.Archived{Head: string(s.Head)}, nil
}

// rewind resets the files and the branch of a worktree to a commit. It returns an error if there are uncommitted
// changes, or if the head has changed since the rewind was requested.
func (r *Runner) rewind(ctx context.Context, j *job) (any, error) {
	var want wire.Rewind
	if err := j.params(&want); err != nil {
		return nil, err
	}
	to, err := git.ParseHash(want.To)
	if err != nil {
		return nil, err
	}
	t, err := r.tree(ctx, j.RepoID, j.WorktreeID, j.Branch)
	if err != nil {
		return nil, err
	}
	s, err := t.Look(ctx)
	switch {
	case err != nil:
		return nil, err
	case s.Dirty:
		return nil, errors.New("it has uncommitted changes, which must be committed first")
	case s.Head != git.Hash(want.From) && s.Head != to: // Head is the target after an attempt whose report was lost
		return nil, errors.New("it has got another commit meanwhile")
	}
	if err := t.Restore(ctx, to, git.Turn{ID: fmt.Sprintf("%s-%d", j.ID, j.Claim), Message: "The files before a rewind",
		At: time.Now()}); err != nil {
		return nil, err
	}
	return lookTree(ctx, t, j.Base)
}

// lookTree returns the report on a worktree, with its diff against the newest common commit with the base branch.
// It changes nothing in the folder.
func lookTree(ctx context.Context, t *git.Tree, base string) (*wire.WorktreeFacts, error) {
	s, err := t.Look(ctx)
	if err != nil {
		return nil, err
	}
	tip, err := t.Repo.Resolve(ctx, base)
	if err != nil {
		return nil, fmt.Errorf("the base: %w", err)
	}
	from, err := t.Repo.Base(ctx, tip, s.Head)
	if err != nil {
		return nil, err
	}
	f := &wire.WorktreeFacts{Head: string(s.Head), Branch: s.On, Base: string(from), Tip: string(tip), Dirty: s.Dirty,
		Ignored: few(s.Ignored), Nested: few(s.Nested)}
	if f.Behind, f.Ahead, err = t.Repo.Apart(ctx, tip, s.Head); err != nil {
		return nil, err
	}
	if err := addCommits(ctx, f, t.Repo, tip, s.Head); err != nil {
		return nil, err
	}
	if f.Size, err = t.Size(); err != nil {
		return nil, err
	}
	return f, addFiles(ctx, f, t.Repo, from, s.Snapshot)
}

// addCommits adds the commits of head that tip does not contain, at most wire.MaxAhead. If all of them are in the
// report, older commits of head follow.
func addCommits(ctx context.Context, f *wire.WorktreeFacts, repo *git.Repo, tip, head git.Hash) error {
	since := map[git.Hash]bool{}
	log, err := repo.Log(ctx, tip, head, wire.MaxAhead)
	for i := range log {
		since[log[i].Hash] = true
		f.Commits = append(f.Commits, commitOf(&log[i]))
	}
	if err != nil || f.Ahead > len(log) {
		return err
	}
	most := len(log) + wire.MaxOlder + 1
	log, err = repo.Log(ctx, "", head, most)
	f.Whole = len(log) < most
	for i := range log {
		if !since[log[i].Hash] && len(f.Older) < wire.MaxOlder {
			f.Older = append(f.Older, commitOf(&log[i]))
		}
	}
	return err
}

func addFiles(ctx context.Context, f *wire.WorktreeFacts, repo *git.Repo, from, to git.Hash) error {
	d, err := repo.Diff(ctx, from, to,
		git.Limits{Files: wire.MaxChanged, Lines: wire.MaxLines, Bytes: wire.MaxPatches})
	if err != nil {
		return err
	}
	f.Added, f.Deleted, f.More = d.Added, d.Deleted, d.More
	for _, c := range d.Files {
		f.Files = append(f.Files, wire.ChangedFile{Path: text(c.Path), Was: text(c.Was), Change: string(c.Change),
			Added: c.Added, Deleted: c.Deleted, Binary: c.Binary, Cut: c.Cut, Patch: c.Patch})
	}
	return nil
}

func few(list []string) (names []string) {
	for _, name := range list[:min(wire.MaxUntracked, len(list))] {
		names = append(names, text(name))
	}
	return names
}

// text returns a name as one line of valid UTF-8, with U+FFFD in place of control characters and invalid bytes.
func text(name string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return '\uFFFD'
		}
		return c
	}, strings.ToValidUTF8(name, "\uFFFD"))
}

func (j *job) params(into any) error {
	if len(j.Params) == 0 {
		return nil
	}
	if err := json.Unmarshal(j.Params, into); err != nil {
		return fmt.Errorf("the params of the job: %w", err)
	}
	return nil
}
