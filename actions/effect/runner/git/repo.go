package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Repo is a bare repository that belongs to the runner. It is never garbage-collected.
type Repo struct {
	git *Git
	dir string
	mu  sync.Mutex // held while an index or a branch changes
}

// configuration is the complete configuration of a bare repository. Only [Repo.move] may change branches, so pushes are
// refused.
const configuration = `[core]
	repositoryformatversion = 1
	filemode = true
	bare = true
	logAllRefUpdates = true
[extensions]
	preciousObjects = true
[gc]
	auto = 0
[receive]
	hideRefs = refs
`

// Create creates an empty bare repository. It returns [ErrRefused] if the folder exists.
func (g *Git) Create(ctx context.Context, dir string) (*Repo, error) {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("%w: %s exists already", ErrRefused, dir)
	}
	if _, err := g.run(ctx, "", call{sub: "init", flags: []word{"--bare", "--quiet", "--template=",
		"--initial-branch="},
		opts: []option{{"--initial-branch=", "main"}}, values: []string{dir}}); err != nil {
		return nil, err
	}
	for _, sub := range []string{"info", "samepage"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(configuration), 0o600); err != nil {
		return nil, err
	}
	return &Repo{git: g, dir: dir}, nil
}

// Open opens a repository that [Git.Create] created. It returns [ErrMissing] if dir has no repository, and [ErrRefused]
// if the repository's configuration was changed.
func (g *Git) Open(dir string) (*Repo, error) {
	dir = filepath.Clean(dir)
	config, err := os.ReadFile(filepath.Join(dir, "config"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is no repository", ErrMissing, dir)
	}
	if err != nil {
		return nil, err
	}
	if string(config) != configuration {
		return nil, fmt.Errorf("%w: the configuration of %s was changed from outside", ErrRefused, dir)
	}
	return &Repo{git: g, dir: dir}, nil
}

func (r *Repo) run(ctx context.Context, c call) ([]byte, error) { return r.git.run(ctx, r.dir, c) }

// line runs a command and returns its output without surrounding space.
func (r *Repo) line(ctx context.Context, c call) (string, error) {
	out, err := r.run(ctx, c)
	return strings.TrimSpace(string(out)), err
}

// Source is a repository that a [Repo] fetches from and pushes to: a folder, which is only read, or a remote
// repository.
type Source struct {
	Path   string // absolute path of a folder on this machine
	Remote string // URL; used if Path is empty
	Access Access // credentials for the remote repository
}

// ParseSource parses the address of a source: an absolute path or an https URL. It returns [ErrRefused] if the source
// is not at or below one of the roots, which are folders and URLs. Symbolic links in a path are resolved first.
func ParseSource(at string, roots []string) (Source, error) {
	if !filepath.IsAbs(at) {
		if err := CheckRemote(at); err != nil {
			return Source{}, err
		}
		for _, root := range roots {
			if base := strings.TrimSuffix(root, "/"); at == base || strings.HasPrefix(at, base+"/") {
				return Source{Remote: at}, nil
			}
		}
		return Source{}, fmt.Errorf("%w: %s is not below an allowed root", ErrRefused, at)
	}
	real, err := filepath.EvalSymlinks(at)
	for _, root := range roots {
		base, rootErr := filepath.EvalSymlinks(root)
		if !filepath.IsAbs(root) || err != nil || rootErr != nil {
			continue
		}
		if rel, err := filepath.Rel(base, real); err == nil && filepath.IsLocal(rel) {
			return Source{Path: real}, nil
		}
	}
	return Source{}, fmt.Errorf("%w: %s does not exist below an allowed root", ErrRefused, at)
}

// check returns the address of the source with its transport. It refuses a folder whose git directory is outside of the
// folder, or takes objects from another repository.
func (s Source) check() (at string, scheme word, err error) {
	if s.Path == "" {
		return s.Remote, "https", CheckRemote(s.Remote)
	}
	dir := filepath.Join(s.Path, ".git")
	info, err := os.Lstat(dir)
	if errors.Is(err, os.ErrNotExist) {
		dir = s.Path
		info, err = os.Lstat(dir)
	}
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		return "", "", fmt.Errorf("%w: the git directory of %s is elsewhere; name the repository itself", ErrRefused,
			s.Path)
	}
	for _, link := range []string{"commondir", "objects/info/alternates", "objects/info/http-alternates"} {
		if _, err := os.Lstat(filepath.Join(dir, link)); err == nil {
			return "", "", fmt.Errorf("%w: %s takes objects from another repository; name that one", ErrRefused, s.Path)
		}
	}
	return dir, "file", nil
}

