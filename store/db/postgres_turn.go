package db

import (
	"context"
	"slices"
	"sync"
)

// Within one process, writes in an organization take turns before they ask the server, without a connection. So a busy
// organization does not take all connections, and a process that stands still has one place in the server's queue, not many.
// Which organizations a write needs is found out by running it: it breaks off at one whose turn is somebody else's, and is run
// again when that turn has come.

// turns are those that are taken, by name.
type turns struct {
	mu    sync.Mutex
	taken map[string]chan struct{} // holds the one token while the turn is free
	users map[string]int
}

// turn is the channel of a name, which stays while anybody uses it.
func (t *turns) turn(name string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken == nil {
		t.taken, t.users = map[string]chan struct{}{}, map[string]int{}
	}
	c, ok := t.taken[name]
	if !ok {
		c = make(chan struct{}, 1)
		c <- struct{}{}
		t.taken[name] = c
	}
	t.users[name]++
	return c
}

func (t *turns) forget(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users[name]--; t.users[name] == 0 {
		delete(t.users, name)
		delete(t.taken, name)
	}
}

// turn is what one write has of them.
type turn struct {
	all   *turns
	mine  []string
	needs string // the one it broke off at
}

// try takes a turn if it is free.
func (t *turn) try(name string) bool {
	if slices.Contains(t.mine, name) {
		return true
	}
	select {
	case <-t.all.turn(name):
		t.mine = append(t.mine, name)
		return true
	default:
		t.all.forget(name)
		t.needs = name
		return false
	}
}

// wait gives back what it has, and takes that and what it needs, in the order in which everybody waits.
func (t *turn) wait(ctx context.Context) error {
	names := append(slices.Clone(t.mine), t.needs)
	t.release()
	slices.Sort(names)
	for _, name := range names {
		select {
		case <-t.all.turn(name):
			t.mine = append(t.mine, name)
		case <-ctx.Done():
			t.all.forget(name)
			return ctx.Err()
		}
	}
	return nil
}

func (t *turn) release() {
	for _, name := range t.mine {
		t.all.turn(name) <- struct{}{}
		t.all.forget(name)
		t.all.forget(name)
	}
	t.mine, t.needs = nil, ""
}
