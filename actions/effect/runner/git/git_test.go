package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ample has limits that the diffs of most tests do not reach.
var ample = Limits{Files: 3000, Lines: 20_000, Bytes: 2 << 20}

// at is the time of commits in tests.
var at = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// world has a repository with one commit, which was fetched from the source, and a tree of the repository.
type world struct {
	t      *testing.T
	git    *Git
	source string // a checkout that a person owns
	repo   *Repo
	tree   *Tree
}

func newWorld(t *testing.T) *world {
	t.Helper()
	g, err := Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, git: g, source: filepath.Join(t.TempDir(), "garden")}
	w.plain("", "init", "-q", "-b", "trunk", w.source)
	w.write(w.source, "beds.txt", "one\ntwo\nthree\n")
	w.write(w.source, "paths/stones.txt", "flat\n")
	w.plain(w.source, "add", "-A")
	w.plain(w.source, "commit", "-q", "-m", "Begin")
	dir := t.TempDir()
	if w.repo, err = g.Create(t.Context(), filepath.Join(dir, "garden.git")); err != nil {
		t.Fatal(err)
	}
	from, err := ParseSource(w.source, []string{filepath.Dir(w.source)})
	if err != nil {
		t.Fatal(err)
	}
	main, err := w.repo.Fetch(t.Context(), from)
	if err != nil || main != "trunk" {
		t.Fatal(main, err)
	}
	head, err := w.repo.Resolve(t.Context(), "trunk")
	if err != nil {
		t.Fatal(err)
	}
	if w.tree, err = w.repo.AddTree(t.Context(), "sheds", filepath.Join(dir, "sheds"), "tools/sheds", head); err != nil {
		t.Fatal(err)
	}
	return w
}

