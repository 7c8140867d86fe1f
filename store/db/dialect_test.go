package db

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/jmoiron/sqlx"
)

func TestPragmasOfEveryConnection(t *testing.T) {
	w := newFileWorld(t)
	want := map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000",
		"query_only": "0", "secure_delete": "1", "cache_size": "-2000"}
	check := func(name string, q sqlx.QueryerContext, change map[string]string) {
		for pragma, v := range want {
			if c, ok := change[pragma]; ok {
				v = c
			}
			var got string
			if err := sqlx.GetContext(t.Context(), q, &got, "PRAGMA "+pragma); err != nil || got != v {
				t.Errorf("%s: %s is %q, want %q (%v)", name, pragma, got, v, err)
			}
		}
	}
	var readers []*sqlx.Conn // open at the same time, so that each is a different connection
	for i := range w.file().readers.Stats().MaxOpenConnections {
		c, err := w.file().readers.Connx(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, c)
		check(fmt.Sprint("reader ", i), c,
			map[string]string{"query_only": "1", "secure_delete": "0",
				"cache_size": strconv.Itoa(-readerCacheKiB / readerCount())})
		if _, err := c.ExecContext(t.Context(), "DELETE FROM instance"); err == nil {
			t.Error("a reader can write")
		}
	}
	for _, c := range readers {
		c.Close()
	}
	w.write(func(tx *Tx) error {
		check("writer", w.file().writer.conn, map[string]string{"wal_autocheckpoint": "0"})
		return nil
	})
	other, err := sqlx.Open("sqlite3", sqliteDSN(w.Path(), true)) // opened like the connections of the checkpointer and of backups
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	check("checkpointer", other, nil)
}

// TestNumbered expects question marks to be replaced by numbers, except in quoted text.
func TestNumbered(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT 1`: `SELECT 1`, `SELECT ?, ?`: `SELECT $1, $2`, `SELECT '?', 'it''s ?', ?`: `SELECT '?', 'it''s ?', $1`,
	} {
		for range 2 {
			if got := numberParams(query); got != want {
				t.Errorf("%s becomes %s", query, got)
			}
		}
	}
}
