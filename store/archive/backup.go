// Package archive moves data out of a store and back. It makes and restores backups of a whole installation,
// and it exports and imports single organizations.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"samepage/store"
	"samepage/store/db"
	"samepage/store/keyfile"
)

// Backup writes a consistent copy of the database to the new file dst while the store is in use. The copy has
// every write that was acknowledged before the call, and the attached files. It does not have the keys of the
// installation. Attached files that are missing or damaged do not stop the backup: the copy records them, and
// Backup returns them. The copy is verified before it gets the name dst. Backup returns [store.Conflict] if dst
// exists.
func Backup(ctx context.Context, s *store.Store, dst string) (found *store.FileCheck, err error) {
	return BackupWithKeys(ctx, s, dst, nil)
}

// BackupWithKeys does the same as [Backup], and the copy also has the keys of the installation unless keys is
// nil.
func BackupWithKeys(ctx context.Context, s *store.Store, dst string, keys *keyfile.Keys) (found *store.FileCheck, err error) {
	err = s.DB.Backup(ctx, dst, func(part string) error {
		err := packBlobs(ctx, s, part)
		if err == nil && keys != nil {
			err = packKeys(ctx, part, keys)
		}
		if err != nil {
			return db.Explain(err)
		}
		if found, err = VerifyBackup(ctx, part); store.CodeOf(err) == store.Invalid {
			return errCopyDamaged(dst)
		}
		return err
	})
	return found, err
}

func errCopyDamaged(dst string) error {
	return store.Errorf(store.Unavailable, "The copy is damaged, so there is no backup at %s. Run samepage doctor: if the "+
		"database is sound, write to another disk.", dst)
}

// VerifyBackup verifies the backup at path without changing it: the database as a whole, and the bytes of
// every attached file that a row names. It returns the files that are missing or damaged. A damaged
// database, or another kind of file, gives [Invalid].
func VerifyBackup(ctx context.Context, path string) (*store.FileCheck, error) {
	if err := checkFile(ctx, path); err != nil {
		return nil, err
	}
	p, err := openPacked(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("verify backup: %w", db.Explain(err))
	}
	defer p.Close()
	found, err := p.check(ctx)
	if err != nil {
		return nil, fmt.Errorf("verify backup: %w", db.Explain(err))
	}
	return found, nil
}

// Restore makes the backup src the database of the data folder dir. It verifies src first. An existing database
// is renamed to a name with the time. Attached files that are missing or damaged in src cannot be restored, and
// Restore returns them. The keys in src are restored by [RestoreKeys] and not here. Restore returns
// [store.Invalid] if src is damaged or not a backup, and then changes nothing. It returns [*store.InUse] if the
// folder is in use.
func Restore(ctx context.Context, src, dir string) (*store.FileCheck, error) {
	if store.OnServer(dir) {
		return nil, store.Errorf(store.Invalid,
			"The server has its own tool: pg_restore --clean --if-exists --dbname=URL FILE. samepage import "+
				"organization brings back one organization from a file of samepage export.")
	}
	if err := checkFile(ctx, src); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create data folder: %w", err)
	}
	lock, err := db.LockFolder(dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	dst := filepath.Join(dir, store.FileName)
	if a, err := os.Stat(src); err == nil {
		if b, err := os.Stat(dst); err == nil && os.SameFile(a, b) {
			return nil, store.Errorf(store.Invalid, "%s is the database of this folder itself. Name a backup.", src)
		}
	}
	fresh := dst + ".restore"
	for _, suffix := range []string{"", db.PartSuffix, db.PartSuffix + wholeSuffix} {
		if err := db.RemoveLeftovers(fresh + suffix); err != nil {
			return nil, fmt.Errorf("restore: %w", err)
		}
	}
	found, err := unpack(ctx, src, fresh, dir)
	if err == nil { // the backup may be older than the noted heads
		err = removeHeads(dir)
	}
	if err == nil {
		err = db.Exchange(fresh, dst)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("restore: %w", err), db.RemoveLeftovers(fresh))
	}
	return found, nil
}

// removeHeads removes the file with the noted heads of the database that is replaced.
func removeHeads(dir string) error {
	if err := os.Remove(filepath.Join(dir, store.HeadsName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// unpack writes the database in the backup src to the file fresh, and its attached files to the data folder
// dir.
func unpack(ctx context.Context, src, fresh, dir string) (found *store.FileCheck, err error) {
	p, err := openPacked(ctx, src)
	if err != nil {
		return nil, db.Explain(err)
	}
	defer p.Close()
	if found, err = p.unpack(ctx, dir); err != nil {
		return nil, db.Explain(err)
	}
	return found, db.Install(fresh, func(part string) error {
		if !p.packed {
			err = db.CopyFile(src, part)
		} else {
			err = stripped(ctx, src, part)
		}
		if err != nil {
			return db.Explain(err)
		}
		return checkFile(ctx, part)
	})
}

// stripped writes the database in the backup src to the file dst, without the attached files and the keys.
func stripped(ctx context.Context, src, dst string) error {
	whole := dst + wholeSuffix
	f, err := os.OpenFile(whole, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	if err = db.CopyFile(src, whole); err == nil {
		err = strip(ctx, whole, dst)
	}
	return errors.Join(err, db.RemoveLeftovers(whole))
}

// wholeSuffix is the suffix of a temporary copy of the whole backup.
const wholeSuffix = ".whole"

// checkFile verifies the database in a backup. It does not verify the attached files.
func checkFile(ctx context.Context, path string) error {
	return store.CheckDatabase(ctx, path, "blobs", "blobs_missing", "keys")
}
