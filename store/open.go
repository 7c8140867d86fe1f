package store

import "strings"

// OpenPage is a stretch of what is undecided in an organization, as far as the actor may see it. What agents asked for and what
// is tied stand at its beginning alone.
type OpenPage struct {
	*Organization
	Held  []Approval // what agents asked for and a person must answer
	Tied  []Item     // closed decisions that wait for a casting vote, the latest first
	List  []Item     // what is open: first what is due, then what has no time, newest first
	Limit int        // of the list
	Few   int        // how many of the others are shown at most
	First bool       // it is the beginning
}

// OpenCursor is where the list of open items goes on after this one, as [Tx.ShowOpen] reads it.
func (i *Item) OpenCursor() string {
	if i.DueAt.IsZero() {
		return i.Cursor().String()
	}
	return openDue + Cursor{At: i.DueAt.UnixMilli(), ID: i.ID}.String()
}

// openDue begins the cursor of what is due.
const openDue = "due-"

// ShowOpen loads a stretch of what is undecided in the organization; after is empty or an [Item.OpenCursor].
func (tx *Tx) ShowOpen(by Actor, o *Organization, after string) (*OpenPage, error) {
	p := &OpenPage{Organization: o, Limit: 30, Few: 10, First: after == ""}
	rest, due := strings.CutPrefix(after, openDue)
	c, err := ReadCursor(rest, o.URL()+"/open")
	if err != nil {
		return nil, err
	}
	if p.First {
		if p.Held, err = tx.approvals(by.only(o.ID), false, Cursor{}, p.Few); err != nil {
			return nil, err
		}
		if p.Tied, err = tx.openItemsIn(by, `i.org_id = ? AND i.undecided = 1 ORDER BY i.closed_at DESC, i.id`,
			p.Few, o.ID); err != nil {
			return nil, err
		}
	}
	const open = `i.org_id = ? AND i.opened_at IS NOT NULL AND i.closed_at IS NULL AND i.due_at `
	if p.First || due { // of what is over, only a reminder waits on
		if p.List, err = tx.openItemsIn(by, open+`>= ? AND (i.due_at > ? OR i.id > ?)
			AND (i.due_at > ? OR i.kind IN (`+kindNames(func(k *Kind) bool { return k.Overdue })+`))
				ORDER BY i.due_at, i.id`, p.Limit,
			o.ID, c.At, c.At, c.ID, At(tx.Now)); err != nil {
			return nil, err
		}
		c = Cursor{}
	}
	if n := p.Limit - len(p.List); n > 0 {
		list, err := tx.openItemsIn(by, open+`IS NULL AND`+itemAfter+`ORDER BY i.created_at DESC, i.id`,
			n, c.args(o.ID)...)
		if err != nil {
			return nil, err
		}
		p.List = append(p.List, list...)
	}
	return p, nil
}

// openItemsIn lists items of studios that are not archived and that the actor may see, each with its studio's handle and name.
func (tx *Tx) openItemsIn(by Actor, which string, limit int, args ...any) ([]Item, error) {
	var rows []struct {
		Item
		Handle string `db:"studio_handle"`
		Name   string `db:"studio_name"`
	}
	err := tx.Select(&rows, `SELECT `+itemListColumns+`, s.handle AS studio_handle,
		s.name AS studio_name FROM`+itemFrom+`CROSS JOIN`+studioFrom+`
		WHERE s.id = i.studio_id AND s.archived_at IS NULL AND`+by.visible()+`AND `+which+
		atMost, append(by.studioArgs(args...), limit)...)
	list := make([]Item, len(rows))
	for i := range rows {
		list[i] = rows[i].Item
		list[i].Studio, list[i].Now = &Studio{Handle: rows[i].Handle, Name: rows[i].Name}, tx.Now
	}
	return list, err
}
