package demo

import (
	"sync"
	"time"
)

const day = 24 * time.Hour

// clock is the time in the story. It moves from one action to the next, and never beyond the end of the story.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	end   time.Time
	steps int
}

// pauses are the times between two actions. They are used from the first to the last, and then again from the first.
var pauses = []time.Duration{7 * time.Minute, 31 * time.Minute, 12 * time.Minute, 74 * time.Minute, 5 * time.Minute,
	48 * time.Minute, 19 * time.Minute}

// Now returns the time in the story.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// step moves the clock to the time of the next action: by the next of the pauses, but by at most a fortieth of
// the time until the end, so that the late actions of the story do not all happen at its end.
func (c *clock) step() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(min(pauses[c.steps%len(pauses)], c.end.Sub(c.now)/40))
	c.steps++
}

// reach moves the clock forward to a point that lies the given duration before the end. It never moves the clock
// back, and does nothing if the duration is 0.
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
