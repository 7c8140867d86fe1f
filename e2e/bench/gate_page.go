//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"samepage/e2e/bench/world"
)

const manyConns = 16

// page returns a target with requests of an agent for pages as markdown.
func page(name string, server *process, w *world.World, paths ...string) *target {
	t := &target{name: name, server: server, status: http.StatusOK}
	for _, path := range paths {
		t.requests = append(t.requests,
			request("GET", path, "", "Authorization: Bearer "+w.Token, "Accept: text/markdown"))
	}
	return t
}

// browsed returns a target with requests of a person for pages as HTML.
func browsed(name string, server *process, cookie string, paths ...string) *target {
	t := &target{name: name, server: server, status: http.StatusOK}
	for _, path := range paths {
		t.requests = append(t.requests, request("GET", path, "", "Cookie: "+cookie, browserAccept))
	}
	return t
}

const browserAccept = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"

func (b *bench) floorTarget() *target {
	return &target{
		name:     "F",
		server:   b.floor,
		status:   http.StatusOK,
		requests: [][]byte{request("GET", "/", "", "Accept: text/markdown")},
	}
}

// login signs in as the owner of the world's organization and returns the cookie.
func login(server *process) (string, error) {
	form := url.Values{"email": {world.Email}, "password": {world.Password}}.Encode()
	status, a, err := once(server.addr,
		request("POST", "/login", form, "Content-Type: application/x-www-form-urlencoded"))
	if err == nil && status != http.StatusSeeOther {
		err = fmt.Errorf("status %d", status)
	}
	if err != nil {
		return "", fmt.Errorf("login: %w", err)
	}
	cookie, _, _ := strings.Cut(a.header("Set-Cookie"), ";")
	return cookie, nil
}

// decisionPage measures gates 1 to 5, the cost of the page of one decision with 8 ballots and 10 comments in the large
// world.
func (b *bench) decisionPage(context.Context) error {
	server, err := b.serve(b.large.Folder)
	if err != nil {
		return err
	}
	defer b.end(server)
	cookie, err := login(server)
	if err != nil {
		return err
	}
	markdown, html := page("markdown", server, b.large, b.large.Small), browsed("HTML", server, cookie, b.large.Small)
	names := []string{"decision page, markdown, CPU ÷ F", "decision page, HTML, CPU ÷ F"}
	c, err := b.compare(many(manyConns), markdown, html)
	if err != nil {
		return b.refuse(1, "decision page", err)
	}
	_, a, err := once(server.addr, markdown.requests[0])
	if err != nil {
		return err
	}
	b.most(1, names[0], c.over(0), 16, "", fmt.Sprintf("%s, %d bytes", c.beside(0), len(a.body)))
	b.most(2, names[1], c.over(1), 22, "", c.beside(1))
	rate := func(r *round, i int) float64 {
		return r.own[i].rate() / ((r.floors[i].rate() + r.floors[i+1].rate()) / 2)
	}
	b.least(3, "requests/s ÷ F's, 16 connections, markdown",
		c.median(func(r *round) float64 { return rate(r, 0) }), 1.0/12, "",
		fmt.Sprintf("HTML %s", short(c.median(func(r *round) float64 { return rate(r, 1) }))))

	// Gate 4 uses the client of net/http, as ordinary clients do. The time with gzip has no limit, because the bare
	// server F does not compress answers.
	lone, err := b.compare(ordinary(false), markdown, html)
	if err != nil {
		return b.refuse(4, "p50 at one connection ÷ F's", err)
	}
	compressed, err := b.compare(ordinary(true), markdown)
	if err != nil {
		return b.refuse(4, "p50 at one connection ÷ F's", err)
	}
	bare, err := b.compare(many(1), markdown)
	if err != nil {
		return b.refuse(4, "p50 at one connection ÷ F's", err)
	}
	p50 := func(c *comparison, i int) float64 {
		return c.median(func(r *round) float64 {
			return 2 * ratio(r.own[i].percentile(50), r.floors[i].percentile(50)+r.floors[i+1].percentile(50))
		})
	}
	b.most(4, "p50 at one connection ÷ F's, markdown", p50(lone, 0), 4, "",
		fmt.Sprintf("%s; HTML %s; with gzip, packed and unpacked, %s; without the client's own time %s: %s", lone.beside(0),
			short(p50(lone, 1)), short(p50(compressed, 0)), short(p50(bare, 0)), bare.beside(0)))

	if c, err = b.unchanged(server, markdown.requests[0]); err != nil {
		return b.refuse(5, "304, CPU ÷ F", err)
	}
	b.most(5, "304, CPU ÷ F", c.over(0), 6, "", c.beside(0))
	return nil
}

