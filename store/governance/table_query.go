package governance

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"samepage/store"
)

// TableQuery selects rows of a table. Its fields are query parameters of the table's page.
type TableQuery struct {
	Text  string   // words; each must be in a cell of the row
	Where []string // conditions such as column:op:value; rows must meet all of them
	Sort  string   // title of a column, after a minus sign for descending order; empty for the order of rows
	After string   // number of matching rows before the page
}

// TableView is one page of the rows that a query selects.
type TableView struct {
	TableQuery
	Rows  []Row
	Found int // number of all matching rows
	Start int // number of matching rows before the page
}

const tablePageRows = 50

// mostSought is the greatest length of a search text in bytes.
const mostSought = 200

// comparisons has the operators of conditions, by the type of the column.
var comparisons = map[string][]string{
	"text": {"is", "not", "has"}, "number": {"is", "not", "lt", "le", "gt", "ge"},
	"date": {"is", "not", "lt", "le", "gt", "ge"},
	"flag": {"is", "not"}, "choice": {"is", "not"},
}

// Query selects rows from list, which it overwrites. It returns [store.Invalid] if the query does not fit the table.
func (n *Note) Query(list []Row, q TableQuery) (v TableView, err error) {
	v.TableQuery = q
	if len(q.Text) > mostSought {
		return v, store.Errorf(store.Invalid, "A table is searched for at most %d bytes of words.", mostSought)
	}
	if words := strings.Fields(store.Fold(q.Text)); len(words) > 0 {
		list = slices.DeleteFunc(list, func(r Row) bool { return !r.has(words) })
	}
	if len(q.Where) > 10 {
		return v, store.Errorf(store.Invalid, "A table is asked for at most 10 conditions at once.")
	}
	for _, w := range q.Where {
		holds, err := n.condition(w)
		if err != nil {
			return v, err
		}
		list = slices.DeleteFunc(list, func(r Row) bool { return !holds(r) })
	}
	if q.Sort != "" {
		title, down := strings.CutPrefix(q.Sort, "-")
		c, err := columnOf(n.Columns, title)
		if err != nil {
			return v, err
		}
		slices.SortStableFunc(list, func(a, b Row) int {
			x, y := a.Cells[c.ID], b.Cells[c.ID]
			switch {
			case x == "" || y == "": // empty cells come last in both directions
				return cmp.Compare(min(len(y), 1), min(len(x), 1))
			case down:
				return c.compare(y, x)
			}
			return c.compare(x, y)
		})
	}
	v.Found = len(list)
	if q.After != "" {
		if v.Start, err = strconv.Atoi(q.After); err != nil || v.Start < 0 || v.Start > MaxRows {
			return v, store.Errorf(store.Invalid, "This table cannot go on after %q. Say after how many rows, such as 50.", q.After)
		}
	}
	v.Rows = list[min(v.Start, len(list)):min(v.Start+tablePageRows, len(list))]
	return v, nil
}

// condition parses a condition such as column:op:value into a function that reports whether a row meets it. It returns
// [store.Invalid] if the condition is malformed or does not fit the column.
func (n *Note) condition(w string) (func(Row) bool, error) {
	parts := strings.SplitN(w, ":", 3)
	if len(parts) != 3 {
		return nil, store.Errorf(store.Invalid, "%q is no condition. Write column:op:value, such as %s:is:…", w, n.Columns[0].Title)
	}
	c, err := columnOf(n.Columns, parts[0])
	if err != nil {
		return nil, err
	}
	op := parts[1]
	if !slices.Contains(comparisons[c.Type], op) {
		return nil, store.Errorf(store.Invalid, "%s is compared by %s, not by %q.", c.Title,
			strings.Join(comparisons[c.Type], ", "), op)
	}
	if op == "has" {
		part := strings.ToLower(strings.TrimSpace(parts[2]))
		return func(r Row) bool { return strings.Contains(strings.ToLower(r.Cells[c.ID]), part) }, nil
	}
	want, err := c.Value(parts[2])
	if err != nil {
		return nil, err
	}
	return func(r Row) bool {
		have := r.Cells[c.ID]
		if op == "is" || op == "not" {
			return strings.EqualFold(have, want) == (op == "is")
		}
		if have == "" || want == "" {
			return false
		}
		by := c.compare(have, want)
		return op == "lt" && by < 0 || op == "le" && by <= 0 || op == "gt" && by > 0 || op == "ge" && by >= 0
	}, nil
}

// has reports whether each of the words is in a cell of the row. The words must be folded by [store.Fold].
func (r Row) has(words []string) bool {
	cells := make([]string, 0, len(r.Cells))
	for _, cell := range r.Cells {
		cells = append(cells, store.Fold(cell))
	}
	for _, word := range words {
		if !slices.ContainsFunc(cells, func(cell string) bool { return strings.Contains(cell, word) }) {
			return false
		}
	}
	return true
}

// compare orders two nonempty cells of the column.
func (c Column) compare(a, b string) int {
	switch c.Type {
	case "number":
		x, _ := strconv.ParseFloat(a, 64) // cannot fail, because cells are in canonical form
		y, _ := strconv.ParseFloat(b, 64)
		return cmp.Compare(x, y)
	case "choice":
		return cmp.Compare(slices.Index(c.Options, a), slices.Index(c.Options, b))
	}
	return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
}
