package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// sequential lists the folders whose code and tests, except those in [apart], start no goroutines. So the race detector
// has nothing to find in them. A later step runs all tests of these packages without the race detector.
var sequential = []string{"actions", "views", "store/keyfile", "store/work", "web/demo", "web/webtest", "web/wire"}

// apart is a folder below one of the folders in [sequential]. The packages in it do start goroutines.
const apart = "actions/effect"

// isSequential reports whether a package is in one of the folders in [sequential], but not in [apart]. The path is
// relative to the root of the module.
func isSequential(path string) bool {
	return slices.ContainsFunc(sequential, func(folder string) bool { return within(path, folder) }) && !within(path, apart)
}

// within reports whether a path is that of the folder or of something below the folder.
func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// storyFolder has the packages with the end-to-end tests. The step for the end-to-end stories runs them without the
// race detector, because most of these tests are about a program that is built without the detector.
const storyFolder = "e2e"

// longest lists the packages with the longest tests. They are the first arguments of go test, which with -json starts
// the packages in the order of its arguments. Otherwise one of them could run alone at the end, on a single core.
var longest = []string{"samepage/web", "samepage/actions/effect/runner", "samepage/store", "samepage/cmd/samepage"}

// lightC makes gcc compile SQLite for these tests with less optimization and without debug information. That takes 14
// seconds of processor time instead of 40. Nothing else uses the result, because all code is compiled anew for the race
// detector.
const lightC = "CGO_CFLAGS=-O1"

// racing tests the packages from [concurrent] with the race detector. If the detector itself crashes in some of the
// packages, as it can in tests with synctest (https://go.dev/issue/78156), racing tests those packages once more.
func racing(ctx context.Context) (suite, error) {
	list, err := concurrent(ctx)
	if err != nil {
		return suite{}, err
	}
	args := []string{tags, "-race", "-p", packagesAtOnce, "-timeout", quickLimit}
	env := append([]string{lightC}, unitEnv...)
	first, err := test(ctx, env, slices.Concat(args, list)...)
	if len(first.dead) == 0 {
		return first, err
	}
	fmt.Printf("The race detector itself crashed in %s, so this runs once more.\n", strings.Join(first.dead, ", "))
	for _, name := range first.dead {
		args = append(args, "./"+name)
	}
	second, err := test(ctx, env, args...)
	both := first.repeated(second)
	if failed := both.failure(); failed != nil {
		return both, failed
	}
	return both, err
}

// concurrent returns the packages to test with the race detector, and prints the folders that later steps test without
// the race detector.
func concurrent(ctx context.Context) ([]string, error) {
	all, err := everyPackage(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Printf("Not with the race detector, and in a later part: %s (but %s), and %s.\n",
		strings.Join(sequential, ", "), apart, storyFolder)
	return ordered(all), nil
}

// everyPackage lists the import paths of all packages of the module.
func everyPackage(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", tags, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Fields(string(out)), nil
}

// ordered returns the packages outside of [sequential] and [storyFolder], beginning with those in [longest].
func ordered(all []string) []string {
	list := slices.Clone(longest)
	for _, pkg := range all {
		path := strings.TrimPrefix(pkg, "samepage/")
		if !within(path, storyFolder) && !isSequential(path) && !slices.Contains(longest, pkg) {
			list = append(list, pkg)
		}
	}
	return list
}
