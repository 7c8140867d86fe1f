package governance

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"samepage/store"
)

// These constants limit the columns and rows of a table, and the characters of a column's title.
const (
	MaxColumns     = 20
	MaxRows        = 1000
	maxColumnTitle = 60
)

// Column describes a column of a table.
type Column struct {
	ID      int      `json:"id"` // stays when the column is renamed
	Title   string   `json:"title"`
	Type    string   `json:"type"` // "text", "number", "date", "flag" or "choice"
	Options []string `json:"options,omitempty"`
}

const columnForm = `Write a column as a title, such as Name, or with what it holds: ` +
	`Price: number, Due: date, Paid: flag, State: choice(open, done).`

// String returns the column as a line for [ParseColumns].
func (c Column) String() string {
	switch c.Type {
	case "text":
		return c.Title
	case "choice":
		return c.Title + ": choice(" + strings.Join(c.Options, ", ") + ")"
	}
	return c.Title + ": " + c.Type
}

// ParseColumns parses a table's new columns, one on each line. A line with the title of an old column keeps that
// column. Any other line renames the old column at the same position or, if there is none or another line keeps it,
// makes a new column. ParseColumns returns [store.Invalid] for a malformed line, a repeated title, and more than
// [MaxColumns] lines.
func ParseColumns(lines []string, old []Column) ([]Column, error) {
	if len(lines) > MaxColumns {
		return nil, store.Errorf(store.Invalid, "A table has at most %d columns.", MaxColumns)
	}
	list := make([]Column, len(lines))
	last := 0
	for _, c := range old {
		last = max(last, c.ID)
	}
	for i, line := range lines {
		title, kind, typed := strings.Cut(line, ":")
		c := Column{Title: strings.TrimSpace(title), Type: "text"}
		if kind = strings.TrimSpace(kind); typed {
			c.Type = kind
		}
		if options, ok := strings.CutPrefix(kind, "choice("); ok && strings.HasSuffix(options, ")") {
			c.Type = "choice"
			for o := range strings.SplitSeq(strings.TrimSuffix(options, ")"), ",") {
				if o = strings.TrimSpace(o); o != "" && !slices.Contains(c.Options, o) {
					c.Options = append(c.Options, o)
				}
			}
		}
		if c.Title == "" || len([]rune(c.Title)) > maxColumnTitle ||
			!slices.Contains([]string{"text", "number", "date", "flag", "choice"}, c.Type) ||
			c.Type == "choice" && len(c.Options) == 0 {
			return nil, store.Errorf(store.Invalid, "%q is no column. %s", line, columnForm)
		}
		if _, err := columnOf(list[:i], c.Title); err == nil {
			return nil, store.Errorf(store.Invalid, "There are two columns called %q. Give each a title of its own.", c.Title)
		}
		if same, err := columnOf(old, c.Title); err == nil {
			c.ID = same.ID
		}
		list[i] = c
	}
	for i := range list {
		if list[i].ID != 0 {
			continue
		}
		if i < len(old) && !slices.ContainsFunc(list, func(c Column) bool { return c.ID == old[i].ID }) {
			list[i].ID = old[i].ID
			continue
		}
		last++
		list[i].ID = last
	}
	return list, nil
}

// columnOf finds a column by its title, regardless of case. It returns [store.Invalid] for an unknown title.
func columnOf(list []Column, title string) (Column, error) {
	var titles []string
	for _, c := range list {
		if strings.EqualFold(c.Title, strings.TrimSpace(title)) {
			return c, nil
		}
		titles = append(titles, c.Title)
	}
	return Column{}, store.Errorf(store.Invalid, "There is no column %q. There are: %s.", title, strings.Join(titles, ", "))
}

// Value returns the canonical form of a text for a cell of the column. It returns [store.Invalid] if the text does not
// fit the column's type. The empty text always fits.
func (c Column) Value(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", nil
	}
	switch c.Type {
	case "number":
		if f, err := strconv.ParseFloat(s, 64); err == nil && f-f == 0 && len(s) <= 30 {
			return strconv.FormatFloat(f, 'f', -1, 64), nil
		}
		return "", store.Errorf(store.Invalid, "%s holds numbers, such as 12.5, not %q.", c.Title, s)
	case "date":
		if d, err := time.Parse(time.DateOnly, s); err == nil {
			return d.Format(time.DateOnly), nil
		}
		return "", store.Errorf(store.Invalid, "%s holds dates, such as 2026-11-23, not %q.", c.Title, s)
	case "flag":
		switch strings.ToLower(s) {
		case "yes", "true", "1":
			return "yes", nil
		case "no", "false", "0":
			return "no", nil
		}
		return "", store.Errorf(store.Invalid, "%s holds yes or no, not %q.", c.Title, s)
	case "choice":
		for _, o := range c.Options {
			if strings.EqualFold(o, s) {
				return o, nil
			}
		}
		return "", store.Errorf(store.Invalid, "%s holds one of %s, not %q.", c.Title, strings.Join(c.Options, ", "), s)
	}
	return s, nil
}

