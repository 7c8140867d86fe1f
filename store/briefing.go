package store

import "time"

// BriefingSpan is the length of the past of which a briefing tells.
const BriefingSpan = 7 * 24 * time.Hour

// Briefing is what a member or an agent should know before the first step in an organization.
type Briefing struct {
	*Organization
	Roles   []Role     // those of the actor
	Waiting []Waiting  // items that wait for the actor, the most urgent first
	Asked   []Approval // as [HomePage.Asked]
	Decided []Item     // items of the actor's studios that ended within [BriefingSpan], the latest first
	Begun   []Item     // open items of the actor's studios that began within [BriefingSpan], the latest first
}

// mostBriefed is the greatest number of rows of each part of a briefing.
const mostBriefed = 5

// ShowBriefing loads a briefing for the actor.
func (tx *Tx) ShowBriefing(by Actor, o *Organization) (*Briefing, error) {
	by = by.only(o.ID)
	b := &Briefing{Organization: o}
	var err error
	if b.Roles, err = tx.rolesWhere(by, `r.holder_id = ?`, `s.handle, r.title, r.id`, mostBriefed, by.MemberID()); err != nil {
		return nil, err
	}
	all, err := tx.WaitingItems(by, 2*mostBriefed)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].OrgID == o.ID && len(b.Waiting) < mostBriefed { // a person may be in other organizations too
			b.Waiting = append(b.Waiting, all[i])
		}
	}
	if b.Asked, err = tx.approvals(by, false, Cursor{}, mostBriefed); err != nil {
		return nil, err
	}
	since := At(tx.Now.Add(-BriefingSpan))
	if b.Decided, err = tx.briefed(by, `i.closed_at >= ? AND i.closed_at > i.opened_at`, `i.closed_at`, since); err != nil {
		return nil, err
	}
	b.Begun, err = tx.briefed(by, `i.opened_at >= ? AND i.closed_at IS NULL`, `i.opened_at`, since)
	return b, err
}

// briefed lists items in the actor's studios that meet a condition, those with the latest order first.
func (tx *Tx) briefed(by Actor, condition, order string, since Time) (list []Item, err error) {
	var rows []struct {
		Item
		Place string `db:"place"` // handle of the item's studio
	}
	err = tx.Select(&rows, `SELECT `+itemListColumns+`, s.handle AS place FROM studio_members me
		JOIN studios s ON s.id = me.studio_id CROSS JOIN`+itemFrom+`WHERE i.studio_id = s.id AND me.member_id = ?
		AND i.opened_at IS NOT NULL AND i.removed_at IS NULL AND `+condition+` ORDER BY `+order+` DESC, i.id`+AtMost,
		by.MemberID(), since, mostBriefed)
	for i := range rows {
		rows[i].Studio, rows[i].Now = &Studio{Handle: rows[i].Place}, tx.Now
		list = append(list, rows[i].Item)
	}
	return list, err
}
