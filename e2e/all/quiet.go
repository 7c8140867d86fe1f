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

// quiet tests without the race detector what [racing] did not: the tests that the quick part left out or did only in
// part, and, beside them, the packages in [sequential]. The two results are in this order. All other tests have run as a
// whole in the quick part, and would only repeat.
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

// unfinished returns the packages with tests that this run skipped or did in part, and a pattern of the names of these
// tests for go test -run. The pattern matches all tests if a package did not say which of its tests did less.
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
