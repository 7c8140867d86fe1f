package store

import "strings"

// searchLists are the lists by age in which a search without words can look: those of every author, else of every studio, else
// of everything, each of them by kind. Whatever else is asked for, and what may be seen, is for [search.load] to say.
type searchLists struct {
	authors, studios []string // ids; none: any
	kinds            []string
}

// manyLists is how many lists are looked at together at most.
const manyLists = 100

// ids are those by which the lists are told apart, of which one is empty if there is but one, and the column that they are in.
func (l *searchLists) ids() (column string, ids []string) {
	switch {
	case len(l.authors) > 0:
		return `member_id`, l.authors
	case len(l.studios) > 0:
		return `studio_id`, l.studios
	}
	return ``, []string{""}
}

// many reports that these are too many lists to look at.
func (l *searchLists) many() bool {
	_, ids := l.ids()
	return len(ids)*len(l.kinds) > manyLists
}

// find lists the documents in the lists: the newest, or the oldest.
func (l *searchLists) find(tx *Tx, in span, limit int) ([]int64, error) {
	column, ids := l.ids()
	order, which := ` ORDER BY n DESC`, `kind = ? AND n > ? AND n < ?`
	if in.oldest {
		order = ` ORDER BY n ASC`
	}
	if column != "" {
		which = column + ` = ? AND ` + which
	}
	var each []string
	var args []any
	for _, id := range ids {
		for _, kind := range l.kinds {
			each = append(each, `SELECT n FROM (SELECT n FROM documents WHERE `+which+order+atMost+`) sub`)
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
	err := tx.Select(&list, strings.Join(each, ` UNION ALL `)+order+atMost, append(args, limit)...)
	return list, err
}
