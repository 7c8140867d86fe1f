package store

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Cycle is a calendar day, week or month of a studio, in the time zone of its organization.
type Cycle struct {
	Span
	Studio *Studio
	Now    time.Time
}

// URL returns the path of the cycle's page.
func (c *Cycle) URL() string { return c.Studio.URL() + "/cycles/" + c.Name }

// Ref returns the cycle's page as a target for the journal.
func (c *Cycle) Ref() Ref {
	return Ref{OrgID: c.Studio.OrgID, StudioID: c.Studio.ID, Kind: "cycle", ID: c.Name, URL: c.URL(), Title: c.Name,
		Version: c.Studio.Version, Topic: studioVersion.of(c.Studio.ID), Public: c.Studio.Visibility == "public"}
}

// Record returns nil, since a cycle has no fields that change.
func (c *Cycle) Record() any { return nil }

// Current reports whether the cycle is the present one.
func (c *Cycle) Current() bool { return c.Has(c.Now) }

// Future reports whether the cycle has not begun.
func (c *Cycle) Future() bool { return c.Now.Before(c.Start) }

// MustBeCurrent returns the studio of the cycle. The error is [Conflict] unless the cycle is the present one, because
// new items belong to the present cycle.
func (c *Cycle) MustBeCurrent() (*Studio, error) {
	switch {
	case c.Future():
		return c.Studio, Errorf(Conflict, "This cycle has not begun. Items made now belong to %s.",
			Address(c.Studio.Cycle().URL()))
	case !c.Current():
		return c.Studio, Errorf(Conflict, "This cycle is over. Items made now belong to %s.",
			Address(c.Studio.Cycle().URL()))
	}
	return c.Studio, nil
}

// Cycle returns the studio's present cycle.
func (s *Studio) Cycle() *Cycle { return s.in(SpanAt(s.Tempo, s.Now, Location(s.Zone))) }

func (s *Studio) in(span Span) *Cycle { return &Cycle{Span: span, Studio: s, Now: s.Now} }

// beside returns the cycle of a span, or nil if ok is false.
func (s *Studio) beside(span Span, ok bool) *Cycle {
	if !ok {
		return nil
	}
	return s.in(span)
}

// FindCycle finds a cycle of a studio that the actor may see. The parameter name is the name of a cycle, or today,
// this-week, this-month, current, previous or next. FindCycle returns [Missing] for any other name.
func (tx *Tx) FindCycle(by Actor, studio, name string) (*Cycle, error) {
	s, err := tx.FindStudio(by, studio)
	if err != nil {
		return nil, err
	}
	zone, current := Location(s.Zone), s.Cycle()
	var found Span
	ok := true
	switch name {
	case "today":
		found = SpanAt("daily", tx.Now, zone)
	case "this-week":
		found = SpanAt("weekly", tx.Now, zone)
	case "this-month":
		found = SpanAt("monthly", tx.Now, zone)
	case "current":
		found = current.Span
	case "previous":
		found, ok = current.Previous()
	case "next":
		found, ok = current.Next()
	default:
		found, ok = ReadSpan(name, zone)
	}
	if !ok {
		return nil, Missing()
	}
	return s.in(found), nil
}

// CyclePage is a cycle with the lists of its page. Each list of items has at most [ShownInCycle] items.
type CyclePage struct {
	*Cycle
	Previous, Next *Cycle // the neighbouring cycles; nil for no link
	Here           []Heartbeat
	Due            []Item // items due in the cycle, and events that start in it
	Open           []Item // items open now; for a past cycle, the items open at its end; nil for a future cycle
	Made           []Item
	Closed         []Item
	Done           []Item     // commitments that were settled in the cycle; see [Kind.Summary]
	More           []string   // names of the lists that have more items than the page shows
	Days           []CycleDay // counts by day; nil if there are none
	Rest           *CycleRest // part of one list that the page shows instead of all lists; nil for all lists
}

// CycleRest is a part of one list of a cycle.
type CycleRest struct {
	List  string // one of [CycleLists]
	From  int    // position of the first item, counted from 1
	Items []Item
	More  bool // the list has further items
}

// ShownInCycle is the largest number of items in each list on a cycle's page. A list that is alone on the page has up
// to shownAlone items.
const (
	ShownInCycle = 12
	shownAlone   = 30
)

// CycleLists has the names of the lists on a cycle's page, in the order of the page.
var CycleLists = []string{"due", "closed", "done", "made", "open"}

// farthestInCycle is the largest position from which [Tx.ShowCycle] continues a list.
const farthestInCycle = 10_000

// CycleFrom returns the name of a position in a list of a cycle, such as made-13, which [Tx.ShowCycle] accepts.
func CycleFrom(list string, position int) string { return list + "-" + strconv.Itoa(position) }

