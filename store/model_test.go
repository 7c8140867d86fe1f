package store_test

import (
	"os"
	"testing"

	"pgregory.net/rapid"
)

// checkModel checks a property that counts its steps: a hundred times, or, in the long run, until it has
// counted a hundred thousand.
func checkModel(t *testing.T, steps *int, property func(*rapid.T)) {
	t.Helper()
	enough := 1
	if os.Getenv("SAMEPAGE_E2E") == "1" {
		enough = 100_000
	} else {
		t.Log("left out: 100000 steps. Set SAMEPAGE_E2E=1 for them.")
		fewerHistories(t, 20)
	}
	for *steps < enough {
		rapid.Check(t, property)
	}
	t.Logf("%d steps", *steps)
}
