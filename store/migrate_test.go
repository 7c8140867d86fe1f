package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
	"github.com/pressly/goose/v3"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/db"
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

// TestOtherSchemasAreRefused opens databases with tables of other versions, and leaves them unchanged.
func TestOtherSchemasAreRefused(t *testing.T) {
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

// dieAt and dieIn are environment variables of the child process: the step of the migration at which it is
// killed, or stepsOf to count the steps, and the folder.
const (
	dieAt   = "SAMEPAGE_TEST_DIE_AT"
	dieIn   = "SAMEPAGE_TEST_DIE_IN"
	stepsOf = "0"
)

// dieMigrating is the child process of [TestKilledMigration]. It migrates, and dies while a statement is
// prepared, when all those before it have run. It returns the number of steps.
func dieMigrating(at, dir string) (steps int, err error) {
	last, err := strconv.Atoi(at)
	if err != nil {
		return 0, err
	}
	sql.Register("sqlite3_mortal", &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		before := ""
		c.RegisterAuthorizer(func(op int, a, b, _ string) int {
			if now := fmt.Sprint(op, a, b); now != before {
				before = now
				if steps++; steps == last {
					syscall.Kill(os.Getpid(), syscall.SIGKILL)
				}
			}
			return sqlite3.SQLITE_OK
		})
		return nil
	}})
	mortal, err := sqlx.Open("sqlite3_mortal", db.WriterDSN(filepath.Join(dir, store.FileName)))
	if err != nil {
		return 0, err
	}
	defer mortal.Close()
	mortal.SetMaxOpenConns(1)
	p, err := db.Migrations(store.Schema, goose.DialectSQLite3, mortal)
	if err == nil {
		_, err = p.Up(context.Background())
	}
	return steps, err
}

// TestKilledMigration kills a migration of the file at its every statement; the next start completes it. A
// new database is migrated in memory instead: see [TestAFirstStartCutShort].
func TestKilledMigration(t *testing.T) {
	whole := t.TempDir()
	open := func(dir string) {
		t.Helper()
		s, err := store.Open(t.Context(), dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
	open(whole)
	want := tablesOf(t, whole)
	die := func(at string) (dir, out string) {
		dir = t.TempDir()
		c := exec.CommandContext(t.Context(), os.Args[0])
		c.Env = append(os.Environ(), dieAt+"="+at, dieIn+"="+dir)
		var b bytes.Buffer
		c.Stdout, c.Stderr = &b, &b
		err := c.Run()
		if at != stepsOf && err == nil {
			t.Fatalf("it was not killed at step %s\n%s", at, b.String())
		}
		return dir, b.String()
	}
	_, out := die(stepsOf)
	var steps int
	if i := strings.Index(out, "steps "); i < 0 {
		t.Fatal(out)
	} else if _, err := fmt.Sscanf(out[i:], "steps %d", &steps); err != nil || steps < 100 {
		t.Fatal(steps, err, out)
	}
	stride := 4 // every statement takes more steps than that
	if os.Getenv("SAMEPAGE_E2E") == "" {
		stride = steps/12 + 1
		t.Logf("left out: all but every %dth of %d steps. Set SAMEPAGE_E2E=1 to kill it in every statement.",
			stride, steps)
	}
	for at := 1; at <= steps; at += stride {
		dir, _ := die(strconv.Itoa(at))
		open(dir)
		if have := tablesOf(t, dir); !slices.Equal(have, want) || t.Failed() {
			t.Fatalf("killed at step %d of %d, it has %d tables and indexes, not %d", at, steps, len(have), len(want))
		}
	}
}
