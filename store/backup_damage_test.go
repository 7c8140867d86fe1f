package store_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/blob"
	"samepage/store/db"
	"samepage/store/effort"
)

// TestDamageWithinABackup damages an attached file inside a backup, or the index of the files, in several ways. A
// damaged file must be reported, and everything else must be restored.
func TestDamageWithinABackup(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t)
	large := strings.Repeat("0123456789abcdef", 4096) // on database pages of its own
	hash, other := w.attach(large), w.attach("healthy")
	file := filepath.Join(t.TempDir(), "backup.db")
	if _, err := archive.Backup(t.Context(), w.Store, file, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(whole, []byte(large[:1024]))
	if at < 0 {
		t.Fatal("the backup does not hold the file")
	}
	index := bytes.LastIndex(whole[:at-len(hash)], hash) // the index of the table precedes its rows
	for name, c := range map[string]struct {
		damage func(data []byte)
		says   string
	}{
		"the index":          {func(data []byte) { clear(data[index/4096*4096 : (index/4096+1)*4096]) }, ""},
		"a key of the index": {func(data []byte) { data[index] ^= 1 }, ""},
		"a byte":             {func(data []byte) { data[at] ^= 1 }, "its bytes in the backup have changed"},
		"a page": {func(data []byte) { clear(data[(at/4096+1)*4096 : (at/4096+2)*4096]) },
			"it cannot be read from the backup"},
		"nothing": {func([]byte) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			data := bytes.Clone(whole)
			c.damage(data)
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			found, err := archive.VerifyBackup(t.Context(), file)
			mustFind(t, "verify", found, err, 2, c.says)
			dir := t.TempDir()
			found, err = archive.Restore(t.Context(), file, dir)
			mustFind(t, "restore", found, err, 2, c.says)
			restored := empty(t, dir)
			if restored.blob(other) != "healthy" || c.says == "" && restored.blob(hash) != large {
				t.Error("a healthy file was not restored")
			}
			if err := restored.Check(t.Context()); err != nil {
				t.Error(err)
			}
			if n := fileSize(t, restored.Path()); n > fileSize(t, file)-int64(len(large)) {
				t.Errorf("the database has %d bytes, as if the files were still in it", n)
			}
		})
	}
}

// TestDamageOfABackup expects a backup with a damaged database to be refused, and the folder of the restore to stay
// empty.
func TestDamageOfABackup(t *testing.T) {
	w := newFileWorld(t)
	w.attach("healthy")
	file := filepath.Join(t.TempDir(), "backup.db")
	if _, err := archive.Backup(t.Context(), w.Store, file, nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[4*4096 : 12*4096])
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, verr := archive.VerifyBackup(t.Context(), file)
	_, rerr := archive.Restore(t.Context(), file, dir)
	if store.CodeOf(verr) != store.Invalid || store.CodeOf(rerr) != store.Invalid {
		t.Errorf("verify: %v; restore: %v", verr, rerr)
	}
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("it left %v", list)
	}
}

