package store

import (
	"reflect"
	"testing"

	"samepage/store/pgtest"
)

// TestSchemasAgree compares the two databases' own descriptions, table by table and column by column.
func TestSchemasAgree(t *testing.T) {
	if pgtest.Given() == "" {
		t.Skip("left out: there is no PostgreSQL to compare with. go run ./e2e/all starts one.")
	}
	describe := func(where string) map[string]TableSchema {
		s, err := Open(t.Context(), where, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		tables := map[string]TableSchema{}
		if err := s.Read(t.Context(), func(tx *Tx) error {
			list, err := tx.Tables()
			for _, table := range list {
				tables[table.Name] = table
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return tables
	}
	file, server := describe(t.TempDir()), describe(pgtest.Database(t))
	if len(file) < 20 {
		t.Fatalf("only %d tables", len(file))
	}
	for name, want := range file {
		have, ok := server[name]
		if !ok {
			t.Errorf("PostgreSQL has no table %s: give the migration that makes it one of the same name in migrations/postgres", name)
			continue
		}
		for _, c := range want.Columns {
			if other := have.Column(c.Name); other == nil || *other != c {
				t.Errorf("%s.%s is %+v in SQLite and %+v in PostgreSQL", name, c.Name, c, other)
			}
		}
		if len(have.Columns) != len(want.Columns) {
			t.Errorf("%s has %d columns in SQLite and %d in PostgreSQL", name, len(want.Columns), len(have.Columns))
		}
		if !reflect.DeepEqual(have.Keys, want.Keys) {
			t.Errorf("%s refers to %+v in SQLite and to %+v in PostgreSQL", name, want.Keys, have.Keys)
		}
	}
	for name := range server {
		if _, ok := file[name]; !ok && name != blobTable {
			t.Errorf("only PostgreSQL has the table %s", name)
		}
	}
}
