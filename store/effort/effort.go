// Package effort tells tests how much to try. The variable SAMEPAGE_E2E of the environment sets one of three efforts.
// Without it, tests do what takes seconds. The value 1 runs every test, within the time that a change can wait for
// them. The value record takes the numbers of steps, rounds and cases that are quoted as figures, which needs hours.
package effort

import (
	"os"
	"testing"
)

const variable = "SAMEPAGE_E2E"

// All reports whether every test runs, and not only those that take seconds.
func All() bool { return os.Getenv(variable) != "" }

// Of returns the value for the effort of this run.
func Of[T any](short, all, record T) T {
	switch os.Getenv(variable) {
	case "":
		return short
	case "record":
		return record
	}
	return all
}

// Steps returns how many steps a test of a model takes.
func Steps(short int) int { return Of(short, 20_000, 100_000) }

// LeftOut writes into the log of a test which part of it a greater effort would try, unless this is the greatest one.
func LeftOut(t testing.TB, format string, args ...any) {
	t.Helper()
	if more := Of("1", "record", ""); more != "" {
		t.Logf("left out: "+format+". Set "+variable+"=%s for more.", append(args, more)...)
	}
}
