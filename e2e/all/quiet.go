package main

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// quiet runs two groups of tests at the same time, without the race detector: the tests that the run quick skipped or
// ran only in part, and all tests in the packages that [isSequential] selects.
func quiet(ctx context.Context, env []string, quick suite) (rest, alone suite, err error) {
	all, err := everyPackage(ctx)
	if err != nil {
		return suite{}, suite{}, err
	}
	all = slices.DeleteFunc(all, func(pkg string) bool { return !isSequential(strings.TrimPrefix(pkg, "samepage/")) })
	var restErr, aloneErr error
	var both sync.WaitGroup
	both.Go(func() {
		if run, packages := quick.unfinished(); len(packages) > 0 {
			rest, restErr = test(ctx, env, slices.Concat([]string{tags, "-timeout", storyLimit, "-run", run}, packages)...)
		}
	})
	both.Go(func() {
		alone, aloneErr = test(ctx, env, slices.Concat([]string{tags, "-timeout", storyLimit}, all)...)
	})
	both.Wait()
	return rest, alone, errors.Join(restErr, aloneErr)
}

// unfinished returns a pattern for go test -run that matches the tests that this run skipped or ran only in part, and
// the packages of these tests. If a package does not name the test, the pattern matches all tests.
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
