package web

import (
	"slices"
	"sync"

	"samepage/store"
	"samepage/web/wire"
)

// hub wakes the requests that wait for a topic. An announcement costs nothing for those that wait for another one.
type hub struct {
	mu      sync.Mutex
	moment  int64 // announcements so far
	waiting map[store.Topic]map[*waiter]struct{}
	stop    chan struct{} // closed when nobody is to wait any more
	once    sync.Once
}

func newHub() *hub {
	return &hub{waiting: map[store.Topic]map[*waiter]struct{}{}, stop: make(chan struct{})}
}

// waiter is one request that waits.
type waiter struct {
	hub    *hub
	key    answerKey
	look   func() (rendered, error) // looks at the page again
	topics []store.Topic
	woken  chan struct{} // holds one

	moment int64                    // of the latest announcement that woke it
	shared func() (rendered, error) // looks for all that it woke with the same key
}

// answerKey is the same for requests that have the same answer: they show the same credentials, name the same page in the same
// form, and know the same version.
type answerKey struct {
	token, login   string
	url, host      string
	form           wire.Format
	relative, full bool
	since          string
}

func (h *hub) join(key answerKey, look func() (rendered, error)) *waiter {
	return &waiter{hub: h, key: key, look: look, woken: make(chan struct{}, 1)}
}

// now is the present moment. A look that begins later shows every change that was announced before.
func (h *hub) now() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.moment
}

// announced wakes the waiters of these topics; without topics, all. Those with the same key share one look.
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

// release answers every waiter, and has nobody wait from now on.
func (h *hub) release() { h.once.Do(func() { close(h.stop) }) }

// follow has the waiter woken by these topics, in place of those before. It is false if they are others and something was announced
// after the given moment, at which the caller began to look: then the caller must look again.
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

// wokenBy is the moment of the latest announcement that woke the waiter, and the look that it shares.
func (w *waiter) wokenBy() (moment int64, look func() (rendered, error)) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return w.moment, w.shared
}

// leave forgets the waiter.
func (w *waiter) leave() {
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
