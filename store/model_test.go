package store_test

import (
	"testing"

	"pgregory.net/rapid"

	"samepage/store/effort"
)

// checkModel checks a property with random histories, which count their steps in *steps. It goes on until there are as
// many steps as this run requires; see [effort.Steps].
func checkModel(t *testing.T, steps *int, property func(*rapid.T)) {
	t.Helper()
	enough := effort.Steps(1)
	effort.LeftOut(t, "all but %d steps", enough)
	if !effort.All() {
		fewerHistories(t, 20)
	}
	for *steps < enough {
		rapid.Check(t, property)
	}
	t.Logf("%d steps", *steps)
}
