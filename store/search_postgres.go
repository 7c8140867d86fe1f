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

// postgresText is the full-text index of PostgreSQL, a table with a row for each document. The column lexemes is a
// tsvector of the document's words, stems and tags. The column terms has the words in their order, for phrases, and for
// exact words in only the title or only the text. Positions in the tsvector would take less space, but PostgreSQL
// stores at most 256 of them for a word, and none beyond 16,383.
type postgresText struct{}

// makeSearch creates the table and marks every document as not indexed. With fastupdate = off, changes enter the index
// at once, and no search has to read a list of pending entries.
const makeSearch = `DROP TABLE IF EXISTS search;
CREATE TABLE search (
	n       BIGINT PRIMARY KEY REFERENCES documents (n),
	lexemes TSVECTOR NOT NULL,
	terms   TEXT COLLATE "C" NOT NULL
);
CREATE INDEX search_lexemes ON search USING gin (lexemes) WITH (fastupdate = off);
UPDATE documents SET indexed_at = NULL WHERE indexed_at IS NOT NULL`

func openPostgresText(ctx context.Context, conn *sqlx.Conn) (fullText, error) {
	var made bool
	err := conn.GetContext(ctx, &made, `SELECT to_regclass('search_lexemes') IS NOT NULL`)
	if err == nil && !made {
		_, err = conn.ExecContext(ctx, makeSearch) // PostgreSQL runs all statements in one implicit transaction
	}
	return postgresText{}, db.Explain(err)
}

// These are limits of a tsvector in bytes: the length of one word, and the total length of all words.
const (
	maxLexeme  = 2_046
	maxLexemes = 1<<20 - 1
)

// lexeme returns the term, cut to the length that a tsvector can hold.
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

// tagLexeme returns the lexeme of a tag. It begins with #, so it never matches a word.
func tagLexeme(tag string) string { return "#" + tag }

// These prefix characters mark the stems in the title and in the text of a document. No term contains them, so
// a stem never matches a whole word.
const (
	titleSign = "^"
	textSign  = "~"
)

func (w SearchWord) stemSigns() []string {
	switch w.In {
	case "title":
		return []string{titleSign}
	case "text":
		return []string{textSign}
	}
	return []string{titleSign, textSign}
}

// termLine joins terms with a space before and after each, so that a phrase is a substring of the result.
func termLine(terms []string) string { return " " + strings.Join(terms, " ") + " " }

func (postgresText) put(tx *Tx, d *document) error {
	title, text := SearchTerms(d.Title), SearchTerms(d.Text)
	var words []string
	for _, tag := range d.tags() {
		words = append(words, tagLexeme(tag))
	}
	for _, stem := range stemsOf(title) {
		words = append(words, titleSign+stem)
	}
	for _, stem := range stemsOf(text) {
		words = append(words, textSign+stem)
	}
	known, size := map[string]bool{}, 0
	for _, word := range words {
		size += len(word)
	}
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
	return tx.Exec(`INSERT INTO search (n, lexemes, terms) VALUES (?, array_to_tsvector(?), ?)
		ON CONFLICT (n) DO UPDATE SET lexemes = excluded.lexemes, terms = excluded.terms`, d.N, words,
		termLine(title)+"\n"+termLine(text))
}

func (postgresText) drop(tx *Tx, n int64) error {
	return tx.Exec(`DELETE FROM search WHERE n = ?`, n)
}

// tidy does nothing, because PostgreSQL maintains its index itself.
func (postgresText) tidy(*Tx) (bool, error) { return false, nil }

// walkLength returns the number of documents that a query with this limit reads by age before it uses the index.
var walkLength = func(limit int) int { return 10 * max(limit, 200) }

// find first reads as many documents by age as walkLength says, which is fast for common words. It uses the index for
// the rest, and only if it has found too few results. Without the "+ 0" the planner overestimates how often common
// words occur together, and reads all documents by age. QueryExecModeExec makes PostgreSQL plan the statement for its
// actual arguments.
func (postgresText) find(tx *Tx, c criteria, in span, limit int) ([]int64, error) {
	order, start, end, before, behind := `DESC`, in.below, in.above, `>`, `<`
	if in.oldest {
		order, start, end, before, behind = `ASC`, in.above, in.below, `<`, `>`
	}
	const matching = `SELECT n FROM search WHERE lexemes @@ CAST(? AS tsquery) AND terms LIKE ALL (?)
		AND terms NOT LIKE ALL (?) AND n `
	words, like, unlike := c.lexemes()
	return All[int64](tx, `WITH edge AS MATERIALIZED (SELECT coalesce((SELECT n FROM search WHERE n `+before+` ?
		AND n `+behind+` ? ORDER BY n `+order+` OFFSET ? LIMIT 1), ?) AS n),
		near AS MATERIALIZED (`+matching+before+` (SELECT n FROM edge) AND n `+behind+` ? ORDER BY n `+order+AtMost+`),
		far AS MATERIALIZED (`+matching+`+ 0 `+before+` ? AND n + 0 `+behind+`= (SELECT n FROM edge)
			AND (SELECT count(*) FROM near) < ?)
		SELECT n FROM near UNION ALL SELECT n FROM far ORDER BY n `+order+AtMost,
		pgx.QueryExecModeExec, end, start, walkLength(limit), end,
		words, like, unlike, start, limit,
		words, like, unlike, end, limit, limit)
}

// lexemes returns the criteria as a tsquery and as LIKE patterns on the column terms. Every lexeme is quoted, so that
// it cannot act as an operator. Terms consist of letters and digits, so they contain no wildcards.
func (c criteria) lexemes() (words string, like, unlike []string) {
	var all []string
	like, unlike = []string{}, []string{}
	for _, w := range c.words {
		if stems := w.stems(); stems != nil {
			all = append(all, w.anyStem(stems))
			continue
		}
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

// pattern returns the LIKE pattern for documents that have the phrase in the title, in the text, or in either of them,
// as w.In says.
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
	lexemes := make([]string, len(tags))
	for i, tag := range tags {
		lexemes[i] = tagLexeme(tag)
	}
	return anyLexeme(lexemes)
}

// anyStem returns a tsquery for documents that have one of the stems, or, for a word with Not, none of them.
func (w SearchWord) anyStem(stems []string) string {
	var lexemes []string
	for _, sign := range w.stemSigns() {
		for _, stem := range stems {
			lexemes = append(lexemes, sign+stem)
		}
	}
	if w.Not {
		return "!" + anyLexeme(lexemes)
	}
	return anyLexeme(lexemes)
}

func anyLexeme(lexemes []string) string {
	quoted := make([]string, len(lexemes))
	for i, lexeme := range lexemes {
		quoted[i] = quoteLexeme(lexeme)
	}
	return "(" + strings.Join(quoted, " | ") + ")"
}

func quoteLexeme(s string) string {
	return "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(s) + "'"
}
