package process

import (
	"sync"
	"time"
)

// Limits are the times after which a turn is ended.
type Limits struct {
	Idle time.Duration // without a word of the agent, while it waits for nobody
	Wall time.Duration // in all
}

// DefaultLimits are those of a turn that has none of its own.
var DefaultLimits = Limits{Idle: 5 * time.Minute, Wall: 4 * time.Hour}

// Late says which limit was reached.
type Late string

// These are the limits that a turn can reach.
const (
	Stalled  Late = "stalled"   // that of Idle
	TimedOut Late = "timed_out" // that of Wall
)

// Clock watches the limits of a turn. Its methods may be called from several goroutines.
type Clock struct {
	late func(Late)
	idle time.Duration

	mu      sync.Mutex
	holds   int
	over    bool
	heard   time.Time
	silence *time.Timer
	wall    *time.Timer
}

// NewClock starts to watch. It calls late in a goroutine of its own, once, when the first limit is reached.
func NewClock(l Limits, late func(Late)) *Clock {
	c := &Clock{late: late, idle: l.Idle, heard: time.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silence = time.AfterFunc(l.Idle, c.silent)
	c.wall = time.AfterFunc(l.Wall, func() { c.end(TimedOut) })
	return c
}

// Heard notes that the agent said something.
func (c *Clock) Heard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = time.Now()
}

// Hold stops the limit of silence, since the agent waits for a person, until as many calls of Release follow.
func (c *Clock) Hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds++
}

// Release ends a Hold. The silence counts from now.
func (c *Clock) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds--
	c.heard = time.Now()
}

// Stop ends the watch.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop()
}

func (c *Clock) stop() {
	c.over = true
	c.silence.Stop()
	c.wall.Stop()
}

// silent ends the turn if the silence has lasted long enough, and else looks again when it could have.
func (c *Clock) silent() {
	c.mu.Lock()
	left := c.idle - time.Since(c.heard)
	if c.holds > 0 {
		left = c.idle
	}
	if left > 0 && !c.over {
		c.silence.Reset(left)
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	c.end(Stalled)
}

func (c *Clock) end(why Late) {
	c.mu.Lock()
	over := c.over
	if !over {
		c.stop()
	}
	c.mu.Unlock()
	if !over {
		c.late(why)
	}
}
