package store

import "strings"

// searchLists are the lists by age that a search without words walks: one for each author, else for each
// studio, else one for all documents, each of them by kind. [search.load] applies the other filters and
// visibility.
type searchLists struct {
	authors, studios []string // ids; empty for any
	kinds            []string
}

// manyLists is the greatest number of lists in one statement.
const manyLists = 100

// ids returns the column that tells the lists apart and its values; without such a column, one empty value.
func (l *searchLists) ids() (column string, ids []string) {
	switch {
	case len(l.authors) > 0:
		return `member_id`, l.authors
	case len(l.studios) > 0:
		return `studio_id`, l.studios
	}
	return ``, []string{""}
}

// tooMany reports that there are more than manyLists lists.
func (l *searchLists) tooMany() bool {
	_, ids := l.ids()
	return len(ids)*len(l.kinds) > manyLists
}

// find lists up to limit documents of the lists: the newest, or the oldest.
func (l *searchLists) find(tx *Tx, in span, limit int) ([]int64, error) {
	column, ids := l.ids()
	order, condition := ` ORDER BY n DESC`, `kind = ? AND n > ? AND n < ?`
	if in.oldest {
		order = ` ORDER BY n ASC`
	}
	if column != "" {
		condition = column + ` = ? AND ` + condition
	}
	var each []string
	var args []any
	for _, id := range ids {
		for _, kind := range l.kinds {
			each = append(each, `SELECT n FROM (SELECT n FROM documents WHERE `+condition+order+AtMost+`) sub`)
			if column != "" {
				args = append(args, id)
			}
			args = append(args, kind, in.above, in.below, limit)
		}
	}
	if len(each) == 0 {
		return nil, nil
	}
	var list []int64
	err := tx.Select(&list, strings.Join(each, ` UNION ALL `)+order+AtMost, append(args, limit)...)
	return list, err
}
