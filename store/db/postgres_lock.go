package db

import (
	"context"
	"slices"
	"sync"
)

// A write that changes an organization locks it, first within the process and then on the server. While a write waits
// for another write of its process, it holds no connection, so a busy organization does not use up the connections. The
// locks that a write needs are known only while it runs. If another write of the process holds one, the write stops,
// waits for the lock, and runs again from the beginning.

// orgLocks are the locks within one process, by name. Most names are ids of organizations.
type orgLocks struct {
	mu    sync.Mutex
	locks map[string]chan struct{} // a channel has one element while its lock is free
	users map[string]int           // number of writes that hold the lock or wait for it
}

// acquire returns the channel of a lock, and counts the caller as a user until it calls forget.
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

type heldLocks struct {
	all       *orgLocks
	names     []string
	blockedOn string // lock at which the write stopped; empty for none
}

// try takes a lock if it is free, and reports whether this write holds it. If not, it sets blockedOn.
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

// wait releases all locks, and takes them again together with blockedOn. It takes them in the order of their names, so
// that two writes never wait for each other.
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
