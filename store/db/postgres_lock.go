package db

import (
	"context"
	"slices"
	"sync"
)

// Writes to one organization lock it within their process before they lock it on the server, and hold no connection
// while they wait. So a busy organization does not use up the connections, and a stalled process takes one place in
// the server's queue, not many. Only running a write shows which organizations it locks: the write breaks off at a
// lock that another write holds, and runs again when it has that lock.

// orgLocks are the locks of one process, by the name of an organization.
type orgLocks struct {
	mu    sync.Mutex
	locks map[string]chan struct{} // has one element while the lock is free
	users map[string]int           // writes that hold the lock or wait for it
}

// acquire returns the channel of a lock, from which the caller receives to hold it. The channel exists until each
// caller of acquire has called forget.
func (l *orgLocks) acquire(name string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.locks == nil {
		l.locks, l.users = map[string]chan struct{}{}, map[string]int{}
	}
	c, ok := l.locks[name]
	if !ok {
		c = make(chan struct{}, 1)
		c <- struct{}{}
		l.locks[name] = c
	}
	l.users[name]++
	return c
}

func (l *orgLocks) forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users[name]--; l.users[name] == 0 {
		delete(l.users, name)
		delete(l.locks, name)
	}
}

// heldLocks are the locks that one write holds.
type heldLocks struct {
	all       *orgLocks
	names     []string
	blockedOn string // the lock at which the write broke off; empty for none
}

// try takes a lock if it is free, and else sets blockedOn.
func (h *heldLocks) try(name string) bool {
	if slices.Contains(h.names, name) {
		return true
	}
	select {
	case <-h.all.acquire(name):
		h.names = append(h.names, name)
		return true
	default:
		h.all.forget(name)
		h.blockedOn = name
		return false
	}
}

// wait releases all locks and takes them again together with blockedOn. Every write takes locks in the order of their
// names, so that no two wait for each other.
func (h *heldLocks) wait(ctx context.Context) error {
	names := append(slices.Clone(h.names), h.blockedOn)
	h.release()
	slices.Sort(names)
	for _, name := range names {
		select {
		case <-h.all.acquire(name):
			h.names = append(h.names, name)
		case <-ctx.Done():
			h.all.forget(name)
			return ctx.Err()
		}
	}
	return nil
}

func (h *heldLocks) release() {
	for _, name := range h.names {
		h.all.acquire(name) <- struct{}{}
		h.all.forget(name)
		h.all.forget(name)
	}
	h.names, h.blockedOn = nil, ""
}
