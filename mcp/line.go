package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine is the largest message over stdio, in bytes. It is more than maxBody, so that the site
// can refuse a message above maxBody in words.
const maxLine = 4 << 20

// lines reads the messages of in, one a line. It answers lines that are no messages, because the
// SDK would end the session at the first of them (JSON-RPC 2.0 §5.1). One goroutine reads it.
type lines struct {
	in   io.Reader
	from *bufio.Reader
	out  *writer
	rest []byte // the part of the messages that is not passed on yet
	err  error  // follows rest
}

func newLines(in io.Reader, out *writer) *lines {
	return &lines{in: in, from: bufio.NewReaderSize(in, 64<<10), out: out}
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		line, long, err := l.line()
		l.err = err
		switch line = bytes.TrimSpace(line); {
		case err != nil && !errors.Is(err, io.EOF):
			return 0, err
		case long:
			l.refuse(nil, jsonrpc.CodeInvalidRequest, "The message is longer than 4 MiB.")
		case len(line) == 0:
		case !json.Valid(line):
			l.refuse(nil, jsonrpc.CodeParseError, "The line is not JSON. Send one message a line.")
		case line[0] == '[':
			l.batch(line)
		default:
			l.message(line)
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Close implements io.Closer. It closes in, if in can be closed, because there is no other way to
// end a read.
func (l *lines) Close() error {
	if c, ok := l.in.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// line returns the next line. A line that is too long is read to its end and dropped.
func (l *lines) line() (line []byte, long bool, err error) {
	for {
		part, err := l.from.ReadSlice('\n')
		long = long || len(line)+len(part) > maxLine
		if long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// batch passes on the messages of a batch one by one. Only revisions before 2025-06-18 have
// batches, and the SDK ends the session at a batch in any other revision.
func (l *lines) batch(line []byte) {
	var all []json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil || len(all) == 0 {
		l.refuse(nil, jsonrpc.CodeInvalidRequest, "The batch is empty. Send one message a line.")
		return
	}
	for _, m := range all {
		l.message(m)
	}
}

// message passes on a message that the SDK can read. Any other is refused by its id, if it has
// one.
func (l *lines) message(raw []byte) {
	if _, err := jsonrpc.DecodeMessage(raw); err == nil {
		l.rest = append(append(l.rest, raw...), '\n')
		return
	}
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &m) != nil || len(m.ID) == 0 || strings.IndexByte(`"-0123456789`, m.ID[0]) < 0 {
		m.ID = nil // neither text nor a number
	}
	l.refuse(m.ID, jsonrpc.CodeInvalidRequest, "The line is not a message of JSON-RPC 2.0.")
}

// refuse answers with an error. A nil id is written as null.
func (l *lines) refuse(id json.RawMessage, code int, sentence string) {
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", id, jsonrpc.Error{Code: int64(code), Message: sentence}})
	if err == nil {
		_, err = l.out.Write(append(text, '\n'))
	}
	if err != nil {
		l.err = err
	}
}

// writer is out. The SDK and lines write whole messages to it, one at a time. It stays open,
// because it belongs to the caller.
type writer struct {
	mu  sync.Mutex
	out io.Writer
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Close implements io.Closer.
func (w *writer) Close() error { return nil }
