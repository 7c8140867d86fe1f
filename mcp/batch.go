package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// These limits are for batches of messages, which exist only in revisions of the protocol before 2025-06-18.
const (
	maxBatch   = 20  // greatest number of messages in a batch
	plainBytes = 512 // a shorter body cannot hold more than maxBatch messages, and is not checked
)

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
			first, err = head.ReadByte() // white space before a message
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

type readCloser struct {
	io.Reader
	io.Closer
}
