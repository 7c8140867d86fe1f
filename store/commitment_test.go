package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/store"
	"samepage/store/db"
	"samepage/store/effort"
	"samepage/store/governance"
	_ "samepage/store/work" // declares boards
)

// commitment makes an open commitment in Team, by Alice.
func (w *world) commitment(n governance.NewCommitment) *governance.Commitment {
	w.t.Helper()
	var c *governance.Commitment
	w.write(func(tx *store.Tx) (err error) {
		if c, err = governance.CreateCommitment(tx, w.alice, w.team, n); err != nil {
			return err
		}
		if err = governance.OpenCommitment(tx, c); err != nil {
			return err
		}
		c, err = governance.FindCommitment(tx, w.alice, w.team.Handle, c.ID)
		return err
	})
	return c
}

// commit is the part of [world.everything] about commitments.
func (w *world) commit() {
	c := w.commitment(governance.NewCommitment{Title: "Run", CriticalMass: 1, ClosesAt: friday.Add(time.Hour)})
	w.write(func(tx *store.Tx) error {
		find := func() *governance.Commitment {
			c, err := governance.FindCommitment(tx, w.bob, "team", c.ID)
			if err != nil {
				w.t.Error(err)
			}
			return c
		}
		return errors.Join(governance.UpdateCommitment(tx, c, governance.NewCommitment{Title: "Run!", CriticalMass: 1}),
			governance.JoinCommitment(tx, w.bob, c), governance.LeaveCommitment(tx, w.bob, c),
			governance.JoinCommitment(tx, w.bob, c), governance.MarkCommitment(tx, w.bob, find(), true, "Fine"),
			governance.CloseCommitment(tx, w.alice, c))
	})
	w.read(func(tx *store.Tx) error {
		c, err1 := governance.FindCommitment(tx, w.bob, "team", c.ID)
		_, err2 := governance.ShowCommitment(tx, w.bob, c)
		_, err3 := governance.ShowParticipants(tx, w.bob, c, "")
		_, err4 := tx.ShowItems(w.bob, w.team, governance.CommitmentKind.Name, false, "/", "")
		_, err5 := c.Awaited(tx)
		c.BoundAt = store.Time{}
		_, err6 := c.Awaited(tx)
		return errors.Join(err1, err2, err3, err4, err5, err6)
	})
}

// promise is the expected state of a commitment.
type promise struct {
	mass, limit                    int
	opened, closed, bound, settled bool
	deadline, starts               time.Time
	in                             map[string]string // member → mark
}

func (p *promise) state(now time.Time) string {
	done, missed := 0, 0
	for _, mark := range p.in {
		switch mark {
		case "done":
			done++
		case "missed":
			missed++
		}
	}
	over := p.closed || p.opened && !p.deadline.IsZero() && !now.Before(p.deadline)
	switch {
	case !p.opened:
		return "draft"
	case p.settled && missed > 0:
		return "missed"
	case p.settled:
		return "done"
	case over && p.bound:
		return "closed"
	case over:
		return "failed"
	case p.limit > 0 && len(p.in) == p.limit:
		return "full"
	case p.bound:
		return "bound"
	}
	return "open"
}

// commitmentRun is one commitment and its model.
type commitmentRun struct {
	w      *world
	m      *promise
	id     string
	people []store.Actor
}

// TestCommitmentKeepsItsRules calls random actions by random actors as time passes. Each action finds the commitment,
// asks the guard and changes the commitment. The test compares the outcome with the model.
func TestCommitmentKeepsItsRules(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	people := []store.Actor{w.alice, w.bob, w.scribe, w.oscar}
	for i := range 4 {
		by := w.member(w.acme, fmt.Sprintf("runner-%d", i))
		w.write(func(tx *store.Tx) error { return tx.JoinStudio(by.Member, w.team) })
		people = append(people, by)
	}
	steps := 0
	checkModel(t, &steps, func(rt *rapid.T) {
		r := newCommitmentRun(rt, w, people)
		actions := r.actions()
		actions[""] = func(rt *rapid.T) {
			steps++
			r.check(rt)
		}
		rt.Repeat(actions)
	})
}

// newCommitmentRun creates a draft of a random commitment by Alice.
func newCommitmentRun(rt *rapid.T, w *world, people []store.Actor) *commitmentRun {
	start := w.clock.Now()
	m := &promise{mass: rapid.IntRange(1, 4).Draw(rt, "mass"), in: map[string]string{}}
	if rapid.Bool().Draw(rt, "limited") {
		m.limit = m.mass + rapid.IntRange(0, 3).Draw(rt, "room")
	}
	if rapid.Bool().Draw(rt, "ends") {
		m.deadline = start.Add(time.Duration(rapid.IntRange(1, 20).Draw(rt, "hours")) * time.Hour)
	}
	if rapid.Bool().Draw(rt, "event") {
		m.starts = start.Add(20 * time.Hour)
		if m.deadline.IsZero() {
			m.deadline = m.starts
		}
	}
	var id string
	w.write(func(tx *store.Tx) error {
		c, err := governance.CreateCommitment(tx, w.alice, w.team,
			governance.NewCommitment{Title: "Run", CriticalMass: m.mass, Limit: m.limit, ClosesAt: m.deadline,
				StartsAt: m.starts})
		if err == nil {
			id = c.ID
		}
		return err
	})
	return &commitmentRun{w: w, m: m, id: id, people: people}
}

