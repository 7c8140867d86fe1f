package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/blob"
	"samepage/store/blobtest"
	"samepage/store/effort"
	"samepage/store/pgtest"
)

// mustFind fails the test unless a check looked at the given number of files. It must have found one broken file, with
// the clause in the parameter says, or none if that is empty.
func mustFind(t *testing.T, where string, found *store.FileCheck, err error, files int, says string) {
	t.Helper()
	switch {
	case err != nil:
		t.Errorf("%s: %v", where, err)
	case found.Files != files:
		t.Errorf("%s: %d files were checked, want %d", where, found.Files, files)
	case says == "" && len(found.Broken) > 0:
		t.Errorf("%s: %v", where, found.Broken)
	case says != "" && (len(found.Broken) != 1 || !strings.Contains(found.Broken[0].Wrong, says) ||
		found.Broken[0].Name != "name.txt"):
		t.Errorf("%s: %+v, want %q", where, found.Broken, says)
	}
}

// TestDamagedFiles damages one of two attached files. Checks, backups, restores and exports must name the damaged file
// and keep the other data. Another upload of the same bytes must heal the file.
func TestDamagedFiles(t *testing.T) {
	effort.Slow(t)
	pgtest.Folder(t, "it is about files")
	if blobtest.AsNobody(t) {
		return
	}
	for _, d := range blobtest.Damages {
		t.Run(d.Name, func(t *testing.T) {
			w := newWorldAt(t, t.TempDir())
			hash, other := w.attach(blobtest.Content), w.attach("healthy")
			if err := d.Do(blob.Path(w.dir, hash)); err != nil {
				t.Fatal(err)
			}
			backup := filepath.Join(t.TempDir(), "backup.db")
			found, err := w.CheckFiles(t.Context())
			mustFind(t, "check", found, err, 2, d.Says)
			found, err = archive.Export(t.Context(), w.Store, "acme", io.Discard)
			mustFind(t, "export", found, err, 2, d.Says)
			found, err = archive.Backup(t.Context(), w.Store, backup, nil)
			mustFind(t, "backup", found, err, 2, d.Says)
			found, err = archive.VerifyBackup(t.Context(), backup)
			mustFind(t, "verify", found, err, 2, d.Says)
			dir := t.TempDir()
			found, err = archive.Restore(t.Context(), backup, dir)
			mustFind(t, "restore", found, err, 2, d.Says)
			restored := empty(t, dir)
			found, err = restored.CheckFiles(t.Context())
			if d.Says == "" {
				mustFind(t, "what was restored", found, err, 2, "")
			} else {
				mustFind(t, "what was restored", found, err, 2, "it is missing")
			}
			if restored.blob(other) != "healthy" {
				t.Error("the other file was not restored")
			}
			w.mustOpen(hash, blobtest.Content, d.Says)
			if _, err := w.KeepBlob([]byte(blobtest.Content)); err != nil {
				t.Fatal(err)
			}
			w.mustOpen(hash, blobtest.Content, "")
			w.Store.Close() // the backup lacks the file, but the folder has it
			found, err = archive.Restore(t.Context(), backup, w.dir)
			mustFind(t, "restore over the healed file", found, err, 2, "")
		})
	}
}

// mustOpen opens a blob as for a download. It expects an error with the clause in the parameter says, or none if that
// is empty.
func (w *world) mustOpen(hash []byte, content, says string) {
	w.t.Helper()
	b, err := w.OpenBlob(hash, int64(len(content)))
	switch {
	case err == nil:
		b.Close()
		if says != "" {
			w.t.Error("it is served")
		}
	case says == "" || store.CodeOf(err) != store.Internal || !strings.Contains(err.Error(), says):
		w.t.Error("open:", err)
	}
}

