package store

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

	"samepage/store/db"
)

// commitment makes an open commitment in Team, by Alice.
func (w *world) commitment(n NewCommitment) *Commitment {
	w.t.Helper()
	var c *Commitment
	w.write(func(tx *Tx) (err error) {
		if c, err = tx.CreateCommitment(w.alice, w.team, n); err != nil {
			return err
		}
		if err = tx.OpenCommitment(c); err != nil {
			return err
		}
		c, err = tx.FindCommitment(w.alice, w.team.Handle, c.ID)
		return err
	})
	return c
}

// commit calls every method of Tx about commitments.
func (w *world) commit() {
	c := w.commitment(NewCommitment{Title: "Run", CriticalMass: 1, ClosesAt: friday.Add(time.Hour)})
	w.write(func(tx *Tx) error {
		find := func() *Commitment {
			c, err := tx.FindCommitment(w.bob, "team", c.ID)
			if err != nil {
				w.t.Error(err)
			}
			return c
		}
		return errors.Join(tx.UpdateCommitment(c, NewCommitment{Title: "Run!", CriticalMass: 1}),
			tx.JoinCommitment(w.bob, c), tx.LeaveCommitment(w.bob, c),
			tx.JoinCommitment(w.bob, c), tx.MarkCommitment(w.bob, find(), true, "Fine"), tx.CloseCommitment(w.alice, c))
	})
	w.read(func(tx *Tx) error {
		c, err1 := tx.FindCommitment(w.bob, "team", c.ID)
		_, err2 := tx.ShowCommitment(w.bob, c)
		_, err3 := tx.ShowParticipants(w.bob, c, "")
		_, err4 := tx.ShowItems(w.bob, w.team, CommitmentKind.Name, "")
		_, err5 := c.Awaited(tx)
		c.BoundAt = Time{}
		_, err6 := c.Awaited(tx)
		return errors.Join(err1, err2, err3, err4, err5, err6)
	})
}

// promise is the model of a commitment: its participants and their marks, and nothing derived.
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

// TestCommitmentKeepsItsRules calls random actions by random actors as time passes, in the order of an
// action: find, guard, change. It compares the outcome with the model.
func TestCommitmentKeepsItsRules(t *testing.T) {
	w := newWorld(t)
	people := []Actor{w.alice, w.bob, w.scribe, w.oscar}
	for i := range 4 {
		by := w.member(w.acme, fmt.Sprintf("runner-%d", i))
		w.write(func(tx *Tx) error { return tx.JoinStudio(by.Member, w.team) })
		people = append(people, by)
	}
	steps := 0
	checkModel(t, &steps, func(rt *rapid.T) {
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
		w.write(func(tx *Tx) error {
			c, err := tx.CreateCommitment(w.alice, w.team,
				NewCommitment{Title: "Run", CriticalMass: m.mass, Limit: m.limit, ClosesAt: m.deadline,
					StartsAt: m.starts})
			if err == nil {
				id = c.ID
			}
			return err
		})
		// act runs one action by an actor and returns the error of its guard.
		act := func(by Actor, guard func(*Commitment) error, do func(*Tx, *Commitment) error) error {
			return w.Write(context.Background(), func(tx *Tx) error {
				c, err := tx.FindCommitment(by, "team", id)
				if err != nil {
					return err
				}
				if err := guard(c); err != nil {
					return err
				}
				return do(tx, c)
			})
		}
		expect := func(err error, allowed bool) {
			if (err == nil) != allowed {
				rt.Fatalf("in the state %s with %v of %d to %d: %v", m.state(w.clock.Now()), m.in, m.mass, m.limit, err)
			}
		}
		over := func() bool { return !slices.Contains([]string{"open", "bound", "full"}, m.state(w.clock.Now())) }
		rt.Repeat(map[string]func(*rapid.T){
			"open": func(rt *rapid.T) {
				by := rapid.SampledFrom(people).Draw(rt, "by")
				late := !m.deadline.IsZero() && !w.clock.Now().Before(m.deadline)
				allowed := !m.opened && !late && by.Is(w.alice.MemberID())
				expect(act(by, func(c *Commitment) error { return c.MustBeDraftOf(by) },
					func(tx *Tx, c *Commitment) error { return tx.OpenCommitment(c) }), allowed)
				m.opened = m.opened || allowed
			},
			"join": func(rt *rapid.T) {
				by := rapid.SampledFrom(people).Draw(rt, "by")
				_, in := m.in[by.MemberID()]
				allowed := !over() && !in && (m.limit == 0 || len(m.in) < m.limit) &&
					by.MemberID() != w.oscar.MemberID()
				expect(act(by, func(c *Commitment) error { return c.MustBeJoinable() },
					func(tx *Tx, c *Commitment) error { return tx.JoinCommitment(by, c) }), allowed)
				if allowed {
					m.in[by.MemberID()] = ""
					m.bound = m.bound || len(m.in) >= m.mass
				}
			},
			"leave": func(rt *rapid.T) {
				by := rapid.SampledFrom(people).Draw(rt, "by")
				_, in := m.in[by.MemberID()]
				allowed := !over() && in && !m.bound
				expect(act(by, func(c *Commitment) error { return c.MustBeLeavable() },
					func(tx *Tx, c *Commitment) error { return tx.LeaveCommitment(by, c) }), allowed)
				if allowed {
					delete(m.in, by.MemberID())
				}
			},
			"mark": func(rt *rapid.T) {
				by, done := rapid.SampledFrom(people).Draw(rt, "by"), rapid.Bool().Draw(rt, "done")
				mark := map[bool]string{true: "done", false: "missed"}[done]
				old, in := m.in[by.MemberID()]
				allowed := in && m.bound && old != mark && !w.clock.Now().Before(m.starts)
				expect(act(by, func(c *Commitment) error { return c.MustBeMarkable(mark) },
					func(tx *Tx, c *Commitment) error { return tx.MarkCommitment(by, c, done, "") }), allowed)
				if allowed {
					m.in[by.MemberID()] = mark
					all := true
					for _, x := range m.in {
						all = all && x != ""
					}
					m.settled, m.closed = m.settled || all, m.closed || all
				}
			},
			"close": func(rt *rapid.T) {
				by := rapid.SampledFrom(append(people, System())).Draw(rt, "by")
				due := !m.deadline.IsZero() && !w.clock.Now().Before(m.deadline)
				allowed := m.opened && !m.closed && (by.Is(w.alice.MemberID()) || by.System && due)
				expect(act(by, func(c *Commitment) error { return c.MustBeClosableBy(by) },
					func(tx *Tx, c *Commitment) error { return tx.CloseCommitment(by, c) }), allowed)
				m.closed = m.closed || allowed
			},
			"update": func(rt *rapid.T) {
				by := rapid.SampledFrom(people).Draw(rt, "by")
				allowed := !m.bound && by.Is(w.alice.MemberID()) && (!m.opened || !over())
				expect(act(by, func(c *Commitment) error { return c.MustBeRevisableBy(by) },
					func(*Tx, *Commitment) error { return nil }), allowed)
			},
			"wait": func(rt *rapid.T) {
				w.clock.advance(time.Duration(rapid.IntRange(1, 8).Draw(rt,
					"hours")) * time.Hour)
			},
			"": func(rt *rapid.T) {
				steps++
				w.read(func(tx *Tx) error {
					c, err := tx.FindCommitment(w.alice, "team", id)
					if err != nil {
						return err
					}
					if want := m.state(w.clock.Now()); c.State() != want {
						rt.Fatalf("state %s, want %s", c.State(), want)
					}
					list, err := tx.Participants(c, Cursor{}, 100)
					if err != nil {
						return err
					}
					got := map[string]string{}
					for _, p := range list {
						got[p.MemberID] = p.Mark
					}
					if fmt.Sprint(got) != fmt.Sprint(m.in) || c.Joined != len(m.in) || c.Bound() != m.bound ||
						c.Missing() != max(m.mass-len(m.in), 0) {
						rt.Fatalf("%v are in, %d counted, want %v", got, c.Joined, m.in)
					}
					if !c.ClosedAt.IsZero() && !m.deadline.IsZero() && c.ClosedAt.After(m.deadline) {
						rt.Fatalf("closed %s, after its deadline %s", c.ClosedAt, m.deadline)
					}
					return nil
				})
			},
		})
	})
}

