package actions

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// AddRow adds a row to a table.
var AddRow = action.New(action.Action[*governance.Note, CellsParams]{
	Name:       "add_row",
	Past:       "added a row to",
	Slot:       "rows",
	Undo:       "Change: update_row. Take out: delete_row.",
	Title:      "Add a row",
	Doc:        "Add a row to this table. Anybody in the studio may.",
	Scope:      store.ScopeWrite,
	AllowedFor: store.InStudio,
	Guard:      func(_ store.Actor, n *governance.Note) error { return n.MustTakeRows() },
	Offers: func(_ store.Actor, n *governance.Note) param.Offers {
		return param.Offers{"cells": {Cells: cellsOf(n)}}
	},
	Check: func(_ *store.Tx, _ store.Actor, n *governance.Note, p CellsParams, bad param.Errors) param.Errors {
		return p.check(n, map[int]string{}, bad)
	},
	Run: func(tx *store.Tx, by store.Actor, n *governance.Note, p CellsParams) (action.Done, error) {
		cells := map[int]string{}
		if err := n.ParseCells(p.Cells, cells); err != nil {
			return action.Done{}, err
		}
		r, err := governance.AddRow(tx, by, n, cells)
		return action.Done{
			Message: "The row is added.",
			Before:  n.RowRecord(governance.Row{N: r.N}),
			After:   n.RowRecord(r),
		}, err
	},
})

// CellsParams has the cells of a row.
type CellsParams struct {
	Cells []string `param:"cells,lines" max:"20"`
	_     struct{} `doc:"One cell per line: the title of its column, a colon, and its value, such as Price: 12."`
	_     struct{} `doc:"Nothing behind the colon empties it."`
}

func cellsOf(n *governance.Note) []param.Cell {
	list := make([]param.Cell, len(n.Columns))
	for i, c := range n.Columns {
		list[i] = param.Cell{Title: c.Title, Options: c.Options}
		if c.Type != "text" {
			list[i].As = c.Type
		}
	}
	return list
}

func (p CellsParams) check(n *governance.Note, cells map[int]string, bad param.Errors) param.Errors {
	if bad.Has("cells") {
		return nil
	}
	return param.Bad("cells", n.ParseCells(p.Cells, maps.Clone(cells)))
}

// RowParams has the number of a row in a table.
type RowParams struct {
	Row int `param:"row,number" min:"1" doc:"The number of the row."`
}

// find finds the row with the number in p. It does nothing if the number was not decoded.
func (p RowParams) find(tx *store.Tx, n *governance.Note, bad param.Errors) (governance.Row, param.Errors) {
	if bad.Has("row") {
		return governance.Row{}, nil
	}
	r, err := governance.FindRow(tx, n, p.Row)
	if err != nil {
		return r, param.Errors{{Field: "row", Message: err.Error()}}
	}
	return r, nil
}

func rowAction[P any](a action.Action[*governance.Note, P]) *action.Spec[*governance.Note] {
	a.Scope, a.AllowedFor = store.ScopeWrite, store.InStudio
	a.Guard = func(_ store.Actor, n *governance.Note) error { return n.MustHaveRows() }
	return action.New(a)
}

// UpdateRow changes some cells of a row.
var UpdateRow = rowAction(action.Action[*governance.Note, UpdateRowParams]{
	Name:  "update_row",
	Past:  "changed a row of",
	Undo:  "Change again: update_row. The journal keeps the former cells.",
	Title: "Change a row",
	Doc:   "Change cells of a row. Those you leave out stay. Anybody in the studio may.",
	Fill:  fillRow,
	Check: func(tx *store.Tx, _ store.Actor, n *governance.Note, p UpdateRowParams, bad param.Errors) param.Errors {
		r, errs := p.find(tx, n, bad)
		if errs != nil || bad.Has("row") {
			return errs
		}
		return p.check(n, r.Cells, bad)
	},
	Run: func(tx *store.Tx, by store.Actor, n *governance.Note, p UpdateRowParams) (action.Done, error) {
		r, err := governance.FindRow(tx, n, p.Row)
		if err != nil {
			return action.Done{}, err
		}
		before, cells := n.RowRecord(r), maps.Clone(r.Cells)
		if err := n.ParseCells(p.Cells, r.Cells); err != nil {
			return action.Done{}, err
		}
		if maps.Equal(cells, r.Cells) {
			return action.Done{Message: "The row says that already.", Unchanged: true}, nil
		}
		return action.Done{
			Message: "The row is changed.",
			Before:  before,
			After:   n.RowRecord(r),
		}, governance.UpdateRow(tx, by, n, r)
	},
})

// UpdateRowParams are the params of [UpdateRow].
type UpdateRowParams struct {
	RowParams
	CellsParams
}

// fillRow offers the present cells of the row that the form names. The form then accepts no other number, because these
// cells would overwrite those of the other row.
func fillRow(tx *store.Tx, n *governance.Note, in param.Input) (param.Offers, error) {
	number, err := strconv.Atoi(strings.TrimSpace(fmt.Sprint(in["row"])))
	if err != nil || number < 1 {
		return nil, nil // the error is reported when the form is sent
	}
	r, err := governance.FindRow(tx, n, number)
	if store.CodeOf(err) == store.Invalid {
		return nil, nil
	}
	lines := []string{}
	for _, c := range n.Columns {
		if v, ok := r.Cells[c.ID]; ok {
			lines = append(lines, c.Title+": "+v)
		}
	}
	return param.Offers{"row": {Min: number, Max: number}, "cells": {Cells: cellsOf(n), Values: lines}}, err
}

// DeleteRow deletes a row of a table.
var DeleteRow = rowAction(action.Action[*governance.Note, RowParams]{
	Name:  "delete_row",
	Past:  "deleted a row of",
	Undo:  "Add again: add_row. The journal keeps the cells.",
	Title: "Delete a row",
	Doc:   "Take a row out of this table. The journal keeps what it held. Anybody in the studio may.",
	Check: func(tx *store.Tx, _ store.Actor, n *governance.Note, p RowParams, bad param.Errors) param.Errors {
		_, errs := p.find(tx, n, bad)
		return errs
	},
	Run: func(tx *store.Tx, _ store.Actor, n *governance.Note, p RowParams) (action.Done, error) {
		r, err := governance.FindRow(tx, n, p.Row)
		if err != nil {
			return action.Done{}, err
		}
		return action.Done{
			Message: "The row is deleted.",
			Before:  n.RowRecord(r),
			After:   n.RowRecord(governance.Row{N: r.N}),
		}, governance.DeleteRow(tx, n, r)
	},
})
