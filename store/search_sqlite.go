package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"samepage/store/db"
)

// sqliteText is the full-text index of SQLite, an FTS5 table that has the index but not the texts.
type sqliteText struct{}

// makeFTS is the statement that creates the index. If the stored statement differs from it, the index is
// dropped and created again.
const makeFTS = `CREATE VIRTUAL TABLE search USING fts5 (title, text, title_stems, text_stems, tags, content = '',
	contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')`

// openSQLiteText returns the full-text index of the database, and creates it if necessary. It returns nil if this
// program was built without FTS5.
func openSQLiteText(ctx context.Context, conn *sqlx.Conn) (fullText, error) {
	var has bool
	var made string
	if err := conn.GetContext(ctx, &has, `SELECT sqlite_compileoption_used('ENABLE_FTS5')`); err != nil || !has {
		return nil, err
	}
	if err := conn.GetContext(ctx, &made, `SELECT coalesce(max(sql), '') FROM sqlite_schema
		WHERE name = 'search'`); err != nil || made == makeFTS {
		return sqliteText{}, err
	}
	tx, err := conn.BeginTxx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("make the search index: %w", db.Explain(err))
	}
	defer tx.Rollback()
	for _, q := range []string{
		`DROP TABLE IF EXISTS search`,
		makeFTS,
		`INSERT INTO search (search, rank) VALUES ('usermerge', 2)`, // a merge joins two or more segments of one level
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
	title, text := SearchTerms(d.Title), SearchTerms(d.Text)
	return tx.Exec(`INSERT INTO search (rowid, title, text, title_stems, text_stems, tags) VALUES (?, ?, ?, ?, ?, ?)`,
		d.N, strings.Join(title, " "), strings.Join(text, " "), stemText(title), stemText(text), strings.Join(d.tags(), " "))
}

// tidyPages is the number of index pages that one transaction writes in about ten milliseconds.
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
	return after-before >= 2, err // fewer than 2 means no work: https://sqlite.org/fts5.html#the_merge_command
}

// termText returns the terms of a text, joined by spaces. FTS5 gets the terms instead of the text, because its own
// rules for words and accents would find other terms than PostgreSQL.
func termText(text string) string { return strings.Join(SearchTerms(text), " ") }

func (sqliteText) drop(tx *Tx, n int64) error {
	return tx.Exec(`DELETE FROM search WHERE rowid = ?`, n)
}

func (sqliteText) find(tx *Tx, c criteria, in span, limit int) ([]int64, error) {
	order := `DESC`
	if in.oldest {
		order = `ASC`
	}
	return All[int64](tx, `SELECT rowid FROM search WHERE search MATCH ? AND rowid > ? AND rowid < ?
		ORDER BY rowid `+order+AtMost,
		c.match(), in.above, in.below, limit)
}

// match returns the criteria as an FTS5 query. Every word is quoted, so that it cannot act as an operator. Every word
// is limited to some columns, so that it never matches a tag. The tags come first, because FTS5 reads the document
// list of the first term, and few documents have the tag of an author.
func (c criteria) match() string {
	var must, not []string
	for _, any := range c.tags {
		must = append(must, tagged(any))
	}
	for _, w := range c.words {
		columns, term := []string{"title", "text"}, quoteFTS(termText(w.Text))
		if w.In != "" {
			columns = []string{w.In}
		}
		if stems := w.stems(); stems != nil {
			for i := range columns {
				columns[i] += "_stems"
			}
			term = anyFTS(stems)
		}
		term = `{` + strings.Join(columns, " ") + `} : ` + term
		if w.Not {
			not = append(not, term)
		} else {
			must = append(must, term)
		}
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

func tagged(any []string) string { return `{tags} : ` + anyFTS(any) }

func anyFTS(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quoteFTS(word)
	}
	return `(` + strings.Join(quoted, " OR ") + `)`
}

func quoteFTS(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
