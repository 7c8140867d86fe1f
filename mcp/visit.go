package mcp

import (
	"container/list"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	visitLife     = 24 * time.Hour
	visitPages    = 64     // greatest number of pages per principal
	visitCallers  = 10_000 // greatest number of principals
	visitPageSize = 512    // bytes; a longer path is not recorded
)

// visits remembers the pages that each principal (see [caller]) has recently opened, in the memory of this process
// only.
type visits struct {
	now         func() time.Time
	mu          sync.Mutex
	byPrincipal map[string]*list.Element // values are of type *visitor
	latest      *list.List               // all visitors, the most recent first
	// dropped is the time at which a principal was last forgotten with all its pages. Any principal without an
	// entry may be that one, so its pages may be unknown.
	dropped time.Time
}

type visitor struct {
	principal string
	pages     []visit   // each page once, the most recent last
	forgotten time.Time // time of the latest visit that was removed from pages
}

type visit struct {
	page string
	at   time.Time
}

func newVisits(now func() time.Time) *visits {
	return &visits{now: now, byPrincipal: map[string]*list.Element{}, latest: list.New()}
}

func (v *visits) add(principal, page string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.byPrincipal[principal]
	if e == nil {
		e = v.latest.PushFront(&visitor{principal: principal, forgotten: v.dropped})
		v.byPrincipal[principal] = e
	}
	v.latest.MoveToFront(e)
	if v.latest.Len() > visitCallers {
		last := v.latest.Back()
		delete(v.byPrincipal, v.latest.Remove(last).(*visitor).principal)
		v.dropped = v.now()
	}
	found := e.Value.(*visitor)
	if len(page) > visitPageSize {
		found.forgotten = v.now()
		return
	}
	found.pages = slices.DeleteFunc(found.pages, func(old visit) bool { return old.page == page })
	if len(found.pages) >= visitPages {
		found.forgotten = found.pages[0].at
		found.pages = slices.Delete(found.pages, 0, 1)
	}
	// The path is cloned, because as a part of the message it would keep the whole message in memory.
	found.pages = append(found.pages, visit{strings.Clone(page), v.now()})
}

// recent returns the pages that the principal opened in the last visitLife, the most recent first, and whether these
// are all of them.
func (v *visits) recent(principal string) (pages []string, all bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	found := &visitor{forgotten: v.dropped}
	if e := v.byPrincipal[principal]; e != nil {
		found = e.Value.(*visitor)
	}
	for _, p := range slices.Backward(found.pages) {
		if v.now().Sub(p.at) <= visitLife {
			pages = append(pages, p.page)
		}
	}
	return pages, found.forgotten.IsZero() || v.now().Sub(found.forgotten) > visitLife
}
