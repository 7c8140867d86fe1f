package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"samepage/store/db"
)

// sqliteText is an FTS5 index without content: it knows words and where they are, and the texts are only in their tables.
type sqliteText struct{}

// openSQLiteText finds the full-text index of the database, made if it is not there: nil if this program has none.
func openSQLiteText(ctx context.Context, conn *sqlx.Conn) (fullText, error) {
	var has, made bool
	if err := conn.GetContext(ctx, &has, `SELECT sqlite_compileoption_used('ENABLE_FTS5')`); err != nil || !has {
		return nil, err
	}
	if err := conn.GetContext(ctx, &made, `SELECT count(*) FROM sqlite_schema
		WHERE name = 'search'`); err != nil || made {
		return sqliteText{}, err
	}
	tx, err := conn.BeginTxx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("make the search index: %w", db.Explain(err))
	}
	defer tx.Rollback()
	for _, q := range []string{
		`CREATE VIRTUAL TABLE search USING fts5 (title, text, tags, content = '', contentless_delete = 1,
			tokenize = 'unicode61 remove_diacritics 2')`,
		`INSERT INTO search (search, rank) VALUES ('usermerge', 2)`, // tidying leaves no two parts of about one size
		`UPDATE documents SET indexed_at = NULL WHERE indexed_at IS NOT NULL`,
	} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return nil, fmt.Errorf("make the search index: %w", db.Explain(err))
		}
	}
	return sqliteText{}, db.Explain(tx.Commit())
}

func (sqliteText) put(tx *Tx, d *document) error {
	if err := (sqliteText{}).drop(tx, d.N); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO search (rowid, title, text, tags) VALUES (?, ?, ?, ?)`,
		d.N, termText(d.Title), termText(d.Text), strings.Join(d.tags(), " "))
}

// tidyPages is how many pages of the index are written in one transaction: about ten milliseconds' worth.
const tidyPages = 150

func (sqliteText) tidy(tx *Tx) (some bool, err error) {
	var before, after int64
	if err := tx.Get(&before, `SELECT total_changes()`); err != nil {
		return false, err
	}
	if err := tx.Exec(`INSERT INTO search (search, rank) VALUES ('merge', ?)`, tidyPages); err != nil {
		return false, err
	}
	err = tx.Get(&after, `SELECT total_changes()`)
	return after-before >= 2, err // fewer is none: https://sqlite.org/fts5.html#the_merge_command
}

// termText is a text as its terms: FTS5 has its own idea of what is a word and an accent, which is that of no other database.
func termText(text string) string { return strings.Join(SearchTerms(text), " ") }

func (sqliteText) drop(tx *Tx, n int64) error {
	return tx.Exec(`DELETE FROM search WHERE rowid = ?`, n)
}

func (sqliteText) find(tx *Tx, c criteria, in span, limit int) ([]int64, error) {
	order := `DESC`
	if in.oldest {
		order = `ASC`
	}
	var list []int64
	err := tx.Select(&list, `SELECT rowid FROM search WHERE search MATCH ? AND rowid > ? AND rowid < ?
		ORDER BY rowid `+order+atMost,
		c.match(), in.above, in.below, limit)
	return list, err
}

// match writes the criteria in FTS5's language. Every text is quoted, so that nothing in it is an operator, and bound to its
// columns, so that nobody's words are taken for a tag.
func (c criteria) match() string {
	var must, not []string
	for _, w := range c.words {
		columns := w.In
		if columns == "" {
			columns = "title text"
		}
		term := `{` + columns + `} : ` + quoteFTS(termText(w.Text))
		if w.Not {
			not = append(not, term)
		} else {
			must = append(must, term)
		}
	}
	for _, any := range c.tags {
		must = append(must, tagged(any))
	}
	if len(c.without) > 0 {
		not = append(not, tagged(c.without))
	}
	text := strings.Join(must, " AND ")
	if len(not) > 0 {
		text = "(" + text + ") NOT (" + strings.Join(not, " OR ") + ")"
	}
	return text
}

func tagged(any []string) string {
	quoted := make([]string, len(any))
	for i, tag := range any {
		quoted[i] = quoteFTS(tag)
	}
	return `{tags} : (` + strings.Join(quoted, " OR ") + `)`
}

func quoteFTS(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
