package store

import "strings"

// OpenPage is one page of an organization's open matters that the actor may see. Only the first page has the
// pending approvals and the tied decisions.
type OpenPage struct {
	*Organization
	Held  []Approval // pending approvals
	Tied  []Item     // closed decisions that wait for a casting vote, latest first
	List  []Item     // open items: first those with a deadline, earliest first, and then the others, newest first
	Limit int        // greatest length of List
	Few   int        // greatest length of the other lists
	First bool       // this is the first page
}

// OpenCursor returns the position after this item in the list of [Tx.ShowOpen].
func (i *Item) OpenCursor() string {
	if i.DueAt.IsZero() {
		return i.Cursor().String()
	}
	return openDue + Cursor{At: i.DueAt.UnixMilli(), ID: i.ID}.String()
}

// openDue is the prefix of a cursor that stands for a position among the items with a deadline.
const openDue = "due-"

// ShowOpen loads one page of the open matters of the organization. The argument after is empty or an
// [Item.OpenCursor].
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
	if p.First || due { // only an item of a kind with Overdue stays open after its deadline
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

// openItemsIn lists items that meet the condition and that the actor may see, in studios that are not archived.
// Each has the handle and the name of its studio.
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
