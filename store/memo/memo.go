// Package memo keeps recent values within a limit on their number or memory.
package memo

import "sync"

// generations keeps recent values in two maps, each with half of the total size. When the young map is full, it becomes
// the old one, and the previous old map is dropped. The effect is similar to an LRU cache, but a hit in the young map
// takes only a read lock.
type generations[K comparable, V any] struct {
	mu         sync.RWMutex
	half, size int
	young, old map[K]V
}

func (g *generations[K, V]) get(k K) (v V, young, old bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if v, young = g.young[k]; !young {
		v, old = g.old[k]
	}
	return v, young, old
}

// put stores the result of next, which it calls with the previous value of k, or with the zero value if there is none.
func (g *generations[K, V]) put(k K, size int, next func(V) V) {
	g.mu.Lock()
	defer g.mu.Unlock()
	last, young := g.young[k]
	if !young {
		if last = g.old[k]; g.young == nil || g.size+size > g.half {
			g.old, g.young, g.size = g.young, make(map[K]V, len(g.young)), 0
		}
		g.size += size
	}
	g.young[k] = next(last)
}

// Recent keeps the most recently stored values. It is safe for concurrent use.
type Recent[K comparable, V any] struct{ kept generations[K, V] }

// NewRecent returns a Recent that keeps at most the given number of values.
func NewRecent[K comparable, V any](most int) *Recent[K, V] {
	return &Recent[K, V]{generations[K, V]{half: most / 2}}
}

// Get returns the value of k, or the zero value if there is none.
func (r *Recent[K, V]) Get(k K) V {
	v, _, _ := r.kept.get(k)
	return v
}

// Put stores the result of next, which it calls with the previous value of k, or with the zero value if there is none.
// The function next must not use r, because Put holds a lock while next runs.
func (r *Recent[K, V]) Put(k K, next func(last V) V) { r.kept.put(k, 1, next) }

// Key is the key of a [Memo]. It alone determines the function's result.
type Key[K any] interface {
	comparable
	Size() int // size in bytes, including the texts in the key
	Clone() K  // a copy that does not keep the memory of a larger text in use
}

// Answer is a result in a [Memo]. All callers share it, so none of them may change it.
type Answer interface {
	Size() int // size in bytes
}

// Memo caches recent results of a pure function. Results that are used again stay longer. A Memo is safe for concurrent
// use.
type Memo[K Key[K], V Answer] struct {
	of   func(K) V
	kept generations[K, V]
}

// overhead is the approximate size of a map entry in bytes, without its key and value.
const overhead = 128

// New returns a cache of at most the given number of bytes. A result of the function `of` must depend only on its key.
func New[K Key[K], V Answer](bytes int, of func(K) V) *Memo[K, V] {
	return &Memo[K, V]{of: of, kept: generations[K, V]{half: bytes / 2}}
}

// Get returns the result of the function for k, from the cache if possible.
func (m *Memo[K, V]) Get(k K) V {
	v, young, old := m.kept.get(k)
	switch {
	case young:
		return v
	case !old:
		v = m.of(k)
	}
	if size := k.Size() + v.Size() + overhead; size <= m.kept.half/2 {
		m.kept.put(k.Clone(), size, func(V) V { return v })
	}
	return v
}
