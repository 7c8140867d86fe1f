package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// sequential lists the folders whose packages start no goroutine, neither in product code nor in
// tests, so that the race detector has nothing to find there. A later step runs all tests of these
// packages without the race detector.
var sequential = []string{"actions", "views"}

// storyFolder has the packages with the end-to-end tests, which have a step of their own. Most of
// them test a program that is built without the race detector.
const storyFolder = "e2e"

// longest lists the packages whose tests take longest. They come first in the arguments, because
// with -json go test starts packages in this order. Otherwise a core could wait for one of them at
// the end.
var longest = []string{"samepage/web", "samepage/store"}

// concurrent returns the packages to test with the race detector, and prints which folders are left
// for later steps.
func concurrent(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", tags, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	fmt.Printf("Not with the race detector, and in a later part: %s and %s.\n", strings.Join(sequential, ", "), storyFolder)
	return ordered(strings.Fields(string(out))), nil
}

// ordered returns the packages outside of [sequential] and [storyFolder]. Those in [longest] come
// first.
func ordered(all []string) []string {
	list := slices.Clone(longest)
	for _, pkg := range all {
		folder, _, _ := strings.Cut(strings.TrimPrefix(pkg, "samepage/"), "/")
		if folder != storyFolder && !slices.Contains(sequential, folder) && !slices.Contains(longest, pkg) {
			list = append(list, pkg)
		}
	}
	return list
}
