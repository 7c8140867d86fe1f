//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"samepage/e2e/bench/world"
)

const (
	waitingPeers  = 2200
	pagesOfPeers  = 200
	waitingAgents = 10_000 // number of MCP clients
	pagesOfAgents = 1000
	writesEach    = 50 * time.Millisecond // time between two comments that are written while agents wait
)

// waits measures gate 17: the cost of actions while many requests wait for other pages to change, and the time of reads
// while very many agents wait.
func (b *bench) waits(context.Context) error {
	folder := filepath.Join(b.folder, "awaited") // a copy, because comments change it
	if _, err := b.large.Copy(folder); err != nil {
		return err
	}
	server, err := b.serve(folder)
	if err != nil {
		return err
	}
	pages, err := b.awaited(server)
	if err != nil {
		return err
	}
	if err := b.actBeside(server, pages[:min(pagesOfPeers, len(pages))]); err != nil {
		return err
	}
	if err := b.readBeside(server, pages); err != nil {
		return err
	}
	return b.end(server)
}

// awaited returns URLs of pages with parameters that make a request wait until the page changes.
func (b *bench) awaited(server *process) ([]string, error) {
	var list []string
	all := slices.Concat(b.large.Closed, b.large.Notes)
	for _, path := range all[:min(pagesOfAgents, len(all))] {
		status, a, err := once(server.addr, page("page", server, b.large, path).requests[0])
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("status %d", status)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, path+"?wait=60&since="+version(a.body))
	}
	return list, nil
}

// version returns the version of a page. The body is markdown, or a tool result with the markdown in a JSON string.
func version(body []byte) string {
	_, rest, _ := bytes.Cut(body, []byte("version: "))
	rest = bytes.TrimLeft(rest, `\"`)
	return string(rest[:max(bytes.IndexAny(rest, `\"`), 0)])
}

// comments returns a target with requests that post a comment, as a browser's form with an agent's token.
func comments(name string, server *process, w *world.World, paths []string) *target {
	t := &target{name: name, server: server, status: http.StatusSeeOther}
	for i, path := range paths {
		body := url.Values{"text": {fmt.Sprintf("Comment %d.", i)}}.Encode()
		t.requests = append(t.requests, request("POST", path+"/actions/comment", body,
			"Authorization: Bearer "+w.Token, "Accept: text/html", "Content-Type: application/x-www-form-urlencoded"))
	}
	return t
}

func (b *bench) actBeside(server *process, pages []string) error {
	const measure = "an action while 2,200 wait for other pages ÷ with none waiting"
	alone, beside := comments("comment", server, b.large, b.large.Open), comments("comment beside waiters", server,
		b.large, b.large.Open)
	c, err := b.compare(func(t *target, length time.Duration) (*sample, error) {
		if t != beside {
			return t.load(1, length)
		}
		crowd, err := b.wait(server, waitingPeers, pages, func(path, token string) []byte {
			return request("GET", path, "", "Authorization: Bearer "+token, "Accept: text/markdown")
		})
		if err != nil {
			return nil, err
		}
		s, err := t.load(1, length)
		if cerr := crowd.end(); err == nil {
			err = cerr
		}
		if n := crowd.answers.Load(); err == nil && n > 0 {
			err = fmt.Errorf("%d requests were answered although nothing changed on their pages", n)
		}
		return s, err
	}, alone, beside)
	if err != nil {
		return b.refuse(17, measure, err)
	}
	p50 := c.median(func(r *round) float64 { return ratio(r.own[1].percentile(50), r.own[0].percentile(50)) })
	b.most(17, measure+", p50", p50, 1.5, "", "alone "+c.beside(0))
	b.most(17, measure+", CPU", c.between(1, 0), 1.5, "", "beside them "+c.beside(1))
	return nil
}

