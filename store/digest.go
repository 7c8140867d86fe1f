package store

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Digest has the counts of a cycle's items, each up to [MostCounted].
type Digest struct {
	*Cycle  `db:"-"`
	Decided int `db:"decided"` // number of decisions closed in the cycle
	Closed  int `db:"closed"`  // number of other items closed in the cycle
	Made    int `db:"made"`
	Due     int `db:"due"`
}

// Ref returns the page of the cycle as the target of the journal entry about the digest.
func (d *Digest) Ref() Ref {
	r := d.Cycle.Ref()
	r.Kind, r.Version, r.Title = "digest", 0, d.title()
	return r
}

// Record returns the fields that the journal stores about a digest.
func (d *Digest) Record() any {
	return struct {
		Cycle   string `json:"cycle"`
		Decided int    `json:"decided"`
		Closed  int    `json:"closed"`
		Made    int    `json:"made"`
		Due     int    `json:"due"`
	}{d.Cycle.Name, d.Decided, d.Closed, d.Made, d.Due}
}

func (d *Digest) title() string {
	day, _ := d.Days()
	name := day.Format("Monday 2 January") + " in "
	switch d.Tempo {
	case "weekly":
		_, week := day.ISOWeek()
		name = "Week " + strconv.Itoa(week) + " of "
	case "monthly":
		name = day.Format("January 2006") + " in "
	}
	return name + d.Studio.Name + ": " + d.Sum()
}

// Sum returns the counts in words, for example "3 decided, 5 made, 2 due". It is empty if all counts are 0.
func (d *Digest) Sum() string {
	var parts []string
	for _, p := range []struct {
		n    int
		verb string
	}{{d.Decided, "decided"}, {d.Closed, "closed"}, {d.Made, "made"}, {d.Due, "due"}} {
		switch {
		case p.n == MostCounted:
			parts = append(parts, strconv.Itoa(p.n)+" or more "+p.verb)
		case p.n > 0:
			parts = append(parts, strconv.Itoa(p.n)+" "+p.verb)
		}
	}
	return strings.Join(parts, ", ")
}

// MustBeLast returns [Conflict] unless the cycle is the latest past cycle of an active studio.
func (c *Cycle) MustBeLast() error {
	last, ok := c.Studio.Cycle().Previous()
	if !ok || last.Name != c.Name {
		return Errorf(Conflict, "Only the last cycle that is over is summed up.")
	}
	return c.Studio.MustBeActive()
}

// within has the SQL expressions of a studio and of the start and the end of a cycle. Its methods return FROM clauses
// for the items that a digest counts.
type within struct{ studio, start, end string }

// aCycle has SQL parameters for the studio, the start and the end of the cycle.
var aCycle = within{"?", "?", "?"}

func (w within) opened() string {
	return ` FROM items i WHERE i.studio_id = ` + w.studio + ` AND i.opened_at >= ` + w.start + ` AND i.opened_at < ` + w.end + `
		AND i.removed_at IS NULL AND i.spoken = 0 `
}

func (w within) closed() string {
	return ` FROM items i WHERE i.studio_id = ` + w.studio + ` AND i.closed_at >= ` + w.start + ` AND i.closed_at < ` + w.end + `
		AND i.closed_at > i.opened_at AND i.removed_at IS NULL `
}

func (w within) due() string {
	return ` FROM items i WHERE i.studio_id = ` + w.studio + ` AND i.opened_at IS NOT NULL AND i.due_at >= ` + w.start + `
		AND i.due_at < ` + w.end + ` AND i.removed_at IS NULL `
}

// MakeDigest returns the digest of a cycle, and records that it was made. It returns [Conflict] if nothing happened in
// the cycle or if the digest was made before.
func (tx *Tx) MakeDigest(c *Cycle) (*Digest, error) {
	d, err := tx.digest(c)
	if err != nil {
		return nil, err
	}
	if d.Decided+d.Closed+d.Made+d.Due == 0 {
		return nil, Errorf(Conflict, "Nothing happened in this cycle.")
	}
	first, err := tx.Changed(`UPDATE studios SET digested_at = ? WHERE id = ? AND digested_at < ?`,
		At(c.End), c.Studio.ID, At(c.End))
	if err == nil && !first {
		err = Errorf(Conflict, "This cycle was summed up already.")
	}
	return d, err
}

var digestQuery = sync.OnceValue(func() string {
	count := func(from, condition string) string {
		return `(SELECT count(*) FROM (SELECT 1` + from + condition + AtMost + `) AS sub)`
	}
	deciding := kindNames(func(k *Kind) bool { return k.Decides })
	return `SELECT ` + count(aCycle.closed(), `AND i.kind || '' IN (`+deciding+`)`) + ` AS decided, ` +
		count(aCycle.closed(), `AND i.kind || '' NOT IN (`+deciding+`)`) + ` AS closed, ` +
		count(aCycle.opened(), ``) + ` AS made, ` + count(aCycle.due(), ``) + ` AS due`
})

func (tx *Tx) digest(c *Cycle) (*Digest, error) {
	d := &Digest{Cycle: c}
	one := []any{c.Studio.ID, At(c.Start), At(c.End), MostCounted}
	return d, tx.Get(d, digestQuery(), slices.Concat(one, one, one, one)...)
}

// EndedCycles lists the paths of cycles that are due for a digest. Each is the last past cycle of an active studio, and
// items were made, closed or due in it.
func (tx *Tx) EndedCycles(limit int) ([]string, error) {
	var zones, urls []string
	if err := tx.Select(&zones, `SELECT DISTINCT zone FROM organizations ORDER BY zone`); err != nil {
		return nil, err
	}
	of := within{"s.id", "?", "?"}
	happened := `EXISTS (SELECT 1` + of.opened() + `) OR EXISTS (SELECT 1` + of.closed() + `) OR EXISTS (SELECT 1` + of.due() + `)`
	for _, zone := range zones {
		for _, tempo := range []string{"daily", "weekly", "monthly"} {
			last, ok := SpanAt(tempo, tx.Now, Location(zone)).Previous()
			if !ok {
				continue
			}
			from, to := At(last.Start), At(last.End)
			var handles []string
			if err := tx.Select(&handles, `SELECT s.handle FROM studios s JOIN organizations o ON o.id = s.org_id
				WHERE s.tempo = ? AND s.digested_at < ? AND s.archived_at IS NULL
				AND o.zone = ? AND (`+happened+`)
					ORDER BY s.digested_at`+AtMost, tempo, to, zone, from, to, from, to, from, to,
				limit-len(urls)); err != nil {
				return nil, err
			}
			for _, handle := range handles {
				urls = append(urls, (&Cycle{Span: last, Studio: &Studio{Handle: handle}}).URL())
			}
		}
	}
	return urls, nil
}
