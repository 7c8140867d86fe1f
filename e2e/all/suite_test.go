package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// events is the output of go test -json for a package that passes, a package that fails, a package
// that cannot be built, and some skipped tests.
const events = `{"Action":"start","Package":"samepage/store"}
{"Action":"run","Package":"samepage/store","Test":"TestA"}
{"Action":"output","Package":"samepage/store","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"samepage/store","Test":"TestA","Output":"    a_test.go:5: left out: 4 of 5 rounds\n"}
{"Action":"pass","Package":"samepage/store","Test":"TestA","Elapsed":0.1}
{"Action":"output","Package":"samepage/store","Test":"TestB","Output":"    b_test.go:3: needs root\n"}
{"Action":"skip","Package":"samepage/store","Test":"TestB","Elapsed":0}
{"Action":"pass","Package":"samepage/store","Elapsed":0.2}
{"Action":"fail","Package":"samepage/web","Test":"TestC","Elapsed":0}
{"Action":"fail","Package":"samepage/web","Elapsed":0.2}
{"ImportPath":"samepage/mcp [samepage/mcp.test]","Action":"build-output","Output":"undefined: x\n"}
{"ImportPath":"samepage/mcp [samepage/mcp.test]","Action":"build-fail"}
{"Action":"fail","Package":"samepage/mcp","Elapsed":0,"FailedBuild":"samepage/mcp [samepage/mcp.test]"}
{"Action":"skip","Package":"samepage/e2e/clients","Test":"TestD","Elapsed":0}
{"Action":"skip","Package":"samepage/views","Elapsed":0}
`

func TestReadingEvents(t *testing.T) {
	s, err := read(strings.NewReader(events))
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(s.passed, map[string]bool{"store.TestA": true}) {
		t.Errorf("passed: %v", s.passed)
	}
	if want := []string{"web.TestC", "web", "mcp [samepage/mcp.test]", "mcp"}; !slices.Equal(s.failed, want) {
		t.Errorf("failed: %q", s.failed)
	}
	if want := []string{"store.TestB: b_test.go:3: needs root",
		"e2e/clients.TestD: no reason given"}; !slices.Equal(s.skipped, want) {
		t.Errorf("skipped: %q", s.skipped)
	}
	if want := []string{"store.TestA: left out: 4 of 5 rounds"}; !slices.Equal(s.partly, want) {
		t.Errorf("partly: %q", s.partly)
	}
	// TestD, which the first run skipped, passed in a later run. So only TestB was left out.
	if got := leftOut(s, suite{}, suite{
		passed: map[string]bool{"e2e/clients.TestD": true},
	}); !slices.Equal(got, s.skipped[:1]) {
		t.Errorf("left out: %q", got)
	}
	// Each of the three tests passed in one run: TestA in the first, TestB in the run with a database server, and
	// TestD in the last. So no test was left out, although each was skipped in another run.
	if got := leftOut(s, suite{
		passed:  map[string]bool{"store.TestB": true},
		skipped: []string{"store.TestA: not on a server"},
	}, suite{passed: map[string]bool{"e2e/clients.TestD": true}}); len(got) > 0 {
		t.Errorf("left out although it ran: %q", got)
	}
	if got := leftOut(suite{}, suite{}, s); !slices.Equal(got, s.skipped) {
		t.Errorf("left out of the stories: %q", got)
	}
}

func TestReadingHalfAnEvent(t *testing.T) {
	if _, err := read(strings.NewReader(`{"Action":"pass","Pack`)); err == nil {
		t.Error("a stream that breaks off is taken as whole")
	}
}

// TestADeadProgram checks that a crash of the race detector is told apart from a data race in a test, and that a
// second run replaces only the failures of the package in which the detector crashed.
func TestADeadProgram(t *testing.T) {
	for output, want := range map[string][]string{"==7==FATAL: ThreadSanitizer: failed to mmap": {"web"}, "WARNING: DATA RACE": nil} {
		s, err := read(strings.NewReader(`{"Action":"fail","Package":"samepage/web/account","Test":"TestF"}
			{"Action":"fail","Package":"samepage/web/account"}
			{"Action":"pass","Package":"samepage/web","Test":"TestD"}
			{"Action":"output","Package":"samepage/web","Test":"TestE","Output":"` + output + `"}
			{"Action":"fail","Package":"samepage/web"}`))
		if err != nil || !slices.Equal(s.dead, want) || !slices.Equal(s.failed, []string{"web/account.TestF", "web/account", "web"}) {
			t.Errorf("%q: %+v, %v", output, s, err)
		}
	}
	first := suite{dead: []string{"web"}, passed: map[string]bool{"store.TestA": true, "web.TestD": true},
		skipped: []string{"web.TestH: why"},
		failed:  []string{"web/account.TestF", "web/account", "web"}}
	both := first.repeated(suite{passed: map[string]bool{"web.TestE": true}, skipped: []string{"web.TestG: why"}})
	if want := []string{"web/account.TestF", "web/account"}; !slices.Equal(both.failed, want) || !both.passed["store.TestA"] ||
		!both.passed["web.TestE"] || both.passed["web.TestD"] || len(both.skipped) != 1 || len(both.dead) > 0 {
		t.Errorf("%+v", both)
	}
	if both := first.repeated(suite{passed: map[string]bool{}, failed: []string{"web.TestE"}}); !slices.Contains(both.failed, "web.TestE") {
		t.Errorf("%+v", both)
	}
}
