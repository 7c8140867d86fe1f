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

// quiet runs two groups of tests at the same time, without the race detector. The first group has the tests that
// [racing] skipped or ran only in part, according to its result quick. The second group has all tests in the packages
// that [isSequential] selects. The results of the two groups are rest and alone.
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

// unfinished returns the packages with tests that this run skipped or ran only in part, and a pattern for go test -run
// that matches the names of these tests. If a package left something out without naming the test, the pattern matches
// all tests.
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
