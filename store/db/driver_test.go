//go:build cgo

package db

import (
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-sqlite3"
)

func TestAPoisonedBatchFailsAsAWhole(t *testing.T) {
	w := newFileWorld(t)
	ran := false
	errs := w.queue(keep("a"), func(tx *Tx) error {
		tx.failed(sqlite3.Error{Code: sqlite3.ErrCorrupt}) // as if a statement had failed with this error
		return nil                                         // and the job ignored the error
	}, func(tx *Tx) error { ran = true; return keep("b")(tx) })
	if CodeOf(errs[0]) != Unavailable || errs[0] != errs[1] || !strings.Contains(errs[0].Error(), "damaged") {
		t.Errorf("%v, %v", errs[0], errs[1])
	}
	if errs[2] != nil || !ran {
		t.Errorf("the next batch: %v", errs[2])
	}
	if got := w.kept(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("kept %s", got)
	}
}
