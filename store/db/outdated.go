package db

import (
	"fmt"
	"sync/atomic"
)

// If several processes share a database, one of them may migrate it to a newer schema while others run. Every
// transaction therefore compares the version of the schema first. A process never reads or writes tables of a
// schema that it does not know.

// versionQuery selects the version of the schema. The function of goose for this purpose is not used, because
// it may change the database.
const versionQuery = `SELECT max(version_id) FROM goose_db_version WHERE is_applied`

// schemaGuard refuses the transactions of a process if the database has a newer schema than the process knows.
type schemaGuard struct {
	path   string
	known  int64           // the newest schema version that this program knows
	report func(err error) // called at the first refusal; may be nil
	newer  atomic.Pointer[Error]
}

// check returns an error if version is newer than this program knows. The first time it also calls report.
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
