//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"samepage/e2e/bench/world"
)

// workGate is the number of this gate in the flag -only.
const workGate = "19"

const (
	// Each live turn reports liveBatch events every liveEvery, which is 200 events a second.
	liveBatch = 20
	liveEvery = 100 * time.Millisecond
	liveTime  = 10 * time.Second

	inBrowser = " in a browser" // ends the name of a page that is measured as HTML for a person

	workMemory = 300 // MB of anonymous memory
)

// work measures gate 19. The first part compares pages about the work of agents in a large world, with 1,000 sessions,
// 50,000 turns and 5,000,000 events (fewer with -short), and in a small world, which has just enough of them to fill
// every list and page. In the second part, a reader requests the pages of 20 sessions, each with a turn that reports
// 200 events a second.
func (b *bench) work(ctx context.Context) error {
	sessions, turns := world.SessionsAtWork, world.TurnsEach
	if b.short {
		sessions /= 5
		turns /= 2
	}
	begin := time.Now()
	var worlds [2]*world.Work
	var servers [2]*process
	for i, n := range [2][2]int{{}, {sessions, turns}} {
		v, err := world.MakeWork(ctx, filepath.Join(b.worlds, fmt.Sprintf("work-%d-%d", n[0], n[1])), n[0], n[1])
		if err != nil {
			return err
		}
		if servers[i], err = b.serve(v.Folder); err != nil {
			return err
		}
		worlds[i] = v
	}
	large := worlds[1]
	fmt.Fprintf(os.Stderr, "worlds of %d and %d events in %.1f s\n", worlds[0].Sessions*worlds[0].Turns*world.EventsEach,
		large.Sessions*large.Turns*world.EventsEach, time.Since(begin).Seconds())
	if err := b.workPages(servers, worlds); err != nil {
		return err
	}
	if err := b.end(servers[0]); err != nil {
		return err
	}
	return b.stream(ctx, servers[1], large)
}

func (b *bench) workPages(servers [2]*process, worlds [2]*world.Work) error {
	const team = "/studios/" + world.Studio
	of := func(p string) func(*world.Work) []string { return func(*world.Work) []string { return []string{p} } }
	some := func(list []string) []string { return list[:min(len(list), 512)] }
	sessions := func(v *world.Work) []string { return some(v.Pages) }
	var cookies [2]string
	for i, server := range servers {
		var err error
		if cookies[i], err = login(server); err != nil {
			return err
		}
	}
	for _, p := range []struct {
		name  string
		paths func(*world.Work) []string
	}{
		{"session", sessions}, {"session" + inBrowser, sessions},
		{"turn", func(v *world.Work) (list []string) {
			for _, page := range some(v.Pages) {
				list = append(list, page+"/turns/3")
			}
			return list
		}},
		{"sessions", of(team + "/sessions")},
		{"worktree", func(v *world.Work) []string { return some(v.Trees) }},
		{"board", func(v *world.Work) []string { return []string{v.Board} }},
		{"studio", of(team)}, {"home", of("/")}, {"home" + inBrowser, of("/")}, {"inbox", of("/inbox")},
	} {
		if !strings.Contains(p.name, b.pages) {
			continue
		}
		measure := fmt.Sprintf("%s, after %d sessions ÷ after %d", p.name, worlds[1].Sessions, worlds[0].Sessions)
		var targets []*target
		for i, server := range servers {
			t := page(p.name, server, &world.World{Token: worlds[i].Token}, p.paths(worlds[i])...)
			if strings.HasSuffix(p.name, inBrowser) {
				t = browsed(p.name, server, cookies[i], p.paths(worlds[i])...)
			}
			targets = append(targets, t)
		}
		c, err := b.compare(many(manyConns), targets...)
		if err != nil {
			if err = b.refuse(19, measure, err); err != nil {
				return err
			}
			continue
		}
		b.most(19, measure, c.between(1, 0), 1.25, "", fmt.Sprintf("%s F and %s F; %s", short(c.over(1)), short(c.over(0)),
			c.beside(1)))
	}
	return nil
}

