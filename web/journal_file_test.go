package web_test

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store/effort"
	"samepage/web"
	"samepage/web/webtest"
)

var nextPage = regexp.MustCompile(`(?m)^next: "([^"]*)"`)

var entryNumber = regexp.MustCompile(`\[(\d+)\]\([^)]*/journal/\d+\)`)

// TestJournalFiles compares the exported files of the journal with its pages, for members who see different entries.
// The files are read in parts and as a whole.
func TestJournalFiles(t *testing.T) {
	effort.Slow(t)
	w := webtest.New(t)
	paged := func(c *webtest.Client, query string) (list []string) {
		for at := "/orgs/acme/journal" + query; at != ""; {
			text := c.Get(at, "text/markdown").Body
			for _, m := range entryNumber.FindAllStringSubmatch(text, -1) {
				list = append(list, m[1])
			}
			at = ""
			if next := nextPage.FindStringSubmatch(text); next != nil {
				at = strings.TrimPrefix(next[1], webtest.Origin)
			}
		}
		return list
	}
	sizes := map[int]bool{}
	for _, who := range []string{"alice", "carol", "scribe"} {
		c := w.As(who)
		for _, query := range []string{"", "?by=agent", "?studio=team&by=people", "?kind=decision", "?member=bob&action=comment"} {
			want := paged(c, query)
			sizes[len(want)] = true
			for _, part := range []int{2000, 7} {
				restore := web.SetJournalPart(part)
				table, err := csv.NewReader(strings.NewReader(c.Get("/orgs/acme/journal.csv"+query,
					"*/*").Body)).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				var rows, lines []string
				for _, row := range table[1:] {
					rows = append(rows, row[0])
				}
				for line := range strings.Lines(c.Get("/orgs/acme/journal.jsonl"+query, "*/*").Body) {
					var e struct {
						Seq         json.Number
						Did, Before string
					}
					if err := json.Unmarshal([]byte(strings.Replace(line, `"before":{`, `"was":{`, 1)), &e); err != nil || e.Did == "" {
						t.Fatalf("%v: %s", err, line)
					}
					lines = append(lines, e.Seq.String())
				}
				restore()
				if !slices.Equal(rows, want) || !slices.Equal(lines, want) {
					t.Errorf("%s%s, %d at once: the page has %v, CSV %v, JSON lines %v", who, query, part, want,
						rows, lines)
				}
			}
		}
	}
	if len(sizes) < 5 {
		t.Errorf("the filters select only %v entries", slices.Sorted(maps.Keys(sizes)))
	}
	for _, who := range []string{"anonymous", "owl"} { // owl is in another organization
		for _, suffix := range []string{"csv", "jsonl"} {
			if r := w.As(who).Get("/orgs/acme/journal."+suffix, "*/*"); r.Status == 200 || strings.Contains(r.Body, "alice") {
				t.Errorf("%s gets the journal as %s: %d\n%.300s", who, suffix, r.Status, r.Body)
			}
		}
	}
}

// TestJournalCells checks that no cell of a journal's table begins a formula in a spreadsheet.
func TestJournalCells(t *testing.T) {
	w := webtest.New(t)
	alice := w.As("alice")
	alice.Post("/studios/team", "create_note", param.Input{"title": "=1+1", "text": "x"})
	r := alice.Get("/orgs/acme/journal.csv", "*/*")
	if !strings.Contains(r.Body, ",'=1+1,") || strings.Contains(r.Body, ",@alice,") || !strings.Contains(r.Body, ",'@alice,") {
		t.Errorf("a cell begins a formula:\n%.900s", r.Body)
	}
	if got := r.Header.Get("Content-Disposition"); got != `attachment; filename="journal-acme.csv"` {
		t.Error(got)
	}
}