// TestJoinsNeverExceedTheLimit lets many members join concurrently.
func TestJoinsNeverExceedTheLimit(t *testing.T) {
	w := newWorld(t)
	const limit, people = 7, 20
	c := w.commitment(NewCommitment{Title: "Run", CriticalMass: 5, Limit: limit})
	runners := make([]Actor, people)
	for i := range runners {
		runners[i] = w.member(w.acme, fmt.Sprintf("runner-%d", i))
		w.write(func(tx *Tx) error { return tx.JoinStudio(runners[i].Member, w.team) })
	}
	var wait sync.WaitGroup
	var joined, refused atomic.Int64
	for _, by := range runners {
		for range 2 { // each member twice, concurrently
			wait.Go(func() {
				err := w.Write(context.Background(), func(tx *Tx) error {
					c, err := tx.FindCommitment(by, "team", c.ID)
					if err == nil {
						err = c.MustBeJoinable()
					}
					if err != nil {
						return err
					}
					return tx.JoinCommitment(by, c)
				})
				switch CodeOf(err) {
				case Conflict:
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
	w.read(func(tx *Tx) error {
		c, err := tx.FindCommitment(w.alice, "team", c.ID)
		if err != nil {
			return err
		}
		list, err := tx.Participants(c, Cursor{}, 100)
		if len(list) != limit || c.Joined != limit || joined.Load() != limit || refused.Load() != 2*people-limit ||
			c.State() != CommitmentFull {
			t.Errorf("%d in, %d counted, %d let in, %d refused, %s", len(list), c.Joined, joined.Load(),
				refused.Load(), c.State())
		}
		return err
	})
	// The table has the guard's limit as a constraint.
	err := w.Write(context.Background(), func(tx *Tx) error { return tx.JoinCommitment(w.bob, c) })
	if !db.IsConstraint(err) {
		t.Errorf("one more than the limit: %v", err)
	}
}

func TestParticipantsArePaged(t *testing.T) {
	w := newWorld(t)
	c := w.commitment(NewCommitment{Title: "Run", CriticalMass: 5})
	var want []string
	for moment := range 3 {
		w.clock.advance(time.Second)
		var tied []string
		for i := range 4 {
			by := w.member(w.acme, fmt.Sprintf("runner-%d-%d", moment, i))
			w.write(func(tx *Tx) error { return tx.JoinCommitment(by, c) })
			tied = append(tied, by.MemberID())
		}
		slices.Sort(tied)
		want = append(want, tied...)
	}
	for _, limit := range []int{1, 3, 5, 12, 13} {
		var got []string
		w.read(func(tx *Tx) error {
			for after := (Cursor{}); ; {
				list, err := tx.Participants(c, after, limit)
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
