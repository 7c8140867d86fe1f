// Package archive makes and restores backups of a whole installation, and exports and imports single organizations.
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

// Backup writes a consistent copy of the database to the new file dst while the store is in use, with every write that
// was acknowledged before the call. The copy includes the attached files and, unless keys is nil, the keys of the
// installation. The file dst appears only after the copy has been verified. Backup returns the attached files that are
// missing or damaged; they do not stop it. It returns [store.Conflict] if dst exists.
func Backup(ctx context.Context, s *store.Store, dst string, keys *keyfile.Keys) (found *store.FileCheck, err error) {
	err = s.DB.Backup(ctx, dst, func(part string) error {
		err := packBlobs(ctx, s, part)
		if err == nil && keys != nil {
			err = packKeys(ctx, part, keys)
		}
		found, err = finish(ctx, part, dst, err)
		return err
	})
	return found, err
}

// finish completes and verifies the backup in the file part. The error about a damaged copy names dst, the later name
// of the file.
func finish(ctx context.Context, part, dst string, err error) (*store.FileCheck, error) {
	if err == nil {
		err = packDigests(ctx, part)
	}
	if err != nil {
		return nil, db.Explain(err)
	}
	found, err := VerifyBackup(ctx, part)
	if store.CodeOf(err) == store.Invalid || err == nil && len(found.Changed) > 0 {
		return nil, store.Errorf(store.Unavailable, "The copy of "+store.FileName+" is damaged, so there is no backup at %s. "+
			"Run samepage doctor: if the database is sound, write to another disk.", dst)
	}
	return found, err
}

// VerifyBackup verifies the backup at path without changing it. It returns the tables that differ from their digests
// and the missing or damaged files. It returns [store.Invalid] if the database or a table definition is damaged, or the
// file is not a backup, and [store.Unavailable] if this program does not know the schema.
func VerifyBackup(ctx context.Context, path string) (*store.FileCheck, error) {
	if err := checkBackup(ctx, path); err != nil {
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

// Restore verifies the backup src and makes it the database of the data folder dir. An existing database is renamed,
// with the time in its new name. Restore does not restore the keys. It returns the tables that differ from their
// digests and the missing or damaged files. It returns [store.Invalid] if src is damaged or not a backup, and
// [*store.InUse] if the folder is in use. In both cases the database of the folder stays as it is.
func Restore(ctx context.Context, src, dir string) (*store.FileCheck, error) {
	if store.OnServer(dir) {
		return nil, store.Errorf(store.Invalid,
			"The server has its own tool: pg_restore --clean --if-exists --dbname=URL FILE. samepage import "+
				"organization brings back one organization from a file of samepage export.")
	}
	if err := checkBackup(ctx, src); err != nil {
		return nil, err
	}
	if err := db.MakeFolder(dir); err != nil {
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
	if err == nil {
		err = setHeadsAside(dir)
	}
	if err == nil {
		found.Aside, err = db.Exchange(fresh, dst)
	}
	if err == nil {
		err = dropHeads(dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("restore: %w", err), db.RemoveLeftovers(fresh))
	}
	return found, nil
}

// setHeadsAside renames the file with the positions and hashes of the last journal entries ([store.Head]), because the
// file belongs to the replaced database. If the process is killed before the databases are exchanged, the next start
// undoes the renaming.
func setHeadsAside(dir string) error {
	heads := filepath.Join(dir, store.HeadsName)
	if err := os.Rename(heads, heads+store.ReplacedSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func dropHeads(dir string) error {
	err := os.Remove(filepath.Join(dir, store.HeadsName+store.ReplacedSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

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
		if !p.extended {
			err = db.CopyFile(src, part)
		} else {
			err = stripped(ctx, src, part)
		}
		if err == nil {
			err = store.ForgetHeads(ctx, part)
		}
		if err != nil {
			return db.Explain(err)
		}
		return checkFile(ctx, part)
	})
}

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

const wholeSuffix = ".whole"

func checkBackup(ctx context.Context, path string) error {
	if err := checkFile(ctx, path); err != nil {
		return err
	}
	p, err := openPacked(ctx, path)
	if err != nil {
		return fmt.Errorf("verify backup: %w", db.Explain(err))
	}
	defer p.Close()
	return db.Explain(p.checkDefinitions(ctx, path))
}

// checkFile verifies the database in a backup, without the tables that only a backup has.
func checkFile(ctx context.Context, path string) error {
	return store.CheckDatabase(ctx, path, "blobs", "blobs_missing", "keys", "digests")
}
