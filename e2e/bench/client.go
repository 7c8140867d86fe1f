//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// client is a minimal HTTP/1.1 client with one connection. It uses less processor time than the client of net/http.
type client struct {
	conn net.Conn
	buf  []byte
}

func dial(addr string) (*client, error) {
	conn, err := net.DialTimeout("tcp", addr, 10*time.Second)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, buf: make([]byte, 64<<10)}, nil
}

func (c *client) close() { c.conn.Close() }

// answer is the server's answer to one request. It is valid until the client's next request.
type answer struct {
	status     int
	head, body []byte // a chunked body includes the lines with the chunk sizes
}

// header returns the value of a header, or "". The name must be in canonical form, such as "Content-Type".
func (a *answer) header(name string) string {
	_, rest, ok := bytes.Cut(a.head, []byte("\r\n"+name+": "))
	if !ok {
		return ""
	}
	value, _, _ := bytes.Cut(rest, []byte("\r\n"))
	return string(value)
}

var (
	headEnd  = []byte("\r\n\r\n")
	length   = []byte("\r\nContent-Length: ")
	chunked  = []byte("\r\nTransfer-Encoding: chunked\r\n")
	chunkEnd = []byte("\r\n0\r\n\r\n")
)

// ask sends one request. An answer with an error status is not an error.
func (c *client) ask(request []byte) (a answer, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return a, err
	}
	n, end := 0, -1
	for end < 0 {
		if n, err = c.more(n); err != nil {
			return a, err
		}
		end = bytes.Index(c.buf[:n], headEnd)
	}
	a.head = c.buf[:end+2]
	if len(a.head) < len("HTTP/1.1 200") {
		return a, errors.New("this is not HTTP")
	}
	if a.status, err = strconv.Atoi(string(a.head[9:12])); err != nil {
		return a, err
	}
	start := end + len(headEnd)
	switch {
	case a.status == 304 || a.status == 204:
		return a, nil
	case bytes.Contains(a.head, chunked):
		// Chunked answers are JSON without line ends here, so the end of the last chunk is unique.
		for !bytes.HasSuffix(c.buf[:n], chunkEnd) {
			if n, err = c.more(n); err != nil {
				return a, err
			}
		}
	default:
		_, rest, ok := bytes.Cut(a.head, length)
		digits, _, _ := bytes.Cut(rest, []byte("\r\n"))
		size, err := strconv.Atoi(string(digits))
		if !ok || err != nil {
			return a, fmt.Errorf("no length in %q", a.head)
		}
		for n < start+size {
			if n, err = c.more(n); err != nil {
				return a, err
			}
		}
	}
	a.head, a.body = c.buf[:end+2], c.buf[start:n]
	return a, nil
}

// more reads further bytes into the buffer after the first n bytes, and returns the new length.
func (c *client) more(n int) (int, error) {
	if n == len(c.buf) {
		c.buf = append(c.buf, make([]byte, len(c.buf))...)
	}
	got, err := c.conn.Read(c.buf[n:])
	return n + got, err
}

// request returns the bytes of a request. Each header is a string such as "Name: value".
func request(method, path string, body string, headers ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\n", method, path)
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return []byte(b.String())
}

// once sends one request over a new connection.
func once(addr string, request []byte) (status int, head *answer, err error) {
	c, err := dial(addr)
	if err != nil {
		return 0, nil, err
	}
	defer c.close()
	a, err := c.ask(request)
	return a.status, &a, err
}

// unchunked returns the body of an answer without the lines between its chunks.
func unchunked(a answer) []byte {
	if !bytes.Contains(a.head, chunked) {
		return a.body
	}
	var out []byte
	for rest := a.body; ; {
		line, more, _ := bytes.Cut(rest, []byte("\r\n"))
		size, err := strconv.ParseInt(string(line), 16, 64)
		if err != nil || size == 0 || int64(len(more)) < size+2 {
			return out
		}
		out, rest = append(out, more[:size]...), more[size+2:]
	}
}
