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

// How PostgreSQL is spoken to, and what its errors mean.

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	classConstraint = "23"
	classLost       = "08"
	classResources  = "53"
	classShutdown   = "57"
	classInternal   = "XX"

	stateUnique         = "23505"
	stateReadOnly       = "25006"
	stateIdle           = "25P03" // idle for too long within a transaction
	stateSerialization  = "40001"
	stateDeadlock       = "40P01"
	stateFull           = "53100"
	stateMemory         = "53200"
	stateLocked         = "55P03"
	stateCancelled      = "57014"
	stateDataCorrupted  = "XX001"
	stateIndexCorrupted = "XX002"
)

// sqlState is the five characters that say what kind of error the server reported, empty for others.
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

// postgresPoisons reports an error after which the connection or the whole transaction is of no use.
func postgresPoisons(e *pgconn.PgError) bool {
	switch e.Code[:min(len(e.Code), 2)] {
	case classLost, classResources, classShutdown, classInternal, "40":
		return true
	}
	return e.Code == stateReadOnly || e.Code == stateIdle
}

// postgresTold says what to do after an error, or nothing.
func postgresTold(err error) string {
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

// isLost reports that the connection could not be made, or broke.
func isLost(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if e, ok := errors.AsType[net.Error](err); ok && !errors.Is(err, context.DeadlineExceeded) {
		_, bare := e.(syscall.Errno) // of a file: those of a connection are within a net.OpError
		return !bare
	}
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, sql.ErrConnDone)
}

// ranInto reports an error that comes of others writing at the same time: the same again may well go through.
func ranInto(err error) bool {
	switch sqlState(err) {
	case stateSerialization, stateDeadlock:
		return true
	case stateUnique: // somebody was first; what is there now is seen the next time
		_, handled := errors.AsType[*Error](err)
		return !handled
	}
	return false
}

// postgresPlain puts our statements, which are written for SQLite, in the server's words.
func postgresPlain(query string, args []any) (string, []any) { return numbered(query), plain(args) }

// numbered writes $1, $2 … for each question mark outside of quotations.
func numbered(query string) string {
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

// plain writes truth as 0 or 1, as the columns keep it, and puts a sign in place of what no text here can hold.
func plain(args []any) []any {
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
