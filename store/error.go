package store

import (
	"errors"
	"fmt"
)

// Kind says what sort of failure an error is. Only web turns kinds into status codes.
type Kind string

// The kinds of failure. The strings are the stable codes documented at /help/errors.
const (
	Invalid         Kind = "invalid"         // the request cannot be read, or a field of it is wrong
	Unauthenticated Kind = "unauthenticated" // nobody is signed in
	Forbidden       Kind = "forbidden"       // may see, may not do
	NotFound        Kind = "not_found"       // does not exist, or may not be seen: the same answer
	Conflict        Kind = "conflict"        // too late, stale, or not in this state
	TooLarge        Kind = "too_large"
	Limited         Kind = "limited"     // too many requests
	Unavailable     Kind = "unavailable" // not now: the disk is full, the server is stopping
	Uncertain       Kind = "uncertain"   // the connection broke while it was saved: it may have been done
	Internal        Kind = "internal"
)

// Error is a failure told to whoever asked: what is wrong and what to do next.
type Error struct {
	Kind Kind

	// The sentence is made when it is read: a page asks every guard, and mostly only whether it refuses.
	format string
	args   []any
}

func (e *Error) Error() string { return fmt.Sprintf(e.format, e.args...) }

// Errorf makes an [Error]. The sentence says what is wrong and what to do next.
func Errorf(kind Kind, format string, args ...any) error {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks the callers' formats
	}
	return &Error{Kind: kind, format: format, args: args}
}

// KindOf is the kind of the first [Error] that err wraps, and [Internal] if it wraps none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Missing is the one answer for what does not exist and what the actor may not see.
func Missing() error {
	return Errorf(NotFound, "There is no such page, or you may not see it. Check the address, or start at /.")
}
