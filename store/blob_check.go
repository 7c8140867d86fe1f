package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
)

// FileCheck is the result of verifying the bytes of attached files.
type FileCheck struct {
	Files  int          // count of verified files
	Bytes  int64        // size of the whole blobs; a blob of several files counts once
	Broken []BrokenFile // files whose bytes are missing or damaged
}

// BrokenFile is an attached file whose bytes are missing or damaged.
type BrokenFile struct {
	Studio string `db:"studio"`  // handle of the studio of the page
	Kind   string `db:"kind"`    // kind of the item that has the file
	ItemID string `db:"item_id"` // id of that item
	Name   string `db:"name"`
	Size   int64  `db:"size"` // bytes, by its row
	Hash   []byte `db:"hash"` // SHA-256, by its row
	Wrong  string // a clause that describes the damage
}

// URL returns the path of the page of the item that has the file.
func (f *BrokenFile) URL() string { return ItemURL(f.Studio, f.Kind, f.ItemID) }

// String returns one line with the file, its page, its hash and the damage.
func (f *BrokenFile) String() string {
	return fmt.Sprintf("%s on %s (sha256 %s): %s", f.Name, f.URL(), hex.EncodeToString(f.Hash), f.Wrong)
}

// blobFault is the error for missing or damaged bytes. The clause describes the damage: "it is missing".
type blobFault struct {
	clause string
	cause  error // may be nil
}

func (f *blobFault) Error() string { return f.clause }
func (f *blobFault) Unwrap() error { return f.cause }

// told returns the fault as an error for a reader of the page.
func (f *blobFault) told() error {
	return Errorf(Internal,
		"The bytes of this file are missing or damaged: %s. Attach the same file again, which heals it, or have "+
			"the operator restore it from a backup.", f.clause)
}

// isFault returns the fault that err wraps, if any. Other errors mean nothing about the bytes.
func isFault(err error) (*blobFault, bool) { return errors.AsType[*blobFault](err) }

// faultOf returns the fault for an error of opening or reading bytes.
func faultOf(err error) *blobFault {
	if errors.Is(err, fs.ErrNotExist) {
		return &blobFault{"it is missing", err}
	}
	reason := err
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		reason = e // without the path, which is private to the operator
	}
	return &blobFault{fmt.Sprintf("it cannot be read (%v)", reason), err}
}

func sizeFault(have, want int64) *blobFault {
	return &blobFault{clause: fmt.Sprintf("it has %d bytes, not %d", have, want)}
}

var errChanged = &blobFault{clause: "its bytes have changed"}

// verified reads b to its end and returns its size. Another hash: a [*blobFault], which names the size if
// it differs from the row's.
func verified(b Blob, hash []byte, size int64) (have int64, err error) {
	digest := sha256.New()
	if _, err := b.Seek(0, io.SeekStart); err != nil {
		return 0, faultOf(err)
	}
	if have, err = io.Copy(digest, b); err != nil {
		return have, faultOf(err)
	}
	switch {
	case bytes.Equal(digest.Sum(nil), hash):
		return have, nil
	case have != size:
		return have, sizeFault(have, size)
	}
	return have, errChanged
}

// verifiedData returns the content of b. Bytes of another size are read into memory only if their hash is right.
func verifiedData(b Blob, hash []byte, size int64) ([]byte, error) {
	have, err := b.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, faultOf(err)
	}
	if have != size {
		if _, err := verified(b, hash, size); err != nil {
			return nil, err
		}
	}
	if _, err := b.Seek(0, io.SeekStart); err != nil {
		return nil, faultOf(err)
	}
	data, err := io.ReadAll(b)
	if err != nil {
		return nil, faultOf(err)
	}
	return data, mustHash(data, hash)
}

func mustHash(data, hash []byte) error {
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], hash) {
		return errChanged
	}
	return nil
}

// inspectBlob reads the blob with this hash to its end and returns its size. Missing or damaged: a [*blobFault].
func (s *Store) inspectBlob(tx *Tx, hash []byte, size int64) (have int64, err error) {
	b, err := s.blobs.open(tx, hash)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	return verified(b, hash, size)
}

// readBlob returns the verified content of a blob. Missing or damaged: a [*blobFault].
func (s *Store) readBlob(tx *Tx, hash []byte, size int64) ([]byte, error) {
	b, err := s.blobs.open(tx, hash)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return verifiedData(b, hash, size)
}

// CheckFiles reads the bytes of every attached file and compares their size and hash with its row. It uses
// no snapshot, so it may run while the store is in use.
func (s *Store) CheckFiles(ctx context.Context) (*FileCheck, error) {
	rows := func(dst any, query string, args ...any) error {
		return s.Read(ctx, func(tx *Tx) error { return tx.Select(dst, query, args...) })
	}
	return checkBlobs(ctx, rows, "",
		func(hash []byte, size int64) (int64, error) { return s.inspectBlob(nil, hash, size) })
}

// checkBlobs calls inspect for every hash that a row of an organization (of any organization if orgID is
// empty) names, with the size by its row. It lists the rows whose bytes are missing, damaged or of another
// size. The function rows runs a query and appends its rows to dst.
func checkBlobs(ctx context.Context, rows func(dst any, query string, args ...any) error, orgID string,
	inspect func(hash []byte, size int64) (have int64, err error)) (*FileCheck, error) {
	const stretch = 500
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
			fault, broken := isFault(err)
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
		if len(list) < stretch {
			return c, nil
		}
	}
}

// list adds the rows that name bytes with a fault, or bytes of another size.
func (c *FileCheck) list(rows func(dst any, query string, args ...any) error, orgID string, hash []byte, size int64,
	fault *blobFault) error {
	var list []BrokenFile
	if err := rows(&list, `SELECT s.handle AS studio, i.kind, i.id AS item_id, x.name, x.size, x.hash
		FROM files x JOIN items i ON i.id = x.item_id JOIN studios s ON s.id = i.studio_id
		WHERE x.hash = ? AND (? = '' OR x.org_id = ?) ORDER BY x.at, x.id`, hash, orgID, orgID); err != nil {
		return err
	}
	for _, f := range list {
		switch {
		case fault != nil:
			f.Wrong = fault.clause
		case f.Size != size:
			f.Wrong = sizeFault(size, f.Size).clause
		default:
			continue
		}
		c.Broken = append(c.Broken, f)
	}
	return nil
}
