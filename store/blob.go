package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"samepage/store/db"
)

// A blob is the bytes of one or more attached files: one file in a folder beside the database, named by its
// SHA-256. The content of a blob never changes, so writing it needs no transaction.

const blobFolder = "files"

// orphanAge is the age below which a blob without a row is kept: its action may still be running.
const orphanAge = 24 * time.Hour

func blobPath(dir string, hash []byte) string {
	name := hex.EncodeToString(hash)
	return filepath.Join(dir, blobFolder, name[:2], name[2:])
}

// Blob is an open blob; the caller closes it.
type Blob = io.ReadSeekCloser

// KeepBlob stores data durably and returns its SHA-256, with which an action attaches it.
func (s *Store) KeepBlob(data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	return sum[:], s.blobs.keep(nil, sum[:], data)
}

// Receive copies r to a new temporary file and returns the file, its size in bytes and its SHA-256. The caller calls
// [Drop] when the file is no longer needed. Errors of r are returned as they are; a full disk: [Unavailable].
func (s *Store) Receive(r io.Reader) (f *os.File, size int64, hash []byte, err error) {
	if f, err = s.blobs.part(); err != nil {
		return nil, 0, nil, unkept(err)
	}
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(f, sum), struct{ io.Reader }{r}) // in chunks, even if r is a WriterTo
	if _, ours := errors.AsType[*fs.PathError](err); ours {
		err = unkept(err)
	}
	if err != nil {
		Drop(f)
		return nil, 0, nil, err
	}
	return f, size, sum.Sum(nil), nil
}

// Drop closes a file of [Store.Receive] and removes it, unless it was kept.
func Drop(f *os.File) {
	own, err := f.Stat()
	named, nerr := os.Stat(f.Name())
	f.Close()
	// The file of a kept blob has another name; a newer file may have the old one.
	if err == nil && nerr == nil && os.SameFile(own, named) {
		os.Remove(f.Name())
	}
}

// KeepFile stores a file of [Store.Receive] durably under its hash, with which an action attaches it. A
// second call has no effect.
func (s *Store) KeepFile(f *os.File, hash []byte) error { return s.blobs.keepFile(f, hash) }

// hashedAtOpen is the size in bytes up to which opening a blob verifies its hash. Of larger blobs it
// compares only the size; samepage doctor verifies all hashes.
const hashedAtOpen = 1 << 20

// OpenBlob opens the blob with this hash and size. Missing or unreadable bytes, another size, or another
// hash of a small blob: an error that describes the damage.
func (s *Store) OpenBlob(hash []byte, size int64) (Blob, error) { return s.openBlob(nil, hash, size) }

func (s *Store) openBlob(tx *Tx, hash []byte, size int64) (Blob, error) {
	b, err := s.blobs.open(tx, hash)
	if err == nil {
		if err = mustBeWhole(b, hash, size); err != nil {
			b.Close()
		}
	}
	if fault, ok := isFault(err); ok {
		return nil, fmt.Errorf("%w: blob %x: %w", fault.told(), hash, fault)
	}
	return b, err
}

// mustBeWhole refuses a blob of another size, and a small one with another hash. It leaves the read
// position at the beginning.
func mustBeWhole(b Blob, hash []byte, size int64) error {
	have, err := b.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = b.Seek(0, io.SeekStart)
	}
	switch {
	case err != nil:
		return faultOf(err)
	case have != size:
		return sizeFault(have, size)
	case size > hashedAtOpen:
		return nil
	}
	if _, err := verified(b, hash, size); err != nil {
		return err
	}
	if _, err := b.Seek(0, io.SeekStart); err != nil {
		return faultOf(err)
	}
	return nil
}

// SweepBlobs removes blobs that no row names and that are older than a day.
func (s *Store) SweepBlobs(ctx context.Context) (removed int, err error) {
	return s.blobs.sweep(ctx)
}

// blobs stores the bytes of attached files by their hash: in the transaction, or, for a nil one, without.
// Missing or unreadable bytes are a [*blobFault]; it does not verify hashes.
type blobs interface {
	keep(tx *Tx, hash, data []byte) error
	// part creates a file for incoming bytes; keepFile stores it under its hash.
	part() (*os.File, error)
	keepFile(f *os.File, hash []byte) error
	open(tx *Tx, hash []byte) (Blob, error)
	sweep(ctx context.Context) (removed int, err error)
}

// fileBlobs stores blobs in a folder beside the database.
type fileBlobs struct {
	store    *Store
	dir      string
	sweeping sync.RWMutex // read-locked while a blob is stored, locked while the sweeper removes one
}

func (b *fileBlobs) keep(_ *Tx, hash, data []byte) error {
	b.sweeping.RLock()
	defer b.sweeping.RUnlock()
	return keepBlob(b.dir, hash, data)
}

