package store

import (
	"database/sql"
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
)

// Rows go into structs by the names of their columns, as sqlx maps them. What goes where depends only on the statement and the
// type, of which there are a fixed number, so it is found out once; sqlx itself would do so for each statement it runs.

type shape struct {
	query string
	row   reflect.Type
}

// field is where a column goes in a row: how far into it, and as what.
type field struct {
	offset uintptr
	point  func(unsafe.Pointer) any // to a value of the field's type
}

var (
	mapper  = reflectx.NewMapperFunc("db", sqlx.NameMapper)
	scanner = reflect.TypeFor[sql.Scanner]()

	shapesMu sync.RWMutex
	shapes   = map[shape][]field{}
)

// pointers are those to the types that most columns have; reflection makes others.
var pointers = map[reflect.Type]func(unsafe.Pointer) any{
	reflect.TypeFor[string](): pointer[string],
	reflect.TypeFor[int]():    pointer[int],
	reflect.TypeFor[int64]():  pointer[int64],
	reflect.TypeFor[bool]():   pointer[bool],
	reflect.TypeFor[Time]():   pointer[Time],
}

func pointer[T any](p unsafe.Pointer) any { return (*T)(p) }

func newField(offset uintptr, t reflect.Type) field {
	if point := pointers[t]; point != nil {
		return field{offset, point}
	}
	return field{offset, func(p unsafe.Pointer) any { return reflect.NewAt(t, p).Interface() }}
}

// fields are where the columns go; the whole row may be one value.
func (s shape) fields(rows *sql.Rows) ([]field, error) {
	shapesMu.RLock()
	list, ok := shapes[s]
	shapesMu.RUnlock()
	if ok {
		return list, nil
	}
	if s.row.Kind() != reflect.Struct || reflect.PointerTo(s.row).Implements(scanner) {
		list = []field{newField(0, s.row)}
	} else {
		columns, err := rows.Columns()
		if err != nil {
			return nil, err
		}
		for i, path := range mapper.TraversalsByName(s.row, columns) {
			if len(path) == 0 {
				return nil, fmt.Errorf("column %s has no field in %v", columns[i], s.row)
			}
			offset, t := uintptr(0), s.row
			for _, n := range path { // through structs in structs, never behind a pointer: reflection panics there
				f := t.Field(n)
				offset, t = offset+f.Offset, f.Type
			}
			list = append(list, newField(offset, t))
		}
	}
	shapesMu.Lock()
	shapes[s] = list
	shapesMu.Unlock()
	return list, nil
}

// scan reads the row that the rows are at. The places are those of an earlier row, to be used again.
func scan(rows *sql.Rows, row reflect.Value, fields []field, places []any) ([]any, error) {
	base := row.Addr().UnsafePointer()
	places = places[:0]
	for _, f := range fields {
		places = append(places, f.point(unsafe.Add(base, f.offset)))
	}
	return places, rows.Scan(places...)
}

// scanOne reads the only row into dst, a pointer; none is [sql.ErrNoRows].
func scanOne(rows *sql.Rows, query string, dst any) error {
	defer rows.Close()
	row := reflect.ValueOf(dst).Elem()
	fields, err := shape{query, row.Type()}.fields(rows)
	if err != nil {
		return err
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	if _, err := scan(rows, row, fields, make([]any, 0, len(fields))); err != nil {
		return err
	}
	return rows.Close()
}

// scanAll reads every row into dst, a pointer to a slice, in place of what is in it.
func scanAll(rows *sql.Rows, query string, dst any) error {
	defer rows.Close()
	list := reflect.ValueOf(dst).Elem()
	fields, err := shape{query, list.Type().Elem()}.fields(rows)
	if err != nil {
		return err
	}
	places := make([]any, 0, len(fields))
	n := 0
	for ; rows.Next(); n++ {
		list.SetLen(n)
		list.Grow(1)
		list.SetLen(n + 1)
		row := list.Index(n)
		row.SetZero()
		if places, err = scan(rows, row, fields, places); err != nil {
			return err
		}
	}
	list.SetLen(n)
	return rows.Err()
}
