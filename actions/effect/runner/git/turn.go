package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Person is the author or the committer of a commit.
type Person struct{ Name, Email string }

// samepage is the committer of all commits that the runner makes, and the default author.
var samepage = Person{"Samepage", "samepage@localhost"}

// identity returns the environment variables for the author and the committer of a commit.
func identity(author Person, at time.Time) []string {
	if plain(author.Name) == "" {
		author = samepage
	}
	list := []string{"GIT_AUTHOR_NAME=" + plain(author.Name), "GIT_AUTHOR_EMAIL=" + plain(author.Email),
		"GIT_COMMITTER_NAME=" + samepage.Name, "GIT_COMMITTER_EMAIL=" + samepage.Email}
	if !at.IsZero() {
		date := "_DATE=@" + strconv.FormatInt(at.Unix(), 10) + " +0000"
		list = append(list, "GIT_AUTHOR"+date, "GIT_COMMITTER"+date)
	}
	return list
}

// plain removes the characters that git does not allow in the name of an author.
func plain(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '<' || r == '>' {
			return -1
		}
		return r
	}, name), " .,:;\"'\\")
}

// Turn has the parameters of [Tree.CommitTurn].
type Turn struct {
	ID      string // unique in the tree, and valid for [CheckName]
	Author  Person // the agent
	Message string
	At      time.Time
	Branch  bool // the tree's branch moves to the commit, too, if it is checked out
}

// CommitTurn commits all files of the tree that are not ignored, and adds a ref below refs/samepage/turns. If nothing
// differs from Head, the ref points to Head. If turn.Branch is true and the tree is on its branch, the branch moves to
// the commit. A repeated call with the same ID returns the first commit.
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
			} else if !ahead { // the agent rewrote the branch: a ref keeps its former commits
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

// commit creates a commit, but changes no ref.
func (r *Repo) commit(ctx context.Context, tree Hash, parents []Hash, author Person, message string,
	at time.Time) (Hash, error) {
	c := call{sub: "commit-tree", opts: []option{{"-F", "-"}}, values: []string{string(tree)},
		stdin:  strings.NewReader(strings.ToValidUTF8(strings.ReplaceAll(message, "\x00", ""), "\uFFFD")),
		author: identity(author, at)}
	for _, p := range parents {
		c.opts = append(c.opts, option{"-p", string(p)})
	}
	out, err := r.line(ctx, c)
	if err != nil {
		return "", err
	}
	return ParseHash(out)
}

// settle sets the branch and the index of the agent's clone to the commit, so that the agent sees no uncommitted
// changes. It does not follow symbolic links out of the git directory.
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

// Loss is the error of [Tree.Remove] for a tree whose removal would lose work or make it hard to find.
type Loss struct {
	Uncommitted bool     // files differ from those of the head
	Unmerged    int      // commits that the base does not contain
	Nested      []string // git repositories inside of the tree
	Ignored     []string // ignored files and folders, which alone are no reason for this error
}

func (l *Loss) nothing() bool { return !l.Uncommitted && l.Unmerged == 0 && len(l.Nested) == 0 }

func (l *Loss) Error() string { return "it has changes or commits that are nowhere else" }

// Unwrap returns [ErrRefused].
func (l *Loss) Unwrap() error { return ErrRefused }

// Remove commits the files with the parameters in last, and deletes the folder of the tree. The repository keeps all
// commits. Without force, Remove returns a [*Loss] and deletes nothing if the removal would lose work. Commits
// that base contains are not lost.
func (t *Tree) Remove(ctx context.Context, base Hash, force bool, last Turn) error {
	last.Branch = false
	s, err := t.Look(ctx)
	if err != nil {
		return err
	}
	_, ahead, err := t.Repo.Apart(ctx, base, s.Head)
	if err != nil {
		return err
	}
	l := &Loss{Uncommitted: s.Dirty, Unmerged: ahead, Nested: s.Nested, Ignored: s.Ignored}
	if !force && !l.nothing() {
		return l
	}
	if _, err := t.Repo.ref(ctx, turnRefs+t.Name+"/"+last.ID); err == nil {
		last.ID += "-" + s.Snapshot.Short() // with the same ID, CommitTurn would return an earlier commit
	} else if !errors.Is(err, ErrMissing) {
		return err
	}
	if _, _, err := t.CommitTurn(ctx, last); err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(t.Dir))
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.RemoveAll(filepath.Base(t.Dir)); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(t.index()), os.RemoveAll(excludesOf(t.index())))
}
