package db

import (
	"errors"
	"fmt"
)

// Code is the class of a failure.
type Code string

// These are the codes of failures. The strings are stable and are documented at /help/errors.
const (
	Invalid         Code = "invalid"         // the request cannot be read, or a field of it is wrong
	Unauthenticated Code = "unauthenticated" // an anonymous actor must sign in for the action, or a token is wrong
	Forbidden       Code = "forbidden"       // the actor may see the page, but not run the action
	NotFound        Code = "not_found"       // the page does not exist, or the actor may not see it
	Conflict        Code = "conflict"        // the page has changed, or its state does not permit the action
	TooLarge        Code = "too_large"
	Limited         Code = "limited"     // too many requests
	Unavailable     Code = "unavailable" // not possible at present, for example because the disk is full
	Uncertain       Code = "uncertain"   // the connection broke during the commit: the change may be saved or lost
	Internal        Code = "internal"
)

// Error is a failure with a sentence for the user: the cause and the next step.
type Error struct {
	Code Code

	// The sentence is formatted only when it is read, because most errors are about actions that a page does not offer,
	// and nobody reads them.
	format string
	args   []any
}

func (e *Error) Error() string { return fmt.Sprintf(e.format, e.args...) }

// Errorf returns an [Error]. The sentence gives the cause and the next step.
func Errorf(code Code, format string, args ...any) error {
	if false {
		_ = fmt.Sprintf(format, args...) // makes go vet check the format strings of all callers
	}
	return &Error{Code: code, format: format, args: args}
}

// Address is an argument of [Errorf] for the path of a page, which the sentence shows as a link where possible.
type Address string

// Addresses returns the addresses in the sentence.
func (e *Error) Addresses() (list []string) {
	for _, arg := range e.args {
		switch a := arg.(type) {
		case Address:
			list = append(list, string(a))
		case *Error:
			list = append(list, a.Addresses()...)
		}
	}
	return list
}

// CodeOf returns the code of the first [Error] that err wraps, or [Internal] if there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// IsRefusal reports whether the error says no to a request, because of the request, the actor or the state of the page.
// Other errors are faults, such as a lost connection, after which the same request may succeed.
func IsRefusal(err error) bool {
	switch CodeOf(err) {
	case Unavailable, Uncertain, Internal:
		return false
	}
	return err != nil
}

// Missing returns the error for a page that does not exist or that the actor may not see. The error is the same in both
// cases, so that it does not reveal which pages exist.
func Missing() error {
	return Errorf(NotFound, "There is no such page, or you may not see it. Check the address, or start at /.")
}
