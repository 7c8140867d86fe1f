package db

import (
	"database/sql"
	"fmt"
	"io"
	"reflect"

	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
)

// The mapper assigns columns to fields by name. A NULL becomes the empty string in a string field, so that an outer
// join needs no coalesce.

var mapper = reflectx.NewMapperFunc("db", sqlx.NameMapper)

// target assigns the columns of the rows of one query to values of one type.
type target struct {
	fields []*reflectx.FieldInfo // field of each column; nil if the value takes a whole row of one column
	dest   []any
}

func newTarget(rows *sql.Rows, t reflect.Type) (*target, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	g := &target{dest: make([]any, len(columns))}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[sql.Scanner]()) {
		if len(columns) != 1 {
			return nil, fmt.Errorf("%d columns do not go into one %v", len(columns), t)
		}
		return g, nil
	}
	g.fields = make([]*reflectx.FieldInfo, len(columns))
	names := mapper.TypeMap(t).Names
	for i, column := range columns {
		if g.fields[i] = names[column]; g.fields[i] == nil {
			return nil, fmt.Errorf("column %s has no field in %v", column, t)
		}
	}
	return g, nil
}

// scan reads the current row into v, which must be addressable.
func (g *target) scan(rows *sql.Rows, v reflect.Value) error {
	if g.fields == nil {
		g.dest[0] = destination(v)
	}
	for i, field := range g.fields {
		g.dest[i] = destination(reflectx.FieldByIndexes(v, field.Index))
	}
	return rows.Scan(g.dest...)
}

// destination returns the pointer to v for [sql.Rows.Scan], which is a [text] for a string without a Scan method.
func destination(v reflect.Value) any {
	switch p := v.Addr().Interface().(type) {
	case *string:
		return (*text)(p)
	case sql.Scanner:
		return p
	default:
		if v.Kind() == reflect.String {
			return v.Addr().Convert(reflect.TypeFor[*text]()).Interface()
		}
		return p
	}
}

// text is a string that is empty where the database has NULL.
type text string

// Scan implements [sql.Scanner].
func (t *text) Scan(from any) error {
	switch from := from.(type) {
	case nil:
		*t = ""
	case string:
		*t = text(from)
	case []byte:
		*t = text(from)
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

// scanAll reads all rows into the slice that dst points to, and replaces its elements.
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
