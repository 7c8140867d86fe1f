package main

import (
	"slices"
	"testing"
)

// TestWhatIsRepeated checks that the quiet part runs each test that the quick part skipped or did in part, and all tests
// if a package did not name those that did less.
func TestWhatIsRepeated(t *testing.T) {
	s := suite{passed: map[string]bool{"web.TestWhole": true, "store.TestA": true, "web.TestCrawl/actors/bob": true},
		skipped: []string{"cmd/samepage.TestB/x y: why: so", "store.TestB: why"},
		partly:  []string{"store.TestA: left out: much", "web.TestCrawl/actors/bob: left out: dry runs"}}
	run, packages := s.unfinished()
	if want := []string{"./cmd/samepage", "./store", "./web"}; run != "^(TestA|TestB|TestCrawl)$" || !slices.Equal(packages, want) {
		t.Errorf("%s in %q", run, packages)
	}
	s.partly = append(s.partly, "mcp: left out: something")
	if run, packages = s.unfinished(); run != "." || !slices.Contains(packages, "./mcp") {
		t.Errorf("%s in %q", run, packages)
	}
	if _, packages = (suite{passed: map[string]bool{"web.TestWhole": true}}).unfinished(); len(packages) > 0 {
		t.Errorf("all ran, but %q run again", packages)
	}
}