// unchanged compares conditional requests for an unchanged page with requests to the bare server F. The page's entity
// tag includes the minute of the request, so a round must end in the minute in which it began.
func (b *bench) unchanged(server *process, plain []byte) (*comparison, error) {
	var all []*round
	for len(all) < b.plan.rounds*b.plan.tries {
		if left := time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)); left < 3*b.plan.window {
			time.Sleep(left)
		}
		_, a, err := once(server.addr, plain)
		if err != nil {
			return nil, err
		}
		again := strings.TrimSuffix(string(plain), "\r\n") + "If-None-Match: " + a.header("Etag") + "\r\n\r\n"
		r, err := b.round(many(manyConns), []*target{
			{name: "304", server: server, status: http.StatusNotModified, requests: [][]byte{[]byte(again)}},
		})
		if err != nil {
			return nil, err
		}
		all = append(all, r)
		if c := steadiest(all, b.plan.rounds); c != nil {
			return c, nil
		}
	}
	return nil, refused{"F did not come to rest"}
}

// growth measures gate 6: pages in the large world, compared with the same pages in the small world.
func (b *bench) growth(context.Context) error {
	small, err := b.serve(b.small.Folder)
	if err != nil {
		return err
	}
	defer b.end(small)
	large, err := b.serve(b.large.Folder)
	if err != nil {
		return err
	}
	defer b.end(large)
	var pages []*measuring
	for _, p := range []struct {
		name  string
		paths func(w *world.World) []string
	}{
		{"decisions at random", func(w *world.World) []string { return w.Closed }},
		{"notes at random", func(w *world.World) []string { return w.Notes }},
		{"one decision", func(w *world.World) []string { return []string{w.Small} }},
		{"home", path("/")},
		{"studio", path("/studios/" + world.Studio)},
		{"studio's decisions", path("/studios/" + world.Studio + "/decisions")},
		{"organization", path("/orgs/" + world.Org)},
		{"members", path("/orgs/" + world.Org + "/members")},
		{"member", path("/orgs/" + world.Org + "/members/m0001")},
		{"open", path("/orgs/" + world.Org + "/open")},
		{"tokens", path("/orgs/" + world.Org + "/tokens")},
		{"activity", path("/orgs/" + world.Org + "/activity")},
		{"journal", path("/orgs/" + world.Org + "/journal")},
		{"notes", path("/studios/" + world.Studio + "/notes")},
		{"inbox", path("/inbox")},
		{"cycle", func(w *world.World) []string { return []string{w.Cycle} }},
		{"search, a rare word", path("/search?q=mayor")},
		// These five members have enough items to fill a page of results in both worlds.
		{"search, filters", path("/search?q=type%3Anote+studio%3Ateam+by%3Am0007+by%3Am0008+by%3Am0009+by%3Am0010+by%3Am0011")},
		{"search, what is open", path("/search?q=by%3Aalice+type%3Adecision+is%3Aopen")},
	} {
		if strings.Contains(p.name, b.pages) {
			pages = append(pages, &measuring{load: many(manyConns),
				targets: []*target{page(p.name, small, b.small, p.paths(b.small)...),
					page(p.name, large, b.large, p.paths(b.large)...)}})
		}
	}
	// The pages are measured in turns, because a machine may be slow for a minute.
	const turns = 3
	for range turns {
		for _, m := range pages {
			if err := b.more(m, b.plan.rounds/turns); err != nil {
				return err
			}
		}
	}
	for _, m := range pages {
		measure := fmt.Sprintf("%s, %d rows ÷ 1,000 rows", m.targets[0].name, b.large.Rows)
		c, err := b.finish(m)
		if err != nil {
			if err = b.refuse(6, measure, err); err != nil {
				return err
			}
			continue
		}
		b.most(6, measure, c.between(1, 0), 1.3, "",
			fmt.Sprintf("%s F and %s F; %s", short(c.over(1)), short(c.over(0)), c.beside(1)))
	}
	return nil
}

func path(p string) func(*world.World) []string {
	return func(*world.World) []string { return []string{p} }
}

// keysets measures gate 7: the last full page of a long list, compared with the first page.
func (b *bench) keysets(context.Context) error {
	server, err := b.serve(b.large.Folder)
	if err != nil {
		return err
	}
	defer b.end(server)
	for _, list := range []struct{ name, first, last string }{
		{"decisions", "/studios/" + world.Studio + "/decisions", b.large.LastDecisions},
		{"journal", "/orgs/" + world.Org + "/journal", b.large.LastJournal},
		{"comments", b.large.Large + "/comments", b.large.LastComments},
	} {
		measure := list.name + ", last keyset page ÷ first"
		c, err := b.compare(many(manyConns), page(list.name, server, b.large, list.first),
			page(list.name, server, b.large, list.last))
		if err != nil {
			if err = b.refuse(7, measure, err); err != nil {
				return err
			}
			continue
		}
		b.most(7, measure, c.between(1, 0), 1.1, "", fmt.Sprintf("%s F; %s", short(c.over(1)), c.beside(1)))
	}
	return nil
}
