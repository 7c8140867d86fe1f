package web

import (
	"slices"
	"sync"
	"sync/atomic"

	"samepage/store"
	"samepage/web/wire"
)

// hub wakes requests that wait for a page to change. An announcement costs nothing for requests that wait for other
// topics.
type hub struct {
	mu      sync.Mutex
	moment  int64 // number of announcements so far
	waiting map[store.Topic]map[*waiter]struct{}
	waiters atomic.Int64  // number of requests that have joined and not left
	stop    chan struct{} // closed when no request may wait any more
	once    sync.Once
}

func newHub() *hub {
	return &hub{waiting: map[store.Topic]map[*waiter]struct{}{}, stop: make(chan struct{})}
}

type waiter struct {
	hub    *hub
	key    answerKey
	look   func() (rendered, error) // renders the page
	topics []store.Topic
	woken  chan struct{} // has room for one signal

	moment int64 // number of the announcement that last woke the waiter
	// shared renders the page once for all waiters with the same key that this announcement woke.
	shared func() (rendered, error)
}

// answerKey identifies the answer that a request waits for. Two requests with equal keys have the same credentials,
// page, format and known version, so one answer serves both. A stream of events has no format.
type answerKey struct {
	token, login   string
	url, host      string
	form           wire.Format
	relative, full bool
	news           bool
	since          string
}

func (h *hub) join(key answerKey, look func() (rendered, error)) *waiter {
	h.waiters.Add(1)
	return &waiter{hub: h, key: key, look: look, woken: make(chan struct{}, 1)}
}

// now returns the number of announcements so far. A transaction that begins later sees every change announced so far.
func (h *hub) now() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.moment
}

// announced wakes the waiters for these topics, or all waiters if no topics are given. Waiters with equal keys share
// one rendering.
func (h *hub) announced(topics []store.Topic) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.moment++
	looks := map[answerKey]func() (rendered, error){}
	if len(topics) == 0 {
		for _, waiters := range h.waiting {
			h.wake(waiters, looks)
		}
		return
	}
	for _, t := range topics {
		h.wake(h.waiting[t], looks)
	}
}

func (h *hub) wake(waiters map[*waiter]struct{}, looks map[answerKey]func() (rendered, error)) {
	for w := range waiters {
		if looks[w.key] == nil {
			looks[w.key] = sync.OnceValues(w.look)
		}
		w.moment, w.shared = h.moment, looks[w.key]
		select {
		case w.woken <- struct{}{}:
		default:
		}
	}
}

// release wakes every waiter and ends all waiting for good.
func (h *hub) release() { h.once.Do(func() { close(h.stop) }) }

// follow sets the topics that wake the waiter. It returns false if they differ from the ones before and there were
// announcements after the one with the number since. The last rendering may have missed the announced changes, so the
// caller must render the page again.
func (w *waiter) follow(topics []store.Topic, since int64) bool {
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Equal(topics, w.topics) {
		return true
	}
	w.forget()
	w.topics = topics
	for _, t := range topics {
		if h.waiting[t] == nil {
			h.waiting[t] = map[*waiter]struct{}{}
		}
		h.waiting[t][w] = struct{}{}
	}
	return h.moment == since
}

// wokenBy returns the number of the latest announcement that woke the waiter, and a function that renders the page once
// for all waiters with the same key.
func (w *waiter) wokenBy() (moment int64, look func() (rendered, error)) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return w.moment, w.shared
}

func (w *waiter) leave() {
	w.hub.waiters.Add(-1)
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	w.forget()
}

func (w *waiter) forget() {
	for _, t := range w.topics {
		delete(w.hub.waiting[t], w)
		if len(w.hub.waiting[t]) == 0 {
			delete(w.hub.waiting, t)
		}
	}
	w.topics = nil
}
