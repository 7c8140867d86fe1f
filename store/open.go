package store

import (
	"slices"
	"strings"
)

// An undecided matter, which is an item or an approval, waits for one of these.
const (
	AwaitsApproval  = "approval"  // a person has to approve an agent's call; never used for an item
	AwaitsCasting   = "casting"   // a tied decision needs a casting vote
	AwaitsObjection = "objection" // an objection is not settled
	AwaitsAnswers   = "answers"   // members are asked to vote, to respond or to join
	AwaitsChair     = "chair"     // the author, the studio's leader or its secretary has to take the next step
	AwaitsDoing     = "doing"     // members have to do the work that the item describes
	AwaitsClock     = "clock"     // nobody has to act before a certain time
)

// Awaited returns everything that an undecided matter can wait for, the most pressing first.
func Awaited() []string {
	return []string{AwaitsApproval, AwaitsCasting, AwaitsObjection, AwaitsAnswers, AwaitsChair, AwaitsDoing,
		AwaitsClock}
}

// OpenPage is one page of the undecided matters in an organization that the actor may see: open items, closed items
// that need a casting vote, and pending approvals.
type OpenPage struct {
	*Organization
	For    string // one of [Awaited], for which the listed matters wait; empty if the page has all of them
	Groups []OpenGroup
	Held   []Approval // pending approvals, at most Few; nil unless For is empty or [AwaitsApproval]
	Limit  int        // greatest length of the list of items if For is set
	Few    int        // greatest length of each list of items if For is empty
}

// OpenGroup has items that wait for the same thing. Open items are sorted by deadline, with the items without a
// deadline last, newest first. Closed items are sorted by closing time, latest first.
type OpenGroup struct {
	For   string
	Count int // number of all items or approvals of the group; approvals are counted up to [Many]
	List  []Item
}

// AtLeast reports whether the group may have more approvals than Count.
func (g *OpenGroup) AtLeast() bool { return g.For == AwaitsApproval && g.Count == Many }

// OpenCursor returns the position after this item in the list that [Tx.ShowOpen] loads for a single group.
func (i *Item) OpenCursor() string {
	switch {
	case !i.ClosedAt.IsZero(): // the item needs a casting vote
		return Cursor{At: i.ClosedAt.UnixMilli(), ID: i.ID}.String()
	case i.DueAt.IsZero():
		return i.Cursor().String()
	}
	return openDue + Cursor{At: i.DueAt.UnixMilli(), ID: i.ID}.String()
}

// openDue is the prefix of a cursor with the deadline of an item in place of the time of its creation.
const openDue = "due-"

// ShowOpen loads the first undecided matters of each group. If awaited is one of [Awaited], ShowOpen loads one page of
// that group instead. The parameter after is empty or, for one group of items, an [Item.OpenCursor]. ShowOpen returns
// [Invalid] for any other value of awaited or after.
func (tx *Tx) ShowOpen(by Actor, o *Organization, awaited, after string) (*OpenPage, error) {
	p := &OpenPage{Organization: o, For: awaited, Limit: 12, Few: 6}
	if awaited != "" && !slices.Contains(Awaited(), awaited) {
		return nil, Errorf(Invalid, "Nothing waits for %q. See all at %s.", awaited, Address(o.URL()+"/open"))
	}
	if after != "" && (awaited == "" || awaited == AwaitsApproval) {
		return nil, Errorf(Invalid, "This list cannot go on from %q. Start it again at %s.", after,
			Address(o.URL()+"/open"))
	}
	counts, err := tx.openCounts(by, o)
	if err != nil {
		return nil, err
	}
	if awaited == "" || awaited == AwaitsApproval {
		if p.Held, err = tx.approvals(by.only(o.ID), false, Cursor{}, p.Few); err != nil {
			return nil, err
		}
	}
	var first []Item
	if awaited == "" && len(counts) > 0 {
		if first, err = tx.firstOpen(by, o, p.Few); err != nil {
			return nil, err
		}
	}
	for _, thing := range Awaited() {
		g := OpenGroup{For: thing, Count: counts[thing]}
		switch {
		case g.Count == 0:
		case awaited == "" && thing != AwaitsCasting:
			for i := range first {
				if first[i].Awaits == thing {
					g.List = append(g.List, first[i])
				}
			}
		case thing == AwaitsCasting && (awaited == "" || awaited == thing):
			most := map[bool]int{true: p.Few, false: p.Limit}[awaited == ""]
			if g.List, err = tx.tied(by, o, after, most); err != nil {
				return nil, err
			}
		case awaited == thing:
			if g.List, err = tx.openFor(by, o, awaited, after, p.Limit); err != nil {
				return nil, err
			}
		}
		p.Groups = append(p.Groups, g)
	}
	return p, nil
}

