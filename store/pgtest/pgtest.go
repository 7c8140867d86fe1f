// Package pgtest creates databases for tests on a PostgreSQL server, which the environment variable
// SAMEPAGE_TEST_DATABASE selects. It can also start a private server.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Variable is the environment variable with the URL of an existing database on the server for tests.
const Variable = "SAMEPAGE_TEST_DATABASE"

// Given returns the URL in [Variable]. If it is empty, tests use SQLite.
func Given() string { return os.Getenv(Variable) }

// Folder skips a test of a database in a folder if the tests use a PostgreSQL server. The parameter `why` is the
// reason, for example that the test is about the database file.
func Folder(t testing.TB, why string) {
	t.Helper()
	if Given() != "" {
		t.Skip("not on a server: " + why)
	}
}

var made atomic.Int64

// Database creates an empty database for a test and returns its URL.
func Database(t testing.TB) string { return Copy(t, "") }

// Copy copies the database at a URL for a test, or creates an empty one if the URL is empty. It returns the URL of the
// new database, which is dropped at the end of the test. The original must have no connections.
func Copy(t testing.TB, of string) string {
	t.Helper()
	where, err := Make(of)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Drop(where); err != nil {
			t.Error(err)
		}
	})
	return where
}

// Make copies the database at a URL, or creates an empty one if the URL is empty. The caller must [Drop] the new
// database.
func Make(of string) (where string, err error) {
	u, err := url.Parse(Given())
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("samepage_test_%d_%d", os.Getpid(), made.Add(1))
	template := "template0"
	if of != "" {
		template = nameOf(of)
	}
	if err := admin("CREATE DATABASE " + name + " TEMPLATE " + template + " ENCODING 'UTF8'"); err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// Keys returns the path of the key file for databases that this process creates on a server. It is empty for a data
// folder, which has its own key file.
func Keys(where string) string {
	if Given() == "" || !strings.HasPrefix(where, "postgres") {
		return ""
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("samepage_test_%d.keys", os.Getpid()))
}

// Drop drops a database that [Make] created.
func Drop(where string) error { return admin("DROP DATABASE " + nameOf(where) + " WITH (FORCE)") }

// Dump writes the rows of all tables in the schema public, in the binary format of COPY.
func Dump(where string, to io.Writer) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, where)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx,
		"SELECT format('COPY %I TO STDOUT (FORMAT binary)', tablename) FROM pg_tables "+
			"WHERE schemaname = 'public' ORDER BY tablename")
	if err != nil {
		return err
	}
	copies, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, statement := range copies {
		if _, err := conn.PgConn().CopyTo(ctx, to, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func nameOf(where string) string {
	u, err := url.Parse(where)
	if err != nil || len(u.Path) < 2 {
		return ""
	}
	return u.Path[1:]
}

// idle holds connections to the database in [Variable] for the next calls of admin. A new connection costs the server
// several milliseconds of processor time.
var idle = make(chan *pgx.Conn, 4)

func admin(statement string) (err error) {
	ctx := context.Background()
	var conn *pgx.Conn
	select {
	case conn = <-idle:
	default:
		if conn, err = pgx.Connect(ctx, Given()); err != nil {
			return err
		}
	}
	if _, err := conn.Exec(ctx, statement); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", statement, err), conn.Close(ctx))
	}
	select {
	case idle <- conn:
		return nil
	default:
		return conn.Close(ctx)
	}
}

func do(where, statement string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, where)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
