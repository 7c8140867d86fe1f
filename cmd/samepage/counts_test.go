package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/store/effort"
	"samepage/store/pgtest"
)

// TestAnEditedPageIsNamed edits pages directly in the database of a data folder and of a backup. Doctor and restore
// must name each page, and the verification of the backup must name the table.
func TestAnEditedPageIsNamed(t *testing.T) {
	effort.Slow(t)
	pgtest.Folder(t, "it edits a file")
	demo, backup := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backup")
	copyDemo(t, demo)
	for _, args := range [][]string{{"doctor", "--data", demo}, {"backup", "--data", demo, backup}} {
		if out, code := runCommand(t, args...); code != 0 {
			t.Fatal(out)
		}
	}
	for _, c := range []struct{ table, edit, says string }{
		{"items", `UPDATE items SET body = body || '.' WHERE id = ?`, "its text is not the one in the journal"},
		{"items", `UPDATE items SET title = 'Another' WHERE id = ?`, "its title is not the one in the journal"},
		{"options", `UPDATE options SET title = 'Another' WHERE decision_id = ? AND n = 1`, "its options are not those in the journal"},
		{"comments", `DELETE FROM comments WHERE item_id = ? AND seq = 1`, "are kept as their number"},
		{"comments", `UPDATE comments SET at = 1 WHERE item_id = ? AND seq = 1`, "the journal has no entry of 1 of its comments"},
	} {
		dir, changed := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backup")
		if err := os.CopyFS(dir, os.DirFS(demo)); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(backup)
		if err != nil || os.WriteFile(changed, text, 0o600) != nil {
			t.Fatal(err)
		}
		var id string
		for _, path := range []string{filepath.Join(dir, "samepage.db"), changed} {
			db := openFile(t, path)
			if err := db.Get(&id, `SELECT i.id FROM items i JOIN decisions d ON d.id = i.id WHERE i.closed_at IS NULL
				AND i.opened_at IS NOT NULL AND i.comments > 0 ORDER BY i.id LIMIT 1`); err != nil {
				t.Fatal(err)
			}
			db.MustExec(c.edit, id)
			db.Close()
		}
		for _, run := range []struct {
			args []string
			says []string
		}{
			{[]string{"doctor", "--data", dir}, []string{id + ": ", c.says}},
			{[]string{"backup", "--verify", changed}, []string{changed + " is damaged", "was made: " + c.table + "."}},
			{[]string{"restore", "--data", filepath.Join(t.TempDir(), "data"), changed},
				[]string{"Restored to", "was made: " + c.table + ".", id + ": ", c.says}},
		} {
			out, code := runCommand(t, run.args...)
			if code != exitDamage {
				t.Errorf("%q after %s: exit %d: %s", run.args[0], c.edit, code, out)
			}
			for _, says := range run.says {
				if !strings.Contains(out, says) {
					t.Errorf("%q after %s does not say %q: %s", run.args[0], c.edit, says, out)
				}
			}
		}
	}
}
