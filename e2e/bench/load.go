//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

type target struct {
	name     string
	server   *process
	requests [][]byte // sent in turn
	status   int      // expected status of every answer
}

// sample is the result of one window of time.
type sample struct {
	n    int
	wall time.Duration
	cpu  time.Duration   // mean processor time of the server per request
	took []time.Duration // times until the answers, in ascending order
}

func (s *sample) rate() float64 { return float64(s.n) / s.wall.Seconds() }

func (s *sample) percentile(p int) time.Duration {
	if len(s.took) == 0 {
		return 0
	}
	return s.took[min(len(s.took)*p/100, len(s.took)-1)]
}

type loader func(t *target, length time.Duration) (*sample, error)

// warm sends each request once, because first requests cost more.
func (t *target) warm() error {
	c, err := dial(t.server.addr)
	if err != nil {
		return err
	}
	defer c.close()
	for n := range t.requests {
		if _, err := t.ask(c, n); err != nil {
			return err
		}
	}
	return nil
}

// many returns a loader that uses the given number of connections at once.
func many(conns int) loader {
	return func(t *target, length time.Duration) (*sample, error) { return t.load(conns, length) }
}

// load sends requests over the given number of connections for about the given time. An unexpected status is an error.
func (t *target) load(conns int, length time.Duration) (*sample, error) {
	clients := make([]*client, conns)
	for i := range clients {
		c, err := dial(t.server.addr)
		if err != nil {
			return nil, err
		}
		defer c.close()
		clients[i] = c
		if _, err := t.ask(c, rand.IntN(len(t.requests))); err != nil {
			return nil, err
		}
	}
	took, errs := make([][]time.Duration, conns), make([]error, conns)
	begin, used := time.Now(), t.server.cpu()
	var wg sync.WaitGroup
	for i, c := range clients {
		from := rand.IntN(len(t.requests))
		wg.Go(func() {
			last := begin
			for n := from; last.Sub(begin) < length; n++ {
				if _, err := t.ask(c, n%len(t.requests)); err != nil {
					errs[i] = err
					return
				}
				now := time.Now()
				took[i] = append(took[i], now.Sub(last))
				last = now
			}
		})
	}
	wg.Wait()
	wall, cpu := time.Since(begin), t.server.cpu()-used
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return newSample(wall, cpu, slices.Concat(took...)), nil
}

func newSample(wall, cpu time.Duration, took []time.Duration) *sample {
	slices.Sort(took)
	return &sample{n: len(took), wall: wall, cpu: cpu / time.Duration(max(len(took), 1)), took: took}
}

// ordinary returns a loader that uses one connection and the client of net/http, as ordinary clients do. If compressed
// is true, the client requests gzip and unpacks the answer.
func ordinary(compressed bool) loader {
	return func(t *target, length time.Duration) (*sample, error) { return t.loadOrdinary(compressed, length) }
}

func (t *target) loadOrdinary(compressed bool, length time.Duration) (*sample, error) {
	transport := &http.Transport{DisableCompression: !compressed}
	defer transport.CloseIdleConnections()
	var took []time.Duration
	var begin time.Time
	var used time.Duration
	for n := 0; n == 0 || time.Since(begin) < length; n++ {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(t.requests[n%len(t.requests)])))
		if err != nil {
			return nil, err
		}
		r.RequestURI, r.URL.Scheme, r.URL.Host = "", "http", t.server.addr
		start := time.Now()
		a, err := transport.RoundTrip(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", t.name, err, t.server.log)
		}
		_, err = io.Copy(io.Discard, a.Body)
		a.Body.Close()
		if err != nil || a.StatusCode != t.status {
			return nil, fmt.Errorf("%s: %s, %w", t.name, a.Status, err)
		}
		if n == 0 { // the first request also connects
			begin, used = time.Now(), t.server.cpu()
			continue
		}
		took = append(took, time.Since(start))
	}
	return newSample(time.Since(begin), t.server.cpu()-used, took), nil
}

func (t *target) ask(c *client, n int) (answer, error) {
	a, err := c.ask(t.requests[n])
	if err != nil {
		return a, fmt.Errorf("%s: %w\n%s", t.name, err, t.server.log)
	}
	if a.status != t.status {
		return a, fmt.Errorf("%s: status %d, expected %d\n%s%s", t.name, a.status, t.status, a.head,
			a.body[:min(len(a.body), 2000)])
	}
	return a, nil
}
