package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web/webtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden is a page that is compared with a file for each actor: testdata/golden/FOLDER/NAME.ACTOR.md.
type golden struct {
	folder string
	at     string // name of a fixture, or a path that begins with a slash
	below  string // the rest of the URL, after the fixture's URL
	actors []string
}

// TestGolden compares pages with files. Names replace the random IDs, hashes and keys. The section about actions
// keeps only the names of the actions; their forms are in one file for each chapter.
func TestGolden(t *testing.T) {
	slow(t)
	kept, reached := map[string]bool{}, map[string]bool{}
	for _, chapter := range slices.Sorted(maps.Keys(goldens)) {
		t.Run(chapter, func(t *testing.T) {
			g := &gallery{t: t, w: webtest.Of(t, chapter), kept: kept, reached: reached, forms: map[string]string{}}
			for _, page := range goldens[chapter] {
				g.show(page)
			}
			if chapter == "decision" {
				g.otherFormats("standups", "bob")
			}
			g.showForms(chapter)
		})
	}
	for _, p := range webtest.New(t).Site.Places() {
		if !reached[p.Pattern] {
			t.Errorf("no golden file is of %s", p.Pattern)
		}
	}
	err := filepath.WalkDir(filepath.Join("testdata", "golden"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !kept[file] {
			t.Errorf("no page has the file %s: delete it", file)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d golden files", len(kept))
}

// gallery compares the pages of one world.
type gallery struct {
	t             *testing.T
	w             *webtest.World
	kept, reached map[string]bool   // files that were compared; patterns of the pages that were requested
	forms         map[string]string // the first listed form of each action, by the action and its fields
}

// show compares a page for each of its actors.
func (g *gallery) show(page golden) {
	url := at(g.w, page.at) + page.below
	path, _, _ := strings.Cut(url, "?")
	if place, ok := g.w.Site.PlaceOf(path); ok {
		g.reached[place.Pattern] = true
	}
	for _, actor := range page.actors {
		name := fileName(page.at+page.below) + "." + actor + ".md"
		file := g.keep(page.folder, name)
		if page.folder == "search" && !searches(g.w) {
			continue // the page says that the program was built without search
		}
		c := g.w.As(actor)
		c.Header.Set("Prefer", "relative-links")
		text := stable(g.w, c.Get(url, "text/markdown").Body)
		if !strings.Contains(path, "/actions") {
			text = g.cut(text, filepath.ToSlash(filepath.Join(page.folder, name)))
		}
		same(g.t, file, text)
	}
}

// keep returns the path of a golden file. It fails the test if another page has the same file.
func (g *gallery) keep(folder, name string) string {
	file := filepath.Join("testdata", "golden", folder, name)
	if g.kept[file] {
		g.t.Errorf("two pages have the file %s", file)
	}
	g.kept[file] = true
	return file
}

// cut reduces the section about actions to the names of the actions, and stores the forms of the actions.
func (g *gallery) cut(text, file string) string {
	const section = "\n## Actions\n\n"
	page, list, ok := strings.Cut(text, section)
	if !ok {
		return text
	}
	end := "" // the end of the section: actions that are listed by name only, and the line for people
	if at := endOfForms.FindStringIndex(list); at != nil {
		list, end = list[:at[0]], list[at[0]:]
	}
	if strings.TrimSpace(list) == "" {
		return page + section + end
	}
	var names strings.Builder
	for block := range strings.SplitSeq(strings.TrimPrefix(list, "- **"), "\n- **") {
		head, _, _ := strings.Cut(block, ":")
		names.WriteString("- **" + head + "\n")
		key, _, _ := strings.Cut(block, "**")
		for _, field := range formField.FindAllStringSubmatch(block, -1) {
			key += " " + field[1]
		}
		if g.forms[key] == "" {
			g.forms[key] = "From " + file + ":\n\n- **" + strings.TrimSuffix(block, "\n") + "\n"
		}
	}
	return page + section + names.String() + end
}

var endOfForms = regexp.MustCompile(`(?m)^(- also: |\n\*\*For people\*\*: )`)

var formField = regexp.MustCompile(`(?m)^  - \x60([^\x60]+)\x60`)

// showForms compares the forms of all actions that the pages have listed.
func (g *gallery) showForms(chapter string) {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(g.forms)) {
		b.WriteString(g.forms[key] + "\n")
	}
	same(g.t, g.keep("forms", chapter+".md"), b.String())
}

// otherFormats compares a whole page in HTML and in JSON.
func (g *gallery) otherFormats(fixture, actor string) {
	c, name := g.w.As(actor), fileName(fixture)+"."+actor
	same(g.t, g.keep("decision", name+".html"), stable(g.w, c.Get(g.w.URL(fixture), "text/html").Body))
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(stable(g.w, c.Get(g.w.URL(fixture), "application/json").Body)), "", "  "); err != nil {
		g.t.Error(err)
	}
	same(g.t, g.keep("decision", name+".json"), b.String()+"\n")
}

// searches reports whether the test was built with full-text search.
func searches(w *webtest.World) (built bool) {
	err := w.Store.Read(context.Background(), func(tx *store.Tx) error {
		s, err := tx.SearchState()
		built = s.Built
		return err
	})
	return err == nil && built
}

var notInFileNames = regexp.MustCompile(`[^a-z0-9@]+`)

func fileName(s string) string {
	if s = strings.Trim(notInFileNames.ReplaceAllString(s, "-"), "-"); s == "" {
		return "index"
	}
	return s
}

var (
	hashes = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	keys   = regexp.MustCompile(`("_idempotency_key" value=")[^"]*`)
	// The number of a journal entry depends on all earlier actions, including those that create the people and
	// studios.
	places = regexp.MustCompile(`(/journal/|/journal\?(?:[^\s")]*[&;])?before=|\bEntry )\d+`)
	linked = regexp.MustCompile(`\[\d+\](\(/orgs/\w+/journal/)`)
	// drawn matches the option that was drawn by lot, which differs from run to run.
	drawn = regexp.MustCompile(`((?:tie-by-lot|result-lottery)\) \|[^\n]*? decided [^\n]*? CET: )\w+`)
)

// assetVersions matches the checksums in the addresses of static files.
var assetVersions = regexp.MustCompile(`\?v=[0-9a-f]{12}`)

// stable returns the page with names in place of random values. The rows of ballots are in the order of the random IDs
// of their voters, so stable sorts the rows as text.
func stable(w *webtest.World, text string) string {
	text = keys.ReplaceAllString(hashes.ReplaceAllString(w.Stable(text), "HASH"), "${1}KEY")
	text = drawn.ReplaceAllString(text, "${1}DRAWN")
	text = assetVersions.ReplaceAllString(text, "")
	text = linked.ReplaceAllString(places.ReplaceAllString(text, "${1}N"), "[N]$1")
	const columns = "| Voter | Ballot |\n| --- | --- |\n"
	head, rows, ok := strings.Cut(text, columns)
	if !ok {
		return text
	}
	rows, rest, _ := strings.Cut(rows, "\n\n")
	list := strings.Split(strings.TrimSuffix(rows, "\n"), "\n")
	slices.Sort(list)
	return head + columns + strings.Join(list, "\n") + "\n\n" + rest
}

// same compares a text with a golden file, or writes the file if -update is set.
func same(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%v; run with -update", err)
		return
	}
	want := string(data)
	if got == want {
		return
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	t.Errorf("%s: line %d differs; look, and run with -update\nwant: %.200s\ngot:  %.200s", file, i+1,
		strings.Join(a[i:min(i+3, len(a))], "\n      "),
		strings.Join(b[i:min(i+3, len(b))], "\n      "))
}
