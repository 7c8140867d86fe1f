package store

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"

	"samepage/store/db"
)

// postgresText is a table beside the documents. The words and the tags of each are a tsvector, which says what it has, and its
// terms are kept in their order, which says the rest: what is a phrase, and what is in the title. A tsvector's own positions
// would be smaller, but they end at the 256th of a word and at the 16,383rd of a text.
type postgresText struct{}

// makeSearch makes the table, if it is not there, and then everything waits to be indexed. Changes go into the index at once
// (fastupdate), so that nobody's search has to go through those that were put off.
const makeSearch = `CREATE TABLE search (
	n     BIGINT PRIMARY KEY REFERENCES documents (n),
	words TSVECTOR NOT NULL,
	terms TEXT COLLATE "C" NOT NULL
);
CREATE INDEX search_words ON search USING gin (words) WITH (fastupdate = off);
UPDATE documents SET indexed_at = NULL WHERE indexed_at IS NOT NULL`

func openPostgresText(ctx context.Context, conn *sqlx.Conn) (fullText, error) {
	var made bool
	err := conn.GetContext(ctx, &made, `SELECT to_regclass('search') IS NOT NULL`)
	if err == nil && !made {
		_, err = conn.ExecContext(ctx, makeSearch) // all of it or nothing
	}
	return postgresText{}, db.Explain(err)
}

// What a tsvector can hold: the bytes of a word, and those of all its words together.
const (
	maxLexeme  = 2_046
	maxLexemes = 1<<20 - 1
)

// lexeme is a term as far as a tsvector can hold it.
func lexeme(term string) string {
	if len(term) <= maxLexeme {
		return term
	}
	end := maxLexeme
	for !utf8.RuneStart(term[end]) {
		end--
	}
	return term[:end]
}

// tagLexeme is a tag as no term is written.
func tagLexeme(tag string) string { return "#" + tag }

// termLine writes terms with a space around each, so that a phrase among them is a part of the line.
func termLine(terms []string) string { return " " + strings.Join(terms, " ") + " " }

func (postgresText) put(tx *Tx, d *document) error {
	title, text := SearchTerms(d.Title), SearchTerms(d.Text)
	var words []string
	for _, tag := range d.tags() {
		words = append(words, tagLexeme(tag))
	}
	known, size := map[string]bool{}, 0
	for _, term := range slices.Concat(title, text) {
		if term = lexeme(term); known[term] {
			continue
		}
		if size += len(term); size > maxLexemes {
			break
		}
		known[term] = true
		words = append(words, term)
	}
	return tx.Exec(`INSERT INTO search (n, words, terms) VALUES (?, array_to_tsvector(?), ?)
		ON CONFLICT (n) DO UPDATE SET words = excluded.words, terms = excluded.terms`, d.N, words,
		termLine(title)+"\n"+termLine(text))
}

func (postgresText) drop(tx *Tx, n int64) error {
	return tx.Exec(`DELETE FROM search WHERE n = ?`, n)
}

// tidy has nothing to do: the server keeps its index by itself.
func (postgresText) tidy(*Tx) (bool, error) { return false, nil }

// walked is how many documents are walked through by age to find so many.
var walked = func(limit int) int { return 10 * max(limit, 200) }

// find walks through the nearest documents by age, which finds what is common, and asks the index for those beyond only if that
// was not enough. Left to choose, the server takes words that are common and never meet for words that meet often, and walks
// through all there is; the zeros keep it from that. It has to plan for these very words, and not for any.
func (postgresText) find(tx *Tx, c criteria, in span, limit int) ([]int64, error) {
	order, start, end, before, behind := `DESC`, in.below, in.above, `>`, `<`
	if in.oldest {
		order, start, end, before, behind = `ASC`, in.above, in.below, `<`, `>`
	}
	const matching = `SELECT n FROM search WHERE words @@ CAST(? AS tsquery) AND terms LIKE ALL (?)
		AND terms NOT LIKE ALL (?) AND n `
	words, like, unlike := c.lexemes()
	var list []int64
	err := tx.Select(&list, `WITH edge AS MATERIALIZED (SELECT coalesce((SELECT n FROM search WHERE n `+before+` ?
		AND n `+behind+` ? ORDER BY n `+order+` OFFSET ? LIMIT 1), ?) AS n),
		near AS MATERIALIZED (`+matching+before+` (SELECT n FROM edge) AND n `+behind+` ? ORDER BY n `+order+atMost+`),
		far AS MATERIALIZED (`+matching+`+ 0 `+before+` ? AND n + 0 `+behind+`= (SELECT n FROM edge)
			AND (SELECT count(*) FROM near) < ?)
		SELECT n FROM near UNION ALL SELECT n FROM far ORDER BY n `+order+atMost,
		pgx.QueryExecModeExec, end, start, walked(limit), end,
		words, like, unlike, start, limit,
		words, like, unlike, end, limit, limit)
	return list, err
}

// lexemes writes the criteria as a tsquery, and as patterns of the terms for what a tsvector does not tell. Every lexeme is
// quoted, so that nothing in it is an operator; terms are letters and digits, so that nothing in them is a pattern's sign.
func (c criteria) lexemes() (words string, like, unlike []string) {
	var all []string
	like, unlike = []string{}, []string{}
	for _, w := range c.words {
		terms := SearchTerms(w.Text)
		exact := w.In != "" || len(terms) > 1 || len(terms[0]) > maxLexeme
		switch {
		case !w.Not:
			for _, term := range terms {
				all = append(all, quoteLexeme(lexeme(term)))
			}
			if exact {
				like = append(like, w.pattern(terms))
			}
		case exact:
			unlike = append(unlike, w.pattern(terms))
		default:
			all = append(all, "!"+quoteLexeme(terms[0]))
		}
	}
	for _, any := range c.tags {
		all = append(all, anyTag(any))
	}
	if len(c.without) > 0 {
		all = append(all, "!"+anyTag(c.without))
	}
	return strings.Join(all, " & "), like, unlike
}

// pattern is what the terms of a document are like that has this phrase where it should.
func (w SearchWord) pattern(terms []string) string {
	line := "%" + termLine(terms) + "%"
	switch w.In {
	case "title":
		return line + "\n%"
	case "text":
		return "%\n" + line
	}
	return line
}

func anyTag(tags []string) string {
	quoted := make([]string, len(tags))
	for i, tag := range tags {
		quoted[i] = quoteLexeme(tagLexeme(tag))
	}
	return "(" + strings.Join(quoted, " | ") + ")"
}

// quoteLexeme writes a lexeme as a tsquery has it.
func quoteLexeme(s string) string {
	return "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(s) + "'"
}
