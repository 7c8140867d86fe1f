package db

import (
	"fmt"
	"sync/atomic"
)

// If several processes share a database, one of them may migrate it to a newer schema while others run. Therefore every
// transaction first checks the version, unless its process has the lock of the data folder, without which nobody
// migrates.

// versionQuery selects the version of the schema. A function of goose for the same purpose may change the database.
const versionQuery = `SELECT max(version_id) FROM goose_db_version WHERE is_applied`

// schemaGuard makes all transactions fail after another process has migrated the database to an unknown schema.
type schemaGuard struct {
	path   string
	known  int64           // newest schema version that this program knows
	report func(err error) // called at the first refusal; may be nil
	newer  atomic.Pointer[Error]
}

// check returns an error if the schema version of this or an earlier call is newer than this program knows.
func (g *schemaGuard) check(version int64) error {
	if version > g.known && g.newer.Load() == nil {
		err := &Error{Code: Unavailable, format: "%s was migrated to a newer version of Samepage (schema %d; this one knows up to " +
			"%d) while this process had it open, so this process stops. Nothing was changed; start the newer version in its place.",
			args: []any{g.path, version, g.known}}
		if g.newer.CompareAndSwap(nil, err) && g.report != nil {
			g.report(err)
		}
	}
	if err := g.newer.Load(); err != nil {
		return fmt.Errorf("check the schema: %w", err)
	}
	return nil
}
