//go:build linux

package durability

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"samepage/store/effort"
	"samepage/store/shm"
)

var (
	rounds  = flag.Int("rounds", 0, "how often to kill the server; 0 means as often as SAMEPAGE_E2E says")
	cuts    = flag.Int("cuts", 0, "how often to cut the power; 0 means as often as SAMEPAGE_E2E says")
	through = flag.Int("requests", 2000, "how many requests go through restarts; the bar is 10,000")
	seed    = flag.Uint64("seed", 1, "where the random choices start; another one makes other choices")
	program = flag.String("samepage", "", "test this program instead of building one")
)

// hangs is the time after which a test gives up waiting. It only ends tests that would never end, and is no limit for
// the program: on a busy machine a process can stand still for minutes.
const hangs = 10 * time.Minute

// scratch is the folder for the built program. It is removed after the tests.
var scratch string

// atOnce is the least number of parallel tests. It is more than a small machine has processors, because tests with
// several nodes mostly wait, for leases to end and for nodes that are paused.
const atOnce = 4

func TestMain(m *testing.M) {
	flag.Parse()
	if runtime.GOMAXPROCS(0) < atOnce {
		if err := flag.Set("test.parallel", strconv.Itoa(atOnce)); err != nil {
			panic(err)
		}
	}
	os.Exit(func() int {
		var err error
		if scratch, err = os.MkdirTemp("", "samepage-durability-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(scratch)
		if !effort.All() && !testing.Short() {
			fmt.Fprintln(os.Stderr, "durability: left out: most kills, power cuts and kinds of damage to files, the full disk, "+
				"backups, restores and commands under load, damaged files and journals, stops and "+
				"duplicates. Set SAMEPAGE_E2E=1 for them.")
		}
		return m.Run()
	}())
}

// built builds the program once and returns its path. If the flag -samepage names a program, built returns the path
// of that program instead.
var built = sync.OnceValues(func() (string, error) {
	if *program != "" {
		return filepath.Abs(*program)
	}
	path := filepath.Join(scratch, "samepage")
	out, err := exec.Command("go", "build", "-tags", "sqlite_fts5", "-o", path,
		"samepage/cmd/samepage").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// long skips a test that is too long for a short run.
func long(t *testing.T, what string) {
	t.Helper()
	if !effort.All() {
		t.Skip("left out: " + what + ". Set SAMEPAGE_E2E=1 to run it.")
	}
}

// count returns the number of rounds: the value of the flag if it is positive, or else the number for the level of
// this run.
func count(t *testing.T, flag, short, all, record int) int {
	t.Helper()
	if flag > 0 {
		return flag
	}
	n := effort.Of(short, all, record)
	effort.LeftOut(t, "all but %d rounds", n)
	return n
}

// samepage runs a command of the program and returns its output and exit code.
func samepage(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	text, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		return string(text), exit.ExitCode()
	}
	if err != nil {
		t.Fatalf("samepage %v: %v\n%s", args, err, text)
	}
	return string(text), 0
}

// must runs a command of the program and fails the test unless it exits with 0.
func must(t *testing.T, args ...string) string {
	t.Helper()
	out, code := samepage(t, args...)
	if code != 0 {
		t.Fatalf("samepage %v exited with %d:\n%s", args, code, out)
	}
	return out
}

// memory creates a folder in memory, for files that need no disk.
func memory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(shm.Folder(1<<30), "durability-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
