package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"samepage/actions/effect/runner/gittest"
)

// poison sets every known trap in the git directory and in the other files of a checkout. A trap that runs writes to
// the marker file.
func (w *world) poison(dir, marker string) { gittest.Poison(w.t, dir, marker) }

// nest makes a repository with traps in a folder of a checkout.
func (w *world) nest(dir, marker string) {
	w.plain("", "init", "-q", dir)
	w.write(dir, "in.txt", "inner\n")
	w.plain(dir, "add", "-A")
	w.plain(dir, "commit", "-qm", "Inner")
	w.poison(dir, marker)
	w.write(dir, "in.txt", "changed\n")
}

// lay sets traps in the tree of the world and in its source.
func (w *world) lay(secret, marker string, base Hash) {
	dir, t := w.tree.Dir, w.t
	w.write(secret, "secret.txt", "of another user\n")
	w.nest(filepath.Join(dir, "sub"), marker)
	w.nest(filepath.Join(dir, "fresh", "nested"), marker)
	w.plain(dir, "add", "sub") // the agent commits a submodule, whose own repository has traps
	w.plain(dir, "commit", "-qm", "A submodule")
	replaced := w.plain(dir, "commit-tree", "-m", "Replaced", "HEAD^{tree}")
	w.plain(dir, "update-ref", "refs/replace/"+string(base), replaced)
	w.write(dir, "beds.txt", "one\n2\nthree\n")
	for _, name := range []string{"-x", "--exec=touch " + "marker", ":(attr)x", "*", "a b\nc", "\xff"} {
		w.write(dir, name, "odd\n")
	}
	for link, to := range map[string]string{"out": secret, "file": filepath.Join(secret, "secret.txt"), "loop": "."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	w.poison(dir, marker)
	w.poison(w.source, marker)
}

// poisoned sets traps in a tree and its source, calls the functions of this package on them, and returns the names of
// the traps that ran.
func poisoned(t *testing.T) string {
	w := newWorld(t)
	base, _ := w.repo.Resolve(t.Context(), "trunk")
	marker := filepath.Join(t.TempDir(), "marker")
	dir, secret := w.tree.Dir, t.TempDir()
	w.lay(secret, marker, base)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.repo.Fetch(t.Context(), Source{Path: w.source})
	must(err)
	s, err := w.tree.Look(t.Context())
	must(err)
	if !s.Dirty || !slices.Equal(s.Nested, []string{"fresh/nested"}) {
		t.Errorf("%+v", s)
	}
	first, _ := w.turn("t1")
	for entry := range strings.Lines(w.plain(w.repo.dir, "ls-tree", "-r", string(first))) {
		of, path, _ := strings.Cut(strings.TrimSpace(entry), "\t")
		mode, _, _ := strings.Cut(of, " ")
		if path == "out" && mode != "120000" || strings.HasPrefix(path, "out/") || strings.HasPrefix(path, "fresh") ||
			path == "sub" && mode != "160000" {
			t.Errorf("%s is in the commit", entry)
		}
	}
	if data := w.plain(w.repo.dir, "show", string(first)+":beds.txt"); data != "one\n2\nthree" {
		t.Errorf("%q", data)
	}
	d, err := w.repo.Diff(t.Context(), base, first, ample)
	must(err)
	if len(d.Files) < 10 {
		t.Errorf("%+v", d)
	}
	log, err := w.repo.Log(t.Context(), base, first, 10)
	must(err)
	if log[len(log)-1].Subject != "A submodule" {
		t.Errorf("%+v", log)
	}
	w.write(dir, "beds.txt", "later\n")
	must(w.tree.Restore(t.Context(), first, Turn{ID: "before", At: at, Message: "Before"}))
	if w.read("beds.txt") != "one\n2\nthree\n" {
		t.Error(w.read("beds.txt"))
	}
	_, conflicts, err := w.repo.Merge(t.Context(), Merge{Kind: MergeCommit, Into: "trunk", Old: base, Head: first,
		At: at})
	if must(err); conflicts != nil {
		t.Errorf("%+v", conflicts)
	}
	other, err := w.repo.AddTree(t.Context(), "second", dir+"-2", "second", first)
	must(err)
	if _, err := other.Look(t.Context()); err != nil {
		t.Error(err)
	}
	err = w.tree.Remove(t.Context(), first, true, Turn{ID: "last", At: at})
	must(err)
	if data, err := os.ReadFile(filepath.Join(secret, "secret.txt")); err != nil ||
		string(data) != "of another user\n" {
		t.Errorf("%q %v", data, err)
	}
	ran, err := os.ReadFile(marker)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(ran)
}

// TestPoisonedCheckout checks that no program of a checkout runs while this package works on the checkout.
func TestPoisonedCheckout(t *testing.T) {
	if ran := poisoned(t); ran != "" {
		t.Errorf("these ran:\n%s", ran)
	}
}

// TestTrapsWork checks that plain git, without the protection of this package, runs the programs that the other tests
// plant in a checkout.
func TestTrapsWork(t *testing.T) {
	w := newWorld(t)
	marker := filepath.Join(t.TempDir(), "marker")
	w.poison(w.tree.Dir, marker)
	cmd := exec.CommandContext(t.Context(), w.git.Program, "-C", w.tree.Dir, "-c", "core.hooksPath=/dev/null",
		"-c", "core.fsmonitor=false", "diff")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Logf("%v %s", err, out)
	}
	if _, err := os.Stat(marker); err != nil {
		t.Error("the traps do nothing")
	}
}

