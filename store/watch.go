package store

import "sync"

// watchers are told which organizations change.
type watchers struct {
	mu   sync.Mutex
	next int
	list map[int]func(orgID string)
}

// Watch calls fn with the id of every organization whose journal has grown, here or in another process that shares the
// database; with the empty string when any may have. A change elsewhere may be told late, and several as one. It ends with stop.
func (s *Store) Watch(fn func(orgID string)) (stop func()) {
	w := &s.watchers
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil {
		w.list = map[int]func(string){}
	}
	w.next++
	n := w.next
	w.list[n] = fn
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.list, n)
	}
}

func (w *watchers) tell(orgID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, fn := range w.list {
		fn(orgID)
	}
}

// Wake tells whoever watches that an organization has changed, once that is durable. A journal entry does so by itself.
func (tx *Tx) Wake(orgID string) {
	tx.AfterCommit(func() { tx.store.changed(orgID) })
}

// changed tells everyone, here and elsewhere, of a change that is durable.
func (s *Store) changed(orgID string) {
	s.watchers.tell(orgID)
	s.DB.Send(orgID)
}
