package git

import (
	"context"
	"errors"
)

// deleted is the name under which the last commit of a deleted branch is kept.
func (t *Tree) deleted() string { return savedRefs + t.Name + "/deleted" }

// DeleteBranch deletes the branch of the tree. Its last commit is kept, and [Repo.AddTree] makes the branch again from
// it. A branch that is not there counts as deleted.
func (t *Tree) DeleteBranch(ctx context.Context) error {
	t.Repo.mu.Lock()
	defer t.Repo.mu.Unlock()
	at, err := t.Repo.ref(ctx, "refs/heads/"+t.Branch)
	if errors.Is(err, ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	before, err := t.Repo.ref(ctx, t.deleted())
	if errors.Is(err, ErrMissing) {
		before, err = none, nil
	}
	if err != nil {
		return err
	}
	moves := []move{{"refs/heads/" + t.Branch, none, at}}
	if before != at {
		moves = append(moves, move{t.deleted(), at, before})
	}
	return t.Repo.move(ctx, moves...)
}

// revive makes the branch of the tree again if [Tree.DeleteBranch] has deleted it. Its caller holds the lock.
func (t *Tree) revive(ctx context.Context) error {
	if _, err := t.Repo.ref(ctx, "refs/heads/"+t.Branch); !errors.Is(err, ErrMissing) {
		return err
	}
	at, err := t.Repo.ref(ctx, t.deleted())
	if errors.Is(err, ErrMissing) {
		return nil // the clone says that there is no such branch
	}
	if err != nil {
		return err
	}
	return t.Repo.move(ctx, move{"refs/heads/" + t.Branch, at, none})
}
