package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRestoreKeepsIgnoredFiles brings a tree back to a commit that tracks files whose places have ignored files now.
func TestRestoreKeepsIgnoredFiles(t *testing.T) {
	for _, c := range []struct{ name, tracked, ignore, kept, names string }{
		{"the same path", "key.env", "*.env", "key.env", "key.env"},
		{"in a folder", "keys/one.env", "*.env", "keys/one.env", "keys/one.env"},
		{"in an ignored folder", "keys/old/one", "keys/", "keys/old/one", "keys/old/one"},
		{"a folder in place of the file", "keys", "keys/", "keys/one", "keys"},
		{"a file in a folder in place of the file", "keys", "*.env", "keys/one.env", "keys"},
		{"a file in place of the folder", "keys/one", "keys", "keys", "keys"},
		{"a file in place of a folder in an ignored one", "out/keys/one", "out/", "out/keys", "out/keys/one"},
		{"beside it", "keys/one", "*.env", "keys/two.env", ""},
		{"beside it in an ignored folder", "keys/one", "keys/", "keys/two", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.tree.Dir, c.tracked, "tracked\n")
			first, _ := w.turn("t1")
			w.remove(c.tracked)
			w.write(w.tree.Dir, ".gitignore", c.ignore+"\n")
			w.turn("t2")
			w.write(w.tree.Dir, c.kept, "the only copy\n")
			second, _ := w.turn("t3")
			err := w.tree.Restore(t.Context(), first, Turn{ID: "back", At: at})
			if got := w.read(c.kept); got != "the only copy\n" {
				t.Fatalf("the ignored file is lost: %q, %v", got, err)
			}
			if c.names == "" {
				if err != nil || w.read(c.tracked) != "tracked\n" {
					t.Errorf("%v %q", err, w.read(c.tracked))
				}
				return
			}
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), c.names+" is ignored") {
				t.Errorf("the refusal is: %v", err)
			}
			if head := w.plain(w.tree.Dir, "rev-parse", "HEAD"); head != string(second) {
				t.Errorf("the branch is at %s", head)
			}
			w.remove(c.kept)
			if err := w.tree.Restore(t.Context(), first, Turn{ID: "again", At: at}); err != nil ||
				w.read(c.tracked) != "tracked\n" {
				t.Errorf("%v %q", err, w.read(c.tracked))
			}
		})
	}
}

// remove deletes the first folder of a path in the tree, or the file if it is in no folder.
func (w *world) remove(path string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.tree.Dir, strings.Split(path, "/")[0])); err != nil {
		w.t.Fatal(err)
	}
}

// TestIgnoreIsForOneTree ignores a file in one tree. Another tree of the repository still commits a file of this name.
func TestIgnoreIsForOneTree(t *testing.T) {
	w := newWorld(t)
	head, err := w.repo.Resolve(t.Context(), "trunk")
	if err != nil {
		t.Fatal(err)
	}
	other, err := w.repo.AddTree(t.Context(), "paths", filepath.Join(t.TempDir(), "paths"), "paths", head)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.tree.Ignore([]string{"conf/key.env"}); err != nil {
		t.Fatal(err)
	}
	for tree, dirty := range map[*Tree]bool{w.tree: false, other: true} {
		w.write(tree.Dir, "conf/key.env", "secret\n")
		s, err := tree.Look(t.Context())
		if err != nil || s.Dirty != dirty || len(s.Ignored) == 0 != dirty {
			t.Errorf("%s: %+v %v", tree.Name, s, err)
		}
		if own := w.plain(tree.Dir, "status", "--porcelain"); (own != "") != dirty {
			t.Errorf("%s: the agent's own git finds %q", tree.Name, own)
		}
	}
}