// Row is one row of a table. N is its number, which no other row ever gets. Cells maps the ids of columns to values,
// without empty cells.
type Row struct {
	N     int
	Cells map[int]string
}

// ParseCells reads lines such as "Price: 12", which begin with a column's title, into the map cells. An empty value
// deletes the cell. ParseCells returns [store.Invalid] with a sentence about each invalid line and about each column
// with two lines, or if no cell is left.
func (n *Note) ParseCells(lines []string, cells map[int]string) error {
	var problems []string
	given := map[int]bool{}
	for _, line := range lines {
		c, v, err := n.parseCell(line)
		if err == nil && given[c.ID] {
			err = store.Errorf(store.Invalid, "There are two lines for %s, and a cell has one value. Leave one out.",
				c.Title)
		}
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		given[c.ID] = true
		if cells[c.ID] = v; v == "" {
			delete(cells, c.ID)
		}
	}
	switch {
	case len(problems) > 0:
		return store.Errorf(store.Invalid, "%s", strings.Join(problems, " "))
	case len(cells) == 0:
		return store.Errorf(store.Invalid, "A row without a cell says nothing. Fill in at least one.")
	}
	return nil
}

func (n *Note) parseCell(line string) (Column, string, error) {
	title, text, ok := strings.Cut(line, ":")
	if !ok {
		return Column{}, "", store.Errorf(store.Invalid,
			"%q names no column. Write a cell as the title of its column, a colon, and its value, such as %s: …",
			line, n.Columns[0].Title)
	}
	c, err := columnOf(n.Columns, title)
	if err != nil {
		return c, "", err
	}
	v, err := c.Value(text)
	return c, v, err
}

// RowRecord returns the fields that the journal stores about a row.
func (n *Note) RowRecord(r Row) any {
	cells := map[string]string{}
	for _, c := range n.Columns {
		if v, ok := r.Cells[c.ID]; ok {
			cells[c.Title] = v
		}
	}
	return struct {
		Row   int               `json:"row"`
		Cells map[string]string `json:"cells,omitempty"`
	}{r.N, cells}
}

func (n *Note) mustBeTable() error {
	if err := n.Studio.MustBeJoined(); err != nil {
		return err
	}
	if n.Type != Table {
		return store.Errorf(store.Conflict, "This note is no table, so it has no rows.")
	}
	return nil
}

// MustHaveRows returns [store.Conflict] for a table without rows and for a note that is not a table. It refuses actors
// outside the studio.
func (n *Note) MustHaveRows() error {
	if err := n.mustBeTable(); err != nil {
		return err
	}
	if n.Rows == 0 {
		return store.Errorf(store.Conflict, "This table has no rows yet. Add one first.")
	}
	return nil
}

// MustTakeRows returns [store.Conflict] for a table with [MaxRows] rows and for a note that is not a table. It refuses
// actors outside the studio.
func (n *Note) MustTakeRows() error {
	if err := n.mustBeTable(); err != nil {
		return err
	}
	if n.Rows >= MaxRows {
		return store.Errorf(store.Conflict, "This table has %d rows, the most there may be.", n.Rows)
	}
	return nil
}