// ShowCycle loads the lists of a cycle's page. If from is a position from [CycleFrom], ShowCycle loads only the part of
// the list that begins there. It returns [Invalid] for any other text, and for a position above [farthestInCycle].
func (tx *Tx) ShowCycle(by Actor, c *Cycle, from string) (*CyclePage, error) {
	p := &CyclePage{Cycle: c}
	if from != "" {
		var err error
		p.Rest, err = tx.cycleRest(c, from)
		return p, err
	}
	if err := tx.neighbours(p); err != nil {
		return nil, err
	}
	for i, list := range []*[]Item{&p.Due, &p.Closed, &p.Done, &p.Made, &p.Open} {
		all, err := tx.cycleItems(c, CycleLists[i], ShownInCycle+1)
		if err != nil {
			return nil, err
		}
		if len(all) > ShownInCycle {
			p.More, all = append(p.More, CycleLists[i]), all[:ShownInCycle]
		}
		*list = all
	}
	var err error
	if p.Days, err = tx.cycleDays(by, c); err != nil || c.Future() {
		return p, err
	}
	p.Here, err = tx.heartbeats(c, 100)
	return p, err
}

func (tx *Tx) cycleRest(c *Cycle, from string) (*CycleRest, error) {
	list, position, _ := strings.Cut(from, "-")
	n, err := strconv.Atoi(position)
	if err != nil || n < 1 || n > farthestInCycle || !slices.Contains(CycleLists, list) {
		return nil, Errorf(Invalid, "There is no place %q in a list of a cycle. Start again at %s.", from,
			Address(c.URL()))
	}
	all, err := tx.cycleItems(c, list, n+shownAlone)
	if err != nil {
		return nil, err
	}
	r := &CycleRest{List: list, From: n, More: len(all) == n+shownAlone}
	if len(all) >= n {
		r.Items = all[n-1 : min(len(all), n-1+shownAlone)]
	}
	return r, nil
}

func (tx *Tx) cycleItems(c *Cycle, list string, limit int) ([]Item, error) {
	switch {
	case list == "due":
		return tx.itemsIn(c, `SELECT id
			FROM (SELECT i.id FROM items i WHERE i.studio_id = ? AND i.opened_at IS NOT NULL AND i.due_at >= ?
			AND i.due_at < ? AND i.removed_at IS NULL
			ORDER BY i.due_at, i.created_at, i.id`+AtMost+`) AS due UNION SELECT id FROM (SELECT i.id FROM items i
				WHERE i.studio_id = ? AND i.starts_at >= ? AND i.starts_at < ? AND i.opened_at IS NOT NULL
				AND i.removed_at IS NULL
			ORDER BY i.starts_at, i.created_at, i.id`+AtMost+`) AS starting`, `i.due_at`, limit)
	case c.Future():
		return nil, nil
	case list == "made":
		return tx.itemsIn(c, `SELECT i.id FROM items i WHERE i.studio_id = ? AND i.opened_at >= ?
			AND i.opened_at < ? AND i.removed_at IS NULL AND i.spoken = 0
			ORDER BY i.opened_at DESC, i.created_at, i.id`+AtMost,
			`i.opened_at DESC`, limit)
	case list == "closed":
		return tx.itemsIn(c, `SELECT i.id FROM items i WHERE i.studio_id = ? AND i.closed_at >= ?
			AND i.closed_at < ? AND i.closed_at > i.opened_at AND i.removed_at IS NULL
			ORDER BY i.closed_at DESC, i.created_at, i.id`+AtMost, `i.closed_at DESC`, limit)
	case list == "done":
		return tx.itemsIn(c, `SELECT i.id FROM items i WHERE i.studio_id = ? AND i.settled_at >= ?
			AND i.settled_at < ? AND i.removed_at IS NULL
			ORDER BY i.settled_at DESC, i.created_at, i.id`+AtMost, `i.settled_at DESC`, limit)
	case c.Current():
		return tx.openItems(c.Studio, limit)
	}
	return tx.leftOpen(c, limit)
}

// neighbours sets the previous and the next cycle of a page. It skips cycles before the studio was made. For a future
// cycle, it also skips other future cycles in which no open item is due or begins.
func (tx *Tx) neighbours(p *CyclePage) error {
	s := p.Studio
	at := func(t time.Time) *Cycle {
		span := SpanAt(p.Tempo, t, Location(s.Zone))
		return s.beside(span, span.exists())
	}
	if !p.Future() {
		if p.Start.After(s.CreatedAt.Time) {
			p.Previous = s.beside(p.Cycle.Previous())
		}
		if p.End.After(s.CreatedAt.Time) {
			p.Next = s.beside(p.Cycle.Next())
		} else {
			p.Next = at(s.CreatedAt.Time)
		}
		return nil
	}
	p.Previous = at(p.Now)
	// nearest returns the earliest time between from and to at which an open item is due or begins, or the latest such
	// time if order is DESC. It returns the zero time if there is none.
	nearest := func(order string, from, to time.Time) (time.Time, error) {
		first := func(column string) string {
			return `(SELECT i.` + column + ` FROM items i WHERE i.studio_id = ? AND i.opened_at IS NOT NULL AND i.closed_at IS NULL
				AND i.` + column + ` >= ? AND i.` + column + ` < ? ORDER BY i.` + column + order + ` LIMIT 1)`
		}
		var at struct {
			Due    Time `db:"due"`
			Starts Time `db:"starts"`
		}
		err := tx.Get(&at, `SELECT `+first("due_at")+` AS due, `+first("starts_at")+` AS starts`,
			s.ID, At(from), At(to), s.ID, At(from), At(to))
		if at.Due.IsZero() || !at.Starts.IsZero() && at.Starts.Before(at.Due.Time) == (order == "") {
			return at.Starts.Time, err
		}
		return at.Due.Time, err
	}
	earlier, err := nearest(` DESC`, p.Previous.End, p.Start)
	if err != nil {
		return err
	}
	later, err := nearest(``, p.End, p.End.AddDate(lastYear, 0, 0))
	if err != nil {
		return err
	}
	if !earlier.IsZero() {
		p.Previous = at(earlier)
	}
	if !later.IsZero() {
		p.Next = at(later)
	}
	return nil
}

