package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is a checkout of a [Repo], in which an agent works on one branch. The checkout uses the objects of the
// repository, but has a git configuration of its own, which the agent can change.
type Tree struct {
	Repo   *Repo
	Name   string // unique in the repository
	Dir    string // absolute path
	Branch string
}

// State is the state of a tree at one moment.
type State struct {
	Head     Hash     // checked-out commit
	On       string   // checked-out branch; empty if there is none
	Snapshot Hash     // git tree with all files that are not ignored
	Dirty    bool     // Snapshot differs from the git tree of Head
	Ignored  []string // ignored files and folders; at most mostIgnored
	Nested   []string // folders that are git repositories themselves, which no commit contains
}

const (
	mostIgnored  = 100
	mostEntries  = 300_000 // files and folders in a tree
	mostNewBytes = 1 << 30 // total bytes of the new files in a snapshot
	turnRefs     = "refs/samepage/turns/"
	agentRefs    = "refs/samepage/trees/"
	savedRefs    = "refs/samepage/saved/"
)

// AddTree creates a tree in the folder dir, which must not exist yet, and checks out the branch. A missing branch is
// created at the commit in the parameter at; an existing branch must have this last commit. If at is empty, the branch
// must exist or have been deleted by [Tree.DeleteBranch].
func (r *Repo) AddTree(ctx context.Context, name, dir, branch string, at Hash) (*Tree, error) {
	t, err := r.Tree(name, dir, branch)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("%w: %s exists already", ErrRefused, dir)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if at != "" {
		if now, err := r.ref(ctx, "refs/heads/"+branch); now != at {
			if err == nil || !errors.Is(err, ErrMissing) {
				return nil, errors.Join(err, fmt.Errorf("%w: there is a branch %s with other commits", ErrRefused,
					branch))
			}
			if err := r.move(ctx, move{"refs/heads/" + branch, at, none}); err != nil {
				return nil, fmt.Errorf("branch %s: %w", branch, err)
			}
		}
	}
	if err := t.revive(ctx); at == "" && err != nil {
		return nil, err
	}
	half := dir + ".new" // the clone is renamed to dir when it is complete
	if err := os.RemoveAll(half); err != nil {
		return nil, err
	}
	if _, err := r.git.run(ctx, "", call{sub: "clone", scheme: "file", time: fetchTime,
		flags:  []word{"--shared", "--quiet", "--no-tags", "--single-branch", "--template="},
		opts:   []option{{"--branch=", branch}, {"--origin=", "samepage"}},
		values: []string{r.dir, half}}); err != nil {
		return nil, err
	}
	return t, os.Rename(half, dir)
}

// Tree returns a tree that [Repo.AddTree] created. It does not check that the folder exists.
func (r *Repo) Tree(name, dir, branch string) (*Tree, error) {
	if err := errors.Join(CheckName(name), CheckBranch(branch)); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("%w: %s is no absolute path", ErrInvalid, dir)
	}
	return &Tree{Repo: r, Name: name, Dir: dir, Branch: branch}, nil
}

// index returns the path of the private index, which is outside of the checkout.
func (t *Tree) index() string { return filepath.Join(t.Repo.dir, "samepage", t.Name+".index") }

// Look fetches the agent's commits into the repository, and takes a snapshot of the files. It changes nothing in the
// tree.
func (t *Tree) Look(ctx context.Context) (*State, error) {
	t.Repo.mu.Lock()
	defer t.Repo.mu.Unlock()
	return t.state(ctx)
}

