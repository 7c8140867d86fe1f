package store

import (
	"slices"
	"strings"
	"testing"
)

func TestScan(t *testing.T) {
	w := newWorld(t)
	w.read(func(tx *Tx) error {
		type row struct {
			Agent
			Handle string `db:"handle"`
			Count  *int   `db:"count"`
			Mine   struct {
				At Time `db:"at"`
			} `db:"mine"`
		}
		const query = `SELECT 'a' AS agent_id, 'Scribe' AS agent, ? AS handle, CAST(? AS BIGINT) AS count, CAST(? AS BIGINT) AS "mine.at"`
		one := row{Handle: "old"}
		for range 2 { // found out, then known
			if err := tx.Get(&one, query, "x", 7, 1000); err != nil {
				return err
			}
			if one.Agent != (Agent{"a", "Scribe"}) || one.Handle != "x" || one.Count == nil || *one.Count != 7 || one.Mine.At.UnixMilli() != 1000 {
				t.Errorf("%+v", one)
			}
		}
		if err := tx.Get(&one, query, "y", nil, nil); err != nil || one.Count != nil || !one.Mine.At.IsZero() {
			t.Errorf("%+v, %v", one, err)
		}
		// The second row reuses the room of what was there before, and nothing of its content.
		list := []row{{Handle: "old"}, {Handle: "old", Count: new(3)}, {Handle: "old"}}
		if err := tx.Select(&list, `SELECT 'p' AS handle UNION ALL SELECT 'q'`); err != nil || len(list) != 2 ||
			list[0].Handle != "p" || list[1].Handle != "q" || list[1].Count != nil {
			t.Errorf("%+v, %v", list, err)
		}
		var words []string
		if err := tx.Select(&words, `SELECT 'p' AS word UNION ALL SELECT 'q'`); err != nil || !slices.Equal(words, []string{"p", "q"}) {
			t.Errorf("%v, %v", words, err)
		}
		if err := tx.Select(&words, `SELECT 'p' WHERE FALSE`); err != nil || len(words) != 0 {
			t.Errorf("no rows: %v, %v", words, err)
		}
		if err := tx.Get(&one, `SELECT 'x' AS handle WHERE FALSE`); CodeOf(err) != NotFound {
			t.Errorf("no row: %v", err)
		}
		if err := tx.Get(&one, `SELECT 'x' AS wrong`); err == nil || !strings.Contains(err.Error(), "wrong") {
			t.Errorf("a column without a field: %v", err)
		}
		if err := tx.Get(&one, `SELECT 'many' AS count`); err == nil {
			t.Errorf("a word was read as a number: %+v", one)
		}
		return nil
	})
}
