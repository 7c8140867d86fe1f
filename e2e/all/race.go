package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// sequential lists the folders whose code and tests start no goroutines, so that the race detector has nothing to find
// in them. The folder [apart] is an exception.
var sequential = []string{"actions", "actions/effect/runner/forge", "actions/effect/runner/git",
	"actions/effect/runner/machine", "views", "store/blob", "store/keyfile", "store/work", "web/demo", "web/webtest", "web/wire"}

// apart is a folder below one of the [sequential] folders. Its packages do start goroutines, except for those that
// sequential names.
const apart = "actions/effect"

// isSequential takes a path relative to the root of the module.
func isSequential(path string) bool {
	return slices.ContainsFunc(sequential, func(folder string) bool {
		return within(path, folder) && (within(folder, apart) || !within(path, apart))
	})
}

// isRaced reports whether the tests in a folder run with the race detector.
func isRaced(path string) bool { return isUnit(path) && !isSequential(path) }

// isUnit reports whether a folder is outside of that for end-to-end tests.
func isUnit(path string) bool { return !within(path, storyFolder) }

func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// storyFolder has the end-to-end tests. They run without the race detector, because most of them test a program that is
// built without it.
const storyFolder = "e2e"

// longest lists the packages with the longest tests. They are tested first, so that none of them runs alone at the end
// on a single core. With -json, go test starts the packages in the order of its arguments.
var longest = []string{"samepage/web", "samepage/actions/effect/runner", "samepage/store", "samepage/cmd/samepage"}

// lightC makes gcc compile SQLite for these tests with less optimization and without debug information. That takes 14
// seconds of processor time instead of 40.
const lightC = "CGO_CFLAGS=-O1"

// noDebug makes the compiler write no tables for a debugger, which saves a tenth of its time. Stack traces and reports
// of races do not need them.
const noDebug = "-gcflags=all=-dwarf=false"

// racing runs tests with the race detector. If the detector itself crashes in some packages, as it can in tests with
// synctest (https://go.dev/issue/78156), racing tests those packages once more.
func racing(ctx context.Context) (suite, error) {
	all, err := everyPackage(ctx)
	if err != nil {
		return suite{}, err
	}
	fmt.Printf("Not with the race detector: %s (but not the rest of %s), and %s.\n", strings.Join(sequential, ", "), apart, storyFolder)
	list := ordered(all, isRaced)
	args := []string{tags, noDebug, "-race", "-p", atOnce, "-parallel", atOnce, "-timeout", quickLimit}
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

func everyPackage(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", tags, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Fields(string(out)), nil
}

// ordered returns the [longest] packages, and then the others whose path in the module is selected.
func ordered(all []string, selected func(path string) bool) []string {
	list := slices.Clone(longest)
	for _, pkg := range all {
		if selected(strings.TrimPrefix(pkg, "samepage/")) && !slices.Contains(longest, pkg) {
			list = append(list, pkg)
		}
	}
	return list
}