func (t *Tree) state(ctx context.Context) (*State, error) {
	s := &State{}
	var err error
	if s.On, err = t.on(); err != nil {
		return nil, err
	}
	if s.Head, err = t.collect(ctx); err != nil {
		return nil, err
	}
	if s.Nested, err = t.nested(); err != nil {
		return nil, err
	}
	if err := t.stage(ctx, s); err != nil {
		return nil, err
	}
	out, err := t.Repo.line(ctx, call{sub: "write-tree", index: t.index(), tree: t.Dir})
	if err != nil {
		return nil, err
	}
	if s.Snapshot, err = ParseHash(out); err != nil {
		return nil, err
	}
	of, err := t.Repo.treeOf(ctx, s.Head)
	s.Dirty = of != s.Snapshot
	return s, err
}

// on returns the checked-out branch according to the agent's git directory, or "" if HEAD is not at a branch with a
// valid name. It returns [ErrRefused] if the git directory is not a folder, or could make git take objects from another
// repository than t.Repo.
func (t *Tree) on() (string, error) {
	root, err := t.gitDir()
	if err != nil {
		return "", err
	}
	defer root.Close()
	from, err := root.ReadFile("objects/info/alternates")
	if err != nil || strings.TrimSpace(string(from)) != filepath.Join(t.Repo.dir, "objects") {
		return "", fmt.Errorf("%w: the git directory of %s takes objects from elsewhere", ErrRefused, t.Name)
	}
	for _, link := range []string{"commondir", "objects/info/http-alternates", "shallow"} {
		if _, err := root.Lstat(link); err == nil {
			return "", fmt.Errorf("%w: the git directory of %s has the file %s", ErrRefused, t.Name, link)
		}
	}
	head, err := root.ReadFile("HEAD")
	if err != nil {
		return "", err
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	if !ok || CheckBranch(name) != nil {
		return "", nil
	}
	return name, nil
}

// gitDir opens the agent's git directory. Symbolic links cannot lead out of the returned folder.
func (t *Tree) gitDir() (*os.Root, error) {
	if i, err := os.Lstat(t.Dir); err != nil || !i.IsDir() { // refuse a symbolic link, too
		return nil, errors.Join(err, fmt.Errorf("%w: %s is not a folder", ErrRefused, t.Dir))
	}
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, dir := range []string{".git", ".git/objects", ".git/objects/info", ".git/refs", ".git/refs/heads"} {
		info, err := root.Lstat(dir)
		if err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%w: %s of %s is not a folder", ErrRefused, dir, t.Name)
		}
	}
	return root.OpenRoot(".git")
}

// collect fetches the agent's commits into the repository, and returns the tree's head.
func (t *Tree) collect(ctx context.Context) (Hash, error) {
	into := agentRefs + t.Name + "/"
	_, err := t.Repo.run(ctx, call{sub: "fetch", scheme: "file", time: fetchTime,
		flags: []word{"--quiet", "--prune", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
			"--no-auto-maintenance",
			"--no-show-forced-updates", "--refmap="},
		values: []string{filepath.Join(t.Dir, ".git"), "+HEAD:" + into + "HEAD", "+refs/heads/*:" + into + "heads/*",
			"+refs/stash*:" + into + "stash*"}})
	if err != nil {
		return "", err
	}
	return t.Repo.ref(ctx, into+"HEAD")
}

