package store

const maxPins = 20

// MustBePinnable checks whether the actor may pin the item, or unpin it if pinned is false. It returns [Conflict] for a
// draft and if nothing would change, and the errors of [Studio.MustBeJoined].
func (i *Item) MustBePinnable(pinned bool) error {
	if err := i.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case i.Draft():
		return Errorf(Conflict, "A draft cannot be pinned. Open it first.")
	case i.Pinned && pinned:
		return Errorf(Conflict, "This page is pinned already.")
	case !i.Pinned && !pinned:
		return Errorf(Conflict, "This page is not pinned.")
	}
	return nil
}

// PinItem pins an item to its studio's page, or unpins it if pinned is false. It returns [Conflict] if the
// studio has [maxPins] pinned items already.
func (tx *Tx) PinItem(by Actor, i *Item, pinned bool) error {
	change := tx.unpin
	if pinned {
		change = func(i *Item) error { return tx.pin(by, i) }
	}
	tx.IndexItem(i.ID)
	if err := change(i); err != nil {
		return err
	}
	if err := tx.TouchStudio(i.StudioID); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE items SET pinned = ? WHERE id = ?`, pinned, i.ID); err != nil {
		return err
	}
	return tx.raiseItem(i)
}

func (tx *Tx) pin(by Actor, i *Item) error {
	var n int
	if err := tx.Get(&n, `SELECT count(*) FROM pins WHERE studio_id = ?`, i.StudioID); err != nil {
		return err
	}
	if n >= maxPins {
		return Errorf(Conflict, "This studio has %d pins already. Unpin one first.", n)
	}
	return tx.Exec(`INSERT INTO pins (studio_id, item_id, org_id, member_id, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		i.StudioID, i.ID, i.OrgID, by.MemberID(), At(tx.Now))
}

func (tx *Tx) unpin(i *Item) error {
	return tx.Exec(`DELETE FROM pins WHERE studio_id = ? AND item_id = ?`, i.StudioID, i.ID)
}

func (tx *Tx) pinned(s *Studio) ([]Item, error) {
	list, err := All[Item](tx, `SELECT `+itemListColumns+` FROM pins p CROSS JOIN`+itemFrom+`WHERE p.studio_id = ?
		AND i.id = p.item_id ORDER BY p.at DESC`+AtMost, s.ID, maxPins)
	return tx.inStudio(s, list), err
}

const maxTemplates = 50

// MustBeTemplatable checks whether the actor may make the item a template, or an ordinary item if template is false. It
// returns [Conflict] for a draft, for a removed item and if nothing would change, and the errors of
// [Studio.MustBeJoined].
func (i *Item) MustBeTemplatable(template bool) error {
	if err := i.Studio.MustBeJoined(); err != nil {
		return err
	}
	switch {
	case i.Draft():
		return Errorf(Conflict, "A draft cannot be a template, for others do not see it.")
	case i.Removed():
		return Errorf(Conflict, "This page was removed.")
	case template && !i.Template.IsZero():
		return Errorf(Conflict, "This page is a template already.")
	case !template && i.Template.IsZero():
		return Errorf(Conflict, "This page is no template.")
	}
	return nil
}

// SetTemplate makes an item a template of its studio, or an ordinary item again. It returns [Conflict] if the studio
// has [maxTemplates] templates already.
func (tx *Tx) SetTemplate(i *Item, template bool) error {
	at := Time{}
	if template {
		var n int
		if err := tx.Get(&n, `SELECT count(*) FROM items i WHERE i.studio_id = ? AND i.template_at IS NOT NULL`,
			i.StudioID); err != nil {
			return err
		}
		if n >= maxTemplates {
			return Errorf(Conflict, "This studio has %d templates already. Take one out first.", n)
		}
		at = At(tx.Now)
	}
	if err := tx.Exec(`UPDATE items SET template_at = ? WHERE id = ?`, at, i.ID); err != nil {
		return err
	}
	return tx.raiseItem(i)
}

// TemplatesPage has the templates of a studio.
type TemplatesPage struct {
	*Studio
	List []Item
}

// ShowTemplates loads the templates of a studio, oldest first.
func (tx *Tx) ShowTemplates(_ Actor, s *Studio) (*TemplatesPage, error) {
	p := &TemplatesPage{Studio: s}
	err := tx.Select(&p.List, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.studio_id = ?
		AND i.template_at IS NOT NULL ORDER BY i.template_at`+AtMost, s.ID, maxTemplates)
	p.List = tx.inStudio(s, p.List)
	return p, err
}
