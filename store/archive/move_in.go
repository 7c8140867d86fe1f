package archive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"samepage/store"
	"samepage/store/db"
)

// Import reads an organization that [Export] wrote to r, and returns its handle. It creates the whole organization or
// nothing. An imported user with an email address that exists in this database keeps the password of this database.
// The tokens of runners and sessions are revoked, because these are not in the file. Import returns the attached files
// that are missing or damaged; they do not stop it.
//
// It returns [store.Invalid] if the file is damaged, truncated, of another version, or has rows of another
// organization, [store.Conflict] if this database already has the organization or the handle of one of its studios, and
// [store.Unavailable] if a concurrent write would force the transaction to run again.
func Import(ctx context.Context, s *store.Store, r io.Reader) (handle string, found *store.FileCheck, err error) {
	in := &mover{lines: bufio.NewReaderSize(r, 1<<16), digest: sha256.New(), frame: sha256.New(),
		own:  own{people: map[string]string{}, made: map[string]bool{}, tokens: map[string]bool{}},
		kept: map[string]int64{}, missing: map[string]string{}}
	first := true
	err = s.Write(ctx, func(tx *store.Tx) error {
		if !first {
			return store.Errorf(store.Unavailable, "Others wrote at the same time. Nothing was changed; try again.")
		}
		first = false
		in.tx = tx
		if err := in.run(); err != nil {
			return err
		}
		found, err = in.checkFiles(ctx)
		return err
	})
	return in.head.Org, found, err
}

type mover struct {
	tx     *store.Tx
	lines  *bufio.Reader
	digest hash.Hash // of all lines so far
	frame  hash.Hash // of the same lines without the bytes of files
	number int       // current line number, from 1
	head   moveHead
	own    own
	order  []*db.TableSchema
	later  map[string][]string
	after  []func() error // to call after the last row
	rows   int

	table   *db.TableSchema   // of the current rows; nil for bytes of attached files and for missing files
	names   []string          // column names of the current rows
	place   int               // index of the next table in order
	blobs   bool              // all tables were read; bytes of attached files follow
	lacks   bool              // all bytes were read; the list of missing files follows
	changed bool              // the bytes of at least one attached file differ from their hash
	kept    map[string]int64  // hash → size of the imported bytes
	missing map[string]string // hash → clause that describes the damage
}

func (m *mover) damaged(what string, args ...any) error {
	return store.Errorf(store.Invalid,
		"Line %d of the file is not right: %s. Nothing was changed; export the organization again.", m.number,
		fmt.Sprintf(what, args...))
}

// line decodes the next line into v and returns its text. It does not add the line to the digests.
func (m *mover) line(v any) (text []byte, err error) {
	m.number++
	text, err = m.lines.ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF):
		return nil, m.damaged("the file is cut off")
	case err != nil:
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return text, m.damaged("it is not what samepage export writes")
	}
	return text, nil
}

func (m *mover) run() error {
	text, err := m.line(&m.head)
	if err != nil {
		return err
	}
	if m.head.Samepage != moveKind {
		return m.damaged("it is not an organization")
	}
	m.digest.Write(text)
	m.frame.Write(text)
	version, err := SchemaVersion(m.tx)
	if err != nil {
		return err
	}
	if m.head.Schema != version {
		return store.Errorf(store.Invalid,
			"The file was written by another version of Samepage (schema %d; this database has %d). Export it "+
				"with the version that imports it.", m.head.Schema, version)
	}
	if _, err := m.tx.FindOrganization(store.System(), m.head.Org); store.CodeOf(err) != store.NotFound {
		if err == nil {
			err = store.Errorf(store.Conflict, "The organization %s is here already. Nothing was changed.", m.head.Org)
		}
		return err
	}
	if m.order, m.later, err = movedTables(m.tx); err != nil {
		return err
	}
	return m.tables()
}

func (m *mover) tables() error {
	for {
		var l moveLine
		text, err := m.line(&l)
		if err != nil && !m.recoverHash(text, &l) {
			return err
		}
		if l.Digest != "" {
			return m.end(&l)
		}
		m.digest.Write(text)
		switch {
		case l.Table != "":
			m.frame.Write(text)
			err = m.begin(&l)
		case len(m.names) == 0 || len(l.Row) != len(m.names):
			return m.damaged("a row has %d values, not %d", len(l.Row), len(m.names))
		case m.table == nil && !m.lacks:
			m.rows++
			err = m.blob(l.Row)
		default:
			m.rows++
			m.frame.Write(text)
			err = m.row(l.Row)
		}
		if err != nil {
			return err
		}
	}
}

func (m *mover) begin(l *moveLine) error {
	over := m.place == len(m.order)
	switch {
	case !over && m.order[m.place].Name == l.Table && slices.Equal(m.order[m.place].ColumnNames(), l.Columns):
		m.table = m.order[m.place]
		m.place++
	case over && !m.blobs && l.Table == BlobTable && slices.Equal(l.Columns, blobColumns):
		m.table, m.blobs = nil, true
	case m.blobs && !m.lacks && l.Table == missingTable && slices.Equal(l.Columns, missingColumns):
		m.lacks = true
	default:
		return m.damaged("the table %s is not as it is here", l.Table)
	}
	m.names = l.Columns
	return nil
}

