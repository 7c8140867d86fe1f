package clients

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
)

// election is a vote of the Debian project with its official result.
type election struct {
	ID       string
	Title    string
	Options  []string
	Official struct {
		Matrix  [][]int `json:"beat_matrix"`
		Winners []int
	}
}

func elections(t *testing.T) map[string]election {
	t.Helper()
	data, err := os.ReadFile(file(t, root, "actions/tally/testdata/debian-2002-2010.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []election
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	byTitle := map[string]election{}
	for _, e := range list {
		byTitle[e.Title] = e
	}
	return byTitle
}

// TestARealElection checks that an agent reaches a real election within three pages from /. The page must have the
// figures that the Debian project published, both as markdown and in Chromium.
func TestARealElection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	official := elections(t)
	const id = "General Resolution: Status of the non-free section"

	scribe := w.overStdio("Scribe", w.token("Scribe"))
	studio := links(scribe.navigate("/"))["Debian votes"]
	found := links(scribe.navigate("/search?q=" + url.QueryEscape("non-free section studio:debian")))
	decision := found[id]
	asPublished(t, official[id], scribe.navigate(decision))
	if scribe.calls != 3 {
		t.Errorf("it took %d calls, want 3", scribe.calls)
	}

	bob := open(t).withoutScripts().login(w, "bob")
	bob.follow("Debian votes")
	bob.follow("Decisions") // the studio's own page shows only some of its decisions
	bob.follow(id)
	e := official[id]
	bob.unfold("Pairs")
	bob.sees("Decided: "+e.Options[e.Official.Winners[0]-1],
		"How many ballots prefer the option of the row to that of the column.")
	rows := eval[[][]string](bob,
		`[...document.querySelector("#pairs table").rows].map(r => [...r.cells].map(c => c.innerText.trim()))`)
	sameMatrix(t, id+" in Chromium", e.Official.Matrix, rows[1:])
	bob.quiet("the election")

	// Check the other elections in the list of the studio.
	checked := 0
	for title, url := range links(scribe.navigate(studio + "/decisions")) {
		if e, ok := official[title]; ok {
			asPublished(t, e, scribe.navigate(url))
			checked++
		}
	}
	if checked != 10 {
		t.Errorf("the demo has %d votes of Debian, want 10", checked)
	}
}

// asPublished checks that a page has the published winner and, if one was published, the matrix.
func asPublished(t *testing.T, e election, page string) {
	t.Helper()
	if len(e.Official.Winners) != 1 {
		t.Fatalf("%s has %d published winners", e.ID, len(e.Official.Winners))
	}
	// One title has two spaces in a row, which the page shows as one.
	winner := strings.Join(strings.Fields(e.Options[e.Official.Winners[0]-1]), " ")
	contains(t, e.ID, unescaped(page), "**Decided: "+winner+".")
	if e.Official.Matrix == nil {
		return
	}
	_, table, _ := strings.Cut(page, "\n## Pairs\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var rows [][]string
	for line := range strings.Lines(table) {
		if inner, ok := strings.CutPrefix(strings.TrimSpace(line), "| "); ok {
			rows = append(rows, strings.Split(strings.TrimSuffix(inner, " |"), " | "))
		}
	}
	if len(rows) < 3 {
		t.Fatalf("%s has no pairs:\n%s", e.ID, page)
	}
	sameMatrix(t, e.ID, e.Official.Matrix, rows[2:])
}

func unescaped(text string) string { return strings.ReplaceAll(text, `\`, "") }

func sameMatrix(t *testing.T, what string, want [][]int, rows [][]string) {
	t.Helper()
	if len(rows) != len(want) {
		t.Fatalf("%s has %d rows, want %d", what, len(rows), len(want))
	}
	for i, row := range want {
		for j, n := range row {
			cell := strconv.Itoa(n)
			if i == j {
				cell = "–"
			}
			// A winning number is bold, with a word for screen readers.
			if len(rows[i]) != len(row)+1 || strings.Trim(strings.TrimSuffix(rows[i][j+1], "wins"), "*\n ") != cell {
				t.Errorf("%s: row %d is %s, want %s at column %d", what, i+1, fmt.Sprintf("%q", rows[i]), cell, j+1)
			}
		}
	}
}
