package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/db"
	"samepage/store/effort"
)

// TestDamageIsNamed opens damaged database files. No start may panic, take the file for a new database, or serve it.
// The error must name the damage, the file and the remedy.
func TestDamageIsNamed(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t)
	for i := range 200 {
		w.draft(w.alice, w.team, fmt.Sprint("Question ", i), "One", "Two")
	}
	// A backup has no pages that migrations have freed. Damage to such pages would have no effect.
	compact := filepath.Join(t.TempDir(), "compact.db")
	if _, err := archive.Backup(t.Context(), w.Store, compact, nil); err != nil {
		t.Fatal(err)
	}
	w.Store.Close()
	whole, err := os.ReadFile(compact)
	if err != nil {
		t.Fatal(err)
	}
	put := func(file []byte) {
		if err := os.WriteFile(w.Path(), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flip := func(offsets ...int) []byte {
		b := append([]byte{}, whole...)
		for _, at := range offsets {
			for i := at; i < at+64 && i < len(b); i++ {
				b[i] ^= 0xff
			}
		}
		return b
	}
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"header cut":     {whole[:50], "cut off within its header"},
		"first page cut": {whole[:2000], "damaged"},
		"half":           {whole[:len(whole)/2], "bytes and should have"},
		"half, uneven":   {whole[:len(whole)/2+1000], "bytes and should have"},
		"last page cut":  {whole[:len(whole)-4096], "bytes and should have"},
		"garbage":        {[]byte(strings.Repeat("garbage! ", 1000)), "does not begin like an SQLite database"},
		"zeros":          {make([]byte, len(whole)), "does not begin like an SQLite database"},
		"first page":     {flip(100), "damaged"},
		"second page":    {flip(4096), "damaged"},
		"many pages":     {flip(5*4096, 9*4096, 13*4096, 17*4096, 21*4096), "damaged"},
	} {
		put(c.file)
		s, err := store.Open(t.Context(), w.dir, store.Options{})
		if err == nil {
			t.Errorf("%s: opens", name)
			s.Close()
			continue
		}
		for _, part := range []string{c.says, w.Path(), "samepage restore"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", name, err, part)
			}
		}
		if _, err := archive.Restore(t.Context(), w.Path(), t.TempDir()); store.CodeOf(err) != store.Invalid ||
			!strings.Contains(err.Error(), "name another backup") {
			t.Errorf("%s: Restore: %v", name, err)
		}
	}
	// Each run damages one page. A start may miss the damage, but must not panic; the whole check finds it.
	for page := 1; page < len(whole)/4096; page += 3 {
		put(flip(page * 4096))
		s, err := store.Open(t.Context(), w.dir, store.Options{})
		if err != nil {
			continue
		}
		if err := s.Check(t.Context()); err == nil {
			t.Errorf("page %d: nothing is wrong", page+1)
		}
		s.Close()
	}
	put(whole)
	w.open()
	if err := w.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestDamageBehindTheStartsLookIsNamed damages the first page of every table and index of a database file. The file is
