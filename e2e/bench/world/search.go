package world

import (
	"errors"
	"strings"

	"samepage/store"
)

// index adds the directly written rows to the search index, with the documents and tags that the product would write.
// Without a full-text index, it does nothing.
func (m *maker) index() error {
	return m.raw(nil, func(f *filler) error {
		if err := f.tx.QueryRowContext(
			m.ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'search'",
		).Scan(&m.Searchable); err != nil || !m.Searchable {
			return err
		}
		f.exec(`INSERT INTO documents (n, org_id, kind, id, seq, studio_id, member_id)
			SELECT at * 16384 + row_number() OVER (PARTITION BY at ORDER BY id, seq) - 1,
				org_id, kind, id, seq, studio_id, member_id FROM (
				SELECT created_at AS at, org_id, kind, id, 0 AS seq, studio_id, member_id FROM items
				UNION ALL SELECT c.at, c.org_id, 'comment', c.item_id, c.seq, i.studio_id, c.member_id
				FROM comments c JOIN items i ON i.id = c.item_id) x
			WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = x.id AND d.seq = x.seq) ORDER BY 1`)
		f.err = errors.Join(f.err, m.texts(f, `SELECT d.n, CASE d.seq WHEN 0 THEN i.title ELSE '' END,
				CASE d.seq WHEN 0 THEN coalesce((SELECT group_concat(title, char(10)) FROM options
					WHERE decision_id = d.id) || char(10), '') || i.body ELSE c.text END,
				'o' || d.org_id || ' k' || d.kind || ' b' || d.member_id || ' s' || d.studio_id ||
					' bypeople' || CASE WHEN d.seq = 0 AND i.closed_at <> i.opened_at THEN ' isclosed' ELSE '' END
			FROM documents d JOIN items i ON i.id = d.id
				LEFT JOIN comments c ON c.item_id = d.id AND c.seq = d.seq
			WHERE d.indexed_at IS NULL ORDER BY d.n`))
		f.err = errors.Join(f.err, m.titles(f))
		f.err = errors.Join(f.err, f.tx.QueryRowContext(m.ctx, "SELECT count(*) FROM documents").Scan(&m.Documents))
		f.exec(`UPDATE documents SET indexed_at = ? WHERE indexed_at IS NULL`, store.At(m.start))
		return f.err
	})
}

// texts indexes the documents of a query with the columns number, title, text and tags.
func (m *maker) texts(f *filler, query string) error {
	rows, err := f.tx.QueryContext(m.ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	known := map[string]string{}
	stems := func(text string) string {
		var list []string
		for _, term := range store.SearchTerms(text) {
			found, ok := known[term]
			if !ok {
				found = strings.Join(store.SearchStems(term), " ")
				if len(known) < 10_000 {
					known[term] = found
				}
			}
			list = append(list, found)
		}
		return strings.Join(list, " ")
	}
	for rows.Next() && f.err == nil {
		var n int64
		var title, text, tags string
		if err := rows.Scan(&n, &title, &text, &tags); err != nil {
			return err
		}
		f.rows("search", "rowid, title, text, title_stems, text_stems, tags", 1, n, title, text, stems(title),
			stems(text), tags)
	}
	return errors.Join(f.err, rows.Err())
}

func (m *maker) titles(f *filler) error {
	rows, err := f.tx.QueryContext(m.ctx,
		`SELECT d.n, i.title FROM documents d JOIN items i ON i.id = d.id WHERE d.seq = 0 AND d.indexed_at IS NULL`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		var title string
		if err := rows.Scan(&n, &title); err != nil {
			return err
		}
		f.exec(`UPDATE documents SET title = ? WHERE n = ?`, strings.Join(store.SearchTerms(title), " "), n)
	}
	return rows.Err()
}
