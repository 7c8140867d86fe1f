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
	visitPages    = 64     // per principal
	visitCallers  = 10_000 // remembered principals
	visitPageSize = 512    // bytes; longer paths are not remembered
)

// visits remembers the pages that each principal recently opened: by navigate, by naming them to
// execute_action, or by being shown them afterwards. It is a convenience: a forgotten page, or
// one that was opened on another node of the same site, must be named by its url.
type visits struct {
	now         func() time.Time
	mu          sync.Mutex
	byPrincipal map[string]*list.Element // of visitor
	latest      *list.List               // visitors, the latest first
}

type visitor struct {
	principal string
	pages     []visit   // each page once, the latest last
	forgotten time.Time // the opening time of the latest page that is not remembered
}

type visit struct {
	page string
	at   time.Time
}

func newVisits(now func() time.Time) *visits {
	return &visits{now: now, byPrincipal: map[string]*list.Element{}, latest: list.New()}
}

// add records that the principal opened the page.
func (v *visits) add(principal, page string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.byPrincipal[principal]
	if e == nil {
		e = v.latest.PushFront(&visitor{principal: principal})
		v.byPrincipal[principal] = e
	}
	v.latest.MoveToFront(e)
	if v.latest.Len() > visitCallers {
		last := v.latest.Back()
		delete(v.byPrincipal, v.latest.Remove(last).(*visitor).principal)
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
	// The path is cloned, because it is a part of the whole message that named it.
	found.pages = append(found.pages, visit{strings.Clone(page), v.now()})
}

// recent returns the pages that the principal opened within visitLife, the latest first, and
// whether they are all.
func (v *visits) recent(principal string) (pages []string, all bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.byPrincipal[principal]
	if e == nil {
		return nil, true
	}
	found := e.Value.(*visitor)
	for _, p := range slices.Backward(found.pages) {
		if v.now().Sub(p.at) <= visitLife {
			pages = append(pages, p.page)
		}
	}
	return pages, found.forgotten.IsZero() || v.now().Sub(found.forgotten) > visitLife
}
