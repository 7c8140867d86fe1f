//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"samepage/e2e/bench/world"
	"samepage/store"
)

// votes returns a target with the votes of writer i on the open decisions, as a browser's form or an agent's JSON.
func votes(server *process, w *world.World, i int, asJSON bool) *target {
	t := &target{name: "vote", server: server, status: http.StatusSeeOther}
	for n := range 4 * len(w.Open) {
		url := w.Open[(n+i)%len(w.Open)] + "/actions/cast_vote"
		headers := []string{"Authorization: Bearer " + w.Tokens[i], "Accept: text/html",
			"Content-Type: application/x-www-form-urlencoded"}
		body := fmt.Sprintf("accept=1&accept=%d&prefer=%d", 2+n%2, 1+n%3)
		if asJSON {
			t.status = http.StatusOK
			headers = []string{headers[0], "Accept: application/json", "Content-Type: application/json"}
			body = fmt.Sprintf(`{"params":{"accept":["1","%d"],"prefer":["%d"]}}`, 2+n%2, 1+n%3)
		}
		t.requests = append(t.requests, request("POST", url, body, headers...))
	}
	return t
}

// writes measures gates 12 and 13, the cost of writing: the agents of 64 members vote at the same time, while another
// agent reads.
func (b *bench) writes(context.Context) error {
	// Voting changes the world, so the server gets a copy.
	folder := filepath.Join(b.folder, "written")
	if _, err := b.large.Copy(folder); err != nil {
		return err
	}
	before, err := fdatasync(folder)
	if err != nil {
		return err
	}
	server, err := b.serve(folder)
	if err != nil {
		return err
	}
	length := 32 * b.plan.window
	forms, err := b.write(server, folder, length, false)
	if err != nil {
		return err
	}
	objects, err := b.write(server, folder, length/2, true)
	if err != nil {
		return err
	}
	if err := b.end(server); err != nil {
		return fmt.Errorf("stop after writing: %w", err)
	}
	after, err := fdatasync(folder)
	if err != nil {
		return err
	}
	sync := (before + after) / 2
	b.least(12, "durable actions/s from 64 writers × fdatasync p50", forms.votes.rate()*sync.Seconds(), 0.5, "",
		fmt.Sprintf("forms: %s; JSON with the page after: %s; fdatasync %d µs; no failure in %d votes",
			forms, objects, sync.Microseconds(), forms.votes.n+objects.votes.n))
	b.most(13, "write-ahead log under sustained load", float64(max(forms.log, objects.log))/(1<<20), 128, " MB", "")
	return nil
}

// written has the results of one period of continuous voting.
type written struct {
	votes *sample
	reads *sample
	log   int64 // largest size of the write-ahead log, in bytes
}

func (w *written) String() string {
	return fmt.Sprintf("%.0f/s, p50 %.1f ms, p99 %.1f ms, %d µs CPU, reader beside them p50 %.2f p99 %.1f ms",
		w.votes.rate(),
		ms(w.votes.percentile(50)), ms(w.votes.percentile(99)), w.votes.cpu.Microseconds(),
		ms(w.reads.percentile(50)), ms(w.reads.percentile(99)))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// write lets all writers vote while an agent reads pages. An answer without success is an error.
func (b *bench) write(server *process, folder string, length time.Duration, asJSON bool) (*written, error) {
	out := &written{votes: &sample{}}
	samples, errs := make([]*sample, world.Writers), make([]error, world.Writers+1)
	begin, used := time.Now(), server.cpu()
	var wg sync.WaitGroup
	for i := range samples {
		wg.Go(func() { samples[i], errs[i] = votes(server, b.large, i, asJSON).load(1, length) })
	}
	wg.Go(func() {
		out.reads, errs[world.Writers] = page("reader", server, b.large, b.large.Closed...).load(1, length)
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for time.Since(begin) < length {
			if info, err := os.Stat(filepath.Join(folder, store.FileName+"-wal")); err == nil {
				out.log = max(out.log, info.Size())
			}
			time.Sleep(2 * time.Millisecond)
		}
	}()
	wg.Wait()
	<-ended
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	v := out.votes
	v.wall = time.Since(begin)
	for _, s := range samples {
		v.took = append(v.took, s.took...)
	}
	slices.Sort(v.took)
	v.n = len(v.took)
	v.cpu = (server.cpu() - used) / time.Duration(max(v.n, 1))
	return out, nil
}

// fdatasync returns the median time of synchronizing a file to disk after writing 4 KB, which is the lower bound for a
// commit.
func fdatasync(folder string) (time.Duration, error) {
	f, err := os.CreateTemp(folder, "sync")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	took := make([]time.Duration, 500)
	block := []byte(strings.Repeat("x", 4096))
	for i := range took {
		if _, err := f.WriteAt(block, int64(i)*int64(len(block))); err != nil {
			return 0, err
		}
		begin := time.Now()
		if err := syscall.Fdatasync(int(f.Fd())); err != nil {
			return 0, err
		}
		took[i] = time.Since(begin)
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}