// liveEvents returns the parameters, as JSON, that report a batch of events of a turn. The first event has the given
// number.
func liveEvents(turn string, from int) string {
	var list []map[string]any
	for n := from; n < from+liveBatch; n++ {
		list = append(list, map[string]any{"n": n, "kind": "text", "text": fmt.Sprintf("Event %d: the soil of the bed is dry. ", n)})
	}
	events, err := json.Marshal(list)
	if err != nil {
		panic(err) // cannot fail for maps of numbers and texts
	}
	return asJSON(map[string]any{"turn": turn, "claim": 1, "events": string(events)})
}

func asJSON(params map[string]any) string {
	text, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// stream lets 20 turns report events while a reader reads the pages of their sessions. Then it counts the events in the
// database.
func (b *bench) stream(ctx context.Context, server *process, v *world.Work) error {
	act := func(c *client, action, params string) error {
		a, err := c.ask(request("POST", v.Runner+"/actions/"+action, params, "Authorization: Bearer "+v.Secret,
			"Content-Type: application/json", "Accept: application/json"))
		if err == nil && a.status != http.StatusOK {
			err = fmt.Errorf("%s: status %d: %s", action, a.status, a.body)
		}
		return err
	}
	clients, pages := make([]*client, len(v.Live)), make([]string, len(v.Live))
	for i, l := range v.Live {
		c, err := dial(server.addr)
		if err != nil {
			return err
		}
		defer c.close()
		if err := act(c, "claim_turn", asJSON(map[string]any{"turn": l.Turn, "claim": 0})); err != nil {
			return err
		}
		if err := act(c, "renew_turn", asJSON(map[string]any{"turn": l.Turn, "claim": 1, "begins": true})); err != nil {
			return err
		}
		clients[i], pages[i] = c, l.Page
	}
	length := liveTime
	if b.short {
		length /= 3
	}
	batches := int(length / liveEvery)
	begin, used := time.Now(), server.cpu()
	errs, late := make([]error, len(clients)+1), make([]time.Duration, len(clients))
	var reads *sample
	var group sync.WaitGroup
	for i, c := range clients {
		group.Go(func() {
			for n := range batches {
				due := begin.Add(time.Duration(n) * liveEvery)
				time.Sleep(time.Until(due))
				if errs[i] = act(c, "report_turn", liveEvents(v.Live[i].Turn, 1+n*liveBatch)); errs[i] != nil {
					return
				}
				late[i] = max(late[i], time.Since(due))
			}
		})
	}
	group.Go(func() {
		reads, errs[len(clients)] = page("reader", server, &world.World{Token: v.Token}, pages...).load(1, length)
	})
	group.Wait()
	wall := time.Since(begin)
	cpu := server.cpu() - used
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("reporting events: %w", err)
	}
	memory, err := server.memory()
	if err != nil {
		return err
	}
	if err := b.end(server); err != nil {
		return err
	}
	stored, err := v.Events(ctx)
	if err != nil {
		return err
	}
	sent := batches * liveBatch * len(clients)
	b.most(19, "events dropped of 20 turns × 200 a second", float64(sent-stored), 0, "", fmt.Sprintf(
		"%d sent in %.1f s, the latest answer %.0f ms after its time", sent, wall.Seconds(), ms(slices.Max(late))))
	b.add(result{Gate: 19, Measure: "a live session's page beside them, p95", Figure: ms(reads.percentile(95)), Unit: " ms",
		Beside: fmt.Sprintf("p50 %.1f ms, %d reads; the server used %.0f %% of a processor", ms(reads.percentile(50)), reads.n,
			100*cpu.Seconds()/wall.Seconds())})
	b.most(19, "anonymous memory of the server after that", float64(memory)/(1<<20), workMemory, " MB", "")
	return nil
}
