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

// A folder of backups has one file for each backup. Its subfolder has the attached files of all these backups, named by
// their hash, so that a backup copies only new files, and damage in the data folder does not reach the copies.

const (
	rotatedPrefix = "samepage-"
	rotatedTime   = "20060102T150405Z"
	rotatedSuffix = ".backup"
)

// Rotated is a backup in a folder of backups.
type Rotated struct {
	Path    string
	At      time.Time        // UTC, to the second
	Size    int64            // bytes; without the attached files
	Damaged *store.FileCheck // missing or damaged in the data folder
	Lost    *store.FileCheck // missing or damaged in the backup too
	Removed []string         // paths of removed old backups
	Kept    error            // why old backups or their attached files were not removed, or nil
}

// LastRotated returns the newest backup in a folder, or nil if there is none. Only its path, time and size are set.
func LastRotated(dir string) (*Rotated, error) {
	list, _, err := ListRotated(dir)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[len(list)-1], nil
}

// ListRotated lists the backups in a folder, oldest first. Only their path, time and size are set. The result odd has
// the paths of entries that have the name of a backup, but are empty or not a regular file.
func ListRotated(dir string) (list []Rotated, odd []string, err error) {
	entries, err := os.ReadDir(dir) // sorted by name, and so by time
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		name, isBackup := strings.CutSuffix(e.Name(), rotatedSuffix)
		name, ours := strings.CutPrefix(name, rotatedPrefix)
		at, err := time.Parse(rotatedTime, name)
		if err != nil || !ours || !isBackup {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			odd = append(odd, path)
		} else {
			list = append(list, Rotated{Path: path, At: at, Size: info.Size()})
		}
	}
	return list, odd, err
}

// Rotate makes and verifies a backup in a folder of backups, and keeps the newest backups up to the number keep, at
// least one. It removes nothing if attached files are missing or damaged in the new backup.
func Rotate(ctx context.Context, s *store.Store, dir string, keep int) (*Rotated, error) {
	if err := db.MakeFolder(dir); err != nil {
		return nil, fmt.Errorf("make the folder of backups: %w", err)
	}
	r := &Rotated{At: s.Now().UTC().Truncate(time.Second)}
	r.Path = filepath.Join(dir, rotatedPrefix+r.At.Format(rotatedTime)+rotatedSuffix)
	err := s.DB.Backup(ctx, r.Path, func(part string) (err error) {
		r.Damaged, err = keepBlobs(ctx, s, part, dir)
		r.Lost, err = finish(ctx, part, r.Path, err)
		return err
	})
	if err == nil && len(r.Lost.Broken) == 0 {
		r.Kept = r.removeOld(ctx, dir, keep)
	}
	return r, err
}

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

func (r *Rotated) removeOld(ctx context.Context, dir string, keep int) error {
	list, _, err := ListRotated(dir)
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

func hashesIn(ctx context.Context, path string) (hashes [][]byte, err error) {
	file, err := db.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = file.SelectContext(ctx, &hashes, `SELECT DISTINCT hash FROM files`)
	return hashes, err
}

// removeUnused removes the files with hashes that are not in used. A file without a hash as its name is temporary; a
// running backup may need it until it is older than [blob.OrphanAge].
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
