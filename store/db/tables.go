package db

import (
	"slices"
	"strings"
)

// TableSchema describes a table. It is read from the database, so that no list of tables has to be maintained.
type TableSchema struct {
	Name    string
	Columns []ColumnSchema
	Keys    []Reference
}

// ColumnSchema describes a column of a table. Kind is text, integer or blob, or another name for a type that the schema
// should not have. Key is the column's place in the primary key, from 1, or 0 if the column is not in the primary key.
type ColumnSchema struct {
	Name     string `db:"name"`
	Kind     string `db:"kind"`
	Required bool   `db:"required"`
	Key      int    `db:"key"`
}

// Reference is a foreign key from Columns to the columns Refers of the table Table.
type Reference struct {
	Columns []string
	Table   string
	Refers  []string
}

// Column returns the column with this name, or nil.
func (t *TableSchema) Column(name string) *ColumnSchema {
	i := slices.IndexFunc(t.Columns, func(c ColumnSchema) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// schemaQueries has the queries for the tables, columns and foreign keys of a database. Their results have the same
// columns on SQLite and PostgreSQL. The statement learn updates the planner's statistics, and is empty if that is not
// necessary.
type schemaQueries struct{ tables, columns, keys, learn string }

var sqliteSchema = schemaQueries{
	tables: `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'
		AND name NOT LIKE 'goose%' ORDER BY name`,
	columns: `SELECT name, CASE type WHEN 'TEXT' THEN 'text' WHEN 'INTEGER' THEN 'integer' WHEN 'BLOB' THEN 'blob'
		ELSE type END AS kind,
		"notnull" OR pk > 0 AS required, pk AS key FROM pragma_table_info(?) ORDER BY name`,
	keys: `SELECT id AS n, "from" AS col, "table" AS parent, "to" AS refers FROM pragma_foreign_key_list(?)
		ORDER BY id, seq`,
}

var postgresSchemaQueries = schemaQueries{
	tables: `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
		AND relkind = 'r' AND relname <> 'search' AND relname NOT LIKE 'goose%' ORDER BY relname COLLATE "C"`,
	columns: `SELECT attname AS name, CASE WHEN typname = 'int8' THEN 'integer' WHEN typname = 'bytea' THEN 'blob'
			WHEN typname = 'text' AND attcollation = (SELECT oid FROM pg_collation WHERE collname = 'C') THEN 'text'
			ELSE typname || ' with its own order' END AS kind,
		attnotnull AS required, coalesce(array_position(k.conkey, attnum), 0) AS key
		FROM pg_attribute JOIN pg_type t ON t.oid = atttypid LEFT JOIN pg_constraint k ON k.conrelid = attrelid
		AND k.contype = 'p'
		WHERE attrelid = CAST(CAST(? AS text) AS regclass) AND attnum > 0 AND NOT attisdropped
		ORDER BY attname COLLATE "C"`,
	keys: `SELECT k.oid::bigint AS n, a.attname AS col, k.confrelid::regclass::text AS parent, b.attname AS refers
		FROM pg_constraint k CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY u (mine, theirs, place)
		JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.mine
		JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = u.theirs
		WHERE k.contype = 'f' AND k.conrelid = CAST(CAST(? AS text) AS regclass) ORDER BY k.oid, u.place`,
	learn: `ANALYZE`,
}

var (
	sqliteWords   = dialect{schema: sqliteSchema}
	postgresWords = dialect{plain: translatePostgres, schema: postgresSchemaQueries}
)

// Analyze updates the planner's statistics on a server, after many rows were inserted at once.
func (tx *Tx) Analyze() error {
	if tx.words.schema.learn == "" {
		return nil
	}
	return tx.Exec(tx.words.schema.learn)
}

// Tables returns the descriptions of all tables of the application except the search index, sorted by name.
func (tx *Tx) Tables() ([]TableSchema, error) {
	q := tx.words.schema
	var names []string
	if err := tx.Select(&names, q.tables); err != nil {
		return nil, err
	}
	list := make([]TableSchema, len(names))
	for i, name := range names {
		t := &list[i]
		t.Name = name
		if err := tx.Select(&t.Columns, q.columns, name); err != nil {
			return nil, err
		}
		var keys []struct {
			N      int64  `db:"n"`
			Col    string `db:"col"`
			Parent string `db:"parent"`
			Refers string `db:"refers"`
		}
		if err := tx.Select(&keys, q.keys, name); err != nil {
			return nil, err
		}
		for j, k := range keys {
			if j == 0 || k.N != keys[j-1].N {
				t.Keys = append(t.Keys, Reference{Table: k.Parent})
			}
			r := &t.Keys[len(t.Keys)-1]
			r.Columns, r.Refers = append(r.Columns, k.Col), append(r.Refers, k.Refers)
		}
		slices.SortFunc(t.Keys, func(a, b Reference) int {
			return strings.Compare(a.Table+strings.Join(a.Columns, " "), b.Table+strings.Join(b.Columns, " "))
		})
	}
	return list, nil
}

// ColumnNames returns the names of the table's columns.
func (t *TableSchema) ColumnNames() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// PrimaryKey returns the names of the primary key's columns, in the order of the key.
func (t *TableSchema) PrimaryKey() []string {
	var key []string
	for n := 1; ; n++ {
		i := slices.IndexFunc(t.Columns, func(c ColumnSchema) bool { return c.Key == n })
		if i < 0 {
			return key
		}
		key = append(key, t.Columns[i].Name)
	}
}
