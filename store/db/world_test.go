package db

import (
	"context"
	"log/slog"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"samepage/store/pgtest"
	"samepage/store/shm"
)

func TestMain(m *testing.M) {
	shm.Use()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the tests cause panics and many log lines on purpose
	goleak.VerifyTestMain(m)
}

// world is a database with two tables; one of them refers to the other.
type world struct {
	DB
	t   testing.TB
	dir string // the data folder, or the URL of a database on a server
}

var tables = fstest.MapFS{
	"sqlite/0001_tables.sql": {Data: []byte(`-- +goose Up
CREATE TABLE instance (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
CREATE TABLE children (parent TEXT NOT NULL REFERENCES instance (key)) STRICT;
`)},
	"postgres/0001_tables.sql": {Data: []byte(`-- +goose Up
CREATE TABLE instance (key TEXT COLLATE "C" PRIMARY KEY, value BYTEA NOT NULL);
CREATE TABLE children (parent TEXT COLLATE "C" NOT NULL REFERENCES instance (key));
`)},
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t}
	if pgtest.Given() != "" {
		w.dir = pgtest.Database(t)
	} else {
		w.dir = t.TempDir()
	}
	w.open()
	t.Cleanup(func() { w.Close() })
	return w
}

func newFileWorld(t testing.TB) *world {
	t.Helper()
	pgtest.Folder(t, "it is about the file")
	return newWorld(t)
}

func (w *world) open() {
	w.t.Helper()
	var err error
	if w.DB, err = Open(w.t.Context(), w.dir, Options{Schema: tables, Clock: time.Now}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) file() *sqliteFile { return w.DB.(*sqliteFile) }

func (w *world) write(fn func(tx *Tx) error) {
	w.t.Helper()
	if err := w.Write(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(fn func(tx *Tx) error) {
	w.t.Helper()
	if err := w.Read(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

// look runs a query. The first query of a read takes its snapshot, and later ones use the snapshot.
func look(tx *Tx) error {
	var n int
	return tx.Get(&n, `SELECT count(*) FROM instance`)
}