// plain runs git in a folder, as a person or an agent would, and returns the output.
func (w *world) plain(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), w.git.Program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann",
		"GIT_AUTHOR_EMAIL=ann@x", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@x",
		"GIT_AUTHOR_DATE=@1763632800 +0000", "GIT_COMMITTER_DATE=@1763632800 +0000")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) write(dir, name, text string) {
	w.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	data, err := os.ReadFile(filepath.Join(w.tree.Dir, name))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// turn commits a turn of the tree.
func (w *world) turn(id string) (Hash, *State) {
	w.t.Helper()
	h, s, err := w.tree.CommitTurn(w.t.Context(), Turn{ID: id, Author: Person{"Mason", "mason@agents"},
		Message: "Turn " + id,
		At:      at, Branch: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return h, s
}

func TestTurns(t *testing.T) {
	w := newWorld(t)
	base, _ := w.repo.Resolve(t.Context(), "trunk")
	s, err := w.tree.Look(t.Context())
	if err != nil || s.Dirty || s.Head != base || s.On != "tools/sheds" {
		t.Fatalf("%+v %v", s, err)
	}
	w.write(w.tree.Dir, "beds.txt", "one\n2\nthree\n")
	w.write(w.tree.Dir, "-n.txt", "a name like a flag\n")
	if s, err = w.tree.Look(t.Context()); err != nil || !s.Dirty {
		t.Fatalf("%+v %v", s, err)
	}
	first, _ := w.turn("t1")
	if again, _ := w.turn("t1"); again != first {
		t.Errorf("the same turn has the commits %s and %s", first, again)
	}
	if got := w.plain(w.tree.Dir, "status", "--porcelain"); got != "" {
		t.Errorf("the agent's own git finds changes after the turn:\n%s", got)
	}
	if got := w.plain(w.tree.Dir, "log", "-1", "--format=%H %an %cn %s"); got != string(first)+" Mason Samepage Turn t1" {
		t.Errorf("the agent's own git says %s", got)
	}
	w.write(w.tree.Dir, "shed.txt", "wood\n")
	w.plain(w.tree.Dir, "add", "-A")
	w.plain(w.tree.Dir, "commit", "-q", "-m", "A shed")
	own := Hash(w.plain(w.tree.Dir, "rev-parse", "HEAD"))
	if second, s := w.turn("t2"); second != own || s.Dirty {
		t.Errorf("a turn whose work the agent committed is %s, not %s", second, own)
	}
	log, err := w.repo.Log(t.Context(), base, own, 10)
	if err != nil || len(log) != 2 || log[0].Subject != "A shed" || log[0].Author.Name != "Ann" ||
		log[1].Committer.Name != "Samepage" {
		t.Errorf("%+v %v", log, err)
	}
	d, err := w.repo.Diff(t.Context(), base, own, ample)
	if err != nil || len(d.Files) != 3 || d.Added != 3 || d.Deleted != 1 ||
		!strings.Contains(d.Files[1].Patch, "-two\n+2\n") {
		t.Errorf("%+v %v", d, err)
	}
	if behind, ahead, err := w.repo.Apart(t.Context(), base, own); err != nil || behind != 0 || ahead != 2 {
		t.Errorf("%d behind, %d ahead, %v", behind, ahead, err)
	}
	if size, err := w.tree.Size(); err != nil || size < 40 || size > 200_000 {
		t.Errorf("%d bytes, %v", size, err)
	}
}

func TestRestore(t *testing.T) {
	w := newWorld(t)
	w.write(w.tree.Dir, "beds.txt", "first\n")
	first, _ := w.turn("t1")
	w.write(w.tree.Dir, "beds.txt", "second\n")
	w.write(w.tree.Dir, "new/deep.txt", "new\n")
	if err := w.tree.Restore(t.Context(), first, Turn{ID: "before", At: at, Message: "Before"}); err != nil {
		t.Fatal(err)
	}
	if w.read("beds.txt") != "first\n" || !strings.Contains(w.read("new/deep.txt"), "no such file") {
		t.Errorf("%q %q", w.read("beds.txt"), w.read("new/deep.txt"))
	}
	if got := w.plain(w.tree.Dir, "status", "--porcelain",
		"--branch"); got != "## tools/sheds...samepage/tools/sheds [ahead 1]" {
		t.Errorf("the agent's own git finds %s", got)
	}
	if turns := w.plain(w.repo.dir, "for-each-ref", turnRefs+"sheds/"); strings.Count(turns, "\n") != 1 { // two lines
		t.Fatalf("%q", turns)
	}
	kept, _ := w.repo.ref(t.Context(), turnRefs+"sheds/before")
	if err := w.tree.Restore(t.Context(), kept, Turn{ID: "again", At: at, Message: "Again"}); err != nil {
		t.Fatal(err)
	}
	if w.read("beds.txt") != "second\n" || w.read("new/deep.txt") != "new\n" {
		t.Error("what the restoration replaced cannot be restored")
	}
	if err := w.tree.Restore(t.Context(), none, Turn{ID: "x", At: at}); !errors.Is(err, ErrMissing) {
		t.Errorf("a missing commit: %v", err)
	}
}

// TestRewrittenBranch checks that no commit is lost if the agent rewrites its branch, or switches to another branch,
// before a turn ends.
func TestRewrittenBranch(t *testing.T) {
	w := newWorld(t)
	w.write(w.tree.Dir, "beds.txt", "first\n")
	first, _ := w.turn("t1")
	w.plain(w.tree.Dir, "commit", "-q", "--amend", "-m", "Rewritten")
	w.plain(w.tree.Dir, "branch", "aside")
	second, _ := w.turn("t2")
	if now, err := w.repo.Resolve(t.Context(), "tools/sheds"); err != nil || now != second || now == first {
		t.Errorf("the branch is at %s, %v", now, err)
	}
	if kept, err := w.repo.ref(t.Context(), savedRefs+"sheds/t2"); err != nil || kept != first {
		t.Errorf("the former commit is at %s, %v", kept, err)
	}
	w.plain(w.tree.Dir, "checkout", "-q", "-b", "elsewhere")
	w.write(w.tree.Dir, "beds.txt", "elsewhere\n")
	third, s := w.turn("t3")
	if s.On != "elsewhere" {
		t.Errorf("on %q", s.On)
	}
	if now, _ := w.repo.Resolve(t.Context(), "tools/sheds"); now != second {
		t.Error("work on another branch moves the branch of the tree")
	}
	if data := w.plain(w.repo.dir, "show", string(third)+":beds.txt"); data != "elsewhere" {
		t.Errorf("%q", data)
	}
}

func TestRemove(t *testing.T) {
	w := newWorld(t)
	base, _ := w.repo.Resolve(t.Context(), "trunk")
	w.write(w.tree.Dir, "beds.txt", "unfinished\n")
	w.write(w.tree.Dir, ".gitignore", "*.o\n")
	w.write(w.tree.Dir, "x.o", "built\n")
	err := w.tree.Remove(t.Context(), base, false, Turn{ID: "archived", At: at})
	if l, ok := errors.AsType[*Loss](err); !ok || !l.Uncommitted || len(l.Ignored) != 1 || w.read("beds.txt") != "unfinished\n" ||
		!errors.Is(err, ErrRefused) {
		t.Fatalf("%+v %v", l, err)
	}
	w.turn("t1")
	err = w.tree.Remove(t.Context(), base, false, Turn{ID: "archived", At: at})
	if l, ok := errors.AsType[*Loss](err); !ok || l.Uncommitted || l.Unmerged != 1 {
		t.Fatalf("%+v %v", l, err)
	}
	w.write(w.tree.Dir, "late.txt", "late\n")
	if err = w.tree.Remove(t.Context(), base, true, Turn{ID: "archived", At: at}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(w.tree.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	kept, err := w.repo.ref(t.Context(), turnRefs+"sheds/archived")
	if err != nil {
		t.Fatal(err)
	}
	back, err := w.repo.AddTree(t.Context(), "sheds", w.tree.Dir, "tools/sheds", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Restore(t.Context(), kept, Turn{ID: "back", At: at}); err != nil || w.read("late.txt") != "late\n" {
		t.Errorf("%v %q", err, w.read("late.txt"))
	}
}

func TestMerge(t *testing.T) {
	for _, kind := range []Kind{MergeCommit, Squash, FastForward} {
		w := newWorld(t)
		base, _ := w.repo.Resolve(t.Context(), "trunk")
		w.write(w.tree.Dir, "beds.txt", "one\n2\nthree\n")
		head, _ := w.turn("t1")
		m := Merge{Kind: kind, Into: "trunk", Old: base, Head: head, Author: Person{"Alice", "alice@x"},
			Message: "Sheds", At: at}
		to, conflicts, err := w.repo.Merge(t.Context(), m)
		if err != nil || conflicts != nil {
			t.Fatal(kind, err, conflicts)
		}
		parents := map[Kind]int{MergeCommit: 2, Squash: 1, FastForward: 1}[kind]
		if log, err := w.repo.Log(t.Context(), "", to, 1); err != nil || len(log[0].Parents) != parents {
			t.Errorf("%s: %+v %v", kind, log, err)
		}
		if data := w.plain(w.repo.dir, "show", string(to)+":beds.txt"); data != "one\n2\nthree" {
			t.Errorf("%s: %q", kind, data)
		}
		if _, _, err := w.repo.Merge(t.Context(), m); !errors.Is(err, ErrMoved) {
			t.Errorf("%s: a second merge of what was read before: %v", kind, err)
		}
	}
}

// TestMergeThatCannotBeWritten expects an error that does not say that the branch has moved, if its ref is locked.
func TestMergeThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	base, _ := w.repo.Resolve(t.Context(), "trunk")
	w.write(w.tree.Dir, "beds.txt", "one\n2\nthree\n")
	head, _ := w.turn("t1")
	lock := filepath.Join(w.repo.dir, "refs", "heads", "trunk.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := Merge{Kind: MergeCommit, Into: "trunk", Old: base, Head: head, Author: Person{"Alice", "alice@x"},
		Message: "Sheds", At: at}
	if _, _, err := w.repo.Merge(t.Context(), m); err == nil || errors.Is(err, ErrMoved) {
		t.Error(err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.repo.Merge(t.Context(), m); err != nil {
		t.Error("with a free ref:", err)
	}
}

func TestConflict(t *testing.T) {
	w := newWorld(t)
	w.write(w.source, "beds.txt", "one\nTWO\nthree\n")
	w.plain(w.source, "commit", "-qam", "Louder")
	if _, err := w.repo.Fetch(t.Context(), Source{Path: w.source}); err != nil {
		t.Fatal(err)
	}
	now, _ := w.repo.Resolve(t.Context(), "trunk")
	w.write(w.tree.Dir, "beds.txt", "one\n2\nthree\n")
	head, _ := w.turn("t1")
	m := Merge{Kind: MergeCommit, Into: "trunk", Old: now, Head: head, At: at}
	_, list, err := w.repo.Merge(t.Context(), m)
	if err != nil || len(list) != 1 || list[0].Path != "beds.txt" ||
		string(list[0].Ours) != "one\nTWO\nthree\n" || string(list[0].Theirs) != "one\n2\nthree\n" {
		t.Fatalf("%v %+v", err, list)
	}
	if after, _ := w.repo.Resolve(t.Context(), "trunk"); after != now {
		t.Error("a merge with conflicts moved the branch")
	}
	if m.Kind = FastForward; true {
		if _, _, err := w.repo.Merge(t.Context(), m); !errors.Is(err, ErrRefused) {
			t.Errorf("a fast-forward of branches that went apart: %v", err)
		}
	}
}

func TestDiffLimits(t *testing.T) {
	w := newWorld(t)
	base, _ := w.repo.Resolve(t.Context(), "trunk")
	w.write(w.tree.Dir, "a.txt", "short\n")
	w.write(w.tree.Dir, "b.txt", strings.Repeat("long line of text\n", 3000))
	w.write(w.tree.Dir, "c.bin", "\x00\x01\x02")
	w.write(w.tree.Dir, "quoted \"na\tme\".txt", "x\n")
	if err := os.Rename(filepath.Join(w.tree.Dir, "paths/stones.txt"),
		filepath.Join(w.tree.Dir, "stones.txt")); err != nil {
		t.Fatal(err)
	}
	head, _ := w.turn("t1")
	d, err := w.repo.Diff(t.Context(), base, head, Limits{Files: 100, Lines: 100, Bytes: 1 << 20})
	if err != nil || len(d.Files) != 5 || d.Added != 3002 {
		t.Fatalf("%+v %v", d, err)
	}
	if a, b := d.Files[0], d.Files[1]; a.Patch == "" || a.Cut || b.Patch != "" || !b.Cut || b.Added != 3000 {
		t.Errorf("%+v %+v", a, b)
	}
	d, err = w.repo.Diff(t.Context(), base, head, ample)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []File{{Path: "a.txt", Change: Added, Added: 1}, {Path: "b.txt", Change: Added, Added: 3000},
		{Path: "c.bin", Change: Added, Binary: true}, {Path: "quoted \"na\tme\".txt", Change: Added, Added: 1},
		{Path: "stones.txt", Was: "paths/stones.txt", Change: Renamed}} {
		got := d.Files[i]
		if got.Patch == "" && !got.Binary {
			t.Errorf("%s has no patch", got.Path)
		}
		if got.Patch = ""; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