// act runs one action by an actor and returns the error of its guard.
func (r *commitmentRun) act(by store.Actor, guard func(*governance.Commitment) error,
	do func(*store.Tx, *governance.Commitment) error) error {
	return r.w.Write(context.Background(), func(tx *store.Tx) error {
		c, err := governance.FindCommitment(tx, by, "team", r.id)
		if err != nil {
			return err
		}
		if err := guard(c); err != nil {
			return err
		}
		return do(tx, c)
	})
}

func (r *commitmentRun) expect(rt *rapid.T, err error, allowed bool) {
	if (err == nil) != allowed {
		rt.Fatalf("in the state %s with %v of %d to %d: %v", r.m.state(r.w.clock.Now()), r.m.in, r.m.mass,
			r.m.limit, err)
	}
}

func (r *commitmentRun) over() bool {
	return !slices.Contains([]string{"open", "bound", "full"}, r.m.state(r.w.clock.Now()))
}

func (r *commitmentRun) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"open": func(rt *rapid.T) {
			by := rapid.SampledFrom(r.people).Draw(rt, "by")
			late := !r.m.deadline.IsZero() && !r.w.clock.Now().Before(r.m.deadline)
			allowed := !r.m.opened && !late && by.Is(r.w.alice.MemberID())
			r.expect(rt, r.act(by, func(c *governance.Commitment) error { return c.MustBeDraftOf(by) },
				func(tx *store.Tx, c *governance.Commitment) error {
					return governance.OpenCommitment(tx,
						c)
				}), allowed)
			r.m.opened = r.m.opened || allowed
		},
		"join": func(rt *rapid.T) {
			by := rapid.SampledFrom(r.people).Draw(rt, "by")
			_, in := r.m.in[by.MemberID()]
			allowed := !r.over() && !in && (r.m.limit == 0 || len(r.m.in) < r.m.limit) &&
				by.MemberID() != r.w.oscar.MemberID()
			r.expect(rt, r.act(by, func(c *governance.Commitment) error { return c.MustBeJoinable() },
				func(tx *store.Tx, c *governance.Commitment) error {
					return governance.JoinCommitment(tx, by,
						c)
				}), allowed)
			if allowed {
				r.m.in[by.MemberID()] = ""
				r.m.bound = r.m.bound || len(r.m.in) >= r.m.mass
			}
		},
		"leave": func(rt *rapid.T) {
			by := rapid.SampledFrom(r.people).Draw(rt, "by")
			_, in := r.m.in[by.MemberID()]
			allowed := !r.over() && in && !r.m.bound
			r.expect(rt, r.act(by, func(c *governance.Commitment) error { return c.MustBeLeavable() },
				func(tx *store.Tx, c *governance.Commitment) error {
					return governance.LeaveCommitment(tx, by,
						c)
				}), allowed)
			if allowed {
				delete(r.m.in, by.MemberID())
			}
		},
		"mark": func(rt *rapid.T) {
			by, done := rapid.SampledFrom(r.people).Draw(rt, "by"), rapid.Bool().Draw(rt, "done")
			mark := map[bool]string{true: "done", false: "missed"}[done]
			old, in := r.m.in[by.MemberID()]
			allowed := in && r.m.bound && old != mark && !r.w.clock.Now().Before(r.m.starts)
			r.expect(rt, r.act(by, func(c *governance.Commitment) error { return c.MustBeMarkable(mark) },
				func(tx *store.Tx, c *governance.Commitment) error {
					return governance.MarkCommitment(tx, by, c, done, "")
				}), allowed)
			if allowed {
				r.m.in[by.MemberID()] = mark
				all := true
				for _, x := range r.m.in {
					all = all && x != ""
				}
				r.m.settled, r.m.closed = r.m.settled || all, r.m.closed || all
			}
		},
		"close": func(rt *rapid.T) {
			by := rapid.SampledFrom(append(r.people, store.System())).Draw(rt, "by")
			due := !r.m.deadline.IsZero() && !r.w.clock.Now().Before(r.m.deadline)
			allowed := r.m.opened && !r.m.closed && (by.Is(r.w.alice.MemberID()) || by.System && due)
			r.expect(rt, r.act(by, func(c *governance.Commitment) error { return c.MustBeClosableBy(by) },
				func(tx *store.Tx, c *governance.Commitment) error {
					return governance.CloseCommitment(tx, by,
						c)
				}), allowed)
			r.m.closed = r.m.closed || allowed
		},
		"update": func(rt *rapid.T) {
			by := rapid.SampledFrom(r.people).Draw(rt, "by")
			allowed := !r.m.bound && by.Is(r.w.alice.MemberID()) && (!r.m.opened || !r.over())
			r.expect(rt, r.act(by, func(c *governance.Commitment) error { return c.MustBeRevisableBy(by) },
				func(*store.Tx, *governance.Commitment) error { return nil }), allowed)
		},
		"wait": func(rt *rapid.T) {
			r.w.clock.advance(time.Duration(rapid.IntRange(1, 8).Draw(rt,
				"hours")) * time.Hour)
		},
	}
}

