package db

import (
	"database/sql"
	"fmt"
	"io"
	"reflect"

	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
)

// Columns of rows are assigned to fields by name, as in sqlx, with one difference: for a string field, NULL becomes the
// empty string, so that an outer join needs no coalesce.

var mapper = reflectx.NewMapperFunc("db", sqlx.NameMapper)

// target assigns the columns of the rows of one query to values of one type.
type target struct {
	paths [][]int // path of the field for each column; nil if the value is not a struct with fields
	dest  []any
	texts []text // destinations of columns with a string field
}

func newTarget(rows *sql.Rows, t reflect.Type) (*target, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	g := &target{dest: make([]any, len(columns)), texts: make([]text, len(columns))}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[sql.Scanner]()) {
		if len(columns) != 1 {
			return nil, fmt.Errorf("%d columns do not go into one %v", len(columns), t)
		}
		return g, nil
	}
	g.paths = mapper.TraversalsByName(t, columns)
	for i, path := range g.paths {
		if len(path) == 0 {
			return nil, fmt.Errorf("column %s has no field in %v", columns[i], t)
		}
	}
	return g, nil
}

// scan reads the current row into v, which must be addressable.
func (g *target) scan(rows *sql.Rows, v reflect.Value) error {
	if g.paths == nil {
		g.bind(0, v)
	}
	for i, path := range g.paths {
		g.bind(i, reflectx.FieldByIndexes(v, path))
	}
	return rows.Scan(g.dest...)
}

// bind makes v the destination of a column.
func (g *target) bind(column int, v reflect.Value) {
	if p := v.Addr().Interface(); !isText(p, v) {
		g.dest[column] = p
		return
	}
	g.texts[column].v = v
	g.dest[column] = &g.texts[column]
}

func isText(p any, v reflect.Value) bool {
	_, scans := p.(sql.Scanner)
	return v.Kind() == reflect.String && !scans
}

// text is the destination of a column with a string field. It turns NULL into the empty string.
type text struct{ v reflect.Value }

// Scan implements [sql.Scanner].
func (t *text) Scan(from any) error {
	switch from := from.(type) {
	case nil:
		t.v.SetString("")
	case string:
		t.v.SetString(from)
	case []byte:
		t.v.SetString(string(from))
	default:
		return fmt.Errorf("a %T does not go into a string", from)
	}
	return nil
}

// scanOne reads the first row into the pointer dst. It returns [io.EOF] if there is no row.
func scanOne(rows *sql.Rows, dst any) error {
	v := reflect.ValueOf(dst).Elem()
	g, err := newTarget(rows, v.Type())
	if err != nil {
		return err
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	return g.scan(rows, v)
}

// scanAll reads all rows into the slice to which dst points, and replaces its previous elements.
func scanAll(rows *sql.Rows, dst any) error {
	list := reflect.ValueOf(dst).Elem()
	g, err := newTarget(rows, list.Type().Elem())
	if err != nil {
		return err
	}
	list.SetLen(0)
	for rows.Next() {
		n := list.Len()
		list.Grow(1)
		list.SetLen(n + 1)
		list.Index(n).SetZero()
		if err := g.scan(rows, list.Index(n)); err != nil {
			return err
		}
	}
	return rows.Err()
}
