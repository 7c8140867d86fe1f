package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/store/effort"
	"samepage/store/keyfile"
)

// TestKeys follows the keys of an installation. A backup has them only on request. After a restore, the command tells
// the operator what to do about the keys. While the right keys are missing, a command that needs them fails, and doctor
// reports damage. Doctor also warns if others can read the keys.
func TestKeys(t *testing.T) {
	effort.Slow(t)
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	plain, whole := filepath.Join(t.TempDir(), "plain"), filepath.Join(t.TempDir(), "whole")
	keys := filepath.Join(dir, keyfile.Name)
	elsewhere := filepath.Join(t.TempDir(), "own", "keys")
	must := func(code int, says string, args ...string) {
		t.Helper()
		if out, got := runCommand(t, args...); got != code || !strings.Contains(out, says) {
			t.Errorf("%q: %d, want %d, and %q in:\n%s", args, got, code, says, out)
		}
	}
	served := func(dir string) []string {
		return []string{"token", "create", "--data", dir, "--member", "alice", "--label", "Clerk"}
	}
	must(0, "", "demo", "--data", dir)
	must(0, "verified", "backup", "--data", dir, plain)
	must(0, "guard it like a password", "backup", "--data", dir, "--with-keys", whole)
	must(0, "whole", "backup", "--verify", whole)
	must(0, "No backup has them unless", "doctor", "--data", dir)

	must(0, "Before you serve it", "restore", "--data", other, plain)
	must(exitFailed, "Put the right file there", served(other)...)
	must(exitDamage, "Put the right file there", "doctor", "--data", other)
	must(0, "New keys are in", "keys", "replace", "--data", other)
	must(0, "sp_", served(other)...)
	must(0, "The keys in the backup are in", "restore", "--data", other, whole)
	must(0, "sp_", served(other)...)
	must(0, "Its keys are in", "restore", "--data", other, plain) // the keys of the previous restore are still in the folder
	must(0, "sp_", served(other)...)
	if aside, err := filepath.Glob(filepath.Join(other, keyfile.Name+".2*")); err != nil || len(aside) != 1 {
		t.Errorf("the replaced keys: %q %v", aside, err)
	}

	if err := os.Chmod(keys, 0o640); err != nil {
		t.Fatal(err)
	}
	must(0, "Others on this machine could read the keys", "doctor", "--data", dir)
	if err := os.MkdirAll(filepath.Dir(elsewhere), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(keys, elsewhere); err != nil {
		t.Fatal(err)
	}
	must(exitFailed, keys, served(dir)...)
	must(0, "sp_", append(served(dir), "--keys", elsewhere)...)

}
