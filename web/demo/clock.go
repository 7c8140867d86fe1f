package demo

import (
	"sync"
	"time"
)

const day = 24 * time.Hour

// clock is the time in the story. It never moves beyond the end of the story.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	end   time.Time
	steps int
}

// pauses are the times between two actions, repeated from the first after the last.
var pauses = []time.Duration{7 * time.Minute, 31 * time.Minute, 12 * time.Minute, 74 * time.Minute, 5 * time.Minute,
	48 * time.Minute, 19 * time.Minute}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// step moves the clock to the next action, by the next of the pauses but at most by a fortieth of the time until the
// end, so that late actions do not all happen at the end.
func (c *clock) step() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(min(pauses[c.steps%len(pauses)], c.end.Sub(c.now)/40))
	c.steps++
}

// reach moves the clock forward to the given duration before the end. It never moves the clock back, and does nothing
// if the duration is 0 or there is no clock.
func (c *clock) reach(before time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.end.Add(-before); at.After(c.now) && before > 0 {
		c.now, c.steps = at, 0
	}
}
