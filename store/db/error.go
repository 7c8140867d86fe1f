package db

import (
	"errors"
	"fmt"
)

// Code names the sort of a failure. Only web turns codes into HTTP statuses.
type Code string

// The codes of failures. The strings are stable and documented at /help/errors.
const (
	Invalid         Code = "invalid"         // the request cannot be read, or a field of it is wrong
	Unauthenticated Code = "unauthenticated" // nobody is signed in
	Forbidden       Code = "forbidden"       // may see, may not do
	NotFound        Code = "not_found"       // does not exist, or may not be seen: the same answer
	Conflict        Code = "conflict"        // too late, stale, or not in this state
	TooLarge        Code = "too_large"
	Limited         Code = "limited"     // too many requests
	Unavailable     Code = "unavailable" // not now: the disk is full, the server is stopping
	Uncertain       Code = "uncertain"   // the connection broke while it was saved: it may have been done
	Internal        Code = "internal"
)

// Error is a failure told to whoever asked: what is wrong and what to do next.
type Error struct {
	Code Code

	// The sentence is made when it is read: a page asks every guard, and mostly only whether it refuses.
	format string
	args   []any
}

func (e *Error) Error() string { return fmt.Sprintf(e.format, e.args...) }

// Errorf makes an [Error]. The sentence says what is wrong and what to do next.
func Errorf(code Code, format string, args ...any) error {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks the callers' formats
	}
	return &Error{Code: code, format: format, args: args}
}

// CodeOf is the code of the first [Error] that err wraps, and [Internal] if it wraps none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// Missing is the one answer for what does not exist and what the actor may not see.
func Missing() error {
	return Errorf(NotFound, "There is no such page, or you may not see it. Check the address, or start at /.")
}
