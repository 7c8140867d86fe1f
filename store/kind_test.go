package store_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/db"
	"samepage/store/effort"
	"samepage/store/governance"
)

// TestAKindNeedsItsParts declares kinds that lack one required part, or that use the name or letter of another
// kind. Each declaration must panic.
func TestAKindNeedsItsParts(t *testing.T) {
	whole := store.Kind{Name: "toy", Letter: "t", States: []string{"new"}, Summary: "SELECT", Delete: []string{"DELETE"},
		Erase: []string{}}
	for part, without := range map[string]func(k *store.Kind){
		"name":                   func(k *store.Kind) { k.Name = "" },
		"name of its own":        func(k *store.Kind) { k.Name = governance.NoteKind.Name },
		"letter":                 func(k *store.Kind) { k.Letter = "" },
		"letter of its own":      func(k *store.Kind) { k.Letter = governance.NoteKind.Letter },
		"states":                 func(k *store.Kind) { k.States = nil },
		"summary":                func(k *store.Kind) { k.Summary = "" },
		"statements that delete": func(k *store.Kind) { k.Delete = nil },
		"statements that erase":  func(k *store.Kind) { k.Erase = nil },
		"name of a wait":         func(k *store.Kind) { k.Waits = []store.Wait{{From: " FROM items i", Where: "1 = 1"}} },
		"items of a wait":        func(k *store.Kind) { k.Waits = []store.Wait{{For: "toy", Where: "1 = 1"}} },
		"condition of a wait":    func(k *store.Kind) { k.Waits = []store.Wait{{For: "toy", From: " FROM items i"}} },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a kind without its %s was declared", part)
				}
			}()
			k := whole
			without(&k)
			store.DeclareKind(k)
		}()
	}
	if len(store.ItemKinds()) != 8 {
		t.Errorf("%d kinds are declared", len(store.ItemKinds()))
	}
}

// TestSummariesSayStates checks that the summary of each kind computes only states that the kind declares.
func TestSummariesSayStates(t *testing.T) {
	said := regexp.MustCompile(`(?:THEN|ELSE)\s+'([a-z_]+)'`)
	for _, k := range store.ItemKinds() {
		list := said.FindAllStringSubmatch(k.Summary, -1)
		if len(list) == 0 {
			t.Errorf("the summary of the kind %s says no state", k.Name)
		}
		for _, m := range list {
			if !slices.Contains(k.States, m[1]) {
				t.Errorf("the summary of the kind %s says %q, which is no state of it", k.Name, m[1])
			}
		}
	}
}

// TestSummariesAreComplete makes items by all actions. The state in the row of every item must then be one of the
// states of its kind.
func TestSummariesAreComplete(t *testing.T) {
	effort.Slow(t)
	w := lived(t)
	w.read(func(tx *store.Tx) error {
		var list []struct{ ID, Kind, State string }
		err := tx.Select(&list, `SELECT id, kind, state FROM items`)
		for _, i := range list {
			if k := store.Kinds[i.Kind]; k == nil || !slices.Contains(k.States, i.State) {
				t.Errorf("the %s %s is listed as %q", i.Kind, i.ID, i.State)
			}
		}
		if len(list) == 0 {
			t.Error("there is no item")
		}
		return err
	})
}

// TestEveryTableOfAKindIsDeleted checks that each kind has a statement to delete its rows from every table that
// has them, so that a discarded draft leaves none.
func TestEveryTableOfAKindIsDeleted(t *testing.T) {
	effort.Slow(t)
	w := newWorld(t)
	w.read(func(tx *store.Tx) error {
		tables, err := tx.Tables()
		for _, k := range store.ItemKinds() {
			own := k.Name + "s"
			for i := range tables {
				if !slices.ContainsFunc(tables[i].Columns, func(c db.ColumnSchema) bool {
					return c.Name == k.Name+
						"_id"
				}) && tables[i].Name != own {
					continue
				}
				if !slices.ContainsFunc(k.Delete,
					func(s string) bool { return strings.HasPrefix(s, "DELETE FROM "+tables[i].Name+" ") }) {
					t.Errorf("rows of %s stay when a draft %s is discarded", tables[i].Name, k.Name)
				}
			}
		}
		return err
	})
}

// TestListsReadNoTableOfAKind checks the statements of all lists of items. None may read a table that belongs to one
// kind. The home page is an exception, because the items that wait are found by conditions on such tables.
func TestListsReadNoTableOfAKind(t *testing.T) {
	effort.Slow(t)
	w := lived(t)
	var own []string
	table := regexp.MustCompile(`^DELETE FROM (\w+)`)
	for _, k := range store.ItemKinds() {
		for _, s := range k.Delete {
			own = append(own, table.FindStringSubmatch(s)[1])
		}
	}
	of := regexp.MustCompile(`\b(?:FROM|JOIN)\s+(` + strings.Join(own, "|") + `)\b`)
	statements := 0
	w.SetTrace(func(query string, _ []any) {
		statements++
		if strings.Contains(query, "AS stretch0") { // the list of waiting items, whose conditions are in [store.Kind]
			return
		}
		if m := of.FindStringSubmatch(query); m != nil {
			t.Errorf("a list reads the table %s: %s", m[1], query)
		}
	})
	defer func() { w.SetTrace(nil) }()
	w.read(func(tx *store.Tx) error {
		var errs []error
		for _, k := range store.ItemKinds() {
			_, err := tx.ShowItems(w.alice, w.team, k.Name, false, "/", "")
			errs = append(errs, err)
		}
		_, err1 := tx.ShowStudio(w.alice, w.team)
		_, err2 := tx.ShowOpen(w.alice, w.acme, "", "")
		_, err3 := tx.ShowTemplates(w.alice, w.team)
		_, err4 := tx.Search(w.alice, "type:decision", "")
		cycle, err5 := tx.FindCycle(w.alice, "team", "today")
		if err5 == nil {
			_, err5 = tx.ShowCycle(w.alice, cycle, "")
		}
		return errors.Join(append(errs, err1, err2, err3, err4, err5)...)
	})
	if statements == 0 {
		t.Error("no statement was seen")
	}
}
