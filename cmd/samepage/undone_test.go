package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/pgtest"
)

// TestRestoreSaysWhatIsUndone restores backups in place of databases that are newer, older, different and damaged. The
// answer names what the backup lacks.
func TestRestoreSaysWhatIsUndone(t *testing.T) {
	pgtest.Folder(t, "it is about files")
	dir, backup := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	copyDemo(t, dir)
	must := func(says string, args ...string) string {
		t.Helper()
		out, code := runCommand(t, append(args[:len(args):len(args)], "--data", dir)...)
		if code != 0 || !strings.Contains(out, says) {
			t.Fatalf("%v: exit %d; it says %q, want %q", args, code, out, says)
		}
		return out
	}
	restore := func(says, file string) (aside string) {
		t.Helper()
		out, code := runCommand(t, "restore", "--data", dir, file)
		if code != 0 || !strings.Contains(out, says) ||
			!strings.Contains(out, "The last entry of a journal in the backup is of ") {
			t.Fatalf("exit %d; it says %q, want %q", code, out, says)
		}
		_, aside, _ = strings.Cut(out, "The database that was there is now ")
		aside, _, _ = strings.Cut(aside, "\n")
		return aside
	}
	if out, code := runCommand(t, "backup", "--data", dir, "--with-keys", backup); code != 0 {
		t.Fatal(out)
	}
	must("@carol is no member any more", "member", "remove", "--org", "meadow", "--handle", "carol")
	newer := restore("Newer entries in the journals of the database that was there: 2 (2 remove_member).\nDo again",
		backup)
	if out, code := runCommand(t, "restore", "--data", dir, newer); code != 0 || !strings.Contains(out,
		"has no newer entries") {
		t.Errorf("of a continued journal: %d %s", code, out)
	}
	restore("(2 remove_member)", backup)
	must("@bob is no member any more", "member", "remove", "--org", "meadow", "--handle", "bob")
	restore("are not those of the backup, and are not compared: meadow.", newer)
	if err := os.WriteFile(filepath.Join(dir, store.FileName), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	restore("It could not be compared with the database that was there: ", backup)
	dir = t.TempDir()
	restore("No database was there with which it could be compared.\nDo again", backup)
}