// nested lists the folders in the tree that are git repositories themselves.
func (t *Tree) nested() (list []string, err error) {
	entries := 0
	err = filepath.WalkDir(t.Dir, func(path string, d fs.DirEntry, err error) error {
		if entries++; entries > mostEntries {
			return fmt.Errorf("%s has more than %d files: %w", t.Name, mostEntries, ErrTooLarge)
		}
		rel, relErr := filepath.Rel(t.Dir, path)
		switch {
		case errors.Is(err, fs.ErrNotExist), relErr != nil, rel == ".":
			return nil
		case err != nil:
			return err
		case rel == ".git":
			return fs.SkipDir
		case strings.EqualFold(d.Name(), ".git"):
			list = append(list, filepath.ToSlash(filepath.Dir(rel)))
			if d.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return list, err
}

// stage updates the private index from the files of the tree, and sets s.Nested and s.Ignored. Submodules keep the
// commit that they have in Head, because git would otherwise read their own repositories.
func (t *Tree) stage(ctx context.Context, s *State) error {
	if _, err := t.Repo.run(ctx, call{sub: "read-tree", flags: []word{"--reset"}, values: []string{string(s.Head)},
		index: t.index(),
		tree:  t.Dir}); err != nil {
		return err
	}
	held, err := t.gitlinks(ctx)
	if err != nil {
		return err
	}
	if err := t.mustBeSmall(ctx); err != nil {
		return err
	}
	var paths bytes.Buffer
	paths.WriteString(":(top)\x00")
	for _, p := range slices.Concat(held, s.Nested) {
		fmt.Fprintf(&paths, ":(top,exclude,literal)%s\x00", p)
	}
	if _, err := t.Repo.run(ctx, call{sub: "add", flags: []word{"--all", "--no-warn-embedded-repo",
		"--pathspec-from-file=-",
		"--pathspec-file-nul"}, stdin: &paths, index: t.index(), tree: t.Dir, time: fetchTime}); err != nil {
		return err
	}
	now, err := t.gitlinks(ctx)
	if err != nil {
		return err
	}
	var drop bytes.Buffer
	for _, p := range now {
		if !slices.Contains(held, p) { // this repository was created after nested had listed the folders
			fmt.Fprintf(&drop, "0 %s\t%s\x00", none, p)
			s.Nested = append(s.Nested, p)
		}
	}
	if drop.Len() > 0 {
		if _, err := t.Repo.run(ctx, call{sub: "update-index", flags: []word{"-z", "--index-info"}, stdin: &drop,
			index: t.index(),
			tree:  t.Dir}); err != nil {
			return err
		}
	}
	s.Nested = slices.DeleteFunc(s.Nested, func(p string) bool { return slices.Contains(held, p) })
	out, err := t.Repo.run(ctx, call{sub: "ls-files", flags: []word{"-z", "--others", "--ignored", "--directory",
		"--exclude-standard"},
		index: t.index(), tree: t.Dir, limit: 64 << 10, cut: true})
	s.Ignored = split(out)
	s.Ignored = s.Ignored[:min(len(s.Ignored), mostIgnored)]
	return err
}

// gitlinks lists the paths of the submodules in the private index.
func (t *Tree) gitlinks(ctx context.Context) (list []string, err error) {
	out, err := t.Repo.run(ctx, call{sub: "ls-files", flags: []word{"-z", "--stage"}, index: t.index(), tree: t.Dir,
		limit: 128 << 20})
	for _, entry := range split(out) {
		if of, path, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(of, "160000 ") {
			list = append(list, path)
		}
	}
	return list, err
}

func (t *Tree) mustBeSmall(ctx context.Context) error {
	out, err := t.Repo.run(ctx, call{sub: "ls-files", flags: []word{"-z", "--others", "--exclude-standard"},
		index: t.index(), tree: t.Dir,
		limit: 128 << 20})
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var sum int64
	for _, path := range split(out) {
		if info, err := root.Lstat(path); err == nil {
			sum += info.Size()
		}
	}
	if sum > mostNewBytes {
		return fmt.Errorf("%w: the new files of %s have %d MB, and a commit takes %d MB; ignore or remove some",
			ErrTooLarge, t.Name, sum>>20, mostNewBytes>>20)
	}
	return nil
}

func (r *Repo) treeOf(ctx context.Context, commit Hash) (Hash, error) {
	out, err := r.line(ctx, call{sub: "rev-parse", flags: []word{"--verify", "--quiet"},
		values: []string{string(commit) + "^{tree}"}})
	if err != nil {
		return "", err
	}
	return ParseHash(out)
}

// Size returns the total size of the files in the tree's folder, in bytes. Objects of the repository do not count.
func (t *Tree) Size() (bytes int64, err error) {
	err = filepath.WalkDir(t.Dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes, err
}

func split(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
