package git

import (
	"context"
	"errors"
)

// deleted returns the name of the ref that keeps the last commit of a deleted branch.
func (t *Tree) deleted() string { return savedRefs + t.Name + "/deleted" }

// DeleteBranch deletes the branch of the tree. A ref keeps its last commit for [Repo.AddTree]. A missing branch is not
// an error.
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

// revive creates the branch again if [Tree.DeleteBranch] has deleted it. The caller must hold t.Repo.mu.
func (t *Tree) revive(ctx context.Context) error {
	if _, err := t.Repo.ref(ctx, "refs/heads/"+t.Branch); !errors.Is(err, ErrMissing) {
		return err
	}
	at, err := t.Repo.ref(ctx, t.deleted())
	if errors.Is(err, ErrMissing) {
		return nil // git clone will report that the branch is missing
	}
	if err != nil {
		return err
	}
	return t.Repo.move(ctx, move{"refs/heads/" + t.Branch, at, none})
}
