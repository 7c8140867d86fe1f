package git

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"
)

// Restore resets the files and the branch of the tree to a commit of the repository. It first commits the present files
// with the parameters in before. Ignored files are in no commit and are not changed. It returns
// [ErrRefused] if the tree is not on its branch, or if the commit has something else in the place of an ignored file.
func (t *Tree) Restore(ctx context.Context, to Hash, before Turn) error {
	if _, err := t.Repo.ref(ctx, string(to)); err != nil {
		return err
	}
	before.Branch = true
	if _, s, err := t.CommitTurn(ctx, before); err != nil {
		return err
	} else if s.On != t.Branch {
		return fmt.Errorf("%w: the tree is not on its branch %s", ErrRefused, t.Branch)
	}
	t.Repo.mu.Lock()
	defer t.Repo.mu.Unlock()
	old, err := t.Repo.ref(ctx, "refs/heads/"+t.Branch)
	if err != nil {
		return err
	}
	if path, err := t.inTheWay(ctx, to); err != nil {
		return err
	} else if path != "" {
		return fmt.Errorf("%w: %s is ignored, so it is in no commit, and the commit %s has a file in its place; move it elsewhere "+
			"or delete it first", ErrRefused, path, to.Short())
	}
	if _, err := t.Repo.run(ctx, call{sub: "read-tree", flags: []word{"--reset", "-u"}, values: []string{string(to)},
		index: t.index(),
		tree:  t.Dir, time: fetchTime}); err != nil {
		return err
	}
	if err := t.Repo.move(ctx, move{"refs/heads/" + t.Branch, to, old}); err != nil {
		return err
	}
	return t.settle(to)
}

// inTheWay returns a path of the commit at which, above which or below which the tree has a file that is in no commit,
// or "" for none. The private index must have the present files.
func (t *Tree) inTheWay(ctx context.Context, to Hash) (string, error) {
	out, err := t.Repo.run(ctx, call{sub: "ls-files", flags: []word{"-z", "--others", "--directory"}, index: t.index(),
		tree: t.Dir, limit: 128 << 20})
	if err != nil {
		return "", err
	}
	others := split(out) // a folder ends in a slash, and stands for everything in it
	if len(others) == 0 {
		return "", nil
	}
	untracked, above := map[string]bool{}, map[string]bool{}
	for _, p := range others {
		untracked[p] = true
		for dir := path.Dir(strings.TrimSuffix(p, "/")); dir != "."; dir = path.Dir(dir) {
			above[dir] = true
		}
	}
	if out, err = t.Repo.run(ctx, call{sub: "ls-tree", flags: []word{"-r", "-z", "--name-only"},
		values: []string{string(to)},
		limit:  128 << 20}); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, p := range split(out) {
		if above[p] || untracked[p+"/"] {
			return p, nil
		}
		for at := p; at != "."; at = path.Dir(at) {
			if untracked[at] {
				return at, nil
			}
			if _, err := root.Lstat(p); untracked[at+"/"] && !os.IsNotExist(err) {
				return p, nil
			}
		}
	}
	return "", nil
}
