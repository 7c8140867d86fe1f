package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/effort"
	"samepage/store/governance"
)

// cycle is the part of [world.everything] about cycles.
func (w *world) cycle() {
	w.write(func(tx *store.Tx) error {
		s, err := tx.FindStudio(w.bob, "team")
		if err != nil {
			return err
		}
		if _, err = tx.SendHeartbeat(w.bob, s, "Here"); err == nil {
			_, err = tx.MakeDigest(s.Cycle())
		}
		return err
	})
	w.read(func(tx *store.Tx) error {
		var errs []error
		for _, name := range []string{"current", "previous", "next", "today", "this-month"} {
			c, err := tx.FindCycle(w.bob, "team", name)
			if err == nil {
				_, err = tx.ShowCycle(w.bob, c, "")
			}
			errs = append(errs, err)
		}
		s, err := tx.FindStudio(w.bob, "team")
		if err == nil {
			_, err = tx.ShowCycles(w.bob, s, "")
		}
		if err == nil {
			_, err = tx.EndedCycles(10)
		}
		return errors.Join(append(errs, err)...)
	})
}

// titles returns the sorted titles of items.
func titles(list []store.Item) string {
	var all []string
	for i := range list {
		all = append(all, list[i].Title)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// TestCycleShowsWhatIsInIt makes items at the edges of a week in Berlin in which summer time ends. It checks the lists
// of that week, and of cycles around it and within it.
func TestCycleShowsWhatIsInIt(t *testing.T) {
	w := newWorld(t)
	at := func(s string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04:05", s, store.Location("Europe/Berlin"))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	make := func(title, opened, due, closed string) {
		w.clock.now = at(opened)
		var until time.Time
		if due != "" {
			until = at(due)
		}
		c := w.commitment(governance.NewCommitment{Title: title, CriticalMass: 1, ClosesAt: until})
		if closed != "" {
			w.clock.now = at(closed)
			w.write(func(tx *store.Tx) error {
				c, err := governance.FindCommitment(tx, w.alice, "team", c.ID)
				if err != nil {
					return err
				}
				return governance.CloseCommitment(tx, w.alice, c)
			})
		}
	}
	w.raw(`UPDATE studios SET created_at = 1`)
	make("before", "2026-10-18 23:59:59", "", "")
	make("first", "2026-10-19 00:00:00", "2026-10-25 23:59:00", "")
	make("last", "2026-10-25 23:59:59", "2026-10-26 00:00:00", "")
	make("after", "2026-10-26 00:00:00", "", "")
	make("over", "2026-10-18 12:00:00", "2026-10-19 00:00:00", "2026-10-18 23:59:59")
	make("closed", "2026-10-18 12:00:00", "", "2026-10-25 23:59:59")
	make("closed later", "2026-10-20 12:00:00", "", "2026-10-26 00:00:00")
	w.clock.now = at("2026-10-25 23:59:59") // 22:59:59 UTC, after the clocks went back
	w.write(func(tx *store.Tx) error {      // a message is on no list, and so in no count
		_, err := governance.PostMessage(tx, w.alice, w.team, "Hello.", "", "")
		return err
	})
	w.write(func(tx *store.Tx) error {
		c := w.lastCommitment(tx, "first")
		return governance.JoinCommitment(tx, w.alice, c)
	})
	w.write(func(tx *store.Tx) error {
		return governance.MarkCommitment(tx, w.alice, w.lastCommitment(tx, "first"), true, "")
	})
	w.clock.now = at("2026-11-20 12:00:00")
	w.read(func(tx *store.Tx) error {
		for name, want := range map[string][5]string{
			"2026-w43": {"first, over", "closed later, first, last", "closed, first", "first",
				"before, closed later, last"},
			"2026-w42":   {"", "before, closed, over", "over", "", "before, closed"},
			"2026-w44":   {"last", "after", "closed later", "", "after, before, last"},
			"2026-10-25": {"first", "last", "closed, first", "first", "before, closed later, last"},
			"2026-10": {"first, last, over", "after, before, closed, closed later, first, last, over",
				"closed, closed later, first, over", "first", "after, before, last"},
			"2027-w01": {"", "", "", "", ""},
		} {
			c, err := tx.FindCycle(w.bob, "team", name)
			if err != nil {
				return err
			}
			p, err := tx.ShowCycle(w.bob, c, "")
			if err != nil {
				return err
			}
			for i, list := range [][]store.Item{p.Due, p.Made, p.Closed, p.Done, p.Open} {
				if got := titles(list); got != want[i] {
					t.Errorf("%s: %s are %s; want %s", name, []string{"due", "made", "closed", "done", "open"}[i],
						got, want[i])
				}
			}
			haveDays(t, p)
		}
		return nil
	})
}

// haveDays compares the daily counts of a cycle with the lengths of its lists. For the week 2026-w43 it also checks the
// counts of the first and the last day.
func haveDays(t *testing.T, p *store.CyclePage) {
	t.Helper()
	var sum store.CycleDay
	for _, d := range p.Days {
		sum.Due, sum.Made, sum.Closed = sum.Due+d.Due, sum.Made+d.Made, sum.Closed+d.Closed
	}
	all := store.CycleDay{Due: len(p.Due), Made: len(p.Made), Closed: len(p.Closed)}
	if daily := p.Tempo == "daily"; daily && p.Days != nil || !daily && sum != all {
		t.Errorf("%s: its %d days have %+v, its lists %+v", p.Name, len(p.Days), sum, all)
	}
	if p.Name == "2026-w43" && (p.Days[0] != store.CycleDay{Day: p.Days[0].Day, Due: 1, Made: 1} ||
		p.Days[6] != store.CycleDay{Day: p.Days[6].Day, Due: 1, Made: 1, Closed: 2}) {
		t.Errorf("%s: the first and the last day are %+v", p.Name, p.Days)
	}
}

func (w *world) lastCommitment(tx *store.Tx, title string) *governance.Commitment {
	var id string
	if err := tx.Get(&id, `SELECT id FROM items WHERE title = ? ORDER BY created_at DESC LIMIT 1`, title); err != nil {
		w.t.Fatal(err)
	}
	c, err := governance.FindCommitment(tx, w.alice, "team", id)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// TestHeartbeatOnceACycle expects that a member and the member's agents can together send only one heartbeat in a cycle
// of the studio. The tempo and the zone define the cycle, also across clock changes.
func TestHeartbeatOnceACycle(t *testing.T) {
	effort.Slow(t)
	for _, c := range []struct {
		zone, tempo   string
		first, second string // in UTC
		again         bool   // the second time is in another cycle
	}{
		{"Europe/Berlin", "daily", "2026-11-20T12:00:00Z", "2026-11-20T22:59:59Z", false},
		{"Europe/Berlin", "daily", "2026-11-20T12:00:00Z", "2026-11-20T23:00:00Z", true},
		{"Europe/Berlin", "weekly", "2026-10-19T00:00:00Z", "2026-10-25T22:59:59Z", false}, // this week is an hour longer
		{"Europe/Berlin", "weekly", "2026-10-19T00:00:00Z", "2026-10-25T23:00:00Z", true},
		{"America/New_York", "monthly", "2026-11-01T04:00:00Z", "2026-12-01T04:59:59Z", false},
		{"America/New_York", "monthly", "2026-11-01T03:59:59Z", "2026-11-01T04:00:00Z", true},
		{"Pacific/Apia", "daily", "2011-12-30T09:59:59Z", "2011-12-30T10:00:00Z", true}, // Apia skipped the 30th
		{"Asia/Kathmandu", "daily", "2026-11-20T18:14:59Z", "2026-11-20T18:15:00Z", true},
		{"Australia/Lord_Howe", "daily", "2026-04-04T13:00:00Z", "2026-04-05T13:29:59Z", false}, // this day is half an hour longer
	} {
		w := newWorld(t)
		w.raw(`UPDATE organizations SET zone = ?`, c.zone)
		w.raw(`UPDATE studios SET tempo = ?`, c.tempo)
		send := func(by store.Actor, at string) error {
			now, err := time.Parse(time.RFC3339, at)
			if err != nil {
				t.Fatal(err)
			}
			w.clock.now = now
			err = errors.New("not tried")
			w.write(func(tx *store.Tx) error {
				s, ferr := tx.FindStudio(by, "team")
				if ferr != nil {
					err = ferr
				} else if err = s.MustBeAway(); err == nil {
					_, err = tx.SendHeartbeat(by, s, at)
				}
				return nil
			})
			return err
		}
		if err := errors.Join(send(w.alice, c.first), send(w.bob, c.first)); err != nil {
			t.Error(err)
		}
		if err := send(w.scribe, c.first); store.CodeOf(err) != store.Conflict {
			t.Errorf("Alice's agent after her: %v", err)
		}
		if err := send(w.bob, c.second); (err == nil) != c.again {
			t.Errorf("%s in %s, at %s and at %s: %v", c.tempo, c.zone, c.first, c.second, err)
		}
		w.read(func(tx *store.Tx) error {
			cycle, err := tx.FindCycle(w.alice, "team", "current")
			if err != nil {
				return err
			}
			p, err := tx.ShowCycle(w.alice, cycle, "")
			want := map[bool]int{true: 1, false: 2}[c.again]
			if len(p.Here) != want {
				t.Errorf("%s in %s: %v were here, want %d", c.tempo, c.zone, p.Here, want)
			}
			return err
		})
	}
}

// TestCyclesAreCounted lists all cycles back to the studio's creation, page by page. No count may exceed
// [store.MostCounted].
func TestCyclesAreCounted(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	w.clock.advance(20 * 7 * 24 * time.Hour)
	for i := range store.MostCounted + 3 {
		w.decision(w.bob, w.team, fmt.Sprint(i), "Yes")
	}
	var names, counts string
	w.read(func(tx *store.Tx) error {
		s, err := tx.FindStudio(w.alice, "team")
		for from := ""; err == nil; {
			var p *store.CyclesPage
			if p, err = tx.ShowCycles(w.alice, s, from); err != nil {
				break
			}
			for _, c := range p.List {
				names += " " + c.Name
				counts += fmt.Sprint(" ", c.Made)
			}
			if p.More == nil {
				break
			}
			from = p.More.Name
		}
		return err
	})
	if want := " 2027-w14 2027-w13 2027-w12 2027-w11 2027-w10 2027-w09 2027-w08 2027-w07 2027-w06 2027-w05 " +
		"2027-w04 2027-w03 2027-w02 2027-w01 2026-w53 2026-w52 2026-w51 2026-w50 2026-w49 2026-w48 2026-w47"; names != want {
		t.Errorf("cycles%s, want%s", names, want)
	}
	if want := " 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1"; counts != want {
		t.Errorf("counted%s, want%s", counts, want)
	}
}

// TestRemovedItemsAreInNoCycle marks a commitment as an event of this week that has taken place, removes it, and
// expects it in no list of the week.
func TestRemovedItemsAreInNoCycle(t *testing.T) {
	w := newWorld(t)
	id := w.commitment(governance.NewCommitment{Title: "Mistake", CriticalMass: 1}).ID
	w.raw(`UPDATE items SET starts_at = ?, settled_at = ? WHERE id = ?`, store.At(w.clock.Now()), store.At(w.clock.Now()), id)
	lists := func() (names []string) {
		w.read(func(tx *store.Tx) error {
			c, err := tx.FindCycle(w.bob, "team", "current")
			if err != nil {
				return err
			}
			p, err := tx.ShowCycle(w.bob, c, "")
			if err != nil {
				return err
			}
			for name, list := range map[string][]store.Item{"due": p.Due, "made": p.Made, "closed": p.Closed,
				"done": p.Done,
				"open": p.Open} {
				if slices.ContainsFunc(list, func(i store.Item) bool { return i.ID == id }) {
					names = append(names, name)
				}
			}
			return nil
		})
		slices.Sort(names)
		return names
	}
	if got := lists(); !slices.Equal(got, []string{"done", "due", "made", "open"}) {
		t.Fatalf("the event is in %v", got)
	}
	w.raw(`UPDATE items SET removed_at = ?, closed_at = ? WHERE id = ?`, store.At(w.clock.Now()), store.At(w.clock.Now()), id)
	if got := lists(); got != nil {
		t.Errorf("the removed event is in %v", got)
	}
}

// TestListsOfCyclesGoOn reads each list of a cycle to its end, page by page. All items have the same times, and each
// must be listed once.
func TestListsOfCyclesGoOn(t *testing.T) {
	w := newWorld(t)
	const many = 50
	for i := range many {
		w.decision(w.bob, w.team, fmt.Sprint(i), "Yes")
	}
	now := store.At(w.clock.Now())
	w.raw(`UPDATE items SET due_at = ?`, now)
	read := func(name string) map[string]int {
		t.Helper()
		seen := map[string]int{}
		w.read(func(tx *store.Tx) error {
			c, err := tx.FindCycle(w.bob, "team", name)
			if err != nil {
				return err
			}
			p, err := tx.ShowCycle(w.bob, c, "")
			if err != nil {
				return err
			}
			for i, list := range [][]store.Item{p.Due, p.Closed, p.Done, p.Made, p.Open} {
				id, n := store.CycleLists[i], len(list)
				if more := slices.Contains(p.More, id); more && n != store.ShownInCycle {
					t.Errorf("%s: %d %s and more", name, n, id)
				}
				from, more := n+1, slices.Contains(p.More, id)
				for more {
					r, err := tx.ShowCycle(w.bob, c, store.CycleFrom(id, from))
					if err != nil {
						return err
					}
					list, from, more = append(list, r.Rest.Items...), from+len(r.Rest.Items), r.Rest.More
				}
				titles := map[string]bool{}
				for j := range list {
					titles[list[j].Title] = true
				}
				if len(titles) != len(list) {
					t.Errorf("%s: %d %s, of which only %d are different", name, len(list), id, len(titles))
				}
				seen[id] = len(list)
			}
			return nil
		})
		return seen
	}
	want := many + 1 // the world has another decision from the beginning
	if got := read("current"); got["due"] != want || got["made"] != want || got["open"] != want || got["closed"] != 0 {
		t.Errorf("open: %v, want %d", got, want)
	}
	w.clock.advance(7 * 24 * time.Hour)
	if got := read("previous"); got["due"] != want || got["made"] != want || got["open"] != want {
		t.Errorf("left open: %v, want %d", got, want)
	}
	w.raw(`UPDATE items SET closed_at = ?, settled_at = ?`, store.At(w.clock.Now()), store.At(w.clock.Now()))
	if got := read("current"); got["closed"] != want || got["done"] != want || got["open"] != 0 {
		t.Errorf("closed: %v, want %d", got, want)
	}
	if got := read("previous"); got["open"] != want {
		t.Errorf("left open then: %v, want %d", got, want)
	}
	w.read(func(tx *store.Tx) error {
		c, err := tx.FindCycle(w.bob, "team", "current")
		for _, from := range []string{"made", "made-", "made-0", "made--1", "made-10001", "most-1", "-1", "13"} {
			if _, err := tx.ShowCycle(w.bob, c, from); store.CodeOf(err) != store.Invalid {
				t.Errorf("from %q: %v", from, err)
			}
		}
		return err
	})
}
