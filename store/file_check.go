package store

import (
	"context"
	"encoding/hex"
	"fmt"

	"samepage/store/blob"
)

// FileCheck is the result of a check of attached files and, for a backup, of its tables.
type FileCheck struct {
	Files  int   // number of attached files that were checked
	Bytes  int64 // size of the undamaged blobs; a blob that several files share counts once
	Broken []BrokenFile

	Changed []string // tables of a backup that have changed since it was made
	Aside   string   // path to which a restore moved the former database; empty if there was none
}

// BrokenFile is an attached file with missing or damaged bytes.
type BrokenFile struct {
	Studio string `db:"studio"` // handle of the item's studio
	Kind   string `db:"kind"`   // kind of the item
	ItemID string `db:"item_id"`
	Name   string `db:"name"`
	Size   int64  `db:"size"` // in bytes, according to the row of the file
	Hash   []byte `db:"hash"` // SHA-256, according to the row of the file
	Wrong  string // a clause that describes the damage
}

// URL returns the path of the page of the item that has the file.
func (f *BrokenFile) URL() string { return ItemURL(f.Studio, f.Kind, f.ItemID) }

// String returns one line with the name of the file, its page, its hash and the damage.
func (f *BrokenFile) String() string {
	return fmt.Sprintf("%s on %s (sha256 %s): %s", f.Name, f.URL(), hex.EncodeToString(f.Hash), f.Wrong)
}

// CheckFiles compares the bytes of every attached file with the size and the hash in its row. It may run while the
// store is in use.
func (s *Store) CheckFiles(ctx context.Context) (*FileCheck, error) {
	rows := func(dst any, query string, args ...any) error {
		return s.Read(ctx, func(tx *Tx) error { return tx.Select(dst, query, args...) })
	}
	return CheckBlobs(ctx, rows, "",
		func(hash []byte, size int64) (int64, error) { return blob.Inspect(s.blobs, nil, hash, size) })
}

// CheckBlobs checks the bytes of the attached files of one organization, or of all organizations if orgID is empty. It
// calls inspect once for each hash, with the largest size among the rows with that hash. The function rows reads the
// rows of a query into the empty slice to which dst points. An error of inspect other than a [*blob.Fault] ends the
// check.
func CheckBlobs(ctx context.Context, rows func(dst any, query string, args ...any) error, orgID string,
	inspect func(hash []byte, size int64) (have int64, err error)) (*FileCheck, error) {
	const batch = 500
	c := &FileCheck{}
	after := []byte{}
	for {
		var list []struct {
			Hash  []byte `db:"hash"`
			Files int    `db:"files"`
			Least int64  `db:"least"`
			Most  int64  `db:"most"`
		}
		if err := rows(&list, `SELECT hash, count(*) AS files, min(size) AS least, max(size) AS most FROM files
			WHERE hash > ? AND (? = '' OR org_id = ?) GROUP BY hash ORDER BY hash LIMIT 500`, after, orgID,
			orgID); err != nil {
			return nil, err
		}
		for _, b := range list {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			after = b.Hash
			c.Files += b.Files
			size, err := inspect(b.Hash, b.Most)
			fault, broken := blob.AsFault(err)
			switch {
			case err != nil && !broken:
				return nil, err
			case err == nil:
				c.Bytes += size
			}
			if !broken && size == b.Least && size == b.Most {
				continue
			}
			if err := c.list(rows, orgID, b.Hash, size, fault); err != nil {
				return nil, err
			}
		}
		if len(list) < batch {
			return c, nil
		}
	}
}

// list appends to c.Broken the files with the hash. If fault is nil, it appends only those with a recorded size other
// than the parameter size.
func (c *FileCheck) list(rows func(dst any, query string, args ...any) error, orgID string, hash []byte, size int64,
	fault *blob.Fault) error {
	var list []BrokenFile
	if err := rows(&list, `SELECT s.handle AS studio, i.kind, i.id AS item_id, x.name, x.size, x.hash
		FROM files x JOIN items i ON i.id = x.item_id JOIN studios s ON s.id = i.studio_id
		WHERE x.hash = ? AND (? = '' OR x.org_id = ?) ORDER BY x.at, x.id`, hash, orgID, orgID); err != nil {
		return err
	}
	for _, f := range list {
		switch {
		case fault != nil:
			f.Wrong = fault.Clause
		case f.Size != size:
			f.Wrong = blob.SizeFault(size, f.Size).Clause
		default:
			continue
		}
		c.Broken = append(c.Broken, f)
	}
	return nil
}
