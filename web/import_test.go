package web_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/views/page/pagetest"
	"samepage/web/webtest"
)

// official is a vote in a file of Debian votes, with the announced result.
type official struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Options  []string `json:"options"`
	Official struct {
		Matrix  [][]*int `json:"beat_matrix"`
		Winners []int    `json:"winners"`
	} `json:"official"`
}

// TestImportDebian imports a file of Debian votes. For each vote, it compares each cell of the matrix on the decision's
// page, and the winner, with the announced result.
func TestImportDebian(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	data, err := os.ReadFile("../actions/tally/testdata/debian-2002-2010.json")
	if err != nil {
		t.Fatal(err)
	}
	var votes []official
	if err := json.Unmarshal(data, &votes); err != nil {
		t.Fatal(err)
	}
	alice := w.As("alice")
	before := pagesOf(t, alice, "/studios/commons/decisions")
	r := alice.Post("/studios/commons", "import_decisions",
		param.Input{"file": param.Upload{Name: "debian.json", Data: data}})
	if r.Status != 303 {
		t.Fatalf("import: %d\n%s", r.Status, r.Body)
	}
	pages := map[string]string{}
	for title, url := range pagesOf(t, alice, "/studios/commons/decisions") {
		if before[title] != url {
			pages[title] = url
		}
	}
	if len(pages) != len(votes) {
		t.Fatalf("%d pages for %d votes", len(pages), len(votes))
	}
	cells := 0
	for _, v := range votes {
		md := alice.Get(pages[v.Title]+"?full=1", "text/markdown").Body
		html := alice.Get(pages[v.Title]+"?full=1", "text/html").Body
		for name, text := range map[string]string{"markdown": strings.ReplaceAll(md, `\`, ""),
			"HTML": strings.Join(pagetest.HTMLWords(html), " ")} {
			winner := v.Options[v.Official.Winners[0]-1]
			if others := " beats every other option in pairs."; strings.Contains(text, winner+others) && !beatsAll(v) {
				t.Errorf("%s as %s: the page says%q, and the matrix says otherwise", v.ID, name, others)
			}
			if want := "Decided: " + winner; !strings.Contains(text, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s: %s does not say %q", v.ID, name, want)
			}
		}
		pairs := table(md, "## Pairs")
		for i, row := range v.Official.Matrix {
			for j, n := range row {
				if n == nil || i == j {
					continue
				}
				cells++
				if got := pairs[i][j+1]; got != *n {
					t.Errorf("%s: %d over %d: %d on the page, %d announced", v.ID, i+1, j+1, got, *n)
				}
			}
		}
	}
	t.Logf("%d votes, %d cells", len(votes), cells)
}

// pagesOf follows a list of decisions to its end and maps titles to URLs.
func pagesOf(t *testing.T, c *webtest.Client, url string) map[string]string {
	t.Helper()
	link := regexp.MustCompile(`\| \[((?:[^\]\\]|\\.)*)\]\([^)]*?(/studios/[^)/]*/d/[^)]*)\)`)
	next := regexp.MustCompile(`(?m)^next: "([^"]*)"`)
	found := map[string]string{}
	for url != "" {
		r := c.Get(url, "text/markdown")
		if r.Status != 200 {
			t.Fatalf("%s: %d", url, r.Status)
		}
		for _, m := range link.FindAllStringSubmatch(r.Body, -1) {
			found[strings.ReplaceAll(m[1], `\`, "")] = m[2]
		}
		url = ""
		if m := next.FindStringSubmatch(r.Body); m != nil {
			url = strings.TrimPrefix(m[1], webtest.Origin)
		}
	}
	return found
}

// table returns the numbers in the first table under a heading, with -1 for a cell without a number.
func table(md, heading string) [][]int {
	_, md, _ = strings.Cut(md, heading)
	var rows [][]int
	for line := range strings.Lines(md) {
		if !strings.HasPrefix(line, "|") {
			if rows != nil {
				break
			}
			continue
		}
		var row []int
		for _, cell := range strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ") {
			n, err := strconv.Atoi(strings.NewReplacer(",", "", "*", "", " ", "").Replace(cell))
			if err != nil {
				n = -1
			}
			row = append(row, n)
		}
		rows = append(rows, row)
	}
	return rows[min(2, len(rows)):]
}

// TestImportEveryFile imports files of every format. A file with an error is refused as a whole.
func TestImportEveryFile(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	alice := w.As("alice")
	for _, file := range []struct {
		name  string
		votes int
	}{{"minneapolis-2013-mayor.csv", 1}, {"ranked-examples.json", 8}, {"star-examples.json", 2}} {
		data, err := os.ReadFile("../actions/tally/testdata/" + file.name)
		if err != nil {
			t.Fatal(err)
		}
		before := len(pagesOf(t, alice, "/studios/commons/decisions"))
		r := alice.PostJSON("/studios/commons", "import_decisions",
			param.Input{"file": param.Upload{Name: file.name, Data: data}})
		if r.Status != 200 {
			t.Fatalf("%s: %d\n%s", file.name, r.Status, r.Body)
		}
		if n := len(pagesOf(t, alice, "/studios/commons/decisions")) - before; n != file.votes {
			t.Errorf("%s: %d decisions, want %d", file.name, n, file.votes)
		}
	}
	digest := w.Digests()
	for name, text := range map[string]string{
		"cut.json": `[{"id":"x","options":["A","B"],"default_option":2,"voters":1,"ballots":{"12":1}},{"id":"y",
			"options":["A"]`,
		"count.csv": "count,rank1\n3,A\n-1,B\n",
		"voters.json": `[{"id":"x","options":["A","B"],"default_option":2,"voters":9,"ballots":{"12":1},
			"official":{"winners":[1],"quorum":null}}]`,
		"nothing.json": "",
	} {
		r := alice.PostJSON("/studios/commons", "import_decisions",
			param.Input{"file": param.Upload{Name: name, Data: []byte(text)}})
		if r.Status != 422 || !strings.Contains(r.Body, `"field":"file"`) {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	if changed := webtest.Changed(digest, w.Digests()); len(changed) > 0 {
		t.Errorf("refused files changed %v", changed)
	}
}

// TestMinneapolis checks the first and the last round on the page of the imported election.
func TestMinneapolis(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	alice := w.As("alice")
	data, err := os.ReadFile("../actions/tally/testdata/minneapolis-2013-mayor.csv")
	if err != nil {
		t.Fatal(err)
	}
	r := alice.Post("/studios/commons", "import_decisions",
		param.Input{"file": param.Upload{Name: "minneapolis.csv", Data: data}})
	md := alice.Get(r.Location()+"?full=1", "text/markdown").Body
	var hodges string
	_, rounds, _ := strings.Cut(md, "## Rounds")
	for line := range strings.Lines(rounds) {
		if strings.Contains(line, "BETSY HODGES") {
			hodges = strings.ReplaceAll(line, "*", "")
			break
		}
	}
	cells := strings.Split(strings.Trim(strings.TrimSpace(hodges), "| "), " | ")
	if first, last := cells[1], cells[len(cells)-1]; first != "28,951" || last != "38,852" {
		t.Errorf("first round %s, last %s; want 28,951 and 38,852: %s", first, last, hodges)
	}
	for _, want := range []string{"Decided: BETSY HODGES", "63,794 ballots count",
		"140 named too many at once, 47 skipped ranks, 15,481 ran out"} {
		if !strings.Contains(md, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// beatsAll reports whether the winner beats each other option in the official matrix.
func beatsAll(v official) bool {
	w := v.Official.Winners[0] - 1
	for o := range len(v.Official.Matrix) {
		a, b := v.Official.Matrix[w][o], v.Official.Matrix[o][w]
		if o != w && a != nil && b != nil && *a <= *b {
			return false
		}
	}
	return true
}
