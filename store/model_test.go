package store_test

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"samepage/store"
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

// undone runs a part of a random test in a transaction and rolls it back. The part runs outside the function that it
// gives to Write, because Write turns panics into errors, and rapid ends a failed test with a panic. Package rapid
// compares the places of panics to find the shortest history that fails in the same way.
func (w *world) undone(t *rapid.T, fn func(tx *store.Tx) error) {
	t.Helper()
	begun, over, end := make(chan *store.Tx), make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(end)
		end <- w.Write(context.Background(), func(tx *store.Tx) error {
			begun <- tx
			<-over
			return errors.New("undo")
		})
	}()
	defer func() {
		close(over)
		for range end { // until the transaction is rolled back
		}
	}()
	select {
	case tx := <-begun:
		if err := fn(tx); err != nil {
			t.Fatal(err)
		}
	case err := <-end:
		t.Fatal(err)
	}
}
