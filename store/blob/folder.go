package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"samepage/store/db"
)

// FolderName is the name of the folder of attached files in the data folder.
const FolderName = "files"

// Path returns the path of the file with this hash in the data folder dir.
func Path(dir string, hash []byte) string {
	name := hex.EncodeToString(hash)
	return filepath.Join(dir, FolderName, name[:2], name[2:])
}

// Folder is a [Store] that writes each blob to a file in the data folder. The file's name is the hash of its bytes, so
// the file can be written before the commit of the transaction that refers to it.
type Folder struct {
	dir      string       // data folder or folder of backups
	db       db.DB        // database with the table of used files; may be nil if Sweep is not called
	making   sync.Mutex   // held while the folder of all blobs is made
	flushed  bool         // the name of the folder of all blobs is on the disk
	sweeping sync.RWMutex // shared by calls that write files, and exclusive while an unused file is removed
}

// InFolder returns a store in the folder dir. The table `files` of the database d tells [Folder.Sweep] which bytes are
// in use.
func InFolder(dir string, d db.DB) *Folder { return &Folder{dir: dir, db: d} }

// Keep implements [Store].
func (b *Folder) Keep(_ *db.Tx, hash, data []byte) error {
	b.sweeping.RLock()
	defer b.sweeping.RUnlock()
	if b.isKept(hash, int64(len(data))) {
		return nil
	}
	f, err := b.Part()
	if err != nil {
		return unkept(err)
	}
	defer Drop(f)
	if _, err = f.Write(data); err == nil {
		err = b.name(f, hash)
	}
	return unkept(err)
}

// Part implements [Store]. The file is in the folder of the blobs, so that a rename can store it.
func (b *Folder) Part() (*os.File, error) {
	root := filepath.Join(b.dir, FolderName)
	if err := b.makeRoot(root); err != nil {
		return nil, err
	}
	return os.CreateTemp(root, ".part-")
}

// makeRoot makes the folder of all blobs. The first call also flushes the folder's name to the disk, even if the folder
// exists, because the process that made it may have been killed before the flush.
func (b *Folder) makeRoot(root string) error {
	b.making.Lock()
	defer b.making.Unlock()
	if err := os.MkdirAll(root, 0o700); err != nil || b.flushed {
		return err
	}
	err := db.SyncFile(b.dir)
	b.flushed = err == nil
	return err
}

// KeepPart implements [Store].
func (b *Folder) KeepPart(f *os.File, hash []byte) error {
	b.sweeping.RLock()
	defer b.sweeping.RUnlock()
	info, err := f.Stat()
	if err == nil && !b.isKept(hash, info.Size()) {
		err = b.name(f, hash)
	}
	return unkept(err)
}

// Open implements [Store].
func (b *Folder) Open(_ *db.Tx, hash []byte) (Reader, error) {
	f, err := b.open(hash)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (b *Folder) open(hash []byte) (*os.File, error) {
	if len(hash) != sha256.Size {
		return nil, &Fault{Clause: "its row names no SHA-256"}
	}
	path := Path(b.dir, hash)
	info, err := os.Stat(path)
	if err != nil {
		return nil, faultOf(err)
	}
	// The type is checked before the file is opened, because opening a pipe would block.
	if !info.Mode().IsRegular() {
		return nil, &Fault{Clause: "something that is no file is in its place"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, faultOf(err)
	}
	return f, nil
}

// isKept reports whether the file exists and is undamaged. It first sets the time of the file to now, so that a sweep
// does not remove the file before its row is written.
func (b *Folder) isKept(hash []byte, size int64) bool {
	now := time.Now()
	return os.Chtimes(Path(b.dir, hash), now, now) == nil && b.isWhole(hash, size)
}

func (b *Folder) isWhole(hash []byte, size int64) bool {
	f, err := b.open(hash)
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

// name renames a temporary file to its permanent name, and flushes the file and its name to the disk.
func (b *Folder) name(f *os.File, hash []byte) error {
	path := Path(b.dir, hash)
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

// replace renames a file to path. It moves a folder at path aside; a later sweep removes the files in it.
func replace(file, path string) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		aside := path + ".aside-" + rand.Text()
		slog.Warn("a folder is in the place of an attached file and is moved aside", "folder", path, "to", aside)
		if err := os.Rename(path, aside); err != nil {
			return err
		}
	}
	return os.Rename(file, path)
}

// Sweep implements [Store].
func (b *Folder) Sweep(ctx context.Context) (removed int, err error) {
	sweep := func(path string, e fs.DirEntry) error {
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < OrphanAge {
			return err
		}
		if used, err := b.isUsed(ctx, path); err != nil || used {
			return err
		}
		gone, err := b.removeOrphan(path)
		if gone {
			removed++
		}
		return err
	}
	err = filepath.WalkDir(filepath.Join(b.dir, FolderName), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			err = sweep(path, e)
		}
		if errors.Is(err, fs.ErrNotExist) { // the file was removed meanwhile, or no file was ever stored
			return nil
		}
		return err
	})
	return removed, err
}

// isUsed reports whether a row of the table `files` refers to the file at path.
func (b *Folder) isUsed(ctx context.Context, path string) (bool, error) {
	hash, err := hex.DecodeString(filepath.Base(filepath.Dir(path)) + filepath.Base(path))
	if err != nil {
		return false, nil
	}
	rows := 0
	err = b.db.Read(ctx, func(tx *db.Tx) error { return tx.Get(&rows, `SELECT count(*) FROM files WHERE hash = ?`, hash) })
	return rows > 0, err
}

// removeOrphan removes the file at path, unless the same bytes have been stored again meanwhile.
func (b *Folder) removeOrphan(path string) (removed bool, err error) {
	b.sweeping.Lock()
	defer b.sweeping.Unlock()
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()) < OrphanAge {
		return false, err
	}
	err = os.Remove(path)
	return err == nil, err
}
