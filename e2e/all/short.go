package main

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// short runs the quick tests of all packages but the end-to-end tests, without the race detector.
func short(ctx context.Context) (suite, error) {
	all, err := everyPackage(ctx)
	if err != nil {
		return suite{}, err
	}
	list := ordered(all, isUnit)
	return test(ctx, unitEnv, slices.Concat([]string{tags, "-short", "-p", atOnce, "-parallel", atOnce, "-timeout", quickLimit}, list)...)
}

// whole runs the tests that the run quick skipped or ran only in part.
func whole(ctx context.Context, env []string, quick suite) (suite, error) {
	run, packages := quick.unfinished()
	if len(packages) == 0 {
		return suite{}, nil
	}
	return test(ctx, env, slices.Concat([]string{tags, "-timeout", storyLimit, "-run", run}, packages)...)
}

// unfinished returns a pattern for go test -run that matches the tests that this run skipped or ran only in part, and
// the packages of these tests. If a package left out a part outside of its tests, the pattern matches all tests.
func (s suite) unfinished() (run string, packages []string) {
	found, tests := map[string]bool{}, map[string]bool{}
	for _, line := range slices.Concat(s.skipped, s.partly) {
		name, _, _ := strings.Cut(line, ": ")
		pkg, name, _ := strings.Cut(name, ".")
		name, _, _ = strings.Cut(name, "/")
		found["./"+pkg], tests[regexp.QuoteMeta(name)] = true, true
	}
	run = "^(" + strings.Join(slices.Sorted(maps.Keys(tests)), "|") + ")$"
	if tests[""] {
		run = "."
	}
	return run, slices.Sorted(maps.Keys(found))
}
