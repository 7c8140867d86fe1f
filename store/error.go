package store

import "samepage/store/db"

// Error is a failure told to the caller: what is wrong and what to do next.
type Error = db.Error

// Code names the sort of a failure. Only web turns codes into HTTP statuses.
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

// Errorf makes an [Error]. The sentence says what is wrong and what to do next.
func Errorf(code Code, format string, args ...any) error { return db.Errorf(code, format, args...) }

// CodeOf is the code of the first [Error] that err wraps, and [Internal] if it wraps none.
func CodeOf(err error) Code { return db.CodeOf(err) }

// Missing is the one answer for a page that does not exist and for one that the actor may not see.
func Missing() error { return db.Missing() }