func (m *mover) end(l *moveLine) error {
	if _, err := m.lines.ReadByte(); !errors.Is(err, io.EOF) {
		return m.damaged("something follows the end")
	}
	fits := l.Digest == hex.EncodeToString(m.digest.Sum(nil)) || m.changed &&
		l.Frame == hex.EncodeToString(m.frame.Sum(nil))
	if !fits || l.Rows == nil || *l.Rows != m.rows || !m.blobs {
		return m.damaged("the digest does not fit what is before it")
	}
	for _, fn := range m.after {
		if err := fn(); err != nil {
			return err
		}
	}
	o, err := m.tx.FindOrganization(store.System(), m.head.Org)
	if err != nil {
		return m.damaged("the organization %s is not in it", m.head.Org)
	}
	if err := m.checkRest(); err != nil {
		return err
	}
	if _, err := m.tx.VerifyJournal(o); err != nil {
		return fmt.Errorf("%w: %w",
			store.Errorf(store.Invalid, "The journal in the file is damaged. Nothing was changed."), err)
	}
	if err := m.endTokens(o.ID); err != nil {
		return err
	}
	if err := m.record(o); err != nil {
		return err
	}
	return m.tx.Analyze() // gives the planner statistics of the new rows instead of those of empty tables
}

// row inserts a row of the current table, or records a missing file. It does not insert a user with an email address
// that exists in the database.
func (m *mover) row(row []any) error {
	if m.lacks {
		return m.noteMissing(row)
	}
	t := m.table
	for i, c := range t.Columns {
		v, err := value(&c, row[i])
		if err != nil {
			return m.damaged("%s.%s: %v", t.Name, c.Name, err)
		}
		row[i] = v
	}
	at := func(name string) int {
		return slices.IndexFunc(t.Columns, func(c db.ColumnSchema) bool { return c.Name == name })
	}
	if t.Name == "users" {
		known, err := m.tx.UserByEmail(fmt.Sprint(row[at("email")]))
		if err == nil {
			m.own.people[fmt.Sprint(row[at("id")])] = known.ID
			return nil
		}
		if store.CodeOf(err) != store.NotFound {
			return err
		}
		id := fmt.Sprint(row[at("id")])
		m.own.people[id], m.own.made[id] = id, true
	}
	if err := m.check(t, row, at); err != nil {
		return err
	}
	m.postpone(t, row, at)
	m.find(t, row, at)
	query := `INSERT INTO ` + t.Name + ` (` + quoted(t.ColumnNames()) + `) VALUES (` +
		store.Placeholders(len(row)) + `)`
	err := m.tx.Exec(query, row...)
	if db.IsUnique(err) {
		what := "a row of " + t.Name
		if i := at("handle"); i >= 0 {
			what = fmt.Sprintf("the handle %s of %s", row[i], t.Name)
		}
		return store.Errorf(store.Conflict, "In this database there is already %s. Nothing was changed.", what)
	}
	if db.IsConstraint(err) {
		return m.damaged("a row of %s refers to nothing, or is not allowed", t.Name)
	}
	return err
}

// find has the text of the row indexed for search, after all rows have been read.
func (m *mover) find(t *db.TableSchema, row []any, at func(string) int) {
	id, seq := "id", 0
	if t.Name == "comments" {
		n, _ := row[at("seq")].(int64)
		id, seq = "item_id", int(n)
	}
	if i := at(id); i >= 0 && row[i] != nil {
		name := fmt.Sprint(row[i])
		m.after = append(m.after, func() error { return m.tx.IndexRow(t.Name, name, seq) })
	}
}

// postpone sets references to rows that may come later to NULL, and sets them after all rows have been read.
func (m *mover) postpone(t *db.TableSchema, row []any, at func(string) int) {
	for _, name := range m.later[t.Name] {
		i := at(name)
		if row[i] == nil {
			continue
		}
		query, args := `UPDATE `+t.Name+` SET "`+name+`" = ? WHERE TRUE`, []any{row[i]}
		for _, k := range t.PrimaryKey() {
			query += ` AND "` + k + `" = ?`
			args = append(args, row[at(k)])
		}
		row[i] = nil
		m.after = append(m.after, func() error {
			err := m.tx.Exec(query, args...)
			if db.IsConstraint(err) {
				return m.damaged("a row of %s refers to nothing", t.Name)
			}
			return err
		})
	}
}

func value(c *db.ColumnSchema, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch v := v.(type) {
	case json.Number:
		if c.Kind == "integer" {
			return v.Int64()
		}
	case string:
		switch c.Kind {
		case "text":
			return v, nil
		case "blob":
			return base64.StdEncoding.DecodeString(v)
		}
	}
	return nil, fmt.Errorf("%v is no %s", v, c.Kind)
}
