package runner_test

import (
	"os"
	"os/exec"
	"testing"
)

// TestOtherSystems builds the program, and checks the runner with its tests, for systems other than this one. Agents
// are started on Linux only, but the program has to build everywhere.
func TestOtherSystems(t *testing.T) {
	if os.Getenv("SAMEPAGE_E2E") == "" {
		t.Skip("left out: builds for Windows and macOS. Set SAMEPAGE_E2E=1 for them.")
	}
	for _, system := range [][2]string{{"windows", "amd64"}, {"darwin", "arm64"}, {"linux", "arm64"}} {
		for _, args := range [][]string{{"build", "-o", os.DevNull, "samepage/cmd/samepage"}, {"vet", "./..."}} {
			cmd := exec.CommandContext(t.Context(), "go", args...)
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system[0], "GOARCH="+system[1])
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s with %s: go %v: %v\n%s", system[0], system[1], args, err, out)
			}
		}
	}
}