// readBeside measures the reads of one agent while very many agents wait and comments are written. Every second comment
// is on a page for which about ten agents wait.
func (b *bench) readBeside(server *process, pages []string) error {
	crowd, err := b.wait(server, waitingAgents, pages, func(path, token string) []byte { return navigate(token, path) })
	if err != nil {
		return err
	}
	reads := &target{name: "navigate", server: server, status: http.StatusOK}
	for _, path := range b.large.Closed {
		reads.requests = append(reads.requests, navigate(b.large.Token, path))
	}
	var targets []string
	for i := range pages {
		awaited, _, _ := strings.Cut(pages[i], "?")
		targets = append(targets, awaited, b.large.Open[i%len(b.large.Open)])
	}
	length := 40 * b.plan.window
	var written *sample
	var werr error
	var group sync.WaitGroup
	group.Go(func() { written, werr = paced(comments("comment", server, b.large, targets), length, writesEach) })
	s, err := paced(reads, length, 0)
	group.Wait()
	memory, merr := server.memory()
	if err := errors.Join(err, werr, merr, crowd.end()); err != nil {
		return err
	}
	b.most(17, "p95 of navigate while 10,000 MCP clients wait and 20 comments a second are written", ms(s.percentile(95)), 150, " ms",
		fmt.Sprintf("p50 %.1f ms, p99 %.1f ms, %.0f/s; %d comments in %.1f s answered %d clients; %d MB",
			ms(s.percentile(50)), ms(s.percentile(99)), s.rate(), written.n, s.wall.Seconds(), crowd.answers.Load(), memory>>20))
	return nil
}

// paced sends requests one after another, each not before its number times the pace. If the server has closed the
// connection, paced connects again.
func paced(t *target, length, pace time.Duration) (*sample, error) {
	var c *client
	var took []time.Duration
	begin, used := time.Now(), t.server.cpu()
	for n := 0; time.Since(begin) < length; n++ {
		time.Sleep(time.Until(begin.Add(time.Duration(n) * pace)))
		asked := time.Now()
		if c == nil {
			var err error
			if c, err = dial(t.server.addr); err != nil {
				return nil, err
			}
			defer c.close()
		}
		a, err := t.ask(c, n%len(t.requests))
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(asked))
		if a.header("Connection") == "close" {
			c.close()
			c = nil
		}
	}
	return newSample(time.Since(begin), t.server.cpu()-used, took), nil
}

// crowd is a number of clients that wait for pages to change, again and again, each over its own connection.
type crowd struct {
	answers atomic.Int64
	group   sync.WaitGroup

	mu      sync.Mutex
	clients []*client
	ended   bool
	err     error // the first error before the call of end
}

// wait starts n clients that wait until the pages change. It returns once the server has used almost no processor time
// for half a second. On a busy machine, a server with work left may get no processor time in a shorter period.
func (b *bench) wait(server *process, n int, pages []string, ask func(path, token string) []byte) (*crowd, error) {
	x := &crowd{clients: make([]*client, n)}
	for i := range n {
		c, err := x.connect(server, i)
		if err != nil {
			x.end()
			return nil, err
		}
		path, token := pages[i%len(pages)], b.large.Tokens[rand.IntN(len(b.large.Tokens))]
		x.group.Go(func() {
			x.fail(x.stay(server, c, i, path, func(path string) []byte { return ask(path, token) }))
		})
		if i%(16*runtime.GOMAXPROCS(0)) == 0 {
			time.Sleep(time.Millisecond) // the kernel's queue holds only a limited number of new connections
		}
	}
	for last, calm := time.Duration(0), 0; calm < 5; calm++ {
		time.Sleep(100 * time.Millisecond)
		used := server.cpu()
		if used-last >= 2*time.Millisecond {
			calm = -1
		}
		last = used
	}
	if err := x.failure(); err != nil {
		x.end()
		return nil, err
	}
	return x, nil
}

func (x *crowd) failure() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// connect replaces the connection of client i.
func (x *crowd) connect(server *process, i int) (*client, error) {
	c, err := dial(server.addr)
	if err != nil {
		return nil, err
	}
	c.buf = make([]byte, 4<<10) // a small buffer, because 10,000 clients have one each
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		c.close()
	}
	x.clients[i] = c
	return c, nil
}

// fail keeps the first error. After a call of end, errors are expected.
func (x *crowd) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.ended && x.err == nil {
		x.err = err
	}
}

// stay waits for changes of a page until there is an error.
func (x *crowd) stay(server *process, c *client, i int, path string, ask func(path string) []byte) error {
	for {
		a, err := c.ask(ask(path))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if a.status != http.StatusOK {
			return fmt.Errorf("%s: status %d", path, a.status)
		}
		x.answers.Add(1)
		at, _, _ := bytes.Cut([]byte(path), []byte("since="))
		path = string(at) + "since=" + version(a.body)
		if a.header("Connection") == "close" {
			c.close()
			if c, err = x.connect(server, i); err != nil {
				return err
			}
		}
	}
}

// end closes all connections and returns the first error.
func (x *crowd) end() error {
	x.mu.Lock()
	x.ended = true
	for _, c := range x.clients {
		if c != nil {
			c.close()
		}
	}
	x.mu.Unlock()
	x.group.Wait()
	return x.err
}
