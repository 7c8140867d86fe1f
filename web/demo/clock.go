package demo

import (
	"sync"
	"time"
)

const day = 24 * time.Hour

// clock is the time in the story: it goes on from one action to the next and never beyond its end.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	end   time.Time
	steps int
}

// pauses are how long nothing happens between two actions, over and over.
var pauses = []time.Duration{7 * time.Minute, 31 * time.Minute, 12 * time.Minute, 74 * time.Minute, 5 * time.Minute, 48 * time.Minute, 19 * time.Minute}

// Now is the time in the story.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// step lets some time pass.
func (c *clock) step() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(min(pauses[c.steps%len(pauses)], c.end.Sub(c.now)/4))
	c.steps++
}

// reach lets time pass until so long before the end, if that is still to come.
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