// openFrom selects the open items of an organization that the actor may see, outside archived studios. It omits items
// past their deadline, because the scheduler will close them soon, but keeps those of kinds with [Kind.Overdue]. The
// last arguments are the id of the organization and the present time. The CROSS JOIN makes the SQLite planner begin
// with the studios instead of reading all items of the organization.
func openFrom(by Actor) string {
	return ` FROM` + studioFrom + `CROSS JOIN items i WHERE s.archived_at IS NULL AND` + by.visible() + `AND s.org_id = ?
		AND i.studio_id = s.id AND` + isOpen + `AND (i.due_at IS NULL OR i.due_at > ? OR i.kind IN (` +
		kindNames(func(k *Kind) bool { return k.Overdue }) + `))`
}

func (tx *Tx) openCounts(by Actor, o *Organization) (map[string]int, error) {
	var rows []struct {
		For   string `db:"awaits"`
		Count int    `db:"n"`
	}
	err := tx.Select(&rows, `SELECT i.awaits, count(*) AS n`+openFrom(by)+` GROUP BY i.awaits UNION ALL
		SELECT '`+AwaitsCasting+`', count(*) FROM items i CROSS JOIN`+studioFrom+`WHERE s.id = i.studio_id
			AND s.archived_at IS NULL AND`+by.visible()+`AND i.org_id = ? AND i.undecided = 1`,
		slices.Concat(by.studioArgs(o.ID, At(tx.Now)), by.studioArgs(o.ID))...)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, r := range rows {
		counts[r.For] += r.Count
	}
	asked, args := tx.approvalIDs(by.only(o.ID), false, Cursor{}, Many)
	var held int
	err = tx.Get(&held, `SELECT count(*) FROM (`+asked+`) AS sub`, args...)
	counts[AwaitsApproval] = min(held, Many)
	return counts, err
}

// firstOpen lists the first few open items for each value of [Awaited].
func (tx *Tx) firstOpen(by Actor, o *Organization, few int) ([]Item, error) {
	const order = `i.due_at IS NULL, i.due_at, i.created_at DESC, i.id`
	return tx.openItemsIn(by, `i.id IN (SELECT id FROM (SELECT i.id,
			row_number() OVER (PARTITION BY i.awaits ORDER BY `+order+`) AS place`+openFrom(by)+`) sub
		WHERE place <= ?) ORDER BY `+order, few*len(Awaited()), append(by.studioArgs(o.ID, At(tx.Now)), few)...)
}

// tied lists one page of the closed items that need a casting vote, the latest first.
func (tx *Tx) tied(by Actor, o *Organization, after string, limit int) ([]Item, error) {
	c, err := ReadCursor(after, o.URL()+"/open?for="+AwaitsCasting)
	if err != nil {
		return nil, err
	}
	return tx.openItemsIn(by, `i.org_id = ? AND i.undecided = 1 AND i.closed_at <= ? AND (i.closed_at < ? OR i.id > ?)
		ORDER BY i.closed_at DESC, i.id`, limit, c.args(o.ID)...)
}

// openFor lists one page of the open items with this value of [Summary.Awaits].
func (tx *Tx) openFor(by Actor, o *Organization, what, after string, limit int) (list []Item, err error) {
	rest, due := strings.CutPrefix(after, openDue)
	c, err := ReadCursor(rest, o.URL()+"/open?for="+what)
	if err != nil {
		return nil, err
	}
	const open = `i.org_id = ? AND i.opened_at IS NOT NULL AND i.closed_at IS NULL AND i.due_at `
	if after == "" || due { // the query omits items past their deadline, except those of a kind with Overdue
		if list, err = tx.openItemsIn(by, open+`>= ? AND (i.due_at > ? OR i.id > ?)
			AND (i.due_at > ? OR i.kind IN (`+kindNames(func(k *Kind) bool { return k.Overdue })+`))
				AND i.awaits = ? ORDER BY i.due_at, i.id`, limit,
			o.ID, c.At, c.At, c.ID, At(tx.Now), what); err != nil {
			return nil, err
		}
		c = Cursor{}
	}
	if n := limit - len(list); n > 0 {
		more, err := tx.openItemsIn(by, open+`IS NULL AND`+itemAfter+`AND i.awaits = ? ORDER BY i.created_at DESC, i.id`,
			n, append(c.args(o.ID), what)...)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// openItemsIn lists items of active studios that meet the SQL condition and that the actor may see.
func (tx *Tx) openItemsIn(by Actor, condition string, limit int, args ...any) ([]Item, error) {
	var rows []struct {
		Item
		Handle string `db:"studio_handle"`
		Name   string `db:"studio_name"`
	}
	err := tx.Select(&rows, `SELECT `+itemListColumns+`, s.handle AS studio_handle,
		s.name AS studio_name FROM`+itemFrom+`CROSS JOIN`+studioFrom+`
		WHERE s.id = i.studio_id AND s.archived_at IS NULL AND`+by.visible()+`AND `+condition+
		AtMost, append(by.studioArgs(args...), limit)...)
	list := make([]Item, len(rows))
	for i := range rows {
		list[i] = rows[i].Item
		list[i].Studio, list[i].Now = &Studio{Handle: rows[i].Handle, Name: rows[i].Name}, tx.Now
	}
	return list, err
}
