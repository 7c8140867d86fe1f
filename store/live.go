package store

import (
	"strings"
	"time"
)

// Live is a kind of work that goes on in studios without being an item, such as the sessions of agents.
type Live struct {
	Name string // such as "session"
	// Query returns a SELECT statement for the work that runs or waits, with its arguments. The statement has a row for
	// each piece of work. Its columns are, in this order: studio_id; item_id, which is an empty text; and waits, which
	// is 1 if the work waits for an answer, else 0. If [LiveIn.Items] is true, the statement has another row for each
	// board that shows the work, with the board's id as item_id. The statement should begin with an index that has only
	// work that runs or waits, because a studio can have very much work that has ended.
	Query func(of LiveIn) (query string, args []any)
}

// LiveIn selects the work that [Live.Query] counts.
type LiveIn struct {
	Studios []any // ids
	Items   bool
	Now     time.Time
}

// LiveCount has the number of running and the number of waiting pieces of one kind of work.
type LiveCount struct {
	Name  string `db:"name"` // the kind of work, such as "session"
	Runs  int    `db:"runs"`
	Waits int    `db:"waits"`
}

var liveKinds []*Live

// DeclareLive adds a kind of work, while packages are initialized. It panics if a part is missing.
func DeclareLive(l Live) *Live {
	if l.Name == "" || l.Query == nil {
		panic("live work " + l.Name + ": its name or its query is missing")
	}
	liveKinds = append(liveKinds, &l)
	return &l
}

// liveIn counts the work that runs or waits in studios, by the id of the studio and, if items is true, by the id of
// each board that shows the work. The actor must be able to see the studios. People get counts for the studios of their
// own organizations, and agents get none.
func (tx *Tx) liveIn(by Actor, studios []Studio, items bool) (map[string][]LiveCount, error) {
	of := LiveIn{Items: items, Now: tx.Now}
	for i := range studios {
		if by.In(studios[i].OrgID).Member != nil {
			of.Studios = append(of.Studios, studios[i].ID)
		}
	}
	if by.IsAgent() || len(of.Studios) == 0 || len(liveKinds) == 0 {
		return nil, nil
	}
	var stretches []string
	var args []any
	for _, l := range liveKinds {
		query, some := l.Query(of)
		stretches = append(stretches, `SELECT '`+l.Name+`' AS name, w.* FROM (`+query+`) AS w`)
		args = append(args, some...)
	}
	var rows []struct {
		StudioID string `db:"studio_id"`
		ItemID   string `db:"item_id"`
		LiveCount
	}
	err := tx.Select(&rows, `SELECT w.name, w.studio_id, w.item_id, count(*) - sum(w.waits) AS runs, sum(w.waits) AS waits
		FROM (`+strings.Join(stretches, ` UNION ALL `)+`) AS w GROUP BY w.name, w.studio_id, w.item_id`, args...)
	counts := make(map[string][]LiveCount, len(rows))
	for i := range rows {
		id := rows[i].StudioID
		if rows[i].ItemID != "" {
			id = rows[i].ItemID
		}
		counts[id] = append(counts[id], rows[i].LiveCount)
	}
	return counts, err
}
