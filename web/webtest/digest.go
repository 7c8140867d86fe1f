package webtest

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Digests are the digests of the rows of every table, by table, as they are in the database now.
func (w *World) Digests() map[string]string {
	w.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+w.Store.Path()+"?_query_only=1")
	w.must(err)
	defer db.Close()
	var tables []string
	rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	w.must(err)
	for rows.Next() {
		var name string
		w.must(rows.Scan(&name))
		tables = append(tables, name)
	}
	w.must(rows.Err())
	digests := map[string]string{}
	for _, table := range tables {
		digests[table] = w.digest(db, table)
	}
	return digests
}

// digest is that of a table's rows in the order of its key, in which tables without rowids are read.
func (w *World) digest(db *sql.DB, table string) string {
	rows, err := db.Query(`SELECT * FROM "` + table + `"`)
	w.must(err)
	defer rows.Close()
	columns, err := rows.Columns()
	w.must(err)
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	h := sha256.New()
	for rows.Next() {
		w.must(rows.Scan(to...))
		fmt.Fprintf(h, "%#v\n", values)
	}
	w.must(rows.Err())
	return hex.EncodeToString(h.Sum(nil))
}

// Changed names the tables whose digests differ, but for those named in except.
func Changed(before, after map[string]string, except ...string) []string {
	var list []string
	for _, table := range slices.Sorted(maps.Keys(after)) {
		if before[table] != after[table] && !slices.Contains(except, table) {
			list = append(list, table)
		}
	}
	return list
}

func (w *World) must(err error) {
	if err != nil {
		w.t.Helper()
		w.t.Fatal(err)
	}
}

// Query reads one value of the database into dst.
func (w *World) Query(dst any, query string, args ...any) {
	w.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+w.Store.Path()+"?_query_only=1")
	w.must(err)
	defer db.Close()
	w.must(db.QueryRowContext(w.t.Context(), query, args...).Scan(dst))
}
