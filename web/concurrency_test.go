package web_test

import (
	"database/sql"
	"fmt"
	"testing"

	"samepage/web/webtest"
)

// rows are the rows of some tables as they are in the file.
func rows(t *testing.T, w *webtest.World, tables ...string) []string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+w.Store.Path()+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var list []string
	for _, table := range tables {
		found, err := db.Query("SELECT * FROM " + table)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := found.Columns()
		values, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		for found.Next() {
			if err := found.Scan(to...); err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprintf("%s: %q", table, values))
		}
		found.Close()
	}
	return list
}
