package git

import (
	"strings"
	"testing"
)

// TestRemovalKeepsLaterFiles removes a tree in two attempts. The first attempt commits the files and then stops.
// Files that are written before the second attempt must be in a commit, too.
func TestRemovalKeepsLaterFiles(t *testing.T) {
	w := newWorld(t)
	base, err := w.repo.Resolve(t.Context(), "trunk")
	if err != nil {
		t.Fatal(err)
	}
	last := Turn{ID: "job", Message: "Archive", At: at}
	w.write(w.tree.Dir, "first.txt", "1\n")
	if _, _, err := w.tree.CommitTurn(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	w.write(w.tree.Dir, "second.txt", "2\n")
	if err := w.tree.Remove(t.Context(), base, true, last); err != nil {
		t.Fatal(err)
	}
	kept := w.plain(w.repo.dir, "log", "--all", "--name-only", "--format=")
	for _, name := range []string{"first.txt", "second.txt"} {
		if !strings.Contains(kept, name) {
			t.Errorf("no commit has %s: %q", name, kept)
		}
	}
}
