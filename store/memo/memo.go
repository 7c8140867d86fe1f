// Package memo remembers what pure functions have said, as far as there is room.
package memo

import "sync"

// Key is what a function is asked: something small that says all that the answer depends on.
type Key[K any] interface {
	comparable
	Size() int // in bytes, with its text
	Clone() K  // that shares no text with anything larger
}

// Answer is what a function says. It is given to everybody who asks, so nobody may change it.
type Answer interface {
	Size() int // in bytes
}

// Memo keeps what was asked for lately in two generations of half the size each: when the young one is full it becomes the
// old one, and what is asked for again moves back. That is nearly as good as a list of recent uses, and reading costs a
// shared lock only. It is safe for concurrent use.
type Memo[K Key[K], V Answer] struct {
	of func(K) V

	mu         sync.RWMutex
	half, size int
	young, old map[K]V
}

// overhead is about what a map takes for each of its entries, in bytes.
const overhead = 128

// New makes a memo of a function that depends on nothing but its key. It takes up to so many bytes.
func New[K Key[K], V Answer](bytes int, of func(K) V) *Memo[K, V] {
	return &Memo[K, V]{of: of, half: bytes / 2, young: map[K]V{}}
}

// Get is what the function says of k.
func (m *Memo[K, V]) Get(k K) V {
	m.mu.RLock()
	v, young := m.young[k]
	old := false
	if !young {
		v, old = m.old[k]
	}
	m.mu.RUnlock()
	switch {
	case young:
		return v
	case !old:
		v = m.of(k)
	}
	m.put(k.Clone(), v)
	return v
}

func (m *Memo[K, V]) put(k K, v V) {
	size := k.Size() + v.Size() + overhead
	if size > m.half/2 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.young[k]; ok {
		return
	}
	if m.size+size > m.half {
		m.old, m.young, m.size = m.young, make(map[K]V, len(m.young)), 0
	}
	m.young[k] = v
	m.size += size
}
