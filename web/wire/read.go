package wire

import (
	"errors"
	"io"
	"net/http"

	"samepage/store"
)

// MaxBody is the largest body of a request in bytes, unless it carries a file.
const MaxBody = 256 << 10

// MaxURL is the longest URL that means anything here, in bytes.
const MaxURL = 2048

// ParseForm reads the form of a request that is no action, such as signing in. The fields are in r.PostForm.
func ParseForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
	return FormError(r.ParseForm())
}

// FormError returns the error of reading a form as the caller is told it: [store.TooLarge] or
// [store.Invalid]. A [CutShort], and an error that is told already, stays as it is.
func FormError(err error) error {
	err = TooLarge(err)
	if _, short := errors.AsType[*CutShort](err); err == nil || short || store.CodeOf(err) != store.Internal {
		return err
	}
	return store.Errorf(store.Invalid, "The form cannot be read. Open the page and send it again.")
}

// TooLarge returns the error of reading a body: [store.TooLarge] if the body exceeded its limit,
// any other error as it is.
func TooLarge(err error) error {
	if big, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return store.Errorf(store.TooLarge, "The request is larger than %d KiB, the most this takes.", big.Limit>>10)
	}
	return err
}

// CutShort is a failure to read a body that ended early or came too slowly. The client or the network is to blame.
type CutShort struct{ Err error }

func (e *CutShort) Error() string { return "the body was not received: " + e.Err.Error() }

// Unwrap is for package errors.
func (e *CutShort) Unwrap() error { return e.Err }

// Incoming returns a request's body that reports its errors as a [CutShort].
func Incoming(body io.ReadCloser) io.ReadCloser { return incoming{body} }

type incoming struct{ io.ReadCloser }

// Read implements io.Reader.
func (b incoming) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &CutShort{err}
	}
	return n, err
}

// Error is an error with one of the codes of /help/errors that the store does not know.
type Error struct{ Code, Message string }

func (e *Error) Error() string { return e.Message }

// ErrMediaType refuses a body of another media type.
var ErrMediaType error = &Error{"media_type",
	"Actions take application/x-www-form-urlencoded, multipart/form-data or application/json. Send one of these."}

// WithQuery returns the path with the encoded query, if there is one.
func WithQuery(path, raw string) string {
	if raw == "" {
		return path
	}
	return path + "?" + raw
}

// Clip cuts a text to at most n bytes, on a rune boundary, and marks the cut with an ellipsis.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
