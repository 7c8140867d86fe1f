package store

import "strings"

// Finder has two SQL statements that load an item of a kind with its studio. The statement seen finds only items that
// the actor may see. The statement all is for the scheduler.
type Finder struct{ seen, all string }

// NewFinder builds the statements from the additional columns and joins of a kind. In the joins, i is the item and mm
// is the reading member.
func NewFinder(columns, joins string) Finder {
	if columns != "" {
		columns = `, ` + columns
	}
	query := `SELECT ` + itemListColumns + itemOwnColumns + columns + `, ` +
		prefixColumns("home", studioOwnColumns) + ` FROM items i
		JOIN studios s ON s.id = i.studio_id ` + studioJoins + studioOwnJoins +
		itemJoins + joins + itemOwnJoins + `WHERE i.id = ? AND (s.handle = ? OR ? = '') AND` + itemSeen + `AND`
	return Finder{query + studioVisible, query + everyStudio}
}

// Locate loads the item with this id into row. The pointers item and home must point into row. A studio that is not
// empty must be the handle of the item's studio. Locate returns [Missing] if there is no such item or the actor may not
// see it.
func (tx *Tx) Locate(f Finder, by Actor, row any, item *Item, home *Studio, studio, id string) error {
	query := f.seen
	if by.System {
		query = f.all
	}
	item.Studio, item.Now, home.Now = home, tx.Now, tx.Now
	return tx.GetLocked(row, &home.OrgID, query, by.studioArgs(id, studio, studio)...)
}

// prefixColumns puts a name and a dot before the result name of each column in a list. For the name "home", it makes
// s.handle AS "home.handle" from s.handle, which package sqlx scans into the struct field with the tag db:"home".
func prefixColumns(name, columns string) string {
	var list []string
	depth, from := 0, 0
	for i := 0; i <= len(columns); i++ {
		switch {
		case i == len(columns), columns[i] == ',' && depth == 0:
			column := strings.TrimSpace(columns[from:i])
			expression, own, ok := cutLast(column, " AS ")
			if !ok {
				_, own, _ = cutLast(column, ".")
			}
			list = append(list, expression+` AS "`+name+`.`+own+`"`)
			from = i + 1
		case columns[i] == '(':
			depth++
		case columns[i] == ')':
			depth--
		}
	}
	return strings.Join(list, ", ")
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// latestItems lists the newest items in a studio that the actor may see. The result said has items of the [Kind.Spoken]
// kinds, such as messages. The parameter spoken limits their number for each kind. The result items has the items of
// all other kinds, at most limit.
func (tx *Tx) latestItems(by Actor, s *Studio, limit, spoken int) (items, said []Item, err error) {
	newest := `SELECT i.id FROM items i WHERE i.studio_id = ? AND i.spoken = 0 AND` + itemVisible + itemNewest
	args := []any{s.ID, by.In(s.OrgID).MemberID(), limit}
	if spoken > 0 {
		newest = `SELECT id FROM (` + newest + `) sub`
		for _, k := range ItemKinds() {
			if k.Spoken {
				newest += ` UNION ALL SELECT id FROM (SELECT i.id FROM items i WHERE i.studio_id = ? AND i.kind = '` + k.Name + `'
					AND i.removed_at IS NULL` + itemNewest + `) sub`
				args = append(args, s.ID, spoken)
			}
		}
	}
	var list []Item
	err = tx.Select(&list, `SELECT `+itemListColumns+` FROM`+itemFrom+`WHERE i.id IN (`+newest+`)
		ORDER BY i.created_at DESC, i.id`, args...)
	for _, i := range tx.inStudio(s, list) {
		if isSpoken(i.Kind) {
			said = append(said, i)
		} else {
			items = append(items, i)
		}
	}
	return items, said, err
}
