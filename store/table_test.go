package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/effort"
	"samepage/store/governance"
)

func columnsOf(t *testing.T, lines ...string) []governance.Column {
	t.Helper()
	list, err := governance.ParseColumns(lines, nil)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestColumnsKeepTheirCells(t *testing.T) {
	old := columnsOf(t, "Name", "Price: number", "State: choice(open, done)")
	for _, c := range []struct{ lines, want string }{
		{"Name|Price: number|State: choice(open, done)", "1 2 3"}, {"State|name|Price", "3 1 2"},
		{"Name|Cost: number|State", "1 2 3"}, {"Name|State", "1 3"},
		{"Name|Price|State|Due: date", "1 2 3 4"}, {"Who|What|State", "1 2 3"}, {"New|Name|Price|State", "4 1 2 3"},
	} {
		list, err := governance.ParseColumns(strings.Split(c.lines, "|"), old)
		var ids []string
		for _, x := range list {
			ids = append(ids, fmt.Sprint(x.ID))
		}
		if got := strings.Join(ids, " "); err != nil || got != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.lines, got, c.want, err)
		}
	}
	for _, line := range []string{"", ": number", "Price: money", "State: choice()", "State: choice",
		strings.Repeat("x", 61)} {
		if _, err := governance.ParseColumns([]string{line}, nil); store.CodeOf(err) != store.Invalid {
			t.Errorf("%q is a column", line)
		}
	}
	if _, err := governance.ParseColumns([]string{"A", "a: date"}, nil); store.CodeOf(err) != store.Invalid {
		t.Error("two columns of one title")
	}
}

func TestTableQueries(t *testing.T) {
	n := &governance.Note{Type: governance.Table,
		Columns: columnsOf(t, "Name", "Price: number", "Due: date", "Paid: flag", "State: choice(open, late, done)")}
	var list []governance.Row
	for i, lines := range []string{"Name: Oak|Price: 9|State: done",
		"Name: elm|Price: 10|Due: 2026-11-20|State: late", "Name: Ash|Paid: yes",
		"Name: Yew|Price: -1.50|Due: 2026-01-02|State: open"} {
		cells := map[int]string{}
		if err := n.ParseCells(strings.Split(lines, "|"), cells); err != nil {
			t.Fatal(err)
		}
		list = append(list, governance.Row{N: i + 1, Cells: cells})
	}
	for _, c := range []struct {
		where []string
		sort  string
		want  string
	}{
		{nil, "", "1 2 3 4"}, {nil, "name", "3 2 1 4"}, {nil, "-Name", "4 1 2 3"}, {nil, "price", "4 1 2 3"},
		{nil, "-price", "2 1 4 3"}, {nil, "due", "4 2 1 3"}, {nil, "state", "4 2 1 3"},
		{[]string{"price:gt:9"}, "", "2"}, {[]string{"price:ge:9"}, "", "1 2"}, {[]string{"price:lt:0"}, "", "4"},
		{[]string{"price:is:"}, "", "3"}, {[]string{"price:not:"}, "", "1 2 4"},
		{[]string{"due:le:2026-11-20"}, "", "2 4"}, {[]string{"paid:is:true"}, "", "3"},
		{[]string{"state:is:LATE"}, "", "2"}, {[]string{"name:has:a"}, "", "1 3"},
		{[]string{"name:is:OAK"}, "", "1"},
		{[]string{"name:has:a", "price:not:"}, "", "1"},
	} {
		v, err := n.Query(slices.Clone(list), governance.TableQuery{Where: c.where, Sort: c.sort})
		var got []string
		for _, r := range v.Rows {
			got = append(got, fmt.Sprint(r.N))
		}
		if strings.Join(got, " ") != c.want || err != nil {
			t.Errorf("%q by %q: %q, want %s (%v)", c.where, c.sort, got, c.want, err)
		}
	}
	for text, want := range map[string]string{"": "1 2 3 4", " ": "1 2 3 4", "OAK": "1", "e": "1 2 3 4", "elm late": "2",
		"late elm": "2", "elm done": "", "2026": "2 4", "élm": "2", "-1.5": "4"} {
		v, err := n.Query(slices.Clone(list), governance.TableQuery{Text: text})
		var got []string
		for _, r := range v.Rows {
			got = append(got, fmt.Sprint(r.N))
		}
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("rows with %q: %q, want %s (%v)", text, got, want, err)
		}
	}
	for _, c := range []struct {
		q    governance.TableQuery
		says string
	}{
		{governance.TableQuery{Where: []string{"size:is:1"}},
			`There is no column "size". There are: Name, Price, Due, Paid, State.`},
		{governance.TableQuery{Where: []string{"price"}}, "Write column:op:value"},
		{governance.TableQuery{Where: []string{"name:gt:1"}}, "Name is compared by is, not, has"},
		{governance.TableQuery{Where: []string{"price:is:dear"}}, "Price holds numbers"},
		{governance.TableQuery{Where: []string{"due:is:today"}}, "such as 2026-11-23"}, {governance.TableQuery{Sort: "-size"}, "no column"},
		{governance.TableQuery{After: "x"}, "such as 50"},
		{governance.TableQuery{Where: make([]string, 11)}, "at most 10"},
		{governance.TableQuery{Text: strings.Repeat("x", 201)}, "at most 200"},
	} {
		if _, err := n.Query(slices.Clone(list), c.q); store.CodeOf(err) != store.Invalid ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.q, err)
		}
	}
	for _, cell := range []string{"Price: dear", "Due: 2026-13-01", "Paid: perhaps", "State: lost", "Size: 1", "Name",
		"Price: NaN", "Price: Inf"} {
		if err := n.ParseCells([]string{cell}, map[int]string{}); store.CodeOf(err) != store.Invalid {
			t.Errorf("%s: %v", cell, err)
		}
	}
}

func TestRowsFitTheirColumns(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	n := w.note(w.alice, w.team, governance.NewNote{Type: governance.Table, Title: "Prices", Columns: columnsOf(t,
		"Name", "Price")})
	edit := func(lines ...string) error {
		var err error
		w.write(func(tx *store.Tx) error {
			n, ferr := governance.FindNote(tx, w.alice, "team", n.ID)
			if ferr != nil {
				return ferr
			}
			columns, perr := governance.ParseColumns(lines, n.Columns)
			if perr != nil {
				return perr
			}
			if _, err = governance.FitRows(tx, n, columns); err != nil {
				return nil
			}
			return governance.EditNote(tx, w.alice, n, governance.NewNote{Title: n.Title, Columns: columns})
		})
		return err
	}
	w.write(func(tx *store.Tx) error {
		_, err := governance.AddRow(tx, w.bob, n, map[int]string{1: "Oak", 2: "012"})
		return err
	})
	if err := edit("Name: date", "Price"); store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(),
		"Row 1 does not fit: Name holds dates") {
		t.Error(err)
	}
	if err := edit("Price"); store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(),
		"The column Name has cells in 1 of 1 rows") {
		t.Error(err)
	}
	empty := func() error {
		w.write(func(tx *store.Tx) error {
			return governance.UpdateRow(tx, w.bob, n, governance.Row{N: 1, Cells: map[int]string{2: "12"}})
		})
		return nil
	}
	for _, err := range []error{edit("Name", "Price: number"), empty(), edit("Price: number")} {
		if err != nil {
			t.Error(err)
		}
	}
	w.read(func(tx *store.Tx) error {
		r, err := governance.FindRow(tx, n, 1)
		if len(r.Cells) != 1 || r.Cells[2] != "12" {
			t.Errorf("%v", r)
		}
		return err
	})
}
