package store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"reflect"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/db"
	"samepage/store/pgtest"
)

// schemaFile is the migration that creates all tables. Until the first release it is the only migration.
const schemaFile = "0075_schema.sql"

// schemaDigest is the start of the SHA-256 of the statements in the two files with the name [schemaFile], for SQLite
// and for PostgreSQL.
const schemaDigest = "f050fc5214eaaf87"

// readSchema reads the statements of a schema, without their comments.
func readSchema(t *testing.T, folder string) string {
	t.Helper()
	text, err := store.MigrationFiles.ReadFile(path.Join("migrations", folder, schemaFile))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "--") && strings.TrimSpace(line) != "" {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestSchemaHasItsNumber fails if the tables change but the number in [schemaFile] does not. The program would then
// take a database with the earlier tables for a current one.
func TestSchemaHasItsNumber(t *testing.T) {
	sum := sha256.Sum256([]byte(readSchema(t, "sqlite") + readSchema(t, "postgres")))
	if have := hex.EncodeToString(sum[:8]); have != schemaDigest {
		t.Errorf("The tables are not those of %s. Rename the files in migrations/sqlite and migrations/postgres "+
			"to the next number, and set schemaFile to that name and schemaDigest to %q.", schemaFile, have)
	}
}

// TestSchemasSayTheSame compares the files for SQLite and PostgreSQL line by line, with indexes and checks. It leaves
// out the names of types, and statements that only one database has.
func TestSchemasSayTheSame(t *testing.T) {
	file, server := readSchema(t, "sqlite"), readSchema(t, "postgres")
	for _, only := range []struct {
		text             *string
		old, replacement string
	}{
		{&file, ",\n\tFOREIGN KEY (id, owner_id) REFERENCES members (org_id, id)\n", "\n"},
		{&server, "ALTER TABLE organizations ADD FOREIGN KEY (id, owner_id) REFERENCES members (org_id, id);\n", ""},
		{&server, "CREATE TABLE leases (\n\tname    TEXT COLLATE \"C\" PRIMARY KEY,\n\tholder  TEXT COLLATE \"C\" NOT NULL,\n" +
			"\tends_at BIGINT NOT NULL\n);\n", ""},
		{&server, "CREATE TABLE blobs (\n\thash    BYTEA PRIMARY KEY,\n\tdata    BYTEA NOT NULL,\n" +
			"\tkept_at BIGINT NOT NULL\n);\n", ""},
	} {
		if strings.Count(*only.text, only.old) != 1 {
			t.Errorf("not there, or twice:\n%s", only.old)
		}
		*only.text = strings.Replace(*only.text, only.old, only.replacement, 1)
	}
	file = strings.NewReplacer(") STRICT, WITHOUT ROWID;", ");", ") STRICT;", ");").Replace(file)
	server = strings.NewReplacer(`TEXT COLLATE "C"`,
		"TEXT", "BIGINT", "INTEGER", "BYTEA", "BLOB", "''::bytea", "x''").Replace(server)
	have, want := strings.Split(server, "\n"), strings.Split(file, "\n")
	table := ""
	for i := range min(len(have), len(want)) {
		if strings.HasPrefix(want[i], "CREATE TABLE") {
			table = want[i]
		}
		if have[i] != want[i] {
			t.Fatalf("%s is in SQLite\n%s\nand in PostgreSQL\n%s", table, want[i], have[i])
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d lines in PostgreSQL, and %d in SQLite", len(have), len(want))
	}
}

// TestSchemasAgree compares the tables, columns and foreign keys that SQLite and PostgreSQL report.
func TestSchemasAgree(t *testing.T) {
	if pgtest.Given() == "" {
		t.Skip("left out: there is no PostgreSQL to compare with. go run ./e2e/all starts one.")
	}
	describe := func(where string) map[string]db.TableSchema {
		s, err := store.Open(t.Context(), where, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		tables := map[string]db.TableSchema{}
		if err := s.Read(t.Context(), func(tx *store.Tx) error {
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
			t.Errorf("PostgreSQL has no table %s: make it in migrations/postgres too", name)
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
		if _, ok := file[name]; !ok && name != archive.BlobTable && name != "leases" {
			t.Errorf("only PostgreSQL has the table %s", name)
		}
	}
}
