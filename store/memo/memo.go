// Package memo caches the results of pure functions in bounded memory.
package memo

import "sync"

// Key is the argument of a function: a small value that determines the result.
type Key[K any] interface {
	comparable
	Size() int // in bytes, with its texts
	Clone() K  // a copy that keeps no larger text in memory
}

// Answer is the result of a function. All callers share it, so none may change it.
type Answer interface {
	Size() int // in bytes
}

// Memo caches recent results in two generations of half the size each. When the young generation is full it
// becomes the old one; a result used again moves back to the young one. That comes close to an LRU cache,
// and a hit takes only a shared lock. It is safe for concurrent use.
type Memo[K Key[K], V Answer] struct {
	of func(K) V

	mu         sync.RWMutex
	half, size int
	young, old map[K]V
}

// overhead is the approximate cost of a map entry in bytes.
const overhead = 128

// New returns a cache of at most the given number of bytes for a function that depends on nothing but its key.
func New[K Key[K], V Answer](bytes int, of func(K) V) *Memo[K, V] {
	return &Memo[K, V]{of: of, half: bytes / 2, young: map[K]V{}}
}

// Get returns the result of the function for k.
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
