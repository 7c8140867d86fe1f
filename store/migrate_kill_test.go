//go:build cgo && unix

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
	"samepage/store/db"
	"samepage/store/effort"
	"samepage/store/pgtest"
)

// These are environment variables of the child process. The variable dieAt has the step of the migration at which the
// child is killed, or stepsOf to count the steps. The variable dieIn has the data folder.
const (
	dieAt   = "SAMEPAGE_TEST_DIE_AT"
	dieIn   = "SAMEPAGE_TEST_DIE_IN"
	stepsOf = "0"
)

// TestMigratingChild runs in the child process of [TestKilledMigration], and prints the number of steps. Without the
// environment variables of the child it does nothing.
func TestMigratingChild(t *testing.T) {
	at := os.Getenv(dieAt)
	if at == "" {
		return
	}
	steps, err := dieMigrating(at, os.Getenv(dieIn))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("steps %d\n", steps)
}

// dieMigrating migrates the database in a folder, and kills its own process at the step whose number is in the
// parameter at. Each statement takes several steps while SQLite prepares it, before it runs. If the process survives,
// dieMigrating returns the number of steps.
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

// TestKilledMigration kills migrations of a file at many of their steps. The next start must complete the migration.
// [store.Open] itself migrates a new database in memory; see [TestAFirstStartCutShort].
func TestKilledMigration(t *testing.T) {
	pgtest.Folder(t, "it is about the file")
	effort.Slow(t)
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
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMigratingChild$")
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
	// Every statement takes more than four steps. The longest run has a stride of four steps, so it kills the process
	// within every statement.
	stride := effort.Of(steps/12+1, steps/60+1, 4)
	effort.LeftOut(t, "all but every %dth of %d steps", stride, steps)
	for at := 1; at <= steps; at += stride {
		dir, _ := die(strconv.Itoa(at))
		open(dir)
		if have := tablesOf(t, dir); !slices.Equal(have, want) || t.Failed() {
			t.Fatalf("killed at step %d of %d, it has %d tables and indexes, not %d", at, steps, len(have), len(want))
		}
	}
}
