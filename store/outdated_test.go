package store_test

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/db"
	"samepage/store/effort"
	"samepage/store/pgtest"
)

// newerSchema returns the schema with one more migration, which runs the statements in the parameter more.
func newerSchema(t *testing.T, more string) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	for _, folder := range []string{"sqlite", "postgres"} {
		text, err := fs.ReadFile(store.Schema, path.Join(folder, schemaFile))
		if err != nil {
			t.Fatal(err)
		}
		files[path.Join(folder, schemaFile)] = &fstest.MapFile{Data: text}
		files[path.Join(folder, "9999_more.sql")] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + more)}
	}
	return files
}

// TestAnOlderProcessStops migrates a database that an older process has open. Every later transaction of that process
// must be refused, and its function Outdated must be called once.
func TestAnOlderProcessStops(t *testing.T) {
	where := newWhere(t)
	told := make(chan error, 10)
	holder, err := store.Open(t.Context(), where, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// In a folder, only a command that has opened it beside a server can be older than the next server.
	older, err := store.Open(t.Context(), where, store.Options{Beside: true, Outdated: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer older.Close()
	if err := older.Write(t.Context(), keep("before")); err != nil {
		t.Fatal(err)
	}
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	newer, err := db.Open(t.Context(), where, db.Options{Clock: time.Now,
		Schema: newerSchema(t, "UPDATE instance SET key = 'migrated' WHERE key = 'before';")})
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	parts := []string{"newer version of Samepage (schema 9999; this one knows up to ", "this process stops", older.Path()}
	for range 2 {
		says(t, older.Write(t.Context(), func(*store.Tx) error { t.Error("it writes"); return nil }),
			store.Unavailable, parts)
		says(t, older.Read(t.Context(), func(*store.Tx) error { t.Error("it reads"); return nil }),
			store.Unavailable, parts)
	}
	if len(told) != 1 {
		t.Fatalf("it is told %d times", len(told))
	}
	says(t, <-told, store.Unavailable, parts)
}

// TestAMigrationWaitsForWrites starts a migration during a write of an older process. The migration must wait for the
// end of the write, and then find the row that was written.
func TestAMigrationWaitsForWrites(t *testing.T) {
	if pgtest.Given() == "" {
		t.Skip("left out: there is no PostgreSQL. go run ./e2e/all starts one.")
	}
	where := newWhere(t)
	told := make(chan error, 1)
	older, err := store.Open(t.Context(), where, store.Options{Outdated: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer older.Close()
	migrated := make(chan error, 1)
	if err := older.Write(t.Context(), func(tx *store.Tx) error {
		go func() {
			newer, err := db.Open(context.Background(), where, db.Options{Clock: time.Now,
				Schema: newerSchema(t, "UPDATE instance SET key = 'migrated' WHERE key = 'late';")})
			if err == nil {
				err = newer.Close()
			}
			migrated <- err
		}()
		for waiting := 0; waiting == 0; { // until the migration waits
			if len(migrated) > 0 {
				return errors.New("the migration does not wait")
			}
			if err := tx.Get(&waiting, `SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'
				AND mode = 'ExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`); err != nil {
				return err
			}
		}
		return keep("late")(tx)
	}); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Fatal(err)
	}
	<-told // the older process notices the migration even if it begins no transaction
	after, err := db.Open(t.Context(), where, db.Options{Clock: time.Now, Schema: newerSchema(t, "SELECT 1;")})
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	if err := after.Read(t.Context(), func(tx *db.Tx) error {
		var n int
		err := tx.Get(&n, `SELECT count(*) FROM instance WHERE key = 'migrated'`)
		if n != 1 {
			t.Errorf("the migration missed %d writes", 1-n)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// TestACopyBeforeAMigration expects an undamaged copy of the earlier database beside the migrated one.
func TestACopyBeforeAMigration(t *testing.T) {
	effort.Slow(t)
	pgtest.Folder(t, "a server's tool makes its backups")
	w := newFileWorld(t)
	w.write(keep("before"))
	w.Store.Close()
	newer, err := db.Open(t.Context(), w.dir, db.Options{Clock: time.Now, Schema: newerSchema(t,
		"DELETE FROM instance;")})
	if err != nil {
		t.Fatal(err)
	}
	if err := newer.Close(); err != nil {
		t.Fatal(err)
	}
	copies, err := filepath.Glob(w.Path() + ".schema-*")
	if err != nil || len(copies) != 1 {
		t.Fatalf("%q, %v", copies, err)
	}
	earlier := t.TempDir()
	if _, err := archive.Restore(t.Context(), copies[0], earlier); err != nil {
		t.Fatal(err)
	}
	w.dir = earlier
	w.open()
	if keys := w.kept(); len(keys) != 1 {
		t.Errorf("%q", keys)
	}
}
