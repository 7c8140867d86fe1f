package web_test

import (
	"flag"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"samepage/store/effort"
	"samepage/store/pgtest"
	"samepage/store/shm"
)

// thorough reports whether all tests run completely. Otherwise each long test does only a part, and logs the part
// that it leaves out.
var thorough = effort.All()

func TestMain(m *testing.M) {
	shm.Use()
	debug.SetGCPercent(400)
	flag.Parse()
	if !given("rapid.checks") {
		switch {
		case pgtest.Given() != "":
			flag.Set("rapid.checks", "5")
		default:
			flag.Set("rapid.checks", effort.Of("20", "40", "100"))
		}
	}
	os.Exit(m.Run())
}

// checkHistories checks a property with random histories, and logs how many of 100 it left out. TestMain sets their number.
func checkHistories(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	if checks := flag.Lookup("rapid.checks").Value.String(); pgtest.Given() != "" {
		t.Logf("left out on a server: all but %s of 100 random histories, which run in files", checks)
	} else {
		effort.LeftOut(t, "all but %s of 100 random histories", checks)
	}
	rapid.Check(t, property)
}

// quota counts similar cases by their kind, so that a test tries only some of each kind.
type quota map[string]int

// left counts one more case of a kind, and reports whether to try it. It allows the first two cases of each
// kind. A run for published figures has no such limit.
func (q quota) left(kind ...string) bool {
	key := strings.Join(kind, " ")
	q[key]++
	return q[key] <= effort.Of(2, 2, math.MaxInt)
}

// given reports whether the command line sets a flag.
func given(name string) (is bool) {
	flag.Visit(func(f *flag.Flag) { is = is || f.Name == name })
	return is
}

// some returns every tenth element of a list in a short run, and every sixth if all tests run. In a run for published
// figures it returns the whole list. It logs the number of elements.
func some[T any](t *testing.T, what string, list []T) (some []T) {
	t.Helper()
	for i := 0; i < len(list); i += effort.Of(10, 6, 1) {
		some = append(some, list[i])
	}
	effort.LeftOut(t, "all but %d of %d %s", len(some), len(list), what)
	return some
}
