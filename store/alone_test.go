package store_test

import (
	"context"
	"errors"
	"testing"

	"samepage/store"
)

// TestAlone runs functions with a name on two nodes. While one node runs a function, the other node must run none with
// the same name, but may run one with another name.
func TestAlone(t *testing.T) {
	w := newServerWorld(t)
	other := w.node()
	ran := 0
	count := func(context.Context) { ran++ }
	if err := w.Alone(t.Context(), "x", func(context.Context) {
		if err := errors.Join(other.Alone(t.Context(), "x", count), other.Alone(t.Context(), "y", count)); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Error(err)
	}
	if err := other.Alone(t.Context(), "x", count); err != nil || ran != 2 {
		t.Errorf("ran %d times, %v", ran, err)
	}
}

// TestAloneForLong checks work that takes longer than a transaction may be idle. No other node may begin the work
// meanwhile. If the lease was not renewed, another node must be able to begin the work.
func TestAloneForLong(t *testing.T) {
	w := newServerWorld(t)
	other := w.node()
	hasty, err := store.Open(t.Context(), w.dir+"&idle_in_transaction_session_timeout=250",
		store.Options{Clock: w.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer hasty.Close()
	begun := 0
	if err := hasty.Alone(t.Context(), "x", func(context.Context) {
		for idle := 1; idle > 0; { // wait until the server has ended all idle transactions
			w.read(func(tx *store.Tx) error {
				return tx.Get(&idle, `SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'
					AND datname = current_database()`)
			})
		}
		if err := other.Alone(t.Context(), "x", func(context.Context) { begun++ }); err != nil || begun != 0 {
			t.Errorf("begun %d times beside another node, %v", begun, err)
		}
		w.raw(`UPDATE leases SET ends_at = 0`)
		if err := other.Alone(t.Context(), "x", func(context.Context) { begun++ }); err != nil || begun != 1 {
			t.Errorf("begun %d times after the lease, %v", begun, err)
		}
	}); err != nil {
		t.Error(err)
	}
}
