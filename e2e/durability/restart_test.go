//go:build linux

package durability

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// retrier is a small proxy in front of a server. It repeats a request that got no answer or the status 503. That is
// safe, because writes have an idempotency key.
type retrier struct {
	to      string // URL of the server
	client  *http.Client
	retried atomic.Int64
}

func (p *retrier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for try := 0; ; try++ {
		status, text, err := p.forward(r, body)
		if (err != nil || status == http.StatusServiceUnavailable) && try < 500 {
			p.retried.Add(1)
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.WriteHeader(status)
		w.Write(text)
		return
	}
}

func (p *retrier) forward(r *http.Request, body []byte) (int, []byte, error) {
	to, err := http.NewRequestWithContext(r.Context(), r.Method, p.to+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	to.Header = r.Header.Clone()
	resp, err := p.client.Do(to)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, text, err
}

// TestRestartUnderLoad restarts a server repeatedly while 16 writers and 4 readers use it through a retrying proxy.
// No request may fail, and every action must be there once. The flag -requests sets the number of requests.
func TestRestartUnderLoad(t *testing.T) {
	long(t, "2,000 requests through restarts, or more with -requests")
	w := seeded(t)
	t.Logf("-seed %d", *seed)
	dir := w.folder(t)
	s := serve(t, dir)
	address := strings.TrimPrefix(s.url, "http://")
	proxy := &retrier{to: s.url, client: s.client}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	behind := *s
	behind.url, behind.client = front.URL, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}
	l := newLedger(w, rand.New(rand.NewPCG(*seed, 16)))
	group := l.write(t.Context(), &behind, writers, 0)
	var reads atomic.Int64
	for i := range 4 {
		group.Go(func() {
			for int(reads.Load())+len(l.those(acknowledged)) < *through {
				if status, text := behind.read(w.polls[i].url, w.tokens[i]); status != 200 {
					t.Errorf("a page: %d %.300s", status, text)
					return
				}
				reads.Add(1)
			}
		})
	}
	restarts := 0
	total := func() int { return int(reads.Load()) + len(l.those(acknowledged)) }
	for deadline := time.Now().Add(hangs); total() < *through; {
		before := total()
		if code := s.end(syscall.SIGTERM); code != 0 {
			t.Fatalf("it exits with %d:\n%s", code, s.output)
		}
		if s = serveAt(t, dir, address); s.url == "" {
			t.Fatalf("it does not start again:\n%s", s.output)
		}
		restarts++
		for total() < min(before+*through/10, *through) && time.Now().Before(deadline) {
			time.Sleep(5 * time.Millisecond)
		}
		if time.Now().After(deadline) {
			t.Fatalf("only %d requests were answered", total())
		}
	}
	group.stop()
	l.mustNotRefuse(t)
	if n := len(l.those(unknown)); n > 0 {
		t.Errorf("%d requests failed", n)
	}
	t.Logf("%d writes and %d reads through %d restarts, none failed; the proxy tried %d again",
		len(l.those(acknowledged)), reads.Load(), restarts, proxy.retried.Load())
	sound(t, s, l, dir)
}
