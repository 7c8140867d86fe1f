package web

import "sync"

// hub wakes whoever waits for a change in an organization. It says only that something changed.
type hub struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}
}

func newHub() *hub { return &hub{waiting: map[string]chan struct{}{}} }

// next is closed at the next change in the organization; without one, at the next change anywhere.
func (h *hub) next(orgID string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.waiting[orgID]
	if !ok {
		c = make(chan struct{})
		h.waiting[orgID] = c
	}
	return c
}

// changed wakes everyone who waits on the organization; without one, everyone.
func (h *hub) changed(orgID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, c := range h.waiting {
		if orgID == "" || id == orgID || id == "" {
			close(c)
			delete(h.waiting, id)
		}
	}
}
