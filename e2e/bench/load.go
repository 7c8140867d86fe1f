package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// target is something that one server can be asked.
type target struct {
	name     string
	server   *process
	requests [][]byte // taken in turn, each connection from another place on
	status   int      // that every answer must have
}

// sample is what one window of load has shown.
type sample struct {
	n    int
	wall time.Duration
	cpu  time.Duration   // of the server, for each request
	took []time.Duration // ascending
}

func (s *sample) rate() float64 { return float64(s.n) / s.wall.Seconds() }

func (s *sample) percentile(p int) time.Duration {
	if len(s.took) == 0 {
		return 0
	}
	return s.took[min(len(s.took)*p/100, len(s.took)-1)]
}

// load asks the target over so many connections for about that long. Any answer but the expected one is an error.
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
	s := &sample{wall: time.Since(begin), cpu: t.server.cpu() - used, took: slices.Concat(took...)}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(s.took)
	s.n = len(s.took)
	s.cpu /= time.Duration(max(s.n, 1))
	return s, nil
}

func (t *target) ask(c *client, n int) (answer, error) {
	a, err := c.ask(t.requests[n])
	if err != nil {
		return a, fmt.Errorf("%s: %w\n%s", t.name, err, t.server.log)
	}
	if a.status != t.status {
		return a, fmt.Errorf("%s: status %d, expected %d\n%s%s", t.name, a.status, t.status, a.head, a.body[:min(len(a.body), 2000)])
	}
	return a, nil
}
