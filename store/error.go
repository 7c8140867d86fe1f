package store

import "samepage/store/db"

// Error is a failure with a sentence for the user: the cause, and the next step.
type Error = db.Error

// Code is the class of a failure. Only package web maps codes to HTTP statuses.
type Code = db.Code

// The codes of failures, as [db.Code] explains them.
const (
	Invalid         = db.Invalid
	Unauthenticated = db.Unauthenticated
	Forbidden       = db.Forbidden
	NotFound        = db.NotFound
	Conflict        = db.Conflict
	TooLarge        = db.TooLarge
	Limited         = db.Limited
	Unavailable     = db.Unavailable
	Uncertain       = db.Uncertain
	Internal        = db.Internal
)

// InUse is the failure to open a data folder that another process has open.
type InUse = db.InUse

// Errorf returns an [Error]. The sentence gives the cause and the next step.
func Errorf(code Code, format string, args ...any) error { return db.Errorf(code, format, args...) }

// CodeOf returns the code of the first [Error] that err wraps, or [Internal] if there is none.
func CodeOf(err error) Code { return db.CodeOf(err) }

// Missing returns the error for a page that does not exist or that the actor may not see; the two are the same.
func Missing() error { return db.Missing() }
