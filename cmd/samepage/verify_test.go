package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samepage/actions/tally"
	"samepage/views"
)

// TestVerifyFile repeats a draw from the JSON of its page. Every change in the JSON is detected.
func TestVerifyFile(t *testing.T) {
	lot := tally.Lot{1, 2, 3}
	ids := []string{"k3v9x0a2mq-1", "k3v9x0a2mq-2", "k3v9x0a2mq-3"}
	order, err := lot.Order(ids)
	if err != nil {
		t.Fatal(err)
	}
	draw := func() views.Draw {
		d := views.Draw{Commitment: lot.Commitment(), Secret: lot.String(), Options: ids, Tied: ids[:2]}
		for _, i := range order {
			d.Order = append(d.Order, ids[i])
			if d.Drawn == "" && i < 2 {
				d.Drawn = ids[i]
			}
		}
		return d
	}
	other := tally.Lot{9}
	for name, c := range map[string]struct {
		change func(*views.Draw)
		code   int
		says   string
	}{
		"as it is":       {func(*views.Draw) {}, 0, "it draws " + draw().Drawn},
		"still sealed":   {func(d *views.Draw) { d.Secret, d.Order, d.Drawn = "", nil, "" }, exitDamage, "still sealed"},
		"another secret": {func(d *views.Draw) { d.Secret = other.String() }, exitDamage, "was published"},
		"another order":  {func(d *views.Draw) { d.Order[0], d.Order[2] = d.Order[2], d.Order[0] }, exitDamage, "place 1 belongs to"},
		"another drawn":  {func(d *views.Draw) { d.Drawn = ids[2] }, exitDamage, "was not drawn"},
		"nothing needed": {func(d *views.Draw) { d.Tied, d.Drawn = nil, "" }, 0, "No lot was needed"},
		"no lot":         {func(d *views.Draw) { *d = views.Draw{} }, exitUsage, "not the JSON of a page"},
	} {
		d := draw()
		c.change(&d)
		text, err := json.Marshal(map[string]any{"url": "x", "data": d})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "page.json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, code := runCommand(t, "verify", file); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%s: %d %s", name, code, out)
		}
	}
}

// TestVerifyDatabase verifies the lottery of the demo, which it reads from the database.
func TestVerifyDatabase(t *testing.T) {
	dir := t.TempDir()
	copyDemo(t, dir)
	url := ""
	for _, e := range journal(t, dir, "meadow") {
		if e.Title == "Who opens the garden in March?" && e.Action == "close_decision" {
			url = e.URL
		}
	}
	if out, code := runCommand(t, "verify", "--data", dir, url); code != 0 || !strings.Contains(out, "it draws ") {
		t.Errorf("%s: %d %s", url, code, out)
	}
	if out, code := runCommand(t, "verify", "--data", dir, "/studios/team/d/nothing"); code == 0 {
		t.Errorf("nothing: %s", out)
	}
}