// itemsIn lists items of a cycle. The parameter ids is an SQL query for their ids, with parts joined by UNION. Each
// part takes four arguments: the studio, the start and the end of the cycle, and a limit.
func (tx *Tx) itemsIn(c *Cycle, ids, order string, limit int) ([]Item, error) {
	var args []any
	for range 1 + strings.Count(ids, " UNION ") {
		args = append(args, c.Studio.ID, At(c.Start), At(c.End), limit)
	}
	list, err := All[Item](tx, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.id IN (`+ids+`)
		ORDER BY `+order+`, i.created_at, i.id`+AtMost, append(args, limit)...)
	return tx.inStudio(c.Studio, list), err
}

func (tx *Tx) leftOpen(c *Cycle, limit int) ([]Item, error) {
	look := max(200, limit)
	list, err := All[Item](tx, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.id IN (SELECT id FROM (
			SELECT id, opened_at
			FROM (SELECT i.id, i.opened_at FROM items i WHERE i.studio_id = ? AND i.opened_at < ?
			AND i.opened_at IS NOT NULL
				AND i.closed_at IS NULL AND i.removed_at IS NULL ORDER BY i.opened_at DESC, i.id`+AtMost+`) AS still
			UNION SELECT id, opened_at
			FROM (SELECT i.id, i.opened_at FROM items i WHERE i.studio_id = ? AND i.closed_at >= ?
			AND i.closed_at > i.opened_at
				AND i.removed_at IS NULL ORDER BY i.closed_at`+AtMost+`) AS later WHERE later.opened_at < ?
			ORDER BY opened_at DESC, id`+AtMost+`) AS sub)
		ORDER BY i.opened_at DESC, i.id`, c.Studio.ID, At(c.End), limit, c.Studio.ID, At(c.End),
		look, At(c.End), limit)
	return tx.inStudio(c.Studio, list), err
}

// CycleDay has the numbers of items that were due, made and closed on one day of a cycle.
type CycleDay struct {
	Day               time.Time // the date, as midnight in UTC
	Due, Made, Closed int
}

const mostPictured = 2000

// cycleDays counts the items of each day of a cycle. It returns nil for an agent, for a cycle of one day, and for a
// cycle with more than mostPictured due, made or closed items. Like the lists of the cycle, it leaves out messages.
func (tx *Tx) cycleDays(by Actor, c *Cycle) ([]CycleDay, error) {
	if c.Tempo == "daily" || by.IsAgent() {
		return nil, nil
	}
	const stretch = ` AND i.removed_at IS NULL` + AtMost + `) AS stretch`
	var found []struct {
		What string `db:"what"`
		At   Time   `db:"at"`
	}
	var args []any
	for range 3 {
		args = append(args, c.Studio.ID, At(c.Start), At(c.End), mostPictured+1)
	}
	if err := tx.Select(&found, `SELECT * FROM (SELECT 'due' AS what, i.due_at AS at FROM items i
			WHERE i.studio_id = ? AND i.opened_at IS NOT NULL AND i.due_at >= ? AND i.due_at < ?`+stretch+`1
		UNION ALL SELECT * FROM (SELECT 'made' AS what, i.opened_at AS at FROM items i
			WHERE i.studio_id = ? AND i.opened_at >= ? AND i.opened_at < ? AND i.spoken = 0`+stretch+`2
		UNION ALL SELECT * FROM (SELECT 'closed' AS what, i.closed_at AS at FROM items i
			WHERE i.studio_id = ? AND i.closed_at >= ? AND i.closed_at < ? AND i.closed_at > i.opened_at`+stretch+`3`,
		args...); err != nil {
		return nil, err
	}
	first, last := c.Days()
	days := make([]CycleDay, 0, 31)
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		days = append(days, CycleDay{Day: day})
	}
	sums := map[string]int{}
	zone := Location(c.Studio.Zone)
	for i := range found {
		y, m, d := found[i].At.In(zone).Date()
		n := int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(first) / (24 * time.Hour))
		day := &days[min(max(n, 0), len(days)-1)]
		switch found[i].What {
		case "due":
			day.Due++
		case "made":
			day.Made++
		default:
			day.Closed++
		}
		if sums[found[i].What]++; sums[found[i].What] > mostPictured {
			return nil, nil
		}
	}
	return days, nil
}
