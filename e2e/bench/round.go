//go:build linux

package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// steady is the largest allowed ratio between the costs of the bare server F in two rounds of one comparison. F always
// does the same little work, so a larger ratio means that the machine was busy with something else.
const steady = 1.3

type plan struct {
	window time.Duration // duration for one target in one round; the bare server F gets half of it
	rounds int
	tries  int // most rounds to measure, as a multiple of the field rounds
}

// round is one measurement of each target. The bare server F is measured before and after each target.
type round struct {
	floors []*sample // samples of the bare server F, one more than there are targets
	own    []*sample
}

// level returns the mean processor time of a request to the bare server F in this round.
func (r *round) level() time.Duration {
	var sum time.Duration
	for _, f := range r.floors {
		sum += f.cpu
	}
	return sum / time.Duration(len(r.floors))
}

// comparison has the costs of several targets and of the bare server F, which are measured alternately, so that a slow
// machine affects all of them.
type comparison struct {
	rounds []*round
	thrown int     // rounds left out, in which the cost of the bare server F differed most
	spread float64 // ratio of the largest to the smallest cost of the bare server F
}

// compare measures the targets until there are enough rounds in which the bare server F cost nearly the same. If there
// are too few after the last allowed round, the error is of type refused.
func (b *bench) compare(load loader, targets ...*target) (*comparison, error) {
	m := &measuring{load: load, targets: targets}
	if err := b.more(m, b.plan.rounds); err != nil {
		return nil, err
	}
	return b.finish(m)
}

type measuring struct {
	load    loader
	targets []*target
	rounds  []*round
}

// more warms the targets up and measures the given number of rounds.
func (b *bench) more(m *measuring, rounds int) error {
	for _, t := range m.targets {
		if err := t.warm(); err != nil {
			return err
		}
	}
	for range rounds {
		if err := b.another(m); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) another(m *measuring) error {
	r, err := b.round(m.load, m.targets)
	m.rounds = append(m.rounds, r)
	return err
}

// finish measures more rounds until the bare server F cost nearly the same in enough of them, or returns an error of
// type refused.
func (b *bench) finish(m *measuring) (*comparison, error) {
	for {
		if c := steadiest(m.rounds, b.plan.rounds); c != nil {
			return c, nil
		}
		if len(m.rounds) >= b.plan.rounds*b.plan.tries {
			return nil, refused{fmt.Sprintf("F varied by more than %.1f in %d rounds", steady, len(m.rounds))}
		}
		if err := b.another(m); err != nil {
			return nil, err
		}
	}
}

// refused is the error of a comparison for which the machine was too busy.
type refused struct{ why string }

func (r refused) Error() string { return r.why }

func (b *bench) round(load loader, targets []*target) (*round, error) {
	r := &round{}
	for _, t := range targets { // reading the database from disk must not count
		if err := readAhead(t.server.data); err != nil {
			return nil, err
		}
	}
	floor := func() error {
		s, err := load(b.floorTarget(), b.plan.window/2)
		r.floors = append(r.floors, s)
		return err
	}
	if err := floor(); err != nil {
		return nil, err
	}
	for _, t := range targets {
		s, err := load(t, b.plan.window)
		if err != nil {
			return nil, err
		}
		r.own = append(r.own, s)
		if err := floor(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// steadiest returns the n rounds in which the costs of the bare server F are closest to each other, or nil if they
// still vary too much.
func steadiest(all []*round, n int) *comparison {
	if len(all) < n {
		return nil
	}
	sorted := slices.SortedFunc(slices.Values(all), func(x, y *round) int { return cmp.Compare(x.level(), y.level()) })
	var best *comparison
	for i := range len(sorted) - n + 1 {
		spread := ratio(sorted[i+n-1].level(), sorted[i].level())
		if best == nil || spread < best.spread {
			best = &comparison{sorted[i : i+n], len(all) - n, spread}
		}
	}
	if best.spread > steady {
		return nil
	}
	return best
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

// median returns the median of the figures that fn returns for the rounds.
func (c *comparison) median(fn func(r *round) float64) float64 {
	values := make([]float64, len(c.rounds))
	for i, r := range c.rounds {
		values[i] = fn(r)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// over returns the median ratio of the processor time of a request to target i to that of a request to the bare server
// F just before and after.
func (c *comparison) over(i int) float64 {
	return c.median(func(r *round) float64 { return 2 * ratio(r.own[i].cpu, r.floors[i].cpu+r.floors[i+1].cpu) })
}

// between returns the median ratio of the processor time of a request to target i to that of a request to target j.
func (c *comparison) between(i, j int) float64 {
	return c.median(func(r *round) float64 { return ratio(r.own[i].cpu, r.own[j].cpu) })
}

// beside formats further figures of target i, which do not affect the verdict.
func (c *comparison) beside(i int) string {
	rate := c.median(func(r *round) float64 { return r.own[i].rate() })
	p := func(n int) float64 {
		return c.median(func(r *round) float64 { return float64(r.own[i].percentile(n).Microseconds()) }) / 1000
	}
	cpu := c.median(func(r *round) float64 { return float64(r.own[i].cpu.Nanoseconds()) }) / 1000
	floor := c.median(func(r *round) float64 { return float64(r.level().Nanoseconds()) }) / 1000
	s := fmt.Sprintf("%.0f/s, p50 %.2f ms, p99 %.2f ms, %.0f µs CPU (F %.1f)", rate, p(50), p(99), cpu, floor)
	if c.thrown > 0 {
		s += fmt.Sprintf(", %d noisy rounds thrown away", c.thrown)
	}
	return s
}
