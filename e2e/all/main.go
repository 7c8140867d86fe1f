// Command all runs all tests on a Debian machine with Go and gcc. It installs missing tools from Debian's packages and
// from the npm registry. It checks the code, runs the quick tests, the long tests, those of concurrency with the race
// detector, those of the database on PostgreSQL, and the end-to-end stories, and prints a summary. It exits with 1 if
// anything failed or was left out.
//
//	go run ./e2e/all
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// staticcheck is run at this version instead of being a tool of go.mod, so that its own go.mod pins its dependencies.
// The setting butFor turns off ST1005, because errors here are sentences for people, and ST1018, because texts in tests
// contain invisible joiners, which scripts and emoji need.
const (
	staticcheck = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
	butFor      = "inherit,-ST1005,-ST1018"
)

// tags makes SQLite include its full-text index. With mustSearch, tests of search fail without that index instead of
// being skipped.
const tags = "-tags=sqlite_fts5"

var mustSearch = []string{"SAMEPAGE_MUST_SEARCH=1"}

// seldomCollect lets the heap grow to five times its live part before it is collected. With the race detector, the
// tests of store then take 43 seconds of processor time instead of 77. The end-to-end stories measure memory, so they
// run without it.
const seldomCollect = "GOGC=400"

var unitEnv = append([]string{seldomCollect}, mustSearch...)

// atOnce is the number of packages that the quick part and the part with the race detector test at the same time, and
// the number of parallel tests within a package. A small machine has fewer processors, but the tests of the runner mostly
// wait for other programs, and the tests of the store mostly wait for the disk.
const atOnce = "4"

// quickLimit and storyLimit are time limits for the tests of one package. The whole run takes less than 25 minutes on
// two quiet cores.
const (
	quickLimit = "30m"
	storyLimit = "60m"
)

// step is one part of the run, with its result.
type step struct {
	name string
	do   func(context.Context) error
	took time.Duration
	err  error
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := 0
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "\nall:", err)
		code = 1
	}
	stop()
	os.Exit(code)
}

func run(ctx context.Context) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	started := time.Now()
	var tools tools
	var quick, rest, raced, stories suite
	var server, served []suite
	steps := []*step{
		{name: "install what is missing", do: func(ctx context.Context) (err error) { tools, err = install(ctx); return err }},
		{name: "gofmt", do: gofmt},
		{name: "go vet", do: func(ctx context.Context) error { return show(ctx, []string{seldomCollect}, "go", "vet", tags, "./...") }},
		{name: "staticcheck", do: func(ctx context.Context) error {
			return show(ctx, nil, "go", "run", staticcheck, "-checks", butFor, tags, "./...")
		}},
		{name: "go vet for other systems", do: otherSystems},
		{name: "quick tests", do: func(ctx context.Context) (err error) { quick, err = short(ctx); return err }},
		{name: "what every page says to everyone, migrations, counting, commands", do: func(ctx context.Context) (err error) {
			rest, err = whole(ctx, append(tools.env(), unitEnv...), quick)
			return err
		}},
		{name: "tests of concurrency, with the race detector", do: func(ctx context.Context) (err error) {
			raced, err = racing(ctx)
			return err
		}},
		{name: "the store, the site and the commands on PostgreSQL", do: func(ctx context.Context) (err error) {
			server, err = sameOnServer(ctx)
			return err
		}},
		{name: "end-to-end stories", do: func(ctx context.Context) (err error) {
			stories, err = test(ctx, append(tools.env(), mustSearch...), tags, "-count=1",
				"-timeout", storyLimit, "./e2e/durability", "./e2e/clients", "./e2e/...")
			return err
		}},
		{name: "stories of people and agents on PostgreSQL", do: func(ctx context.Context) (err error) {
			served, err = onServer(ctx, append(tools.env(), mustSearch...), []string{"-count=1", "./e2e/clients/..."})
			return err
		}},
	}
	for i, s := range steps {
		fmt.Printf("\n== %s\n", s.name)
		begun := time.Now()
		s.err = s.do(ctx)
		s.took = time.Since(begun)
		if s.err != nil {
			fmt.Printf("%s: %v\n", s.name, s.err)
		}
		if i == 0 && s.err != nil || ctx.Err() != nil {
			break // the other steps need the result of the first
		}
	}
	return summary(steps, leftOut(slices.Concat([]suite{quick, rest, raced, stories}, server, served)...), tools, time.Since(started))
}

// summary prints each step with its result, and the tests that no step ran. It returns an error if a step failed or
// there are such tests.
func summary(steps []*step, leftOut []string, tools tools, took time.Duration) error {
	fmt.Print("\n== what ran\n")
	bad := 0
	for _, s := range steps {
		state := "ok"
		switch {
		case s.err != nil:
			state = "FAILED: " + s.err.Error()
		case s.took == 0:
			state = "NOT RUN"
		}
		if state != "ok" {
			bad++
		}
		fmt.Printf("%-38s %6.0f s  %s\n", s.name, s.took.Seconds(), state)
	}
	for _, name := range leftOut {
		fmt.Println("LEFT OUT:", name)
	}
	fmt.Printf("%s\nTogether %.0f s.\n", tools.versions, took.Seconds())
	if bad > 0 || len(leftOut) > 0 {
		return fmt.Errorf("%d steps failed or did not run, %d tests were left out", bad, len(leftOut))
	}
	fmt.Println("Everything ran and passed.")
	return nil
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", errors.New("run it inside the module: go run ./e2e/all")
	}
	return filepath.Dir(mod), nil
}

// gofmt lists the Go files that are not formatted, and returns an error if there are any.
func gofmt(ctx context.Context) error {
	var files []string
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "gofmt", append([]string{"-l"}, files...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if list := bytes.Fields(out); len(list) > 0 {
		return fmt.Errorf("not formatted: %s", bytes.Join(list, []byte(", ")))
	}
	return nil
}

func show(ctx context.Context, env []string, name string, args ...string) error {
	fmt.Println("$", strings.Join(slices.Concat(env, []string{name}, args), " "))
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
