package web_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store/blobtest"
	"samepage/store/db"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/webtest"
)

// TestNothingCanBeWritten fills the database. While it is full, /readyz reports the problem and pages can be read.
// The refused calls of an agent leave one line in the log, and not one line each.
func TestNothingCanBeWritten(t *testing.T) {
	pgtest.Folder(t, "a server's disk is not ours to fill")
	var log bytes.Buffer
	w := webtest.New(t, func(c *web.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	limit := func(pages int) {
		if _, err := db.ProbeOf(w.Store.DB).Writer().ExecContext(t.Context(), fmt.Sprint("PRAGMA max_page_count = ", pages)); err != nil {
			t.Fatal(err)
		}
	}
	if r := w.As("anonymous").Get("/readyz", ""); r.Status != 200 {
		t.Fatalf("readyz: %d %s", r.Status, r.Body)
	}
	limit(1) // SQLite takes the present number of pages instead, so the database cannot grow
	const calls = 100
	for range calls {
		r := w.As("scribe").PostJSON(w.URL("standups"), "comment", param.Input{"text": strings.Repeat("word ", 1800)})
		if r.Status != 503 || !strings.Contains(r.Body, "The disk is full.") {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	for range 2 {
		if r := w.As("anonymous").Get("/readyz", ""); r.Status != 503 || !strings.Contains(r.Body, "pages can be read") ||
			!strings.Contains(r.Body, "The disk is full.") {
			t.Errorf("readyz: %d %s", r.Status, r.Body)
		}
	}
	if r := w.As("scribe").Get(w.URL("standups"), ""); r.Status != 200 {
		t.Errorf("a page: %d", r.Status)
	}
	if n := strings.Count(log.String(), "\n"); n > 3 {
		t.Errorf("%d refused calls make %d lines:\n%.2000s", calls, n, log.String())
	}
	limit(1 << 30)
	if r := w.As("anonymous").Get("/readyz", ""); r.Status != 200 {
		t.Errorf("readyz: %d %s", r.Status, r.Body)
	}
}

// TestUnwritableFiles uploads a file while the folder of attached files cannot be written. The upload is refused.
func TestUnwritableFiles(t *testing.T) {
	slow(t)
	pgtest.Folder(t, "it is about the folder")
	if blobtest.AsNobody(t) {
		return
	}
	w := webtest.New(t)
	folder := filepath.Join(w.Store.Folder(), "files")
	attach := func() *webtest.Response {
		return w.As("bob").Post(w.URL("talk"), "attach", param.Input{"file": param.Upload{Name: "New.txt", Data: []byte("new")}})
	}
	for _, c := range []struct {
		name       string
		begin, end func() error
	}{
		{"without permission", func() error { return chmodAll(folder, 0o500) }, func() error { return chmodAll(folder, 0o700) }},
		{"a file in its place", func() error {
			if err := os.Rename(folder, folder+".old"); err != nil {
				return err
			}
			return os.WriteFile(folder, nil, 0o600)
		}, func() error {
			if err := os.Remove(folder); err != nil {
				return err
			}
			return os.Rename(folder+".old", folder)
		}},
	} {
		if err := c.begin(); err != nil {
			t.Fatal(err)
		}
		if r := attach(); r.Status != 503 || !strings.Contains(r.Body, "could not be kept") {
			t.Errorf("%s: %d %s", c.name, r.Status, r.Body)
		}
		if err := c.end(); err != nil {
			t.Fatal(err)
		}
	}
	if r := attach(); r.Status != 303 {
		t.Errorf("afterwards: %d %s", r.Status, r.Body)
	}
}

func chmodAll(dir string, mode os.FileMode) error {
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return err
	}
	for _, path := range append(list, dir) {
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
	}
	return nil
}
