package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnit checks the unit with systemd-analyze. The unit must be valid, and its exposure at most 2.0 of 10.
func TestUnit(t *testing.T) {
	out, code := runCommand(t, "systemd")
	if code != 0 || !strings.Contains(out, "\nExecStart=/") || strings.Contains(out, "PROGRAM") {
		t.Fatalf("%d %s", code, out)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("left out: systemd-analyze is not installed")
	}
	file := filepath.Join(t.TempDir(), "samepage.service")
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", "--man=no", file}, {"security", "--offline=true", "--threshold=20", "--no-pager", file}} {
		if said, err := exec.Command(analyze, args...).CombinedOutput(); err != nil || args[0] == "verify" && len(said) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(args, " "), err, said)
		}
	}
}
