package db

import (
	"fmt"
	"sync/atomic"
)

// A process that shares its database may meet tables that another process has migrated to a newer schema. Every
// transaction compares the version first, so that this process neither reads nor writes tables that it does not know.

// versionQuery selects the schema version. Unlike goose, it changes nothing.
const versionQuery = `SELECT max(version_id) FROM goose_db_version WHERE is_applied`

// schemaGuard refuses the transactions of a process whose schema is older than that of its database.
type schemaGuard struct {
	path  string
	known int64           // the version that this program migrates to
	told  func(err error) // may be nil
	newer atomic.Pointer[Error]
}

// check refuses a database of a newer version, and tells so once.
func (g *schemaGuard) check(version int64) error {
	if version > g.known && g.newer.Load() == nil {
		err := &Error{Code: Unavailable, format: "%s was migrated to a newer version of Samepage (schema %d; this one knows up to " +
			"%d) while this process had it open, so this process stops. Nothing was changed; start the newer version in its place.",
			args: []any{g.path, version, g.known}}
		if g.newer.CompareAndSwap(nil, err) && g.told != nil {
			g.told(err)
		}
	}
	if err := g.newer.Load(); err != nil {
		return fmt.Errorf("check the schema: %w", err)
	}
	return nil
}
