// Package seldom limits the log lines about a lasting fault, such as a full disk. It writes the first line at once, and
// then, once a minute, the number of suppressed lines.
package seldom

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"
)

// interval is how long further lines with the same message are suppressed.
const interval = time.Minute

// Log writes to a logger. It is safe for concurrent use.
type Log struct {
	To *slog.Logger // nil for slog.Default()

	mu    sync.Mutex
	lines map[string]*line // states by message
}

// line is the state of a message that was written within the last interval.
type line struct {
	more int   // number of suppressed lines
	args []any // arguments of the last suppressed line
}

// Warn logs a warning. Each message is written at most once a minute.
func (l *Log) Warn(message string, args ...any) { l.write(slog.LevelWarn, message, args) }

// Error logs an error. Each message is written at most once a minute.
func (l *Log) Error(message string, args ...any) { l.write(slog.LevelError, message, args) }

func (l *Log) write(level slog.Level, message string, args []any) {
	l.mu.Lock()
	if known := l.lines[message]; known != nil {
		known.more++
		known.args = args
		l.mu.Unlock()
		return
	}
	if l.lines == nil {
		l.lines = map[string]*line{}
	}
	l.lines[message] = &line{}
	l.mu.Unlock()
	l.log(level, message, args)
	time.AfterFunc(interval, func() { l.sum(level, message) })
}

// sum writes the number of suppressed lines at the end of an interval, and forgets a message without such lines.
func (l *Log) sum(level slog.Level, message string) {
	l.mu.Lock()
	known := *l.lines[message]
	if known.more == 0 {
		delete(l.lines, message)
		l.mu.Unlock()
		return
	}
	l.lines[message] = &line{}
	l.mu.Unlock()
	l.log(level, message, append([]any{"times", known.more, "within", interval}, known.args...))
	time.AfterFunc(interval, func() { l.sum(level, message) })
}

func (l *Log) log(level slog.Level, message string, args []any) {
	to := cmp.Or(l.To, slog.Default())
	to.Log(context.Background(), level, message, args...)
}
