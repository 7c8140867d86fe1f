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

// Blobs are the bytes of attached files: one file each in a folder beside the database, named by its SHA-256. What is there
// never changes, so it is written once, however often it is attached, and needs no transaction.

// blobFolder is the name of the folder.
const blobFolder = "files"

// orphanAge is how long a blob may be without a row that names it: its action may still be under way.
const orphanAge = 24 * time.Hour

func blobPath(dir string, hash []byte) string {
	name := hex.EncodeToString(hash)
	return filepath.Join(dir, blobFolder, name[:2], name[2:])
}

// Blob is the bytes of a file, to be read and closed.
type Blob = io.ReadSeekCloser

// KeepBlob keeps data for good and returns its hash, by which an action may then attach it.
func (s *Store) KeepBlob(data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	return sum[:], s.blobs.keep(nil, sum[:], data)
}

// Receive writes all that r gives to a new temporary file, with its size in bytes and its SHA-256. The caller calls [Drop] when
// the file is no longer needed. Errors of r come back as they are; a full disk: [Unavailable].
func (s *Store) Receive(r io.Reader) (f *os.File, size int64, hash []byte, err error) {
	if f, err = s.blobs.part(); err != nil {
		return nil, 0, nil, unkept(err)
	}
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(f, sum), struct{ io.Reader }{r}) // piece by piece, also a text
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
	// a kept file has another name, and the old one may be in use again
	if err == nil && nerr == nil && os.SameFile(own, named) {
		os.Remove(f.Name())
	}
}

// KeepFile keeps a file of [Store.Receive], whose hash this is, for good. An action may then attach it. It may be called twice.
func (s *Store) KeepFile(f *os.File, hash []byte) error { return s.blobs.keepFile(f, hash) }

// hashedAtOpen is the size in bytes up to which the hash is verified whenever a blob is opened. Larger ones are compared by
// their size alone; samepage doctor verifies the hash of all.
const hashedAtOpen = 1 << 20

// OpenBlob opens the bytes with this hash and size. Bytes that are missing, unreadable or of another size, and small ones with
// another hash, are an error that says so.
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

// mustBeWhole refuses bytes of another size, and small ones with another hash. What passes is at its beginning.
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

// blobs keeps the bytes of attached files, by their hash: within the transaction if there is one. Those that are missing or
// cannot be read are a [*blobFault]; the bytes themselves are not verified.
type blobs interface {
	keep(tx *Tx, hash, data []byte) error
	// part makes a file for bytes on their way, and keepFile keeps it when they have all arrived.
	part() (*os.File, error)
	keepFile(f *os.File, hash []byte) error
	open(tx *Tx, hash []byte) (Blob, error)
	sweep(ctx context.Context) (removed int, err error)
}

// fileBlobs are blobs in a folder beside the database.
type fileBlobs struct {
	store    *Store
	dir      string
	sweeping sync.RWMutex // shared by those who keep blobs, held by the sweeper while it removes one
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

// openBlobFile opens the file of a blob. One that is missing or unreadable, or no file: a [*blobFault].
func openBlobFile(dir string, hash []byte) (*os.File, error) {
	if len(hash) != sha256.Size {
		return nil, &blobFault{clause: "its row names no SHA-256"}
	}
	info, err := os.Stat(blobPath(dir, hash))
	if err != nil {
		return nil, faultOf(err)
	}
	if !info.Mode().IsRegular() { // before it is opened: a pipe would wait for its other end
		return nil, &blobFault{clause: "something that is no file is in its place"}
	}
	f, err := os.Open(blobPath(dir, hash))
	if err != nil {
		return nil, faultOf(err)
	}
	return f, nil
}

// keepBlob keeps data under its hash. A file that is there and whole stays; a damaged one is replaced.
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

// unkept is the error of keeping a file as its sender is told it; nil for nil.
func unkept(err error) error {
	if err == nil {
		return nil
	}
	told := Errorf(Unavailable, "The file could not be kept. Nothing was changed; the operator should check the disk.")
	return fmt.Errorf("%w: %w", told, err)
}

// newPart makes a temporary file in the folder of the blobs, so that it becomes one of them by a new name.
func newPart(dir string) (*os.File, error) {
	root := filepath.Join(dir, blobFolder)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(root, ".part-")
}

// isKept reports that the file of a blob is there and whole. It is touched first, so that it is no orphan before its row is
// there; a file that cannot be touched is written anew.
func isKept(dir string, hash []byte, size int64) bool {
	return touchFile(blobPath(dir, hash)) == nil && blobFileIsWhole(dir, hash, size)
}

// nameBlob makes a temporary file, whose hash this is, the file of a blob.
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

// blobFileIsWhole compares the file of a blob by its size, and only then by its hash.
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

// replace gives a file the name path, also where a folder has it: that one goes aside, where it is swept like an orphan.
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

// removeOrphan removes a file of no row, unless the same bytes have been kept again since it was found to be old.
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
