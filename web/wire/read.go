package wire

import (
	"errors"
	"io"
	"net/http"

	"samepage/actions/param"
	"samepage/store"
)

// MaxBody is the largest body of a request without a file, in bytes.
const MaxBody = 256 << 10

// MaxURL is the length of the longest URL of a page, in bytes.
const MaxURL = param.MaxRef

// ParseForm reads the form of a request that is not an action, such as signing in, into r.PostForm.
func ParseForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
	return FormError(r.ParseForm())
}

// FormError returns the error to report to the caller after reading a form failed: [store.TooLarge] or [store.Invalid].
// It returns nil, a [CutShort] and any other error of the store unchanged.
func FormError(err error) error {
	err = TooLarge(err)
	if _, short := errors.AsType[*CutShort](err); err == nil || short || store.CodeOf(err) != store.Internal {
		return err
	}
	return store.Errorf(store.Invalid, "The form cannot be read. Open the page and send it again.")
}

// TooLarge turns the error of reading a body into [store.TooLarge] if the body exceeded its limit. It returns any other
// error unchanged.
func TooLarge(err error) error {
	if big, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return store.Errorf(store.TooLarge, "The request is larger than %d KiB, the most this takes.", big.Limit>>10)
	}
	return err
}

// CutShort is a failure to read a body that ended early or arrived too slowly, because of the client or the network.
type CutShort struct{ Err error }

func (e *CutShort) Error() string { return "the body was not received: " + e.Err.Error() }

// Unwrap returns the error of reading.
func (e *CutShort) Unwrap() error { return e.Err }

// Incoming wraps a request's body, so that an error of reading it is a [CutShort].
func Incoming(body io.ReadCloser) io.ReadCloser { return incoming{body} }

type incoming struct{ io.ReadCloser }

func (b incoming) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &CutShort{err}
	}
	return n, err
}

// Error is an error with one of the codes of /help/errors that package store does not define.
type Error struct{ Code, Message string }

func (e *Error) Error() string { return e.Message }

// ErrMediaType refuses a body with a media type that no action accepts.
var ErrMediaType error = &Error{"media_type",
	"Actions take application/x-www-form-urlencoded, multipart/form-data or application/json. Send one of these."}

// ErrCoding refuses a compressed body.
var ErrCoding error = &Error{"media_type", "Bodies are read as they are. Send this one without Content-Encoding."}

// WithQuery returns the path with the encoded query, if there is one.
func WithQuery(path, raw string) string {
	if raw == "" {
		return path
	}
	return path + "?" + raw
}

// Clip cuts a text to at most n bytes, without splitting a rune, and appends an ellipsis if it cuts.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
