package webtest

import (
	"fmt"

	"samepage/store"
	"samepage/store/db"
)

// Holds returns a column of the database in which some row contains the text, as TABLE.COLUMN, or the empty string.
func (w *World) Holds(text string) string {
	w.t.Helper()
	past := w.Database()
	var tables []db.TableSchema
	if err := w.Store.Read(w.t.Context(), func(tx *store.Tx) (err error) {
		tables, err = tx.Tables()
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	for _, table := range tables {
		for _, c := range table.Columns {
			if c.Kind == "integer" {
				continue
			}
			var n int
			if err := past.Get(&n, past.Rebind(`SELECT count(*) FROM "`+table.Name+`" WHERE CAST("`+c.Name+
				`" AS TEXT) LIKE ?`), "%"+text+"%"); err != nil {
				w.t.Fatal(table.Name, c.Name, err)
			}
			if n > 0 {
				return table.Name + "." + c.Name
			}
		}
	}
	return ""
}

// Rows returns all rows of the tables, formatted as text.
func (w *World) Rows(tables ...string) []string {
	w.t.Helper()
	db := w.Database()
	var list []string
	for _, table := range tables {
		found, err := db.Query("SELECT * FROM " + table)
		if err != nil {
			w.t.Fatal(err)
		}
		columns, _ := found.Columns()
		values, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		for found.Next() {
			if err := found.Scan(to...); err != nil {
				w.t.Fatal(err)
			}
			row := table
			for _, v := range values {
				row += fmt.Sprintf(" %v", v)
				if b, ok := v.([]byte); ok {
					row += " " + string(b)
				}
			}
			list = append(list, row)
		}
		found.Close()
	}
	return list
}
