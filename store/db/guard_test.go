package db

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// TestGuardsOfAFile tries to open or to read databases whose state cannot be known. Each attempt must fail.
func TestGuardsOfAFile(t *testing.T) {
	t.Run("an earlier database", func(t *testing.T) {
		// Not even the superuser can look for a file with a name that is too long.
		o := Options{Schema: tables, Companions: []string{strings.Repeat("x", 300)}}
		if db, err := Open(t.Context(), t.TempDir(), o); err == nil {
			db.Close()
			t.Error("a database was made where one may have been")
		} else if !strings.Contains(err.Error(), "look for an earlier database") {
			t.Error(err)
		}
	})
	t.Run("migrations", func(t *testing.T) {
		w := newFileWorld(t)
		_, err := Open(t.Context(), w.dir, Options{Schema: fstest.MapFS{}, Beside: true})
		if err == nil || CodeOf(err) == Unavailable {
			t.Errorf("a program without migrations opens it: %v", err)
		}
	})
	t.Run("the version of the tables", func(t *testing.T) {
		w := newFileWorld(t)
		beside, err := Open(t.Context(), w.dir, Options{Schema: tables, Beside: true, Clock: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		defer beside.Close()
		read := func() error { return beside.Read(context.Background(), func(*Tx) error { return nil }) }
		rename := func(from, to string) error {
			return w.Write(t.Context(), func(tx *Tx) error { return tx.Exec("ALTER TABLE " + from + " RENAME TO " + to) })
		}
		if err := errors.Join(read(), rename("goose_db_version", "away")); err != nil {
			t.Fatal(err)
		}
		if err := read(); err == nil || !strings.Contains(err.Error(), "check the schema") {
			t.Errorf("tables of an unknown version are read: %v", err)
		}
		if err := errors.Join(rename("away", "goose_db_version"), read()); err != nil {
			t.Error(err)
		}
	})
}
