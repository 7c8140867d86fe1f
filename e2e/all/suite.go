package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

type suite struct {
	passed  map[string]bool // tests that passed, by name
	failed  []string
	skipped []string // skipped tests, each with its reason
	partly  []string // one line for each part that a passing test or package left out
	dead    []string // packages in which the race detector itself crashed; their failure says nothing about the tests
}

// event is one line of the output of go test -json (see go doc test2json).
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// test runs go test and prints a line for each package that passes, and the output of failing tests. It turns off vet,
// which another step runs.
func test(ctx context.Context, env []string, args ...string) (suite, error) {
	args = append([]string{"test", "-json", "-vet=off"}, args...)
	fmt.Println("$", strings.Join(slices.Concat(env, []string{"go"}, args), " "))
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return suite{}, err
	}
	if err := cmd.Start(); err != nil {
		return suite{}, err
	}
	s, rerr := read(out)
	err = cmd.Wait()
	s.say()
	switch {
	case len(s.failed) > 0:
		return s, s.failure()
	case err == nil && rerr == nil && len(s.passed) == 0:
		return s, errors.New("no test ran")
	}
	return s, errors.Join(rerr, err)
}

// failure returns nil if nothing failed.
func (s suite) failure() error {
	if len(s.failed) == 0 {
		return nil
	}
	return fmt.Errorf("failed: %s", strings.Join(s.failed, ", "))
}

// read reads the output of go test -json until its end, and prints the results as they arrive.
func read(out io.Reader) (suite, error) {
	s := suite{passed: map[string]bool{}}
	printed := map[string]*strings.Builder{} // output by test, or by package for output outside of tests
	events := json.NewDecoder(out)
	for {
		var e event
		if err := events.Decode(&e); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return s, err
		}
		pkg := e.Package
		if pkg == "" {
			pkg = e.ImportPath // the compiler's output has no Package
		}
		name := strings.TrimSuffix(strings.TrimPrefix(pkg, "samepage/")+"."+e.Test, ".")
		if printed[name] == nil {
			printed[name] = &strings.Builder{}
		}
		switch e.Action {
		case "output", "build-output":
			printed[name].WriteString(e.Output)
			continue
		case "pass", "fail", "skip", "build-fail":
		default:
			continue
		}
		if e.Action == "fail" || e.Action == "build-fail" {
			if e.Test == "" {
				s.printUnended(name, printed)
			}
			fmt.Print(printed[name])
			s.failed = append(s.failed, name)
		}
		switch {
		case e.Test == "" && e.Action == "pass":
			s.partly = append(s.partly, parts(name, printed[name].String())...)
			fmt.Printf("ok    %-40s %7.1f s\n", name, e.Elapsed)
		case e.Test == "":
		case e.Action == "pass":
			s.passed[name] = true
			s.partly = append(s.partly, parts(name, printed[name].String())...)
		case e.Action == "skip":
			s.skipped = append(s.skipped, name+": "+reason(printed[name].String()))
		}
		delete(printed, name)
	}
}

// printUnended prints the output of tests that did not end because the test program died. It adds the package to dead
// if the race detector itself crashed.
func (s *suite) printUnended(pkg string, printed map[string]*strings.Builder) {
	crashed := false
	for _, name := range slices.Sorted(maps.Keys(printed)) {
		if name != pkg && !strings.HasPrefix(name, pkg+".") {
			continue
		}
		if name != pkg {
			fmt.Printf("not ended: %s\n%s", name, printed[name])
		}
		crashed = crashed || strings.Contains(printed[name].String(), "ThreadSanitizer: CHECK failed") ||
			strings.Contains(printed[name].String(), "FATAL: ThreadSanitizer")
	}
	if crashed {
		s.dead = append(s.dead, pkg)
	}
}

// repeated combines the results s of a first run with those of a second run, which tested only the packages in s.dead.
func (s suite) repeated(second suite) suite {
	died := func(name string) bool {
		pkg, _, _ := strings.Cut(name, ".")
		return slices.Contains(s.dead, pkg)
	}
	both := suite{passed: maps.Clone(second.passed), dead: second.dead,
		failed:  append(slices.DeleteFunc(slices.Clone(s.failed), died), second.failed...),
		skipped: append(slices.DeleteFunc(slices.Clone(s.skipped), died), second.skipped...),
		partly:  append(slices.DeleteFunc(slices.Clone(s.partly), died), second.partly...)}
	for name := range s.passed {
		if !died(name) {
			both.passed[name] = true
		}
	}
	return both
}

// parts returns the lines of the output that contain ": left out". The given name replaces the text before ": left
// out".
func parts(name, output string) (list []string) {
	for line := range strings.Lines(output) {
		if _, what, ok := strings.Cut(line, ": left out"); ok {
			list = append(list, name+": left out"+strings.TrimRight(what, "\n"))
		}
	}
	return list
}

// say prints the result of this run. Another step may still run the skipped tests.
func (s suite) say() {
	fmt.Printf("%d passed, %d failed, %d skipped\n", len(s.passed), len(s.failed), len(s.skipped))
	for _, list := range [][]string{s.skipped, s.partly} {
		for _, line := range list {
			fmt.Println("  not here:", line)
		}
	}
}

// reason returns the reason for skipping in the output of a skipped test.
func reason(output string) string {
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "=== ") &&
			!strings.HasPrefix(line, "--- ") {
			return line
		}
	}
	return "no reason given"
}

// leftOut returns the tests that at least one run skipped and no run passed.
func leftOut(parts ...suite) (list []string) {
	for _, part := range parts {
		for _, name := range part.skipped {
			if !slices.ContainsFunc(parts, func(p suite) bool { return p.ran(name) }) && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// ran reports whether a test has passed in this run. The parameter is a line of another run: the test's name, a colon,
// and the reason for skipping it.
func (s suite) ran(skipped string) bool {
	name, _, _ := strings.Cut(skipped, ": ")
	return s.passed[name]
}
