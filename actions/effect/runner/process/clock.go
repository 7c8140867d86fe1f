package process

import (
	"sync"
	"time"
)

// Limits are the time limits of a turn.
type Limits struct {
	Idle time.Duration // maximum time without standard output of the agent, unless the agent waits for a permission
	Wall time.Duration // maximum duration of the turn
}

// DefaultLimits are the limits of a turn without limits of its own.
var DefaultLimits = Limits{Idle: 5 * time.Minute, Wall: 4 * time.Hour}

// Late is the limit that a turn reached.
type Late string

// These are the possible limits.
const (
	Stalled  Late = "stalled"   // [Limits.Idle]
	TimedOut Late = "timed_out" // [Limits.Wall]
)

// Clock watches the time limits of a turn. Its methods may be called from several goroutines.
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

// NewClock starts to watch the limits. At the first limit, the clock calls late once, in a separate goroutine.
func NewClock(l Limits, late func(Late)) *Clock {
	c := &Clock{late: late, idle: l.Idle, heard: time.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silence = time.AfterFunc(l.Idle, c.silent)
	c.wall = time.AfterFunc(l.Wall, func() { c.end(TimedOut) })
	return c
}

// Heard restarts the idle time.
func (c *Clock) Heard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = time.Now()
}

// Hold suspends the idle limit while the agent waits for a permission. Each Hold must be followed by a Release.
func (c *Clock) Hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds++
}

// Release ends one Hold and restarts the idle time.
func (c *Clock) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds--
	c.heard = time.Now()
}

// Stop ends the watch. After Stop, the clock reports no limit.
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

// silent reports [Stalled] if the idle time is over, and otherwise sets the timer for the remaining time.
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
