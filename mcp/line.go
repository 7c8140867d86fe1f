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

// maxLine is the length of the longest message over stdio, in bytes. It is larger than maxBody, so that the site can
// refuse a message slightly above maxBody with an explanation.
const maxLine = 4 << 20

// lines reads one message on each line, and passes valid messages on to the SDK. It answers an invalid line with an
// error (JSON-RPC 2.0 §5.1), because the SDK would end the session. Only one goroutine may call Read.
type lines struct {
	in   io.Reader
	from *bufio.Reader
	out  *writer
	rest []byte // valid messages that Read has not returned yet
	err  error  // the error to return after rest
}

func newLines(in io.Reader, out *writer) *lines {
	return &lines{in: in, from: bufio.NewReaderSize(in, 64<<10), out: out}
}

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

// Close closes the input, because nothing else ends a pending read.
func (l *lines) Close() error {
	if c, ok := l.in.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// line returns the next line. A line longer than maxLine is dropped, and long is true.
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

// batch handles each message of a batch as if it had come alone. For protocol revisions from 2025-06-18 on, the SDK
// would end the session at a batch.
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

// message adds a message to rest if the SDK can read it, and otherwise answers with an error.
func (l *lines) message(raw []byte) {
	if _, err := jsonrpc.DecodeMessage(raw); err == nil {
		l.rest = append(append(l.rest, raw...), '\n')
		return
	}
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &m) != nil || len(m.ID) == 0 || strings.IndexByte(`"-0123456789`, m.ID[0]) < 0 {
		m.ID = nil
	}
	l.refuse(m.ID, jsonrpc.CodeInvalidRequest, "The line is not a message of JSON-RPC 2.0.")
}

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

// writer is the output that the SDK and lines share. Each Write call is one whole message. Close does nothing, because
// the output belongs to the caller of Stdio.
type writer struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

func (w *writer) Close() error { return nil }
