package memo

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

type word string

func (w word) Size() int   { return len(w) }
func (w word) Clone() word { return word(strings.Clone(string(w))) }

func TestMemo(t *testing.T) {
	const room = 1 << 20
	var asked atomic.Int64
	m := New(room, func(k word) word { asked.Add(1); return word(strings.ToUpper(string(k))) })
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i := range 500 {
				k := word(fmt.Sprintf("%s %d %d", strings.Repeat("some text ", 100), n%2, i))
				if got := m.Get(k); got != word(strings.ToUpper(string(k))) {
					t.Errorf("%q was said of %q", got, k)
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for _, generation := range []map[word]word{m.kept.young, m.kept.old} {
		for k, v := range generation {
			total += k.Size() + v.Size() + overhead
		}
	}
	if total > room || total < room/4 {
		t.Errorf("%d bytes are kept", total)
	}
	before := asked.Load()
	for range 3 {
		m.Get("x")
	}
	if n := asked.Load() - before; n != 1 {
		t.Errorf("asked %d times for the same", n)
	}
	large := word(strings.Repeat("x", room))
	m.Get(large)
	if _, ok := m.kept.young[large]; ok {
		t.Error("something larger than there is room for is kept")
	}
}

// TestRecent puts more values than a Recent keeps. It must forget only old ones, and every Put must see the last value.
func TestRecent(t *testing.T) {
	const most = 100
	r := NewRecent[int, int](most)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 1000 {
				r.Put(7, func(last int) int { return last + 1 })
			}
		})
	}
	if wg.Wait(); r.Get(7) != 4000 {
		t.Errorf("%d of 4000 additions are kept", r.Get(7))
	}
	for k := range 10 * most {
		r.Put(1000+k, func(int) int { return k })
		if got := r.Get(1000 + k); got != k {
			t.Fatalf("%d was kept as %d", k, got)
		}
	}
	if got := r.Get(1000 + 10*most - most/2); got != 10*most-most/2 {
		t.Errorf("a value was forgotten among the last %d", most/2)
	}
	if n := len(r.kept.young) + len(r.kept.old); n > most || r.Get(7) != 0 {
		t.Errorf("%d values are kept", n)
	}
}
