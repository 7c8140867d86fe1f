package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// A batch sends several messages in one request. Batches exist only in revisions of the protocol before 2025-06-18.
// Each call in a batch is a request of its own to the site, and counts against the rate limits.
const (
	maxBatch   = 20
	plainBytes = 512 // a shorter body cannot hold more than maxBatch messages
)

// fewCalls is middleware that refuses a batch of more than [maxBatch] messages and passes every other request on.
func (w *walker) fewCalls(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.ContentLength >= 0 && r.ContentLength < plainBytes {
			next.ServeHTTP(rw, r)
			return
		}
		body := r.Body
		head := bufio.NewReaderSize(body, 512)
		first, err := byte(' '), error(nil)
		for err == nil && (first == ' ' || first == '\n' || first == '\t' || first == '\r') {
			first, err = head.ReadByte() // white space before a message has no meaning
		}
		if err == nil {
			head.UnreadByte() // cannot fail right after ReadByte
		}
		r.Body = readCloser{head, body}
		if err != nil || first != '[' {
			next.ServeHTTP(rw, r)
			return
		}
		text, err := io.ReadAll(io.LimitReader(head, maxBody+1))
		var batch []json.RawMessage
		if err == nil && json.Unmarshal(text, &batch) == nil && len(batch) > maxBatch {
			http.Error(rw, fmt.Sprintf("A batch has at most %d messages, and this one has %d. Nothing was done; send them in parts.",
				maxBatch, len(batch)), http.StatusBadRequest)
			return
		}
		r.Body = readCloser{io.MultiReader(bytes.NewReader(text), head), body}
		next.ServeHTTP(rw, r)
	})
}

// readCloser reads the rest of a body through another reader, and closes the body itself.
type readCloser struct {
	io.Reader
	io.Closer
}
