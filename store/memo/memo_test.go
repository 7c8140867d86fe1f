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
	for _, generation := range []map[word]word{m.young, m.old} {
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
	if _, ok := m.young[large]; ok {
		t.Error("something larger than there is room for is kept")
	}
}
