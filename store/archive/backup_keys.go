package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"samepage/store"
	"samepage/store/db"
	"samepage/store/keyfile"
)

func packKeys(ctx context.Context, path string, keys *keyfile.Keys) error {
	return db.OnFile(ctx, path, func(q *sqlx.Tx) error {
		if _, err := q.ExecContext(ctx, `CREATE TABLE keys (file TEXT NOT NULL)`); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, `INSERT INTO keys (file) VALUES (?)`, keys.Text())
		return err
	})
}

// RestoreKeys writes the keys in the backup src to the file at path, and reports whether src has keys. An existing file
// with other content is renamed, with the time in its new name. RestoreKeys returns [store.Invalid] if the keys are
// damaged.
func RestoreKeys(ctx context.Context, src, path string) (bool, error) {
	p, err := openPacked(ctx, src)
	if err != nil {
		return false, fmt.Errorf("restore keys: %w", db.Explain(err))
	}
	defer p.Close()
	if !p.keys {
		return false, nil
	}
	var text string
	if err := p.GetContext(ctx, &text, `SELECT file FROM keys`); err != nil && !db.IsDamage(err) && !errors.Is(err, sql.ErrNoRows) {
		return false, fmt.Errorf("restore keys: %w", db.Explain(err))
	}
	keys, err := keyfile.Parse(text)
	if err != nil {
		return false, store.Errorf(store.Invalid, "The keys in %s are damaged.", src)
	}
	return true, keys.Install(path)
}
