package main

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"samepage/store"
	"samepage/store/pgtest"
)

// TestServeEndsBelowANewerSchema checks that a server ends with an explanation once another server has migrated its
// database.
func TestServeEndsBelowANewerSchema(t *testing.T) {
	if pgtest.Given() == "" {
		t.Skip("left out: there is no PostgreSQL. go run ./e2e/all starts one.")
	}
	where := pgtest.Database(t)
	st, err := store.Open(t.Context(), where, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	type result struct {
		out  string
		code int
	}
	ended := make(chan result, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	go func() {
		out, code := runCommand(t, "serve", "--database", where, "--listen", address, "--keys",
			filepath.Join(dir, "keys"))
		ended <- result{out, code}
	}()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, where)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for serving := false; !serving && len(ended) == 0; {
		time.Sleep(10 * time.Millisecond)
		if r, err := http.Get("http://" + address + "/readyz"); err == nil {
			r.Body.Close()
			serving = r.StatusCode == http.StatusOK
		}
	}
	if _, err := conn.Exec(ctx, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)`); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, `SELECT pg_notify('samepage_changes', 'another ')`); err != nil {
		t.Fatal(err)
	}
	if r := <-ended; r.code != exitFailed || !strings.Contains(r.out, "(schema 9999; this one knows up to ") ||
		!strings.Contains(r.out, "so this process stops") {
		t.Errorf("it ends with %d: %s", r.code, r.out)
	}
}
