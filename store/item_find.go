package store

import "strings"

// Finder has two statements that load an item of a kind together with its studio. The statement seen finds only items
// that the actor may see. The statement all finds every item and is for the scheduler.
type Finder struct{ seen, all string }

// NewFinder builds the statements for a kind from the columns and the joins that the kind adds to those of
// every item. In the joins, i is the item and mm is the reading member.
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

// Locate loads the item with this id into row. The pointers item and home must point into row. If studio is not empty,
// the item's studio must have that handle. It returns [Missing] if there is no such item.
func (tx *Tx) Locate(f Finder, by Actor, row any, item *Item, home *Studio, studio, id string) error {
	query := f.seen
	if by.System {
		query = f.all
	}
	item.Studio, item.Now, home.Now = home, tx.Now, tx.Now
	return tx.GetLocked(row, &home.OrgID, query, by.studioArgs(id, studio, studio)...)
}

// prefixColumns adds the prefix "name." to the result name of each column in a list. It makes sqlx scan the columns
// into the struct field with that name.
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