func rows(tx *store.Tx, n *Note) ([]Row, error) {
	var stored []struct {
		N     int    `db:"n"`
		Cells string `db:"cells"`
	}
	if err := tx.Select(&stored, `SELECT n, cells FROM note_rows WHERE note_id = ? ORDER BY n`, n.ID); err != nil {
		return nil, err
	}
	list := make([]Row, len(stored))
	for i, s := range stored {
		list[i].N = s.N
		if err := json.Unmarshal([]byte(s.Cells), &list[i].Cells); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// FindRow finds a row by its number. It returns [store.Invalid] for an unknown number.
func FindRow(tx *store.Tx, n *Note, number int) (Row, error) {
	var cells string
	err := tx.Get(&cells, `SELECT cells FROM note_rows WHERE note_id = ? AND n = ?`, n.ID, number)
	if store.CodeOf(err) == store.NotFound {
		return Row{}, store.Errorf(store.Invalid, "There is no row %d in this table.", number)
	}
	r := Row{N: number}
	if err == nil {
		err = json.Unmarshal([]byte(cells), &r.Cells)
	}
	return r, err
}

// AddRow adds a row with these cells to a table, and returns the row with its number.
func AddRow(tx *store.Tx, by store.Actor, n *Note, cells map[int]string) (Row, error) {
	r := Row{N: n.LastRow + 1, Cells: cells}
	text, err := json.Marshal(cells)
	if err != nil {
		return r, err
	}
	if err := tx.Exec(`INSERT INTO note_rows (note_id, n, org_id, cells, member_id, agent_id, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		n.ID, r.N, n.OrgID, string(text), by.MemberID(), store.Null(by.Agent.ID), store.At(tx.Now)); err != nil {
		return r, err
	}
	if err := tx.Exec(`UPDATE notes SET row_count = row_count + 1, last_row = ? WHERE id = ?`, r.N, n.ID); err != nil {
		return r, err
	}
	return r, tx.TouchItem(&n.Item)
}

// UpdateRow replaces all cells of a row, and records the actor as its author.
func UpdateRow(tx *store.Tx, by store.Actor, n *Note, r Row) error {
	text, err := json.Marshal(r.Cells)
	if err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE note_rows SET cells = ?, member_id = ?, agent_id = ?, at = ? WHERE note_id = ? AND n = ?`,
		string(text), by.MemberID(), store.Null(by.Agent.ID), store.At(tx.Now), n.ID, r.N); err != nil {
		return err
	}
	return tx.TouchItem(&n.Item)
}

// DeleteRow deletes a row of a table. The number of the row is never used again.
func DeleteRow(tx *store.Tx, n *Note, r Row) error {
	if err := tx.Exec(`DELETE FROM note_rows WHERE note_id = ? AND n = ?`, n.ID, r.N); err != nil {
		return err
	}
	if err := tx.Exec(`UPDATE notes SET row_count = row_count - 1 WHERE id = ?`, n.ID); err != nil {
		return err
	}
	return tx.TouchItem(&n.Item)
}

// mustBeEmpty returns [store.Invalid] if a column of the table that is not among these columns has cells.
func mustBeEmpty(n *Note, list []Row, columns []Column) error {
	for _, old := range n.Columns {
		if slices.ContainsFunc(columns, func(c Column) bool { return c.ID == old.ID }) {
			continue
		}
		filled := 0
		for _, r := range list {
			if r.Cells[old.ID] != "" {
				filled++
			}
		}
		if filled > 0 {
			return store.Errorf(store.Invalid,
				"The column %s has cells in %d of %d rows, and they would be lost. Keep it, "+
					"or empty these cells first.", old.Title, filled, len(list))
		}
	}
	return nil
}

// FitRows returns the rows that change if the table gets these columns, with their changed cells. It stores nothing. It
// returns [store.Invalid] if a value does not fit its new column, or if a column with cells would be dropped.
func FitRows(tx *store.Tx, n *Note, columns []Column) ([]Row, error) {
	list, err := rows(tx, n)
	if err != nil {
		return nil, err
	}
	if err := mustBeEmpty(n, list, columns); err != nil {
		return nil, err
	}
	var changed []Row
	for _, r := range list {
		cells := map[int]string{}
		for _, c := range columns {
			v, err := c.Value(r.Cells[c.ID])
			if err != nil {
				return nil, store.Errorf(store.Invalid, "Row %d does not fit: %s", r.N, err)
			}
			if v != "" {
				cells[c.ID] = v
			}
		}
		if len(cells) != len(r.Cells) || slices.ContainsFunc(columns,
			func(c Column) bool { return cells[c.ID] != r.Cells[c.ID] }) {
			changed = append(changed, Row{r.N, cells})
		}
	}
	return changed, nil
}

// setColumns stores the columns of a table, and the rows that change with them.
func setColumns(tx *store.Tx, by store.Actor, n *Note, columns []Column) error {
	fit, err := FitRows(tx, n, columns)
	if err != nil {
		return err
	}
	for _, r := range fit {
		if err := UpdateRow(tx, by, n, r); err != nil {
			return err
		}
	}
	text, err := json.Marshal(columns)
	if err != nil {
		return err
	}
	return tx.Exec(`UPDATE notes SET fields = ? WHERE id = ?`, string(text), n.ID)
}
