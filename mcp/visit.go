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
	visitPages    = 64     // remembered for each principal
	visitCallers  = 10_000 // principals remembered
	visitPageSize = 512    // bytes; longer paths are not remembered
)

// visits is which pages each principal opened lately: by navigate, by naming them to execute_action, or by being shown them after. It is a convenience: what it has forgotten, or what another node of the
// same site was asked, must be named by its url.
type visits struct {
	now    func() time.Time
	mu     sync.Mutex
	who    map[string]*list.Element // of visitor
	latest *list.List               // visitors, the latest first
}

type visitor struct {
	principal string
	pages     []visit   // each page once, the latest last
	forgotten time.Time // when the latest of the pages that are not remembered was opened
}

type visit struct {
	page string
	at   time.Time
}

func newVisits(now func() time.Time) *visits {
	return &visits{now: now, who: map[string]*list.Element{}, latest: list.New()}
}

// add notes that the principal opened the page.
func (v *visits) add(principal, page string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.who[principal]
	if e == nil {
		e = v.latest.PushFront(&visitor{principal: principal})
		v.who[principal] = e
	}
	v.latest.MoveToFront(e)
	if v.latest.Len() > visitCallers {
		last := v.latest.Back()
		delete(v.who, v.latest.Remove(last).(*visitor).principal)
	}
	who := e.Value.(*visitor)
	if len(page) > visitPageSize {
		who.forgotten = v.now()
		return
	}
	who.pages = slices.DeleteFunc(who.pages, func(old visit) bool { return old.page == page })
	if len(who.pages) >= visitPages {
		who.forgotten = who.pages[0].at
		who.pages = slices.Delete(who.pages, 0, 1)
	}
	// Cloned, because the path is a part of the whole message that named it.
	who.pages = append(who.pages, visit{strings.Clone(page), v.now()})
}

// recent is the pages that the principal opened within visitLife, the latest first, and whether they are all.
func (v *visits) recent(principal string) (pages []string, all bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.who[principal]
	if e == nil {
		return nil, true
	}
	who := e.Value.(*visitor)
	for _, p := range slices.Backward(who.pages) {
		if v.now().Sub(p.at) <= visitLife {
			pages = append(pages, p.page)
		}
	}
	return pages, who.forgotten.IsZero() || v.now().Sub(who.forgotten) > visitLife
}
