package store_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/db"
	"samepage/store/effort"
	"samepage/store/pgtest"
)

// emptyPlace returns an empty folder, or an empty database on the server.
func emptyPlace(t *testing.T) string {
	t.Helper()
	if pgtest.Given() != "" {
		return pgtest.Database(t)
	}
	return t.TempDir()
}

// TestOtherSchemasAreRefused expects databases with tables of other versions to be refused, and not to change.
func TestOtherSchemasAreRefused(t *testing.T) {
	effort.Slow(t)
	for _, c := range []struct {
		version int64
		says    []string
	}{
		{9999, []string{"newer version of Samepage (schema 9999; this one knows up to ",
			"Use that version or a later one."}},
		{34, []string{"development version of Samepage (schema 34; the first that this one knows is ",
			"start this one with an empty folder or database"}},
		{1, []string{"development version of Samepage (schema 1;"}},
	} {
		where := emptyPlace(t)
		s, err := store.Open(t.Context(), where, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(`UPDATE goose_db_version SET version_id = ? WHERE version_id > 0`, c.version)
		}); err != nil {
			t.Fatal(err)
		}
		name := s.Path()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the first refusal changes nothing
			_, err := store.Open(t.Context(), where, store.Options{})
			says(t, err, store.Unavailable, append(c.says, name))
		}
		if !store.OnServer(where) {
			_, err := archive.Restore(t.Context(), name, t.TempDir())
			says(t, err, store.Unavailable, c.says)
		}
	}
}

// says checks the code of an error and parts of its sentence.
func says(t *testing.T, err error, code store.Code, parts []string) {
	t.Helper()
	missing := func(part string) bool { return !strings.Contains(err.Error(), part) }
	if err == nil || store.CodeOf(err) != code || slices.ContainsFunc(parts, missing) {
		t.Errorf("the error is %v, and should be %s with %q", err, code, parts)
	}
}

// tablesOf returns the CREATE statements of a database that is not open.
func tablesOf(t *testing.T, dir string) (list []string) {
	t.Helper()
	db, err := sqlx.Open("sqlite3", db.FileURL(filepath.Join(dir, store.FileName))+"?_query_only=1")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Select(&list, `SELECT name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1`); err != nil {
		t.Fatal(err)
	}
	return list
}
