// Package seldom writes the log lines of a fault that lasts, such as a full disk: the first at once, and then one line
// a minute with the count of the others.
package seldom

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// interval is the time in which a line is written once.
const interval = time.Minute

// Log writes to a logger. It is safe for concurrent use; the zero value writes to [slog.Default].
type Log struct {
	To *slog.Logger // nil for slog.Default()

	mu    sync.Mutex
	lines map[string]*line // by message
}

// line is a message that was written less than an interval ago.
type line struct {
	more int   // count of those that were not written
	args []any // of the last of them
}

// Warn writes a line with the level of a warning.
func (l *Log) Warn(message string, args ...any) { l.write(slog.LevelWarn, message, args) }

// Error writes a line with the level of an error.
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

// sum writes the count of the lines of an interval. After an interval without any, the next line is written at once.
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
	to := l.To
	if to == nil {
		to = slog.Default()
	}
	to.Log(context.Background(), level, message, args...)
}
