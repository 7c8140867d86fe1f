package store

import (
	"database/sql"
	"fmt"
	"reflect"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
)

// Rows go into structs by the names of their columns, as sqlx maps them. What goes where depends only on the statement and the
// type, of which there are a fixed number, so it is found out once; sqlx itself would do so for each statement it runs.

type shape struct {
	query string
	row   reflect.Type
}

var (
	mapper  = reflectx.NewMapperFunc("db", sqlx.NameMapper)
	scanner = reflect.TypeFor[sql.Scanner]()

	shapesMu sync.RWMutex
	shapes   = map[shape][][]int{}
)

// fields are the paths to where each column goes in a row, nil if the whole row is one value.
func (s shape) fields(rows *sql.Rows) ([][]int, error) {
	shapesMu.RLock()
	paths, ok := shapes[s]
	shapesMu.RUnlock()
	if ok {
		return paths, nil
	}
	if s.row.Kind() == reflect.Struct && !reflect.PointerTo(s.row).Implements(scanner) {
		columns, err := rows.Columns()
		if err != nil {
			return nil, err
		}
		paths = mapper.TraversalsByName(s.row, columns)
		for i := range paths {
			if len(paths[i]) == 0 {
				return nil, fmt.Errorf("column %s has no field in %v", columns[i], s.row)
			}
		}
	}
	shapesMu.Lock()
	shapes[s] = paths
	shapesMu.Unlock()
	return paths, nil
}

// scan reads the row that the rows are at. The places are those of an earlier row, to be used again.
func scan(rows *sql.Rows, row reflect.Value, paths [][]int, places []any) ([]any, error) {
	places = places[:0]
	if paths == nil {
		places = append(places, row.Addr().Interface())
	}
	for _, path := range paths {
		places = append(places, reflectx.FieldByIndexes(row, path).Addr().Interface())
	}
	return places, rows.Scan(places...)
}

// scanOne reads the only row into dst, a pointer; none is [sql.ErrNoRows].
func scanOne(rows *sql.Rows, query string, dst any) error {
	defer rows.Close()
	row := reflect.ValueOf(dst).Elem()
	paths, err := shape{query, row.Type()}.fields(rows)
	if err != nil {
		return err
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	if _, err := scan(rows, row, paths, make([]any, 0, max(len(paths), 1))); err != nil {
		return err
	}
	return rows.Close()
}

// scanAll reads every row into dst, a pointer to a slice, in place of what is in it.
func scanAll(rows *sql.Rows, query string, dst any) error {
	defer rows.Close()
	list := reflect.ValueOf(dst).Elem()
	paths, err := shape{query, list.Type().Elem()}.fields(rows)
	if err != nil {
		return err
	}
	places := make([]any, 0, max(len(paths), 1))
	n := 0
	for ; rows.Next(); n++ {
		list.SetLen(n)
		list.Grow(1)
		list.SetLen(n + 1)
		row := list.Index(n)
		row.SetZero()
		if places, err = scan(rows, row, paths, places); err != nil {
			return err
		}
	}
	list.SetLen(n)
	return rows.Err()
}
