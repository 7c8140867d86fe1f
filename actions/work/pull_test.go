package work_test

import (
	"path"
	"slices"
	"strconv"
	"testing"

	"samepage/store"
	"samepage/store/faulttest"
	"samepage/store/work"
	"samepage/store/work/wire"
	"samepage/web/webtest"
)

// TestProtectedPaths finds a pull request whose branch changes more and more files. When there are so many files that
// the runner's report may leave some out, the branch must count as one that changes a protected file, unless the
// repository protects nothing.
func TestProtectedPaths(t *testing.T) {
	w := webtest.Of(t, "work")
	n, err := strconv.Atoi(path.Base(w.URL("pull approved")))
	if err != nil {
		t.Fatal(err)
	}
	find := func(tx *store.Tx) (*work.Pull, error) { return work.FindPull(tx, store.System(), "team", n) }
	write := func(query string, args ...any) {
		t.Helper()
		if err := w.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.Exec(query, args...) }); err != nil {
			t.Fatal(err)
		}
	}
	var tree, repo string
	touches := func(state string, want ...string) {
		t.Helper()
		if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
			q, err := find(tx)
			if err != nil {
				return err
			}
			tree, repo = q.WorktreeID, q.RepoID
			if !slices.Equal(q.Touched, want) {
				t.Errorf("%s: %q, want %q", state, q.Touched, want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	touches("one file")
	write(`INSERT INTO worktree_files WITH RECURSIVE more (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM more WHERE i < ?)
		SELECT f.worktree_id, f.n + i, f.org_id, f.path, f.was, f.change, f.added, f.deleted, f.lines, f.is_binary, f.cut, f.patch
		FROM more, worktree_files f WHERE f.worktree_id = ?`, wire.MaxChanged-1, tree)
	touches("as many files as fit")
	write(`INSERT INTO worktree_files SELECT worktree_id, n + 1, org_id, 'beds/roses.txt', was, change, added, deleted, lines,
		is_binary, cut, patch FROM worktree_files WHERE worktree_id = ? ORDER BY n DESC LIMIT 1`, tree)
	touches("files that may be left out", "more files than the runner reports")
	write(`UPDATE repos SET protected = '' WHERE id = ?`, repo)
	touches("nothing is protected")
	write(`UPDATE repos SET protected = 'beds' WHERE id = ?`, repo)
	write(`DELETE FROM worktree_files WHERE worktree_id = ? AND n BETWEEN 10 AND 20`, tree)
	touches("a protected file", "beds/roses.txt")
	faulttest.EachStatement(t, w.Store, "a pull request", func(tx *store.Tx) error { _, err := find(tx); return err })
}
