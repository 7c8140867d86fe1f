package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
)

// These are the classes and codes of errors that this package distinguishes
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	classConstraint = "23"
	classLost       = "08"
	classResources  = "53"
	classShutdown   = "57"
	classInternal   = "XX"

	stateUnique         = "23505"
	stateReadOnly       = "25006"
	stateIdle           = "25P03" // idle for too long inside a transaction
	stateSerialization  = "40001"
	stateDeadlock       = "40P01"
	stateFull           = "53100"
	stateMemory         = "53200"
	stateLocked         = "55P03"
	stateCancelled      = "57014"
	stateDataCorrupted  = "XX001"
	stateIndexCorrupted = "XX002"
)

func sqlState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

func sqlClass(err error) string {
	s := sqlState(err)
	return s[:min(len(s), 2)]
}

func postgresPoisons(e *pgconn.PgError) bool {
	switch e.Code[:min(len(e.Code), 2)] {
	case classLost, classResources, classShutdown, classInternal, "40":
		return true
	}
	return e.Code == stateReadOnly || e.Code == stateIdle
}

func postgresRemedy(err error) string {
	switch sqlState(err) {
	case stateFull:
		return saysFull
	case stateMemory:
		return saysMemory
	case stateReadOnly:
		return saysReadOnly
	case stateLocked, stateSerialization, stateDeadlock, stateIdle, stateCancelled:
		return saysBusy
	case stateDataCorrupted, stateIndexCorrupted:
		return "The database is damaged. Nothing was changed; the operator should check the server and restore a backup."
	}
	if c := sqlClass(err); c == classLost || c == classResources || c == classShutdown || isLost(err) {
		return "The database cannot be reached. Nothing was changed; try again in a moment."
	}
	return ""
}

// isLost reports whether err means that the connection to the server failed.
func isLost(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if e, ok := errors.AsType[net.Error](err); ok && !errors.Is(err, context.DeadlineExceeded) {
		_, bare := e.(syscall.Errno) // a bare Errno comes from a file; errors of connections are in a net.OpError
		return !bare
	}
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, sql.ErrConnDone)
}

// isCollision reports whether a concurrent write may have caused the error, so that another attempt may succeed.
func isCollision(err error) bool {
	switch sqlState(err) {
	case stateSerialization, stateDeadlock:
		return true
	case stateUnique: // another transaction may have inserted the row, which the next attempt sees
		_, handled := errors.AsType[*Error](err)
		return !handled
	}
	return false
}

func translatePostgres(query string, args []any) (string, []any) {
	return numberParams(query), plainArgs(args)
}

// numberParams replaces question marks outside of quoted text by $1, $2 and so on.
func numberParams(query string) string {
	var b strings.Builder
	n, quoted := 0, false
	for i := range len(query) {
		switch c := query[i]; {
		case c == '?' && !quoted:
			n++
			b.WriteString("$" + strconv.Itoa(n))
		default:
			if c == '\'' {
				quoted = !quoted
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// plainArgs replaces booleans by 0 and 1. It also replaces NUL characters and invalid UTF-8 by U+FFFD, because
// PostgreSQL cannot store them in text.
func plainArgs(args []any) []any {
	for i, a := range args {
		switch v := a.(type) {
		case bool:
			args[i] = 0
			if v {
				args[i] = 1
			}
		case string:
			if strings.IndexByte(v, 0) >= 0 || !utf8.ValidString(v) {
				args[i] = strings.ReplaceAll(strings.ToValidUTF8(v, "\ufffd"), "\x00", "\ufffd")
			}
		}
	}
	return args
}
