package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"samepage/store"
	"samepage/store/blob"
	"samepage/store/db"
)

// A folder of backups has one file for each backup, named by its time, and one folder with the attached files of all
// of them by their hash. So a backup copies only files that no earlier one has, and a file that was damaged since is
// still whole there. Restore and VerifyBackup read the attached files from that folder.

// Names of backups in a folder.
const (
	rotatedPrefix = "samepage-"
	rotatedTime   = "20060102T150405Z"
	rotatedSuffix = ".backup"
)

// Rotated is a backup in a folder of backups.
type Rotated struct {
	Path    string
	At      time.Time        // UTC, to the second
	Damaged *store.FileCheck // attached files that are missing or damaged in the data folder
	Lost    *store.FileCheck // those that are missing or damaged in the backup too
	Removed []string         // paths of the backups that were removed in its place
}

// LastRotated returns the newest backup in a folder, of which only the path and the time are known. Nil if there is none.
func LastRotated(dir string) (*Rotated, error) {
	list, err := rotated(dir)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[len(list)-1], nil
}

// rotated lists the backups in a folder, oldest first.
func rotated(dir string) (list []Rotated, err error) {
	entries, err := os.ReadDir(dir) // sorted by name, which is by time
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		name, isBackup := strings.CutSuffix(e.Name(), rotatedSuffix)
		name, ours := strings.CutPrefix(name, rotatedPrefix)
		if at, err := time.Parse(rotatedTime, name); err == nil && ours && isBackup && e.Type().IsRegular() {
			list = append(list, Rotated{Path: filepath.Join(dir, e.Name()), At: at})
		}
	}
	return list, err
}

// Rotate makes a backup in a folder of backups and verifies it. Then it removes the oldest backups beyond the number
// to keep, and the attached files that no backup names. It removes nothing if the new backup lacks files.
func Rotate(ctx context.Context, s *store.Store, dir string, keep int) (*Rotated, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of backups: %w", err)
	}
	r := &Rotated{At: s.Now().UTC().Truncate(time.Second)}
	r.Path = filepath.Join(dir, rotatedPrefix+r.At.Format(rotatedTime)+rotatedSuffix)
	err := s.DB.Backup(ctx, r.Path, func(part string) (err error) {
		if r.Damaged, err = keepBlobs(ctx, s, part, dir); err != nil {
			return db.Explain(err)
		}
		if r.Lost, err = VerifyBackup(ctx, part); store.CodeOf(err) == store.Invalid {
			return errCopyDamaged(r.Path)
		}
		return err
	})
	if err != nil || len(r.Lost.Broken) > 0 {
		return r, err
	}
	return r, r.removeOld(ctx, dir, keep)
}

// keepBlobs copies the blobs that rows of the backup at path name into the folder, unless it has them, and records
// those that are missing or damaged.
func keepBlobs(ctx context.Context, s *store.Store, path, dir string) (found *store.FileCheck, err error) {
	kept := blob.InFolder(dir, nil)
	err = db.OnFile(ctx, path, func(q *sqlx.Tx) error {
		if _, err := q.ExecContext(ctx, makeMissing); err != nil {
			return err
		}
		found, err = store.CheckBlobs(ctx, selectFrom(ctx, q), "", func(hash []byte, size int64) (int64, error) {
			data, err := blob.Read(s.Blobs(), nil, hash, size)
			if fault, ok := blob.AsFault(err); ok {
				if err := noteMissing(ctx, q, hash, fault); err != nil {
					return 0, err
				}
			}
			if err != nil {
				return 0, err
			}
			return int64(len(data)), kept.Keep(nil, hash, data)
		})
		return err
	})
	return found, err
}

// removeOld removes the oldest backups, and attached files that none of the others names.
func (r *Rotated) removeOld(ctx context.Context, dir string, keep int) error {
	list, err := rotated(dir)
	if err != nil {
		return err
	}
	for len(list) > max(keep, 1) {
		if err := os.Remove(list[0].Path); err != nil {
			return fmt.Errorf("remove an old backup: %w", err)
		}
		r.Removed = append(r.Removed, list[0].Path)
		list = list[1:]
	}
	used := map[string]bool{}
	for _, one := range list {
		hashes, err := hashesIn(ctx, one.Path)
		if err != nil {
			return fmt.Errorf("%s cannot be read, so no attached file of earlier backups is removed: %w", one.Path, err)
		}
		for _, hash := range hashes {
			used[hex.EncodeToString(hash)] = true
		}
	}
	return removeUnused(filepath.Join(dir, blob.FolderName), used)
}

// hashesIn returns the hashes that rows of a backup name.
func hashesIn(ctx context.Context, path string) (hashes [][]byte, err error) {
	file, err := db.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = file.SelectContext(ctx, &hashes, `SELECT DISTINCT hash FROM files`)
	return hashes, err
}

// removeUnused removes the files in the folder that are not used. What has no hash as its name is younger than a day
// or was left by a process that was killed.
func removeUnused(folder string, used map[string]bool) error {
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name := filepath.Base(filepath.Dir(path)) + e.Name()
		if used[name] {
			return nil
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < blob.OrphanAge && !isHash(name) {
			return err
		}
		return os.Remove(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func isHash(name string) bool {
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 2*sha256.Size
}
