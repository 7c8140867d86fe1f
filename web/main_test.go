package web_test

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"samepage/store/pgtest"
	"samepage/store/shm"
)

// thorough says that everything is tested. Otherwise the tests that take long do only a part, and each says in its log
// what it leaves out.
var thorough = os.Getenv("SAMEPAGE_E2E") == "1"

func TestMain(m *testing.M) {
	shm.Use()
	debug.SetGCPercent(200)
	flag.Parse()
	if !given("rapid.checks") {
		switch {
		case pgtest.Given() != "":
			flag.Set("rapid.checks", "5")
			fmt.Fprintln(os.Stderr, "web: left out on a server: 95 of 100 random histories, which run in files")
		case !thorough:
			flag.Set("rapid.checks", "20")
			fmt.Fprintln(os.Stderr, "web: left out: four fifths of the random histories, most hostile texts and the "+
				"pages of most actors after a move. Set SAMEPAGE_E2E=1 for them.")
		}
	}
	os.Exit(m.Run())
}

// given reports whether the command line sets a flag.
func given(name string) (is bool) {
	flag.Visit(func(f *flag.Flag) { is = is || f.Name == name })
	return is
}

// tenth returns every tenth element of a list in a short run, and logs that. In a thorough run it returns the whole
// list.
func tenth[T any](t *testing.T, what string, list []T) (some []T) {
	t.Helper()
	if thorough {
		return list
	}
	for i := 0; i < len(list); i += 10 {
		some = append(some, list[i])
	}
	t.Logf("left out: all but %d of %d %s. Set SAMEPAGE_E2E=1 for the others.", len(some), len(list), what)
	return some
}
