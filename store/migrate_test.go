package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
	"github.com/pressly/goose/v3"
)

// spine is a demo workspace as the first schema kept it.
func spine(t *testing.T) string {
	t.Helper()
	f, err := os.Open("testdata/spine.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestMigrateSpine finds everything again that the first schema kept: every decision with its ballots and comments, every
// journal whole.
func TestMigrateSpine(t *testing.T) {
	dir := spine(t)
	before := rowsOf(t, dir, `SELECT d.id || ' ' || question || ' ' || body || ' ' || ballots || ' ' || comments || ' ' || pinned || ' ' || version || ' ' || coalesce(closes_at, 0) || ' ' || outcome FROM decisions d ORDER BY id`)
	said := rowsOf(t, dir, `SELECT subject_id || seq || text FROM comments ORDER BY 1`)
	cast := rowsOf(t, dir, `SELECT decision_id || voter || marks || reason || weight FROM ballots ORDER BY 1`)
	if len(before) < 10 || len(said) < 10 || len(cast) < 100 {
		t.Fatal("the fixture is too small", len(before), len(said), len(cast))
	}
	checkMigrated(t, dir, before, said, cast)
}

func checkMigrated(t *testing.T, dir string, before, said, cast []string) {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	same := func(what, query string, want []string) {
		if got := rowsOf(t, dir, query); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
		}
	}
	same("decisions", `SELECT d.id || ' ' || title || ' ' || body || ' ' || ballots || ' ' || comments || ' ' || pinned || ' ' || version || ' ' || coalesce(due_at, 0) || ' ' || outcome
		FROM decisions d JOIN items i ON i.id = d.id ORDER BY d.id`, before)
	same("comments", `SELECT item_id || seq || text FROM comments ORDER BY 1`, said)
	same("ballots", `SELECT decision_id || voter || marks || reason || weight FROM ballots ORDER BY 1`, cast)
	err = s.Read(t.Context(), func(tx *Tx) error {
		orgs, err := tx.Organizations()
		for i := range orgs {
			if _, verr := tx.VerifyJournal(&orgs[i]); verr != nil {
				return verr
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// rowsOf are the rows of a query on a database that nobody has open.
func rowsOf(t *testing.T, dir, query string) (list []string) {
	t.Helper()
	db, err := sqlx.Open("sqlite3", "file:"+filepath.Join(dir, FileName)+"?_query_only=1")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Select(&list, query); err != nil {
		t.Fatal(err)
	}
	return list
}

// dieAt, in the environment of a child, is the step of the migration at which it is killed; stepsOf lets it count them.
const (
	dieAt   = "SAMEPAGE_TEST_DIE_AT"
	dieIn   = "SAMEPAGE_TEST_DIE_IN"
	stepsOf = "0"
)

// dieMigrating is the child of [TestKilledMigration]: it migrates, and dies while a statement is made ready, at which point all
// those before it have run. It returns how many steps there are.
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
	db, err := sqlx.Open("sqlite3_mortal", sqliteDSN(filepath.Join(dir, FileName), true))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	p, err := goose.NewProvider(goose.DialectSQLite3, db.DB, migrations())
	if err == nil {
		_, err = p.Up(context.Background())
	}
	return steps, err
}

// TestKilledMigration kills a migration of the first schema in its every statement, and finds that the next start ends it well.
func TestKilledMigration(t *testing.T) {
	source := spine(t)
	before := rowsOf(t, source, `SELECT d.id || ' ' || question || ' ' || body || ' ' || ballots || ' ' || comments || ' ' || pinned || ' ' || version || ' ' || coalesce(closes_at, 0) || ' ' || outcome FROM decisions d ORDER BY id`)
	said := rowsOf(t, source, `SELECT subject_id || seq || text FROM comments ORDER BY 1`)
	cast := rowsOf(t, source, `SELECT decision_id || voter || marks || reason || weight FROM ballots ORDER BY 1`)
	die := func(at string) (dir, out string) {
		dir = t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
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
	if i := bytes.Index([]byte(out), []byte("steps ")); i < 0 {
		t.Fatal(out)
	} else if _, err := fmt.Sscanf(out[i:], "steps %d", &steps); err != nil || steps < 100 {
		t.Fatal(steps, err, out)
	}
	stride := 4 // every statement takes more steps than that
	if os.Getenv("SAMEPAGE_E2E") == "" {
		stride = steps/12 + 1
		t.Logf("left out: all but every %dth of %d steps. Set SAMEPAGE_E2E=1 to kill it in every statement.", stride, steps)
	}
	for at := 1; at <= steps; at += stride {
		dir, _ := die(strconv.Itoa(at))
		checkMigrated(t, dir, before, said, cast)
		if t.Failed() {
			t.Fatalf("killed at step %d of %d", at, steps)
		}
	}
}