// Fetch fetches the branches of the source into refs/remotes/origin, and returns the name of the default branch. It
// creates the local branch with that name, or fast-forwards it if it has no commits of its own.
func (r *Repo) Fetch(ctx context.Context, from Source) (main string, err error) {
	at, scheme, err := from.check()
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.run(ctx, call{sub: "fetch", scheme: scheme, access: from.Access, time: fetchTime,
		flags: []word{"--quiet", "--prune", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
			"--no-auto-maintenance",
			"--no-show-forced-updates", "--refmap="}, values: []string{at,
			"+refs/heads/*:refs/remotes/origin/*"}}); err != nil {
		return "", err
	}
	head, err := r.line(ctx, call{sub: "ls-remote", scheme: scheme, access: from.Access, flags: []word{"--quiet", "--symref"},
		values: []string{at, "HEAD"}})
	if err != nil {
		return "", err
	}
	main = "main"
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		main, _, _ = strings.Cut(name, "\t")
	}
	if err := CheckBranch(main); err != nil {
		return "", err
	}
	theirs, err := r.ref(ctx, "refs/remotes/origin/"+main)
	if errors.Is(err, ErrMissing) {
		return "", fmt.Errorf("%w: its default branch %s has no commit", ErrMissing, main)
	}
	if err != nil {
		return "", err
	}
	ours, err := r.ref(ctx, "refs/heads/"+main)
	if errors.Is(err, ErrMissing) {
		return main, r.move(ctx, move{"refs/heads/" + main, theirs, none})
	}
	if err != nil {
		return "", err
	}
	if forward, err := r.isAncestor(ctx, ours, theirs); err != nil || !forward || ours == theirs {
		return main, err
	}
	return main, r.move(ctx, move{"refs/heads/" + main, theirs, ours})
}

// ref returns the commit of a hash or of a full ref name such as refs/heads/main, or [ErrMissing].
func (r *Repo) ref(ctx context.Context, name string) (Hash, error) {
	out, err := r.line(ctx, call{sub: "rev-parse", flags: []word{"--verify", "--quiet"},
		values: []string{name + "^{commit}"},
		codes:  []int{1}})
	if exited(err) {
		return "", fmt.Errorf("%w: %s", ErrMissing, name)
	}
	if err != nil {
		return "", err
	}
	return ParseHash(out)
}

// Resolve returns the commit of a full hash or of a branch. A branch of this repository takes precedence over a branch
// of the source. Resolve returns [ErrMissing] if there is neither, and [ErrInvalid] for an invalid name.
func (r *Repo) Resolve(ctx context.Context, name string) (Hash, error) {
	if h, err := ParseHash(name); err == nil {
		return r.ref(ctx, string(h))
	}
	if err := CheckBranch(name); err != nil {
		return "", err
	}
	h, err := r.ref(ctx, "refs/heads/"+name)
	if errors.Is(err, ErrMissing) {
		h, err = r.ref(ctx, "refs/remotes/origin/"+name)
	}
	if errors.Is(err, ErrMissing) {
		return "", fmt.Errorf("%w: %s", ErrMissing, name)
	}
	return h, err
}

// Branch is a branch with its last commit.
type Branch struct {
	Name string
	Head Hash
	At   time.Time
}

// Sources lists the branches of the source as of the last fetch, those with the newest commits first.
func (r *Repo) Sources(ctx context.Context) ([]Branch, error) {
	out, err := r.run(ctx, call{sub: "for-each-ref", flags: []word{"--sort=-committerdate"},
		opts: []option{{"--format=",
			"%(objectname)%00%(committerdate:unix)%00%(refname)"}}, values: []string{"refs/remotes/origin/"}})
	if err != nil {
		return nil, err
	}
	var list []Branch
	for line := range strings.Lines(string(out)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		if len(part) != 3 {
			continue
		}
		list = append(list, Branch{Name: strings.TrimPrefix(part[2], "refs/remotes/origin/"), Head: Hash(part[0]), At: unix(part[1])})
	}
	return list, nil
}

type move struct {
	name     string
	new, old Hash
}

// move updates all of the given refs, or none of them. It returns [ErrMoved] if one of them is not at its old commit.
func (r *Repo) move(ctx context.Context, moves ...move) error {
	var in strings.Builder
	for _, m := range moves {
		if strings.ContainsRune(m.name, 0) || !hash.MatchString(string(m.new)) || !hash.MatchString(string(m.old)) {
			return fmt.Errorf("%w: %q", ErrInvalid, m.name)
		}
		fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", m.name, m.new, m.old)
	}
	_, err := r.run(ctx, call{sub: "update-ref", flags: []word{"--no-deref", "--stdin", "-z"},
		stdin: strings.NewReader(in.String()),
		codes: []int{1, 128}, author: identity(Person{}, time.Time{})})
	if !exited(err) {
		return err
	}
	for _, m := range moves { // the exit code is the same for a ref that has moved and for one that cannot be written
		now, rerr := r.ref(ctx, m.name)
		if errors.Is(rerr, ErrMissing) {
			now, rerr = none, nil
		}
		switch {
		case rerr != nil:
			return rerr
		case now != m.old:
			return fmt.Errorf("%w: %w", ErrMoved, err)
		}
	}
	return fmt.Errorf("git update-ref: %w", err)
}

func (r *Repo) isAncestor(ctx context.Context, old, new Hash) (bool, error) {
	_, err := r.run(ctx, call{sub: "merge-base", flags: []word{"--is-ancestor"},
		values: []string{string(old), string(new)},
		codes:  []int{1}})
	if exited(err) {
		return false, nil
	}
	return err == nil, err
}

// Base returns the merge base of two commits, or [ErrMissing] if they have no common ancestor.
func (r *Repo) Base(ctx context.Context, a, b Hash) (Hash, error) {
	out, err := r.line(ctx, call{sub: "merge-base", values: []string{string(a), string(b)}, codes: []int{1}})
	if exited(err) {
		return "", fmt.Errorf("%w: they have no common commit", ErrMissing)
	}
	if err != nil {
		return "", err
	}
	return ParseHash(out)
}