// too large to be checked as a whole at a start. The start and a read of a login either succeed, or fail with the
// file's name and the remedy.
func TestDamageBehindTheStartsLookIsNamed(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t)
	w.raw(fmt.Sprintf(`UPDATE items SET body = hex(zeroblob(%d))`, db.SmallFile/2))
	var roots []int64
	if err := w.file().Readers().Select(&roots, `SELECT rootpage FROM sqlite_schema WHERE rootpage > 1`); err != nil {
		t.Fatal(err)
	}
	w.Store.Close()
	whole, err := os.ReadFile(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	if len(whole) <= db.SmallFile {
		t.Fatalf("the file has only %d bytes", len(whole))
	}
	late := 0
	for _, root := range roots {
		broken := bytes.Clone(whole)
		for i := (root - 1) * 4096; i < root*4096; i++ {
			broken[i] ^= 0xa5
		}
		if err := os.WriteFile(w.Path(), broken, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(t.Context(), w.dir, store.Options{})
		if err == nil {
			err = s.NameDamage(s.Read(t.Context(),
				func(tx *store.Tx) error { _, err := tx.UserByEmail("alice@acme.example"); return err }))
			s.Close()
			if err == nil {
				continue
			}
			late++
		}
		for _, part := range []string{w.Path(), "damaged", "samepage restore"} {
			if n := strings.Count(err.Error(), part); n != 1 {
				t.Errorf("page %d: %q says %q %d times", root, err, part, n)
			}
		}
	}
	if late == 0 {
		t.Error("the start finds all damage, so the errors after it were not tried")
	}
}

func TestALogWithoutItsDatabase(t *testing.T) {
	w := newFileWorld(t)
	w.Store.Close()
	if err := os.Remove(w.Path()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.Path()+"-wal", []byte("acknowledged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), w.dir, store.Options{}); err == nil || !strings.Contains(err.Error(), "missing or empty") {
		t.Error(err)
	}
	if _, err := os.Stat(w.Path() + "-wal"); err != nil {
		t.Error("the log is gone:", err)
	}
}

// halfMade writes the files that a power cut in the first transaction of a new database leaves: a page without its
// first sector, and the rollback journal of a file that had no pages
// (https://sqlite.org/fileformat.html#the_rollback_journal).
func halfMade(t *testing.T, path string) {
	t.Helper()
	journal := make([]byte, 512)
	copy(journal, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
	binary.BigEndian.PutUint32(journal[20:], 512)
	binary.BigEndian.PutUint32(journal[24:], 4096)
	page := make([]byte, 4096)
	page[4095] = 1
	if err := errors.Join(os.WriteFile(path, page, 0o600), os.WriteFile(path+"-journal", journal, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestAFirstStartCutShort(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t)
	backup := filepath.Join(t.TempDir(), "backup.db")
	if _, err := archive.Backup(t.Context(), w.Store, backup, nil); err != nil {
		t.Fatal(err)
	}
	w.Store.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, store.FileName)
	halfMade(t, path)
	if _, err := archive.Restore(t.Context(), path, t.TempDir()); store.CodeOf(err) != store.Invalid {
		t.Error("restored as if it were a backup:", err)
	}
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()

	halfMade(t, path)
	if _, err := archive.Restore(t.Context(), backup, dir); err != nil {
		t.Fatal(err)
	}
	if s, err = store.Open(t.Context(), dir, store.Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + "-journal"); err == nil {
		t.Error("the journal of what was there before is beside what was restored")
	}
	if restored, taken := fileSize(t, path), fileSize(t, backup); restored < taken-db.SmallFile/16 { // the digests are only in the backup
		t.Errorf("%d bytes were restored of %d", restored, taken)
	}
}

func TestCheckFindsABrokenReference(t *testing.T) {
	w := newFileWorld(t)
	conn := w.file().Writer()
	if _, err := conn.ExecContext(context.Background(), `PRAGMA foreign_keys = OFF; DELETE FROM members
		WHERE handle = 'bob'; PRAGMA foreign_keys = ON`); err != nil {
		t.Fatal(err)
	}
	if err := w.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "refers to a row of members") {
		t.Error(err)
	}
}

// TestBesideAnOlderProcess opens a folder while another process has it open. If the schema of the database is older, or
// is not made yet, the second open must fail and migrate nothing.
func TestBesideAnOlderProcess(t *testing.T) {
	w := newFileWorld(t)
	beside := func() error {
		s, err := store.Open(t.Context(), w.dir, store.Options{Beside: true})
		if err == nil {
			s.Close()
		}
		return err
	}
	if err := beside(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ older, found string }{
		{`DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`,
			"its tables are of version"},
		{`DROP TABLE goose_db_version`, "no such table"},
	} {
		w.raw(c.older)
		if err := beside(); store.CodeOf(err) != store.Unavailable || !strings.Contains(err.Error(), "older version ("+c.found) {
			t.Error(err)
		}
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
