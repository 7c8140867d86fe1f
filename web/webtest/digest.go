package webtest

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"samepage/store"
	"samepage/store/db"
)

// Digests returns a digest of the present rows of each table, by the name of the table.
func (w *World) Digests() map[string]string {
	w.t.Helper()
	if w.tables == nil {
		w.must(w.Store.Read(w.t.Context(), func(tx *store.Tx) (err error) {
			w.tables, err = tx.Tables()
			return err
		}))
	}
	digests := map[string]string{}
	for i := range w.tables {
		digests[w.tables[i].Name] = w.digest(w.Database(), &w.tables[i])
	}
	return digests
}

// Database returns a connection to the world's database that does not go through the store. It stays open until the
// test ends.
func (w *World) Database() *sqlx.DB {
	w.t.Helper()
	if w.past != nil {
		return w.past
	}
	driver, name := "sqlite3", "file:"+w.Store.Path()+"?_synchronous=OFF&_busy_timeout=5000"
	if store.OnServer(w.where) {
		driver, name = "pgx", w.where
	}
	db, err := sqlx.Open(driver, name)
	w.must(err)
	w.past = db
	w.t.Cleanup(func() { db.Close() })
	return db
}

func (w *World) digest(db *sqlx.DB, table *db.TableSchema) string {
	key := table.PrimaryKey()
	rows, err := db.Query(`SELECT * FROM "` + table.Name + `" ORDER BY ` + strings.Join(key, ", "))
	w.must(err)
	defer rows.Close()
	columns, err := rows.Columns()
	w.must(err)
	values, to := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	h := sha256.New()
	var line []byte
	for rows.Next() {
		w.must(rows.Scan(to...))
		line = line[:0]
		// Each value is preceded by its length, so that different rows never give the same line. NULL has the length
		// -1.
		for _, v := range values {
			n := len(v)
			if v == nil {
				n = -1
			}
			line = append(append(strconv.AppendInt(line, int64(n), 10), ' '), v...)
		}
		h.Write(line)
	}
	w.must(rows.Err())
	return hex.EncodeToString(h.Sum(nil))
}

// Changed returns the tables with different digests before and after, without the excepted tables.
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

// Query reads one value from the database into dst.
func (w *World) Query(dst any, query string, args ...any) {
	w.t.Helper()
	db := w.Database()
	w.must(db.QueryRowContext(w.t.Context(), db.Rebind(query), args...).Scan(dst))
}

// VerifyJournal fails the test if the journal of Acme is not whole, or if an item differs from it.
func (w *World) VerifyJournal() {
	w.t.Helper()
	w.must(w.Store.Read(w.t.Context(), func(tx *store.Tx) error {
		o, err := tx.FindOrganization(store.System(), "acme")
		if err == nil {
			_, err = tx.VerifyJournal(o)
		}
		return err
	}))
	for _, m := range w.Mismatches() {
		w.t.Error(m)
	}
}

// Mismatches lists the items of all organizations that differ from the journal.
func (w *World) Mismatches() (found []store.Mismatch) {
	w.t.Helper()
	w.must(w.Store.Read(w.t.Context(), func(tx *store.Tx) error {
		list, err := tx.Organizations()
		for i := range list {
			wrong, verr := tx.VerifyItems(&list[i])
			found, err = append(found, wrong...), errors.Join(err, verr)
		}
		return err
	}))
	return found
}