// TestDamagedBlobs damages a blob in the ways that are possible both in a folder and on a server. Checks, pages,
// exports and imports must name the damage, and another upload of the same bytes must heal it.
func TestDamagedBlobs(t *testing.T) {
	effort.Slow(t)
	for _, c := range []struct {
		name, says string
		damaged    *string // nil for a missing blob
	}{
		{"missing", "it is missing", nil}, {"empty", "it has 0 bytes, not 22", new("")},
		{"truncated", "it has 11 bytes, not 22", new(blobtest.Content[:11])},
		{"flipped", "its bytes have changed", new("the minutes of Friday.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := lived(t)
			hash := w.attach(blobtest.Content)
			switch {
			case w.onServer() && c.damaged == nil:
				w.raw(`DELETE FROM blobs WHERE hash = ?`, hash)
			case w.onServer():
				w.raw(`UPDATE blobs SET data = ? WHERE hash = ?`, []byte(*c.damaged), hash)
			case c.damaged == nil:
				os.Remove(blob.Path(w.dir, hash))
			default:
				os.WriteFile(blob.Path(w.dir, hash), []byte(*c.damaged), 0o600)
			}
			found, err := w.CheckFiles(t.Context())
			mustFind(t, "check", found, err, 2, c.says)
			if err == nil && found.Broken[0].URL() != w.standups.URL() {
				t.Errorf("it is on %s", found.Broken[0].URL())
			}
			w.mustOpen(hash, blobtest.Content, c.says)
			w.read(func(tx *store.Tx) error {
				var id string
				if err := tx.Get(&id, `SELECT id FROM files WHERE hash = ?`, hash); err != nil {
					return err
				}
				p, err := tx.FindFile(w.alice, id)
				if err != nil {
					return err
				}
				if p, err = tx.ShowFile(w.alice, p); err != nil || !strings.Contains(p.Broken, c.says) || p.Text != "" {
					t.Errorf("the page says %q (%v)", p.Text, err)
				}
				return err
			})
			var file bytes.Buffer
			found, err = archive.Export(t.Context(), w.Store, "acme", &file)
			mustFind(t, "export", found, err, 2, c.says)
			to := newEmpty(t)
			_, found, err = archive.Import(t.Context(), to.Store, &file)
			mustFind(t, "import", found, err, 2, c.says+", and was so at the export")
			if to.blob(sumOf("\x00\xff bytes")) == "" {
				t.Error("the other file was not imported")
			}
			for _, at := range []*world{w, to} {
				if _, err := at.KeepBlob([]byte(blobtest.Content)); err != nil {
					t.Fatal(err)
				}
				found, err = at.CheckFiles(t.Context())
				mustFind(t, "healed", found, err, 2, "")
			}
		})
	}
}

func sumOf(data string) []byte {
	sum := sha256.Sum256([]byte(data))
	return sum[:]
}

// newEmpty returns a database without organizations, in a folder or on the server of this run.
func newEmpty(t *testing.T) *world {
	return empty(t, newWhere(t))
}

// TestARowThatIsWrong checks a file with undamaged bytes, and with another size or an invalid hash in its row. The
// check must report the file.
func TestARowThatIsWrong(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	w.attach(blobtest.Content)
	w.raw(`UPDATE files SET size = 5`)
	found, err := w.CheckFiles(t.Context())
	mustFind(t, "size", found, err, 1, "it has 22 bytes, not 5")
	w.raw(`UPDATE files SET hash = ?`, []byte{1})
	found, err = w.CheckFiles(t.Context())
	if w.onServer() {
		mustFind(t, "hash", found, err, 1, "it is missing")
	} else {
		mustFind(t, "hash", found, err, 1, "its row names no SHA-256")
	}
}

// TestExportToAFullDisk exports an organization to a full disk. The error must be about the disk, not about the
// database.
func TestExportToAFullDisk(t *testing.T) {
	effort.Slow(t)
	w := lived(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	if _, err := archive.Export(t.Context(), w.Store, "acme", full); !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(),
		"reached") {
		t.Error(err)
	}
}

// TestDamageOfAnExport changes a byte of an attached file in an export. Everything else must be imported.
func TestDamageOfAnExport(t *testing.T) {
	effort.Slow(t)
	w := lived(t)
	w.attach(blobtest.Content)
	file := w.export("acme")
	at := strings.Index(file, "VGhlIG1pbnV0ZXMgb2Yg") // the first 15 bytes of the file in base64
	if at < 0 {
		t.Fatal(file)
	}
	for name, b := range map[string]byte{"another letter": 'W', "no letter of base64": '!',
		"the end of the text": '"', "no character": 0x01} {
		t.Run(name, func(t *testing.T) {
			data := []byte(file)
			data[at] = b
			to := newEmpty(t)
			_, found, err := archive.Import(context.Background(), to.Store, bytes.NewReader(data))
			mustFind(t, "import", found, err, 2, "its bytes in the file have changed")
			if _, err := to.verify("acme"); err != nil {
				t.Error(err)
			}
			data[slices.Index(data, 'A')] = 'B' // other bytes are damaged as well
			_, _, err = archive.Import(context.Background(), newEmpty(t).Store, bytes.NewReader(data))
			if store.CodeOf(err) != store.Invalid {
				t.Error("more damage:", err)
			}
		})
	}
}
