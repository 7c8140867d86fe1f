package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"samepage/store/pgtest"
)

// someOfWeb matches the names of tests of web that take about half of its time on a server. It matches both TestCrawl
// and TestMovedPagesAreTheSame, because they share the pages that they find.
const someOfWeb = "^Test[A-DM]"

// sameOnServer runs the tests of the store, the site, the commands and e2e/toy on a PostgreSQL server. The tests of web
// run in two processes, because most of them run one after the other and wait for the server.
func sameOnServer(ctx context.Context) ([]suite, error) {
	all, err := everyPackage(ctx)
	if err != nil {
		return nil, err
	}
	rest := []string{"-p", "1"}
	for _, pkg := range all {
		path := strings.TrimPrefix(pkg, "samepage/")
		if within(path, "store") || within(path, "web") && path != "web" || within(path, "cmd") || path == "e2e/toy" {
			rest = append(rest, pkg)
		}
	}
	return onServer(ctx, []string{seldomCollect}, []string{"-run", someOfWeb, "samepage/web"},
		[]string{"-skip", someOfWeb, "samepage/web"}, rest)
}

// onServer starts a PostgreSQL server, and runs go test with each list of arguments at the same time.
func onServer(ctx context.Context, env []string, lists ...[]string) ([]suite, error) {
	s, err := pgtest.Start()
	if err != nil {
		return nil, err
	}
	env = append(slices.Clone(env), pgtest.Variable+"="+s.URL)
	suites, failed := make([]suite, len(lists)), make([]error, len(lists))
	var all sync.WaitGroup
	for i, args := range lists {
		all.Go(func() {
			suites[i], failed[i] = test(ctx, env, append([]string{tags, "-timeout", storyLimit}, args...)...)
		})
	}
	all.Wait()
	return suites, errors.Join(errors.Join(failed...), s.Stop())
}
