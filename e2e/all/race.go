package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// sequential are the folders of packages that start no goroutine, in product code or in tests, so that the
// race detector has nothing to find in them. The part about the contents of pages runs all of their tests.
var sequential = []string{"actions", "views"}

// storyFolder has the packages of the end-to-end part, which runs all of their tests. Most of them test a program
// that is built without the race detector.
const storyFolder = "e2e"

// longest are the packages that take longest. They start first, so that no core waits for them at the end:
// with -json, go test starts packages in the order of its arguments.
var longest = []string{"samepage/web", "samepage/store"}

// concurrent lists the packages that run with the race detector, and prints the others.
func concurrent(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", tags, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	fmt.Printf("Not with the race detector, and in a later part: %s and %s.\n", strings.Join(sequential, ", "), storyFolder)
	return ordered(strings.Fields(string(out))), nil
}

// ordered returns the packages outside of [sequential] and [storyFolder], the longest first.
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
