// Package memo caches the results of pure functions in bounded memory.
package memo

import "sync"

// Key is the argument of a cached function: a small value that alone determines the result.
type Key[K any] interface {
	comparable
	Size() int // size in bytes, including the texts in the key
	Clone() K  // a copy that does not refer to the memory of a larger text
}

// Answer is the result of a cached function. All callers share it, so none of them may change it.
type Answer interface {
	Size() int // size in bytes
}

// Memo caches recent results in two generations, each of half the size. When the young generation is full, it
// becomes the old one, and the previous old one is dropped. A result in the old generation that is used again
// moves to the young one. The effect is similar to an LRU cache, but a hit needs only a shared lock. A Memo is
// safe for concurrent use.
type Memo[K Key[K], V Answer] struct {
	of func(K) V

	mu         sync.RWMutex
	half, size int
	young, old map[K]V
}

// overhead is the approximate size of a map entry in bytes, without its key and value.
const overhead = 128

// New returns a cache that takes at most the given number of bytes. The result of the function must depend only
// on its key.
func New[K Key[K], V Answer](bytes int, of func(K) V) *Memo[K, V] {
	return &Memo[K, V]{of: of, half: bytes / 2, young: map[K]V{}}
}

// Get returns the result of the function for k, from the cache if possible.
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
