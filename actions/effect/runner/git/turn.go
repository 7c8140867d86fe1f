package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Person is the author or the committer of a commit.
type Person struct{ Name, Email string }

// samepage is the committer of commits that the runner makes, and the author of those that nobody else wrote.
var samepage = Person{"Samepage", "samepage@localhost"}

// identity returns the variables with the author and the committer of a commit. Missing ones are [samepage].
func identity(author, committer Person, at time.Time) []string {
	list := make([]string, 0, 6)
	for i, kind := range []string{"AUTHOR", "COMMITTER"} {
		p := []Person{author, committer}[i]
		if plain(p.Name) == "" {
			p = samepage
		}
		list = append(list, "GIT_"+kind+"_NAME="+plain(p.Name), "GIT_"+kind+"_EMAIL="+plain(p.Email))
		if !at.IsZero() {
			list = append(list, "GIT_"+kind+"_DATE=@"+strconv.FormatInt(at.Unix(), 10)+" +0000")
		}
	}
	return list
}

// plain returns a name without the characters that have a meaning in a commit.
func plain(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '<' || r == '>' {
			return -1
		}
		return r
	}, name), " .,:;\"'\\")
}

// Turn says what [Tree.CommitTurn] commits.
type Turn struct {
	ID      string // unique in the repository, as [CheckName] accepts it
	Author  Person // the agent
	Message string
	At      time.Time
	Branch  bool // the branch moves to the commit, too
}

// CommitTurn commits all files of the tree that are not ignored, and keeps the commit under refs/samepage/turns. If
// nothing differs from the last commit of the agent, that commit is kept. If the turn says so, and the tree is on its
// branch, the branch and the tree move to the commit. Repeating a turn returns its first commit.
func (t *Tree) CommitTurn(ctx context.Context, turn Turn) (Hash, *State, error) {
	if err := CheckName(turn.ID); err != nil {
		return "", nil, err
	}
	t.Repo.mu.Lock()
	defer t.Repo.mu.Unlock()
	s, err := t.state(ctx)
	if err != nil {
		return "", nil, err
	}
	name := turnRefs + t.Name + "/" + turn.ID
	if done, err := t.Repo.ref(ctx, name); err == nil {
		return done, s, nil
	} else if !errors.Is(err, ErrMissing) {
		return "", nil, err
	}
	commit := s.Head
	if s.Dirty {
		if commit, err = t.Repo.commit(ctx, s.Snapshot, []Hash{s.Head}, turn.Author, turn.Message,
			turn.At); err != nil {
			return "", nil, err
		}
	}
	moves := []move{{name, commit, none}}
	if turn.Branch && s.On == t.Branch {
		old, err := t.Repo.ref(ctx, "refs/heads/"+t.Branch)
		if err != nil {
			return "", nil, err
		}
		if old != commit {
			moves = append(moves, move{"refs/heads/" + t.Branch, commit, old})
			if ahead, err := t.Repo.isAncestor(ctx, old, commit); err != nil {
				return "", nil, err
			} else if !ahead { // the agent rewrote its branch: the former commits are kept
				moves = append(moves, move{savedRefs + t.Name + "/" + turn.ID, old, none})
			}
		}
	}
	if err := t.Repo.move(ctx, moves...); err != nil {
		return "", nil, err
	}
	if len(moves) > 1 && commit != s.Head {
		err = t.settle(commit)
		s.Head, s.Dirty = commit, false
	}
	return commit, s, err
}

// commit makes a commit without changing a branch.
func (r *Repo) commit(ctx context.Context, tree Hash, parents []Hash, author Person, message string,
	at time.Time) (Hash, error) {
	c := call{sub: "commit-tree", opts: []option{{"-F", "-"}}, values: []string{string(tree)},
		stdin:  strings.NewReader(strings.ToValidUTF8(strings.ReplaceAll(message, "\x00", ""), "\uFFFD")),
		author: identity(author, Person{}, at)}
	for _, p := range parents {
		c.opts = append(c.opts, option{"-p", string(p)})
	}
	out, err := r.line(ctx, c)
	if err != nil {
		return "", err
	}
	return ParseHash(out)
}

// settle makes a commit the last one of the agent's branch, and the private index that of the agent, so that the agent
// finds nothing changed. Links that lead out of the git directory are not followed.
func (t *Tree) settle(commit Hash) error {
	root, err := t.gitDir()
	if err != nil {
		return err
	}
	defer root.Close()
	index, err := os.ReadFile(t.index())
	if err != nil {
		return err
	}
	if dir := filepath.Dir(t.Branch); dir != "." {
		if err := root.MkdirAll("refs/heads/"+dir, 0o700); err != nil {
			return err
		}
	}
	if err := root.Remove("index.lock"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"index", index}, {"refs/heads/" + t.Branch, []byte(commit + "\n")}} {
		if err := root.RemoveAll(f.name + ".samepage"); err != nil {
			return err
		}
		if err := root.WriteFile(f.name+".samepage", f.data, 0o600); err != nil {
			return err
		}
		if err := root.Rename(f.name+".samepage", f.name); err != nil {
			return err
		}
	}
	return nil
}

// Turns lists the commits of a tree's turns, by the ids of the turns.
func (t *Tree) Turns(ctx context.Context) ([]Branch, error) {
	return t.Repo.branches(ctx, turnRefs+t.Name+"/")
}

// Restore brings the files of the tree, and its branch, back to a commit of the repository. What the tree contains now
// is kept as the turn with the given id. Ignored files stay.
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

// Loss lists what the removal of a tree would lose, or make hard to find.
type Loss struct {
	Uncommitted bool     // files that no commit of the branch contains
	Unmerged    int      // commits that the base does not contain
	Nested      []string // repositories inside of the tree
	Ignored     []string // ignored files
}

// Nothing reports whether the removal loses nothing that somebody may have written.
func (l Loss) Nothing() bool { return !l.Uncommitted && l.Unmerged == 0 && len(l.Nested) == 0 }

// Remove deletes the folder of the tree. All its commits, and a snapshot of files that are not committed, stay in the
// repository. Without force it refuses to remove a tree that would lose something: see [Loss.Nothing]. The base is the
// branch into which the work of the tree should go.
func (t *Tree) Remove(ctx context.Context, base Hash, force bool, last Turn) (*Loss, error) {
	last.Branch = false
	s, err := t.Look(ctx)
	if err != nil {
		return nil, err
	}
	_, ahead, err := t.Repo.Apart(ctx, base, s.Head)
	if err != nil {
		return nil, err
	}
	l := &Loss{Uncommitted: s.Dirty, Unmerged: ahead, Nested: s.Nested, Ignored: s.Ignored}
	if !force && !l.Nothing() {
		return l, nil
	}
	if _, err := t.Repo.ref(ctx, turnRefs+t.Name+"/"+last.ID); err == nil {
		last.ID += "-" + s.Snapshot.Short() // the earlier commit may have other files, and CommitTurn would return it
	} else if !errors.Is(err, ErrMissing) {
		return nil, err
	}
	if _, _, err := t.CommitTurn(ctx, last); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(filepath.Dir(t.Dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.RemoveAll(filepath.Base(t.Dir)); err != nil {
		return nil, err
	}
	return &Loss{}, os.RemoveAll(t.index())
}
