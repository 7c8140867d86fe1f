package store

// maxTemplates is the greatest number of templates of a studio.
const maxTemplates = 50

// MustBeTemplatable refuses an actor outside the studio, a draft, a removed item, and a change that is made already.
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
// has [maxTemplates] already.
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
	p.List = tx.at(s, p.List)
	return p, err
}
