package db

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// What differs between databases: how errors are told apart here, the rest in the file of each dialect.

// IsConstraint reports a violated UNIQUE, CHECK or FOREIGN KEY.
func IsConstraint(err error) bool {
	if e, ok := sqliteError(err); ok {
		return e.code == sqliteConstraint
	}
	return sqlClass(err) == classConstraint
}

// IsUnique reports a violated UNIQUE or PRIMARY KEY.
func IsUnique(err error) bool {
	if e, ok := sqliteError(err); ok {
		return e.extended == sqliteUnique || e.extended == sqlitePrimaryKey
	}
	return sqlState(err) == stateUnique
}

// IsDamage reports an error that says that the data itself is wrong.
func IsDamage(err error) bool {
	if e, ok := sqliteError(err); ok {
		return e.code == sqliteCorrupt || e.code == sqliteNotADB
	}
	s := sqlState(err)
	return s == stateDataCorrupted || s == stateIndexCorrupted
}

// poisons reports an error after which nothing in the same transaction can be trusted.
func poisons(err error) bool {
	if e, ok := sqliteError(err); ok {
		return sqlitePoisons(e.code)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return postgresPoisons(e)
	}
	return false
}

// Explain turns an error of the database into one that says what to do; others pass.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err // it says so already
	}
	why := ""
	if e, ok := sqliteError(err); ok {
		why = sqliteTold(e.code)
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
