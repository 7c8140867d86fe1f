package runner_test

import (
	"os"
	"path/filepath"
	"testing"

	"samepage/actions/param"
)

// TestASessionGetsTheLoginAlone checks that an agent finds the login of the machine in its own HOME folder, and is not
// told the folder in which it is.
func TestASessionGetsTheLoginAlone(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "auth.json"), []byte("It is a login."), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Setenv("CODEX_HOME", folder); err != nil { // no other test of this package names it
		t.Fatal(err)
	}
	y := newYard(t)
	tree := y.worktree("paint")
	script := "cat $HOME/.codex/auth.json; ls $HOME/.codex; echo ${CODEX_HOME:-Not told.}"
	y.do("alice", "/orgs/acme/manifests", "add_manifest", param.Input{"key": "plain", "title": "Plain",
		"role": "coding", "adapter": "plain", "argv": "/bin/sh\n-c\n" + script, "env": "CODEX_HOME"})
	s := y.do("bob", tree, "start_session", param.Input{"agent": "plain", "prompt": "Paint."})
	becomes(t, y.World, s, "It is a login.")
	becomes(t, y.World, s, "Not told.")
}
