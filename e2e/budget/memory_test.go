package budget

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"samepage/store"
	"samepage/web"
)

// These constants are for a series of different requests. The first warmUp requests fill the caches, whose size is
// limited. The other requests together must leave less than leftBehind bytes on the heap.
const (
	callers    = 1_200
	perCaller  = 10
	warmUp     = 2_000
	leftBehind = 1 << 20 // limit on the bytes that stay on the heap
)

// TestNothingIsLeftBehind sends 12,000 different requests for searches, filters, members, parts of lists, forms and
// missing pages. The requests come from 1,200 agents of as many members, with rate limits turned on. The test fails
// if about 105 bytes or more stay on the heap for each request.
func TestNothingIsLeftBehind(t *testing.T) {
	if detectsRaces() {
		t.Skip("the race detector keeps memory of its own")
	}
	var late atomic.Int64 // minutes that have passed on the site's clock
	begun := time.Now()
	s := newSiteAt(t, func() time.Time { return begun.Add(time.Duration(late.Load()) * time.Minute) })
	var err error
	if s.Site, err = web.New(t.Context(), s.store, web.Config{}); err != nil { // with rate limits
		t.Fatal(err)
	}
	tokens := s.populate(t)
	seen, answers := make(map[string]bool, callers*perCaller), map[int]int{}
	var p paper
	ask := func(from, to int) {
		for i := from; i < to; i++ {
			path := different(i)
			seen[path] = true
			s.token = tokens[i/perCaller]
			if i%500 == 0 {
				late.Add(1) // the organization may send only so many requests in a minute
			}
			s.ask(&p, path)
			answers[p.status]++
			if p.status != http.StatusOK && (p.status != http.StatusNotFound || !strings.Contains(path, "nowhere")) {
				t.Fatalf("%s: status %d\n%.500s", path, p.status, p.String())
			}
		}
	}
	ask(0, warmUp)
	for i := warmUp; i < callers*perCaller; i++ {
		seen[different(i)] = true // allocates the memory of the map before the measurement
	}
	s.forget(&p, &late)
	before := heap()
	ask(warmUp, callers*perCaller)
	s.forget(&p, &late)
	after := heap()
	t.Logf("%d different addresses, %v by status; %d bytes before, %d after", len(seen), answers, before, after)
	if len(seen) != callers*perCaller {
		t.Errorf("only %d of %d addresses are different", len(seen), callers*perCaller)
	}
	if answers[http.StatusOK] < callers*perCaller*4/5 {
		t.Errorf("only %d of %d requests found a page", answers[http.StatusOK], callers*perCaller)
	}
	if after > before+leftBehind {
		t.Errorf("%d requests leave %d bytes behind, more than %d", callers*perCaller-warmUp, after-before, leftBehind)
	}
}

// forget advances the clock by more than the minutes that the rate limits count, and sends one more request.
func (s *site) forget(p *paper, late *atomic.Int64) {
	late.Add(3)
	s.ask(p, "/whoami")
}

// different returns the address of the i-th request. No two addresses are equal.
func different(i int) string {
	n := i / 8
	switch i % 8 {
	case 0:
		return fmt.Sprintf("/search?q=word%d", n)
	case 1:
		return "/search?q=type:decision+" + states(n)
	case 2:
		return fmt.Sprintf("/search?q=-by:@member%d+sort:old+%s", n%callers, states(n/2))
	case 3:
		return fmt.Sprintf("/orgs/meadow/journal?before=%d&by=agent", n+1)
	case 4:
		return fmt.Sprintf("/orgs/meadow/members/member%d?again=%d", n%callers, n/callers)
	case 5:
		return fmt.Sprintf("/studios/team/actions/create_decision?question=Number+%d", n)
	case 6:
		return fmt.Sprintf("/studios/nowhere-%d", n)
	}
	return fmt.Sprintf("/studios/team/decisions?before=%d", n)
}

// states returns five filters for the state of a page. Their order depends on n, and so does the
// SQL statement of the search, which has the filters in the caller's order.
func states(n int) string {
	names := []string{"open", "closed", "draft", "due", "pinned", "mine"}
	list := make([]string, 5)
	for i := range list {
		list[i] = "-is:" + names[n%len(names)]
		n /= len(names)
	}
	return strings.Join(list, "+")
}

// populate adds the callers to the organization as members, each with an agent, and returns the
// agents' tokens.
func (s *site) populate(t *testing.T) (secrets []string) {
	t.Helper()
	err := s.store.Write(t.Context(), func(tx *store.Tx) error {
		o, err := tx.FindOrganization(store.System(), "meadow")
		if err != nil {
			return err
		}
		for i := range callers {
			name := fmt.Sprintf("member%d", i)
			m, err := tx.CreateMember(o.ID, name, name, name+"@meadow.example", "-")
			if err != nil {
				return err
			}
			_, secret, err := tx.CreateToken(m, store.Grant{Label: "Agent", Scopes: store.Scopes(), Public: true})
			if err != nil {
				return err
			}
			secrets = append(secrets, secret)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return secrets
}

// heap returns the number of bytes on the heap after garbage collection.
func heap() uint64 {
	for range 3 { // finalizers and pools need more than one collection
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
