package store

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"reflect"
	"strconv"
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

// field is where a column goes in a row: how far into it, and how.
type field struct {
	offset uintptr
	put    put
}

// put puts what a driver says into a place.
type put func(place unsafe.Pointer, v driver.Value) error

var (
	mapper  = reflectx.NewMapperFunc("db", sqlx.NameMapper)
	scanner = reflect.TypeFor[sql.Scanner]()

	shapesMu sync.RWMutex
	shapes   = map[shape][]field{}
)

// puts are those for the types that most columns have; reflection makes others.
var puts = map[reflect.Type]put{
	reflect.TypeFor[string](): func(p unsafe.Pointer, v driver.Value) (err error) { *(*string)(p), err = text(v); return err },
	reflect.TypeFor[bool]():   func(p unsafe.Pointer, v driver.Value) (err error) { *(*bool)(p), err = truth(v); return err },
	reflect.TypeFor[int]():    func(p unsafe.Pointer, v driver.Value) error { n, err := number(v); *(*int)(p) = int(n); return err },
	reflect.TypeFor[int64]():  func(p unsafe.Pointer, v driver.Value) (err error) { *(*int64)(p), err = number(v); return err },
	reflect.TypeFor[Time]():   scanned[Time],

	reflect.TypeFor[Set[string]](): scanned[Set[string]],
	reflect.TypeFor[Set[Scope]]():  scanned[Set[Scope]],
	reflect.TypeFor[held]():        scanned[held],
}

func scanned[T any, P interface {
	*T
	sql.Scanner
}](p unsafe.Pointer, v driver.Value) error {
	return P((*T)(p)).Scan(v)
}

func putOf(t reflect.Type) put {
	if known := puts[t]; known != nil {
		return known
	}
	if reflect.PointerTo(t).Implements(scanner) {
		return func(p unsafe.Pointer, v driver.Value) error {
			return reflect.NewAt(t, p).Interface().(sql.Scanner).Scan(v)
		}
	}
	if t.Kind() == reflect.Pointer {
		to := putOf(t.Elem())
		return func(p unsafe.Pointer, v driver.Value) error {
			place := reflect.NewAt(t, p).Elem()
			if v == nil {
				place.SetZero()
				return nil
			}
			place.Set(reflect.New(t.Elem()))
			return to(place.UnsafePointer(), v)
		}
	}
	return func(p unsafe.Pointer, v driver.Value) error { return putKind(reflect.NewAt(t, p).Elem(), v) }
}

// putKind serves the types that are made from others.
func putKind(place reflect.Value, v driver.Value) error {
	switch {
	case place.Kind() == reflect.String:
		s, err := text(v)
		place.SetString(s)
		return err
	case place.CanInt():
		n, err := number(v)
		place.SetInt(n)
		return err
	case place.CanFloat():
		f, ok := v.(float64)
		place.SetFloat(f)
		if ok {
			return nil
		}
	case place.Kind() == reflect.Slice && place.Type().Elem().Kind() == reflect.Uint8:
		b, ok := v.([]byte)
		place.SetBytes(bytes.Clone(b)) // the driver's own
		if ok || v == nil {
			return nil
		}
	}
	return fmt.Errorf("a %T does not go into a %v", v, place.Type())
}

// text is what is put into a string; of what is not there, it is empty.
func text(v driver.Value) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case nil:
		return "", nil
	case []byte:
		return string(v), nil
	}
	return "", fmt.Errorf("text is expected, not %T", v)
}

func number(v driver.Value) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case string: // PostgreSQL's sums
		return strconv.ParseInt(v, 10, 64)
	}
	return 0, fmt.Errorf("a number is expected, not %T", v)
}

func truth(v driver.Value) (bool, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	}
	return false, fmt.Errorf("true or false is expected, not %T", v)
}

// fields are where the columns go; the whole row may be one value.
func (s shape) fields(rows driver.Rows) ([]field, error) {
	shapesMu.RLock()
	list, ok := shapes[s]
	shapesMu.RUnlock()
	if ok {
		return list, nil
	}
	columns := rows.Columns()
	if s.row.Kind() != reflect.Struct || reflect.PointerTo(s.row).Implements(scanner) {
		list = []field{{0, putOf(s.row)}}
	} else {
		for i, path := range mapper.TraversalsByName(s.row, columns) {
			if len(path) == 0 {
				return nil, fmt.Errorf("column %s has no field in %v", columns[i], s.row)
			}
			offset, t := uintptr(0), s.row
			for _, n := range path { // through structs in structs, never behind a pointer: reflection panics there
				f := t.Field(n)
				offset, t = offset+f.Offset, f.Type
			}
			list = append(list, field{offset, putOf(t)})
		}
	}
	if len(list) != len(columns) {
		return nil, fmt.Errorf("%d columns do not go into one %v", len(columns), s.row)
	}
	shapesMu.Lock()
	shapes[s] = list
	shapesMu.Unlock()
	return list, nil
}

// scan puts the values of a row into it.
func scan(rows driver.Rows, row reflect.Value, fields []field, values []driver.Value) error {
	base := row.Addr().UnsafePointer()
	for i, f := range fields {
		if err := f.put(unsafe.Add(base, f.offset), values[i]); err != nil {
			return fmt.Errorf("column %s: %w", rows.Columns()[i], err)
		}
	}
	return nil
}

// scanOne reads the only row into dst, a pointer; none is [io.EOF].
func scanOne(rows driver.Rows, room func(columns int) []driver.Value, query string, dst any) error {
	row := reflect.ValueOf(dst).Elem()
	fields, err := shape{query, row.Type()}.fields(rows)
	if err != nil {
		return err
	}
	values := room(len(fields))
	if err := rows.Next(values); err != nil {
		return err
	}
	return scan(rows, row, fields, values)
}

// scanAll reads every row into dst, a pointer to a slice, in place of what is in it.
func scanAll(rows driver.Rows, room func(columns int) []driver.Value, query string, dst any) error {
	list := reflect.ValueOf(dst).Elem()
	fields, err := shape{query, list.Type().Elem()}.fields(rows)
	if err != nil {
		return err
	}
	list.SetLen(0)
	return eachRow(rows, room(len(fields)), func(values []driver.Value) error {
		n := list.Len()
		list.Grow(1)
		list.SetLen(n + 1)
		row := list.Index(n)
		row.SetZero()
		return scan(rows, row, fields, values)
	})
}

// eachRow runs fn with the values of every row, which the next row takes the place of.
func eachRow(rows driver.Rows, values []driver.Value, fn func(values []driver.Value) error) error {
	for {
		switch err := rows.Next(values); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
		if err := fn(values); err != nil {
			return err
		}
	}
}
