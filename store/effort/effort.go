// Package effort tells tests how much work to do. The environment variable SAMEPAGE_E2E selects one of three levels.
// Without it, tests run only the cases that take seconds. With the value 1, all tests run, at a size that suits a check
// of every change. With the value record, tests run as many steps, rounds and cases as the published figures name,
// which takes hours.
package effort

import (
	"os"
	"testing"
)

const variable = "SAMEPAGE_E2E"

// All reports whether all tests run, and not only those that take seconds.
func All() bool { return os.Getenv(variable) != "" }

// Of returns the parameter for the selected level: `short` if the environment variable is not set, `record` for the
// value record, and `all` for any other value.
func Of[T any](short, all, record T) T {
	switch os.Getenv(variable) {
	case "":
		return short
	case "record":
		return record
	}
	return all
}

// Steps returns the number of steps for a model-based test. At the lowest level, the number is the parameter `short`.
func Steps(short int) int { return Of(short, 20_000, 100_000) }

// LeftOut logs that a part of the test runs only at a higher level. At the highest level it logs nothing.
func LeftOut(t testing.TB, format string, args ...any) {
	t.Helper()
	if more := Of("1", "record", ""); more != "" {
		t.Logf("left out: "+format+". Set "+variable+"=%s for more.", append(args, more)...)
	}
}
