package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"samepage/store/work/wire"
)

// site is a connection to the Samepage server.
type site struct {
	handler http.Handler
	origin  string
	token   string
}

// runnerPage is the JSON form of the runner's page.
type runnerPage struct {
	Version string      `json:"version"`
	Data    wire.Runner `json:"data"`
}

type job struct {
	*wire.Job
	roots []string // roots of the runner's page
}

type answerError struct {
	status  int
	message string
	after   time.Duration // time to wait before the next request; 0 if the server did not say
}

func (e *answerError) Error() string {
	return fmt.Sprintf("the site answers %d: %s", e.status, e.message)
}

// isConflict reports whether the server answered that the present state does not allow an action, for example because a
// claim has expired.
func isConflict(err error) bool {
	refused, ok := errors.AsType[*answerError](err)
	return ok && refused.status == http.StatusConflict
}

func (s *site) read(ctx context.Context, path string) (*runnerPage, error) {
	body, err := s.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	p := &runnerPage{}
	if err := json.Unmarshal(body, p); err != nil {
		return nil, fmt.Errorf("the page of the runner: %w", err)
	}
	return p, nil
}

func (s *site) act(ctx context.Context, page, name string, params map[string]any) error {
	_, err := s.take(ctx, page, name, params)
	return err
}

// take takes an action on a page and returns the secret in the answer, or "".
func (s *site) take(ctx context.Context, page, name string, params map[string]any) (secret string, err error) {
	body, err := encode(map[string]any{"params": params})
	if err != nil {
		return "", err
	}
	if body, err = s.send(ctx, http.MethodPost, page+"/actions/"+name, body); err != nil {
		return "", err
	}
	var done struct{ Secret string }
	return done.Secret, json.Unmarshal(body, &done)
}

// encode encodes a value as JSON, without escapes of the characters <, > and &, because these could make a report with
// much HTML too long for the server.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// maxAnswer is the maximum size of an answer, in bytes.
const maxAnswer = 4 << 20

func (s *site) send(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, waitFor+30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.origin+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("User-Agent", "samepage-runner")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.RequestURI, r.RemoteAddr = path, "127.0.0.1:1"
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	s.handler.ServeHTTP(w, r)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if w.status >= 200 && w.status < 300 {
		return w.body.Bytes(), nil
	}
	var said struct {
		Error struct{ Message string }
	}
	fail := &answerError{status: w.status}
	if json.Unmarshal(w.body.Bytes(), &said) == nil {
		fail.message = said.Error.Message
	}
	if n, err := strconv.Atoi(w.header.Get("Retry-After")); err == nil {
		fail.after = time.Duration(n) * time.Second
	}
	return nil, fail
}

type recorder struct {
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

// WriteHeader ignores further calls and informational statuses.
func (w *recorder) WriteHeader(status int) {
	if !w.wrote && status >= 200 {
		w.status, w.wrote = status, true
	}
}

// Write returns an error if the body has more than maxAnswer bytes.
func (w *recorder) Write(p []byte) (int, error) {
	w.wrote = true
	if w.body.Len()+len(p) > maxAnswer {
		return 0, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	}
	return w.body.Write(p)
}
