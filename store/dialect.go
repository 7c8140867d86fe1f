package store

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mattn/go-sqlite3"
)

// What differs between databases: how errors are told apart here, the rest in the file of each dialect.

// atMost ends a SELECT with a limit that is a parameter. SQLite looks at the value of a bare "LIMIT ?" and so plans the query
// anew whenever one is bound, which costs more than running it; into a sum it does not look (sqlite3ExprIsInteger, 3.53).
const atMost = ` LIMIT ? + 0`

// isConstraint reports a violated UNIQUE, CHECK or FOREIGN KEY.
func isConstraint(err error) bool {
	if e, ok := errors.AsType[sqlite3.Error](err); ok {
		return e.Code == sqlite3.ErrConstraint
	}
	return sqlClass(err) == classConstraint
}

// isUnique reports a violated UNIQUE or PRIMARY KEY.
func isUnique(err error) bool {
	if e, ok := errors.AsType[sqlite3.Error](err); ok {
		return e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey
	}
	return sqlState(err) == stateUnique
}

// isDamage reports an error that says that the data itself is wrong.
func isDamage(err error) bool {
	if e, ok := errors.AsType[sqlite3.Error](err); ok {
		return e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB
	}
	s := sqlState(err)
	return s == stateDataCorrupted || s == stateIndexCorrupted
}

// poisons reports an error after which nothing in the same transaction can be trusted.
func poisons(err error) bool {
	if e, ok := errors.AsType[sqlite3.Error](err); ok {
		return sqlitePoisons(e)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return postgresPoisons(e)
	}
	return false
}

// told turns an error of the database into one that says what to do; others pass.
func told(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err // told already
	}
	why := ""
	if e, ok := errors.AsType[sqlite3.Error](err); ok {
		why = sqliteTold(e)
	} else {
		why = postgresTold(err)
	}
	if why == "" {
		return err
	}
	return fmt.Errorf("%w: %w", Errorf(Unavailable, "%s", why), err)
}

// What is said of failures that either database has.
const (
	saysFull     = "The disk is full. Nothing was changed; free some space and try again."
	saysReadOnly = "The database could not be written. Nothing was changed; the operator should check the disk."
	saysMemory   = "The server has too little memory. Nothing was changed; try again in a moment."
	saysBusy     = "The database is busy. Nothing was changed; try again."
)

// Scan implements [sql.Scanner].
func (t *Time) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		t.Time = time.Time{}
	case int64:
		t.Time = time.UnixMilli(v).UTC()
	default:
		return fmt.Errorf("time: cannot scan %T", v)
	}
	return nil
}

// Value implements [driver.Valuer].
func (t Time) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return t.UnixMilli(), nil
}

var (
	_ sql.Scanner   = (*Time)(nil)
	_ driver.Valuer = Time{}
)