func (b *fileBlobs) part() (*os.File, error) { return newPart(b.dir) }

func (b *fileBlobs) keepFile(f *os.File, hash []byte) error {
	b.sweeping.RLock()
	defer b.sweeping.RUnlock()
	info, err := f.Stat()
	if err == nil && !isKept(b.dir, hash, info.Size()) {
		err = nameBlob(b.dir, f, hash)
	}
	return unkept(err)
}

func (b *fileBlobs) open(_ *Tx, hash []byte) (Blob, error) {
	f, err := openBlobFile(b.dir, hash)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// openBlobFile opens the file of a blob. A missing or unreadable file, or a folder in its place: a [*blobFault].
func openBlobFile(dir string, hash []byte) (*os.File, error) {
	if len(hash) != sha256.Size {
		return nil, &blobFault{clause: "its row names no SHA-256"}
	}
	info, err := os.Stat(blobPath(dir, hash))
	if err != nil {
		return nil, faultOf(err)
	}
	if !info.Mode().IsRegular() { // before opening, since opening a pipe would block
		return nil, &blobFault{clause: "something that is no file is in its place"}
	}
	f, err := os.Open(blobPath(dir, hash))
	if err != nil {
		return nil, faultOf(err)
	}
	return f, nil
}

// keepBlob stores data under its hash. A whole file under that name stays; a damaged one is replaced.
func keepBlob(dir string, hash, data []byte) error {
	if isKept(dir, hash, int64(len(data))) {
		return nil
	}
	f, err := newPart(dir)
	if err != nil {
		return unkept(err)
	}
	defer Drop(f)
	if _, err = f.Write(data); err == nil {
		err = nameBlob(dir, f, hash)
	}
	return unkept(err)
}

// unkept wraps an error of storing a file in the sentence for its sender; nil for nil.
func unkept(err error) error {
	if err == nil {
		return nil
	}
	told := Errorf(Unavailable, "The file could not be kept. Nothing was changed; the operator should check the disk.")
	return fmt.Errorf("%w: %w", told, err)
}

// newPart creates a temporary file in the folder of the blobs, so that a rename stores it.
func newPart(dir string) (*os.File, error) {
	root := filepath.Join(dir, blobFolder)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(root, ".part-")
}

// isKept reports that the file of a blob exists and is whole. First it updates the file's time, so that the
// sweeper spares it until its row is committed. A file whose time cannot be updated counts as missing.
func isKept(dir string, hash []byte, size int64) bool {
	return touchFile(blobPath(dir, hash)) == nil && blobFileIsWhole(dir, hash, size)
}

// nameBlob renames a temporary file to the file of the blob with this hash.
func nameBlob(dir string, f *os.File, hash []byte) error {
	path := blobPath(dir, hash)
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := replace(f.Name(), path); err != nil {
		return err
	}
	return errors.Join(db.SyncFile(folder), db.SyncFile(filepath.Dir(folder)))
}

// blobFileIsWhole compares the size of a blob's file, and then its hash.
func blobFileIsWhole(dir string, hash []byte, size int64) bool {
	f, err := openBlobFile(dir, hash)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != size {
		return false
	}
	_, err = verified(f, hash, size)
	return err == nil
}

// replace renames a file to path. A folder at path is renamed first; the sweeper removes it later.
func replace(file, path string) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		aside := path + ".aside-" + NewID()
		slog.Warn("a folder is in the place of an attached file and is moved aside", "folder", path, "to", aside)
		if err := os.Rename(path, aside); err != nil {
			return err
		}
	}
	return os.Rename(file, path)
}

func touchFile(path string) error {
	now := time.Now()
	return os.Chtimes(path, now, now)
}

func (b *fileBlobs) sweep(ctx context.Context) (removed int, err error) {
	root := filepath.Join(b.dir, blobFolder)
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < orphanAge {
			return err
		}
		hash, err := hex.DecodeString(filepath.Base(filepath.Dir(path)) + e.Name())
		used := 0
		if err == nil {
			err = b.store.Read(ctx, func(tx *Tx) error {
				return tx.Get(&used, `SELECT count(*) FROM files
				WHERE hash = ?`, hash)
			})
			if err != nil {
				return err
			}
		}
		if used > 0 {
			return nil
		}
		gone, err := b.removeOrphan(path)
		if gone {
			removed++
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return removed, err
}

// removeOrphan removes a file that no row names, unless the same bytes were stored again since the sweeper
// read its time.
func (b *fileBlobs) removeOrphan(path string) (removed bool, err error) {
	b.sweeping.Lock()
	defer b.sweeping.Unlock()
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()) < orphanAge {
		return false, err
	}
	err = os.Remove(path)
	return err == nil, err
}
