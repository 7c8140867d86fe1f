// Package faulttest makes single SQL statements of a transaction fail, to test how the caller handles the errors.
package faulttest

import (
	"context"
	"errors"
	"testing"

	"samepage/store"
)

var faults = []error{errors.New("the statement fails"), store.Errorf(store.Unavailable, "The database is away.")}

// interrupted is a context with an error that is set between two statements.
type interrupted struct {
	context.Context
	err error
}

func (c *interrupted) Err() error { return c.err }

// EachStatement calls read repeatedly, each time in its own read transaction with another failing SQL statement. Each
// call must return the error of its failed statement. A call without a fault must return no error.
func EachStatement(t testing.TB, st *store.Store, name string, read func(tx *store.Tx) error) {
	t.Helper()
	for _, fault := range faults {
		for n := 1; failsAt(t, st, name, read, n, fault); n++ {
		}
	}
}

// failsAt calls read with a fault in its statement n. It returns false if read has fewer statements.
func failsAt(t testing.TB, st *store.Store, name string, read func(tx *store.Tx) error, n int, fault error) bool {
	t.Helper()
	ctx, asked := &interrupted{Context: context.Background()}, 0
	var err error // the result of read, because st.Read returns the error of a failed statement in any case
	_ = st.Read(ctx, func(tx *store.Tx) error {
		tx.Trace = func(string, []any) {
			asked++
			ctx.err = nil
			if asked == n {
				ctx.err = fault
			}
		}
		err = read(tx)
		return err
	})
	switch {
	case asked < n && (err != nil || n == 1):
		t.Errorf("%s: without a fault, %d statements are made, and the error is %v", name, asked, err)
	case asked >= n && !errors.Is(err, fault):
		t.Errorf("%s: statement %d fails with %q, and the error is %v", name, n, fault, err)
	}
	return asked >= n
}
