// Package effort tells tests how much work to do. The environment variable SAMEPAGE_E2E selects one of three levels.
// Without it, only cases that take seconds run. With the value record, tests are as large as the published figures say,
// and take hours. With any other value, such as 1, all tests run, at a smaller size.
package effort

import (
	"os"
	"testing"
)

const variable = "SAMEPAGE_E2E"

// All reports whether all tests run, and not only those that take seconds.
func All() bool { return os.Getenv(variable) != "" }

// Of returns the parameter for the selected level.
func Of[T any](short, all, record T) T {
	switch os.Getenv(variable) {
	case "":
		return short
	case "record":
		return record
	}
	return all
}

// Steps returns the number of steps for a model-based test. The parameter short is the number at the lowest level.
func Steps(short int) int { return Of(short, 20_000, 100_000) }

// LeftOut logs that a part of the test runs only at a higher level, if there is one.
func LeftOut(t testing.TB, format string, args ...any) {
	t.Helper()
	if more := Of("1", "record", ""); more != "" {
		t.Logf("left out: "+format+". Set "+variable+"=%s for more.", append(args, more)...)
	}
}

// Slow skips the test in a short run (go test -short) and under the race detector, which makes a test take several
// times as long. It is for tests that start no goroutine if other tests call the same functions under the race
// detector.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() || Racing {
		t.Skip("left out: it runs without -short and without the race detector")
	}
}
