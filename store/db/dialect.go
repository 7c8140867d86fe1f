package db

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsConstraint reports whether err is a violation of a constraint, such as UNIQUE, CHECK or FOREIGN KEY.
func IsConstraint(err error) bool {
	if e, ok := sqliteError(err); ok {
		return e.code == sqliteConstraint
	}
	return sqlClass(err) == classConstraint
}

// IsUnique reports whether err is a violation of a UNIQUE or PRIMARY KEY constraint.
func IsUnique(err error) bool {
	if e, ok := sqliteError(err); ok {
		return e.extended == sqliteUnique || e.extended == sqlitePrimaryKey
	}
	return sqlState(err) == stateUnique
}

// IsDamage reports whether err is about damaged data, or about a file that is no database.
func IsDamage(err error) bool {
	if e, ok := sqliteError(err); ok {
		return e.code == sqliteCorrupt || e.code == sqliteNotADB
	}
	s := sqlState(err)
	return s == stateDataCorrupted || s == stateIndexCorrupted
}

// poisons reports whether the transaction cannot continue after err, not even after a return to a savepoint
// ([Tx.Nested]).
func poisons(err error) bool {
	if e, ok := sqliteError(err); ok {
		return sqlitePoisons(e.code)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return postgresPoisons(e)
	}
	return false
}

// isReadOnly reports whether err is about a file or folder without write access, or that SQLite cannot open.
func isReadOnly(err error) bool {
	if e, ok := sqliteError(err); ok {
		return e.code == sqliteReadOnly || e.code == sqliteCantOpen
	}
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// IsFullDisk reports whether err is about a full disk or an exceeded quota of this machine.
func IsFullDisk(err error) bool {
	if e, ok := sqliteError(err); ok {
		return e.code == sqliteFull
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Explain wraps an error of the database in an [Error] with the next step, if one is known. It returns other errors
// unchanged.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	why := ""
	if e, ok := sqliteError(err); ok {
		why = sqliteRemedy(e.code)
	} else {
		why = postgresRemedy(err)
	}
	if why == "" {
		return err
	}
	return fmt.Errorf("%w: %w", Errorf(Unavailable, "%s", why), err)
}

const (
	saysFull     = "The disk is full. Nothing was changed; free some space and try again."
	saysReadOnly = "The database could not be written. Nothing was changed; the operator should check the disk."
	saysMemory   = "The server has too little memory. Nothing was changed; try again in a moment."
	saysBusy     = "The database is busy. Nothing was changed; try again."
)
