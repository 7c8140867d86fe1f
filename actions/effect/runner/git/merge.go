package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is a method of merging.
type Kind string

// These are the methods of merging.
const (
	MergeCommit Kind = "merge"  // a commit whose parents are the last commit of the branch and the head
	Squash      Kind = "squash" // one commit with all changes of the head
	FastForward Kind = "fast_forward"
)

// Merge has the parameters of [Repo.Merge].
type Merge struct {
	Kind    Kind
	Into    string // name of the branch
	Old     Hash   // expected last commit of the branch
	Head    Hash   // commit that is merged into the branch
	Author  Person
	Message string
	At      time.Time
}

// ErrContained means that there is nothing to merge: the branch contains the head, or a squash would change no file.
var ErrContained = fmt.Errorf("%w: the branch contains it already", ErrRefused)

// Conflict is a file that both sides changed in different ways. A version that is not text is left out.
type Conflict struct {
	Path   string
	Ours   []byte // contents in the branch
	Theirs []byte // contents in the head
	Binary bool   // a version is not text
	Cut    bool   // Ours or Theirs has only the beginning of the contents
}

// mostOfConflict is the maximum length of each version of a conflicting file, in bytes.
const mostOfConflict = 64 << 10

// Merge merges a commit into a branch, without a checkout. If there are conflicts, it returns them and changes nothing.
// It returns [ErrRefused] if a fast-forward is not possible, [ErrContained] if there is nothing to merge, and
// [ErrMoved] if the last commit of the branch is not m.Old.
func (r *Repo) Merge(ctx context.Context, m Merge) (Hash, []Conflict, error) {
	if err := CheckBranch(m.Into); err != nil {
		return "", nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now, err := r.ref(ctx, "refs/heads/"+m.Into)
	before := now
	if errors.Is(err, ErrMissing) { // the branch may exist only in the source
		before = none
		now, err = r.ref(ctx, "refs/remotes/origin/"+m.Into)
	}
	if err != nil {
		return "", nil, err
	}
	if now != m.Old {
		return "", nil, ErrMoved
	}
	if in, err := r.isAncestor(ctx, m.Head, now); err != nil || in {
		return "", nil, cmp.Or(err, ErrContained)
	}
	to := m.Head
	switch m.Kind {
	case FastForward:
		if ahead, err := r.isAncestor(ctx, now, m.Head); err != nil || !ahead {
			return "", nil, cmp.Or(err, fmt.Errorf("%w: %s has commits that the head lacks", ErrRefused, m.Into))
		}
	case MergeCommit, Squash:
		tree, conflicts, err := r.mergeTree(ctx, now, m.Head)
		if err != nil || len(conflicts) > 0 {
			return "", conflicts, err
		}
		parents := []Hash{now, m.Head}
		if m.Kind == Squash {
			parents = parents[:1]
			if has, err := r.line(ctx, call{sub: "rev-parse", flags: []word{"--verify", "--quiet"},
				values: []string{string(now) + "^{tree}"}}); err != nil || Hash(has) == tree {
				return "", nil, cmp.Or(err, ErrContained)
			}
		}
		if to, err = r.commit(ctx, tree, parents, m.Author, m.Message, m.At); err != nil {
			return "", nil, err
		}
	default:
		return "", nil, fmt.Errorf("%w: %q is no kind of merge", ErrInvalid, m.Kind)
	}
	return to, nil, r.move(ctx, move{"refs/heads/" + m.Into, to, before})
}

// mergeTree merges two commits and returns the resulting tree, or the conflicts.
func (r *Repo) mergeTree(ctx context.Context, ours, theirs Hash) (Hash, []Conflict, error) {
	out, err := r.run(ctx, call{sub: "merge-tree", flags: []word{"--write-tree", "-z", "--no-messages"},
		values: []string{string(ours), string(theirs)}, codes: []int{1}})
	if err != nil && !exited(err) {
		return "", nil, err
	}
	parts := split(out)
	if len(parts) == 0 {
		return "", nil, fmt.Errorf("git merge-tree: it names no tree")
	}
	tree, parseErr := ParseHash(parts[0])
	if err == nil || parseErr != nil {
		return tree, nil, parseErr
	}
	var list []Conflict
	for _, entry := range parts[1:] {
		of, path, ok := strings.Cut(entry, "\t")
		p := strings.Fields(of)
		if !ok || len(p) != 3 {
			continue
		}
		i := slices.IndexFunc(list, func(c Conflict) bool { return c.Path == path })
		if i < 0 {
			i, list = len(list), append(list, Conflict{Path: path})
		}
		if err := r.addSide(ctx, &list[i], p[0], Hash(p[1]), p[2]); err != nil {
			return "", nil, err
		}
	}
	if len(list) == 0 {
		return "", nil, fmt.Errorf("%w: the two cannot be merged", ErrRefused)
	}
	return tree, list, nil
}

// addSide adds one version of the file to a conflict. The parameter stage is from git's index: 1 for the merge base, 2 for
// the branch, 3 for the head.
func (r *Repo) addSide(ctx context.Context, c *Conflict, mode string, of Hash, stage string) error {
	if mode == "160000" {
		c.Binary = true
		return nil
	}
	data, more, err := r.blob(ctx, string(of), mostOfConflict)
	if err != nil {
		return err
	}
	if slices.Contains(data, 0) {
		c.Binary, data = true, nil
	}
	c.Cut = c.Cut || more
	switch stage {
	case "2":
		c.Ours = data
	case "3":
		c.Theirs = data
	}
	return nil
}