// check compares the commitment with its model.
func (r *commitmentRun) check(rt *rapid.T) {
	r.w.read(func(tx *store.Tx) error {
		c, err := governance.FindCommitment(tx, r.w.alice, "team", r.id)
		if err != nil {
			return err
		}
		if want := r.m.state(r.w.clock.Now()); c.State() != want {
			rt.Fatalf("state %s, want %s", c.State(), want)
		}
		list, err := governance.Participants(tx, c, store.Cursor{}, 100)
		if err != nil {
			return err
		}
		got := map[string]string{}
		for _, p := range list {
			got[p.MemberID] = p.Mark
		}
		if fmt.Sprint(got) != fmt.Sprint(r.m.in) || c.Joined != len(r.m.in) || c.Bound() != r.m.bound ||
			c.Missing() != max(r.m.mass-len(r.m.in), 0) {
			rt.Fatalf("%v are in, %d counted, want %v", got, c.Joined, r.m.in)
		}
		if !c.ClosedAt.IsZero() && !r.m.deadline.IsZero() && c.ClosedAt.After(r.m.deadline) {
			rt.Fatalf("closed %s, after its deadline %s", c.ClosedAt, r.m.deadline)
		}
		return nil
	})
}

// TestJoinsNeverExceedTheLimit lets many members join concurrently.
func TestJoinsNeverExceedTheLimit(t *testing.T) {
	w := newWorld(t)
	const limit, people = 7, 20
	c := w.commitment(governance.NewCommitment{Title: "Run", CriticalMass: 5, Limit: limit})
	runners := make([]store.Actor, people)
	for i := range runners {
		runners[i] = w.member(w.acme, fmt.Sprintf("runner-%d", i))
		w.write(func(tx *store.Tx) error { return tx.JoinStudio(runners[i].Member, w.team) })
	}
	var wait sync.WaitGroup
	var joined, refused atomic.Int64
	for _, by := range runners {
		for range 2 { // each member twice, concurrently
			wait.Go(func() {
				err := w.Write(context.Background(), func(tx *store.Tx) error {
					c, err := governance.FindCommitment(tx, by, "team", c.ID)
					if err == nil {
						err = c.MustBeJoinable()
					}
					if err != nil {
						return err
					}
					return governance.JoinCommitment(tx, by, c)
				})
				switch store.CodeOf(err) {
				case store.Conflict:
					refused.Add(1)
				default:
					if err != nil {
						t.Error(err)
					}
					joined.Add(1)
				}
			})
		}
	}
	wait.Wait()
	w.read(func(tx *store.Tx) error {
		c, err := governance.FindCommitment(tx, w.alice, "team", c.ID)
		if err != nil {
			return err
		}
		list, err := governance.Participants(tx, c, store.Cursor{}, 100)
		if len(list) != limit || c.Joined != limit || joined.Load() != limit || refused.Load() != 2*people-limit ||
			c.State() != governance.CommitmentFull {
			t.Errorf("%d in, %d counted, %d let in, %d refused, %s", len(list), c.Joined, joined.Load(),
				refused.Load(), c.State())
		}
		return err
	})
	// A constraint of the table enforces the same limit as the guard.
	err := w.Write(context.Background(), func(tx *store.Tx) error { return governance.JoinCommitment(tx, w.bob, c) })
	if !db.IsConstraint(err) {
		t.Errorf("one more than the limit: %v", err)
	}
}

func TestParticipantsArePaged(t *testing.T) {
	w := newWorld(t)
	c := w.commitment(governance.NewCommitment{Title: "Run", CriticalMass: 5})
	var want []string
	for moment := range 3 {
		w.clock.advance(time.Second)
		var tied []string
		for i := range 4 {
			by := w.member(w.acme, fmt.Sprintf("runner-%d-%d", moment, i))
			w.write(func(tx *store.Tx) error { return governance.JoinCommitment(tx, by, c) })
			tied = append(tied, by.MemberID())
		}
		slices.Sort(tied)
		want = append(want, tied...)
	}
	for _, limit := range []int{1, 3, 5, 12, 13} {
		var got []string
		w.read(func(tx *store.Tx) error {
			for after := (store.Cursor{}); ; {
				list, err := governance.Participants(tx, c, after, limit)
				if err != nil {
					return err
				}
				for i := range list {
					got, after = append(got, list[i].MemberID), list[i].Cursor()
				}
				if len(list) < limit {
					return nil
				}
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d: %s, want %s", limit, got, want)
		}
	}
}
