//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"samepage/e2e/bench/world"
)

// yearGate is the number of this gate in the flag -only.
const yearGate = "18"

const (
	yearReaders  = 300
	yearMessages = 20
	// readersCalm is the interval in which the server must be almost idle before the next message is posted.
	readersCalm = 300 * time.Millisecond
)

// year measures gate 18. The first part compares a team's pages after a year with the same pages after two weeks. A
// year has 50,000 messages, 5,000 topics and decisions, and 500,000 journal entries (a tenth with -short). The second
// part measures the time until a posted message is on the open pages of 300 readers.
func (b *bench) year(ctx context.Context) error {
	units := world.UnitsOfAYear
	if b.short {
		units /= 10
	}
	begin := time.Now()
	var worlds [2]*world.Year
	var servers [2]*process
	for i, n := range []int{0, units} {
		y, err := world.MakeYear(ctx, filepath.Join(b.worlds, fmt.Sprintf("year-%d", n)), n)
		if err != nil {
			return err
		}
		if servers[i], err = b.serve(y.Folder); err != nil {
			return err
		}
		worlds[i] = y
	}
	fmt.Fprintf(os.Stderr, "worlds of %d and %d units of a year in %.1f s\n", worlds[0].Units, worlds[1].Units,
		time.Since(begin).Seconds())
	if err := b.yearPages(servers, worlds); err != nil {
		return err
	}
	if err := b.messages(servers[1], worlds[1]); err != nil {
		return err
	}
	return errors.Join(b.end(servers[0]), b.end(servers[1]))
}

func (b *bench) yearPages(servers [2]*process, worlds [2]*world.Year) error {
	const team, org = "/studios/" + world.Studio, "/orgs/" + world.Org
	of := func(p string) func(*world.Year) []string { return func(*world.Year) []string { return []string{p} } }
	var pages []*measuring
	for _, p := range []struct {
		name  string
		paths func(*world.Year) []string
	}{
		{"home", of("/")}, {"studio", of(team)}, {"channel", of(team + "/channel")},
		{"channel, earlier", of(team + "/channel?before=60")},
		{"digest", of(team + "/channel/digest?since=7d")},
		{"thread", func(y *world.Year) []string { return y.Threads }},
		{"topics", of(team + "/topics")}, {"topic", func(y *world.Year) []string { return y.Topics }},
		{"open topic", func(y *world.Year) []string { return []string{y.Open} }},
		{"election", func(y *world.Year) []string { return []string{y.Election} }},
		{"policies", of(org + "/policies")}, {"policy", func(y *world.Year) []string { return []string{y.Policy} }},
		{"open", of(org + "/open")}, {"briefing", of(org + "/briefing")}, {"journal", of(org + "/journal")},
		{"search, messages", of("/search?q=type%3Amessage+month")}, {"search, topics",
			of("/search?q=type%3Atopic+is%3Aopen")},
	} {
		if !strings.Contains(p.name, b.pages) {
			continue
		}
		m := &measuring{load: many(manyConns)}
		for i, server := range servers {
			m.targets = append(m.targets, page(p.name, server, &world.World{Token: worlds[i].Token},
				p.paths(worlds[i])...))
		}
		pages = append(pages, m)
	}
	const turns = 3
	for range turns {
		for _, m := range pages {
			if err := b.more(m, b.plan.rounds/turns); err != nil {
				return err
			}
		}
	}
	for _, m := range pages {
		measure := m.targets[0].name + ", after a year ÷ after two weeks"
		c, err := b.finish(m)
		if err != nil {
			if err = b.refuse(18, measure, err); err != nil {
				return err
			}
			continue
		}
		b.most(18, measure, c.between(1, 0), 1.3, "", fmt.Sprintf("%s F and %s F; %s", short(c.over(1)),
			short(c.over(0)), c.beside(1)))
	}
	return nil
}

// messages measures, for each message in a channel, the time until the last of 300 waiting readers has received it.
func (b *bench) messages(server *process, y *world.Year) error {
	channel := "/studios/" + world.Studio + "/channel"
	cookie, err := login(server) // a person posts, because agents may post only a limited number of messages
	if err != nil {
		return err
	}
	clients := make([]*client, yearReaders)
	for i := range clients {
		c, err := dial(server.addr)
		if err != nil {
			return err
		}
		defer c.close()
		clients[i] = c
	}
	ask := func(i int, path string) []byte {
		return request("GET", path, "", "Authorization: Bearer "+y.Tokens[i%len(y.Tokens)], "Accept: text/markdown")
	}
	var took []time.Duration
	for n := range yearMessages {
		text := fmt.Sprintf("Message %d for everybody, %d.", n, time.Now().UnixNano())
		got, errs := make([]time.Time, yearReaders), make([]error, yearReaders)
		var waiting, group sync.WaitGroup
		for i, c := range clients {
			waiting.Add(1)
			group.Go(func() {
				a, err := c.ask(ask(i, channel))
				since := version(a.body)
				waiting.Done()
				for err == nil && !strings.Contains(string(a.body), text) {
					if a, err = c.ask(ask(i, channel+"?wait=30&since="+since)); err == nil {
						since = version(a.body)
					}
				}
				got[i], errs[i] = time.Now(), err
			})
		}
		waiting.Wait()
		for used := server.cpu(); ; used = server.cpu() {
			if time.Sleep(readersCalm); server.cpu()-used < 5*time.Millisecond {
				break
			}
		}
		status, _, err := once(server.addr, request("POST", channel+"/actions/post_message",
			url.Values{"text": {text}}.Encode(),
			"Cookie: "+cookie, "Accept: text/html", "Content-Type: application/x-www-form-urlencoded"))
		acknowledged := time.Now()
		group.Wait()
		if err = errors.Join(err, errors.Join(errs...)); err != nil || status != http.StatusSeeOther {
			return fmt.Errorf("posting a message: status %d, %w", status, err)
		}
		took = append(took, slices.MaxFunc(got, time.Time.Compare).Sub(acknowledged))
	}
	slices.Sort(took)
	b.most(18, "a message on the open pages of 300 readers", ms(took[len(took)-1]), 1000, " ms",
		fmt.Sprintf("after it was acknowledged, the slowest of %d; median %.0f ms", len(took), ms(took[len(took)/2])))
	return nil
}