// TestPoisonedCheckoutTraced runs TestPoisonedCheckout under strace. Only git and the shell that starts its
// upload-pack may be executed besides what the test itself runs.
func TestPoisonedCheckoutTraced(t *testing.T) { gittest.Traced(t, "TestPoisonedCheckout") }

// TestForgedGitDirectory checks that a tree is refused if its git directory was changed to use files of another
// repository.
func TestForgedGitDirectory(t *testing.T) {
	for name, forge := range map[string]func(w *world, git string) error{
		"objects of another repository": func(w *world, git string) error {
			return os.WriteFile(filepath.Join(git, "objects/info/alternates"), []byte(w.source+"/.git/objects\n"),
				0o644)
		},
		"a second repository": func(w *world, git string) error {
			return os.WriteFile(filepath.Join(git, "objects/info/alternates"),
				[]byte(filepath.Join(w.repo.dir, "objects")+"\n"+w.source+"/.git/objects\n"), 0o644)
		},
		"a common directory": func(w *world, git string) error {
			return os.WriteFile(filepath.Join(git, "commondir"), []byte(w.source+"/.git\n"), 0o644)
		},
		"a link": func(w *world, git string) error {
			return errors.Join(os.Rename(git, git+"2"), os.Symlink(w.source+"/.git", git))
		},
		"a file": func(w *world, git string) error {
			return errors.Join(os.Rename(git, git+"2"), os.WriteFile(git, []byte("gitdir: "+w.source+"/.git\n"), 0o644))
		},
		"linked objects": func(w *world, git string) error {
			return errors.Join(os.Rename(git+"/objects", git+"/o2"), os.Symlink(w.source+"/.git/objects",
				git+"/objects"))
		},
		"linked branches": func(w *world, git string) error {
			return errors.Join(os.Rename(git+"/refs/heads", git+"/h2"), os.Symlink(w.source, git+"/refs/heads"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if err := forge(w, filepath.Join(w.tree.Dir, ".git")); err != nil {
				t.Fatal(err)
			}
			if s, err := w.tree.Look(t.Context()); !errors.Is(err, ErrRefused) {
				t.Errorf("%+v %v", s, err)
			}
		})
	}
}

// TestSettleStaysInside puts symbolic links into a git directory. The runner must not write through these links to a
// file outside of the directory.
func TestSettleStaysInside(t *testing.T) {
	for _, link := range []string{"index", "refs/heads/work"} {
		w := newWorld(t)
		outside := t.TempDir()
		git := filepath.Join(w.tree.Dir, ".git")
		for name, text := range map[string]string{"sheds": w.plain(w.tree.Dir, "rev-parse", "HEAD") + "\n",
			"index": "untouched\n"} {
			w.write(outside, name, text)
		}
		to := outside
		if link == "index" {
			to = filepath.Join(outside, "index")
		}
		if err := errors.Join(os.RemoveAll(filepath.Join(git, link)), os.Symlink(to, filepath.Join(git,
			link))); err != nil {
			t.Fatal(err)
		}
		before := map[string]string{}
		for _, name := range []string{"sheds", "index"} {
			data, _ := os.ReadFile(filepath.Join(outside, name))
			before[name] = string(data)
		}
		w.write(w.tree.Dir, "beds.txt", "changed\n")
		_, _, err := w.tree.CommitTurn(t.Context(), Turn{ID: "t1", At: at, Branch: true})
		if (err == nil) != (link == "index") {
			t.Errorf("with a link at %s: %v", link, err)
		}
		for name, want := range before {
			if data, err := os.ReadFile(filepath.Join(outside, name)); err != nil || string(data) != want {
				t.Errorf("%s: %q %v", name, data, err)
			}
		}
	}
}

// TestPushIsRefused checks that an agent cannot move branches of the repository by a push.
func TestPushIsRefused(t *testing.T) {
	w := newWorld(t)
	w.write(w.tree.Dir, "beds.txt", "pushed\n")
	w.plain(w.tree.Dir, "commit", "-qam", "Pushed")
	cmd := exec.CommandContext(t.Context(), w.git.Program, "-C", w.tree.Dir, "push", "samepage",
		"HEAD:refs/heads/trunk")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("a push is accepted: %s", out)
	}
}