// TestDamageOfADefinition changes a word in a constraint, which SQLite does not notice. The backup must be refused, and
// nothing may change. A backup with one damaged digest of the definitions, or without these digests, must be restored.
func TestDamageOfADefinition(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t)
	file := filepath.Join(t.TempDir(), "backup.db")
	if _, err := archive.Backup(t.Context(), w.Store, file, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	words := []byte("('following', 'muted', 'silenced')")
	if at := bytes.Index(whole, words); at < 0 || bytes.Count(whole, words) != 1 {
		t.Fatal("the file has another definition")
	}
	if err := os.WriteFile(file, bytes.Replace(whole, words, []byte("('following', 'mutud', 'silenced')"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, verr := archive.VerifyBackup(t.Context(), file)
	_, rerr := archive.Restore(t.Context(), file, dir)
	for _, err := range []error{verr, rerr} {
		says(t, err, store.Invalid, []string{"the definitions of its tables", "name another backup"})
	}
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("it left %v", list)
	}
	for _, c := range []struct {
		change  string
		changed int
	}{
		{`UPDATE digests SET digest = x'00' WHERE name = 'sqlite_schema'`, 1},
		{`UPDATE digests SET digest = x'00' WHERE name = 'sqlite_schema copy'`, 1},
		{`DELETE FROM digests WHERE name LIKE 'sqlite_schema%'`, 0},
	} {
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		alter(t, file, c.change)
		found, err := archive.VerifyBackup(t.Context(), file)
		if err != nil || len(found.Changed) != c.changed {
			t.Fatalf("%s: %+v, %v", c.change, found, err)
		}
		if _, err := archive.Restore(t.Context(), file, t.TempDir()); err != nil {
			t.Errorf("%s: %v", c.change, err)
		}
	}
}

// TestABackupByAnEarlierVersion verifies and restores a backup that lacks a file and has no list of missing files. The
// file must be reported, unless it is in the folder to which the backup is restored.
func TestABackupByAnEarlierVersion(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t)
	hash := w.attach("healthy")
	file := filepath.Join(t.TempDir(), "backup.db")
	if _, err := archive.Backup(t.Context(), w.Store, file, nil); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`DROP TABLE blobs_missing`, `DELETE FROM blobs`} {
		alter(t, file, statement)
	}
	found, err := archive.VerifyBackup(t.Context(), file)
	mustFind(t, "verify", found, err, 1, "it is not in the backup")
	alter(t, file, `DROP TABLE blobs`) // a database that a restore moved aside has no such table
	found, err = archive.Restore(t.Context(), file, t.TempDir())
	mustFind(t, "restore", found, err, 1, "it is missing")
	dir := t.TempDir()
	if err := blob.InFolder(dir, nil).Keep(nil, hash, []byte("healthy")); err != nil {
		t.Fatal(err)
	}
	found, err = archive.Restore(t.Context(), file, dir)
	mustFind(t, "restore beside the file", found, err, 1, "")
}

func alter(t *testing.T, file, statement string) {
	t.Helper()
	open, err := sql.Open("sqlite3", db.FileURL(file))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if _, err := open.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// TestLeftoversOfARestore restores beside the leftovers of a killed restore of another backup: a half-changed copy with
// its rollback journal. SQLite would apply that journal to the next copy. The restore must remove the leftovers, and
// the restored database must be whole.
func TestLeftoversOfARestore(t *testing.T) {
	effort.Slow(t)
	w := newFileWorld(t)
	w.attach("healthy")
	one, two := filepath.Join(t.TempDir(), "one.open"), filepath.Join(t.TempDir(), "two.open")
	if _, err := archive.Backup(t.Context(), w.Store, one, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		w.draft(w.alice, w.team, fmt.Sprint("Question ", i), "One", "Two")
	}
	if _, err := archive.Backup(t.Context(), w.Store, two, nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".restore", ".restore.part", ".restore.part.whole"} {
		dir := t.TempDir()
		part := filepath.Join(dir, store.FileName+name)
		if err := os.WriteFile(part, data, 0o600); err != nil {
			t.Fatal(err)
		}
		interrupted(t, part)
		found, err := archive.Restore(t.Context(), two, dir)
		mustFind(t, name, found, err, 1, "")
		restored := empty(t, dir)
		if err := restored.Check(t.Context()); err != nil {
			t.Error(name, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, store.FileName+".restore*")); len(left) > 0 {
			t.Errorf("%s: left are %s", name, left)
		}
	}
}

// interrupted brings the database at path into the state in which a process leaves it when it is killed inside a
// transaction.
func interrupted(t *testing.T, path string) {
	t.Helper()
	open, err := sqlx.Open("sqlite3", db.FileURL(path)+"?_journal_mode=DELETE&_cache_size=1&_synchronous=FULL")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	q, err := open.Beginx()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Rollback()
	if _, err := q.ExecContext(t.Context(),
		`UPDATE journal SET why = 'x'; UPDATE items SET body = hex(randomblob(20000))`); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-journal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := os.WriteFile(path+suffix, data, 0o600); err != nil {
				t.Error(err)
			}
		}()
	}
	q.Rollback()
	open.Close()
}
