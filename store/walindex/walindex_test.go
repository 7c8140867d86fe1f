package walindex

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// other is set in the process that a test starts to write beside it: to the database.
const other = "SAMEPAGE_TEST_WALINDEX"

func TestMain(m *testing.M) {
	if path := os.Getenv(other); path != "" {
		db, err := sql.Open("sqlite3", path)
		if err == nil {
			_, err = db.Exec(`UPDATE t SET n = n + 1`)
		}
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const wal = "?_journal_mode=WAL&_synchronous=NORMAL&_busy_timeout=10000&_txlock=immediate"

func open(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func must(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(statement, ": ", err)
	}
}

// index makes a database with one number in it.
func index(t *testing.T) (x *Index, db *sql.DB, path string) {
	t.Helper()
	path = "file:" + filepath.Join(t.TempDir(), "x.db")
	db = open(t, path+wal)
	db.SetMaxOpenConns(1)
	must(t, db, `CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (0)`)
	x, err := Open(open(t, path+wal))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x, db, path
}

// TestHeader is another after every commit, and no other after anything else that people do.
func TestHeader(t *testing.T) {
	x, db, path := index(t)
	seen := map[Header]string{}
	for _, s := range []string{
		`UPDATE t SET n = n + 1`, `UPDATE t SET n = n + 1`, `CREATE TABLE u (n INTEGER)`, `DROP TABLE u`, `VACUUM`, `PRAGMA user_version = 7`,
		`PRAGMA wal_checkpoint(PASSIVE); UPDATE t SET n = n + 1`, `PRAGMA wal_checkpoint(RESTART); UPDATE t SET n = n + 1`,
		`PRAGMA wal_checkpoint(TRUNCATE); UPDATE t SET n = n + 1`, `BEGIN IMMEDIATE; UPDATE t SET n = n + 1; COMMIT`, `SAVEPOINT a; UPDATE t SET n = n + 1; RELEASE a`,
	} {
		must(t, db, s)
		h := x.Header()
		if before, ok := seen[h]; ok || h == (Header{}) {
			t.Errorf("%s: the header is %v, as after %q", s, h, before)
		}
		seen[h] = s
	}
	h := x.Header()
	for _, s := range []string{`SELECT n FROM t`, `BEGIN; SELECT n FROM t; COMMIT`, `BEGIN IMMEDIATE; UPDATE t SET n = n + 1; ROLLBACK`, `PRAGMA optimize`} {
		must(t, db, s)
		if x.Header() != h {
			t.Errorf("%s: the header is another", s)
		}
	}
	t.Run("another process", func(t *testing.T) {
		for range 3 {
			h := x.Header()
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), other+"="+path)
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatal(err, string(out))
			}
			if x.Header() == h {
				t.Error("what another process committed is not seen")
			}
		}
	})
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x.Header() != (Header{}) || x.Close() != nil {
		t.Error("a closed index still says something")
	}
}

// TestHeaderNamesOneState: what is read between two equal headers is always the same, and never older than what was
// acknowledged before the first.
func TestHeaderNamesOneState(t *testing.T) {
	x, db, path := index(t)
	var acknowledged atomic.Int64
	var over atomic.Bool
	var wait sync.WaitGroup
	var mu sync.Mutex
	states := map[Header]int64{}
	for range 3 {
		reader := open(t, path+wal)
		wait.Go(func() {
			for !over.Load() {
				least := acknowledged.Load()
				before := x.Header()
				var n int64
				if err := reader.QueryRow(`SELECT n FROM t`).Scan(&n); err != nil {
					t.Error(err)
					return
				}
				if before == (Header{}) || x.Header() != before {
					continue
				}
				mu.Lock()
				if was, ok := states[before]; ok && was != n || n < least {
					t.Errorf("%d was read where %d was before and %d acknowledged", n, was, least)
				}
				states[before] = n
				mu.Unlock()
			}
		})
	}
	for n := int64(1); n <= 3000; n++ {
		if _, err := db.Exec(`UPDATE t SET n = ?`, n); err != nil {
			t.Fatal(err)
		}
		acknowledged.Store(n)
		if n%100 == 0 {
			must(t, db, `PRAGMA wal_checkpoint(RESTART)`)
		}
	}
	over.Store(true)
	wait.Wait()
	if len(states) < 100 {
		t.Errorf("only %d states were seen", len(states))
	}
}

// TestNoLog: without a write-ahead log there is no index.
func TestNoLog(t *testing.T) {
	path := "file:" + filepath.Join(t.TempDir(), "x.db")
	must(t, open(t, path), `CREATE TABLE t (n INTEGER)`)
	if x, err := Open(open(t, path)); err == nil {
		t.Errorf("there is one: %v", x.Header())
	}
}
