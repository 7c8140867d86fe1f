package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"

	"github.com/jmoiron/sqlx"

	"samepage/store"
	"samepage/store/db"
)

// SQLite's own checks do not notice a changed byte within a value. A backup therefore has, in its table `digests`, the
// SHA-256 of the rows of most tables ([digestedTables]). The checks also miss most changes of a table's definition,
// such as another word in a constraint. The SHA-256 of the definitions is stored twice, so that a backup is not refused
// if one copy is damaged.

const makeDigests = `CREATE TABLE digests (name TEXT PRIMARY KEY, digest BLOB NOT NULL) WITHOUT ROWID`

// These are the names of SQLite's table of definitions and of its second row in the table `digests`.
const (
	definitions     = "sqlite_schema"
	definitionsCopy = "sqlite_schema copy"
)

// packDigests writes the digests into the backup. Nothing in the backup may change afterwards.
func packDigests(ctx context.Context, path string) error {
	return db.OnFile(ctx, path, func(q *sqlx.Tx) error {
		names, err := digestedTables(ctx, q)
		if err != nil {
			return err
		}
		if _, err := q.ExecContext(ctx, makeDigests); err != nil {
			return err
		}
		for _, name := range append(names, definitions, definitionsCopy) {
			digest, err := digestTable(ctx, q, name)
			if err != nil {
				return err
			}
			if _, err := q.ExecContext(ctx, `INSERT INTO digests (name, digest) VALUES (?, ?)`, name, digest); err != nil {
				return err
			}
		}
		return nil
	})
}

// digestedTables lists the tables that have a digest. The table `blobs` needs none, because each row has a hash.
func digestedTables(ctx context.Context, q sqlx.QueryerContext) (names []string, err error) {
	err = sqlx.SelectContext(ctx, q, &names, `SELECT name FROM sqlite_schema WHERE type = 'table'
		AND sql NOT LIKE 'CREATE VIRTUAL %' AND name NOT IN ('blobs', 'digests') ORDER BY name`)
	return names, err
}

// digestTable returns the SHA-256 of the rows of a table, in storage order. The digest of the definitions leaves out
// the tables that only a backup has, and the positions of tables in the file.
func digestTable(ctx context.Context, q sqlx.QueryerContext, name string) ([]byte, error) {
	query := `SELECT * FROM "` + name + `" NOT INDEXED`
	if name == definitions || name == definitionsCopy {
		query = `SELECT type, name, tbl_name, sql FROM sqlite_schema
			WHERE tbl_name NOT IN ('blobs', 'blobs_missing', 'keys', 'digests')`
	}
	rows, err := q.QueryxContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	sum := sha256.New()
	for rows.Next() {
		values, err := rows.SliceScan()
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			digestValue(sum, v)
		}
	}
	return sum.Sum(nil), rows.Err()
}

// digestValue adds a value with its type and its length to the hash, so that different rows never give the same input.
func digestValue(sum hash.Hash, v any) {
	switch v := v.(type) {
	case string:
		fmt.Fprintf(sum, "text %d ", len(v))
		sum.Write([]byte(v))
	case []byte:
		fmt.Fprintf(sum, "blob %d ", len(v))
		sum.Write(v)
	default:
		fmt.Fprintf(sum, "%T %[1]v ", v)
	}
}

type tableDigest struct {
	Name   string `db:"name"`
	Digest []byte `db:"digest"`
}

// checkDefinitions returns [store.Invalid] if the table definitions match neither of their two digests. It accepts
// backups of early versions, which have no such digests, and backups with unreadable digests.
func (p *packed) checkDefinitions(ctx context.Context, path string) error {
	if !slices.Contains(p.tables, "digests") {
		return nil
	}
	var list [][]byte
	err := p.SelectContext(ctx, &list, `SELECT digest FROM digests NOT INDEXED WHERE name IN (?, ?)`, definitions, definitionsCopy)
	if db.IsDamage(err) || err == nil && len(list) == 0 {
		return nil
	}
	var digest []byte
	if err == nil {
		digest, err = digestTable(ctx, p, definitions)
	}
	if err != nil || slices.ContainsFunc(list, func(d []byte) bool { return bytes.Equal(d, digest) }) {
		return err
	}
	return store.Errorf(store.Invalid, "%s is damaged: the definitions of its tables are not those of the time at which it was made. "+
		"Nothing was changed; name another backup.", path)
}

// changed lists the tables that differ from their digests. Backups of early versions have no digests.
func (p *packed) changed(ctx context.Context) (names []string, err error) {
	if !slices.Contains(p.tables, "digests") {
		return nil, nil
	}
	var list []tableDigest
	if err := p.SelectContext(ctx, &list, `SELECT name, digest FROM digests NOT INDEXED ORDER BY name`); err != nil {
		if db.IsDamage(err) {
			return []string{"digests"}, nil
		}
		return nil, err
	}
	present, err := digestedTables(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{definitions, definitionsCopy} {
		if slices.ContainsFunc(list, func(d tableDigest) bool { return d.Name == name }) {
			present = append(present, name)
		}
	}
	for _, d := range list {
		digest, err := digestTable(ctx, p, d.Name)
		switch {
		case err != nil && slices.Contains(present, d.Name) && !db.IsDamage(err):
			return nil, err
		// The definitions match their other digest, so the damage is in this row of the table `digests`.
		case (d.Name == definitions || d.Name == definitionsCopy) && !bytes.Equal(digest, d.Digest):
			names = append(names, "digests")
		case err != nil || !bytes.Equal(digest, d.Digest):
			names = append(names, d.Name)
		}
	}
	if len(list) != len(present) {
		names = append(names, "digests")
	}
	return slices.Compact(names), nil
}
