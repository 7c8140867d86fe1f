package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io/fs"
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

// golden is a page whose bytes are kept: as one actor reads it, in testdata/golden/FOLDER/NAME.ACTOR.md.
type golden struct {
	folder string
	at     string // the name of a fixture, or a path that begins with a slash
	below  string // what follows the fixture's address
	actors []string
}

// goldens has every route of the site map, and every state and method of a decision.
var goldens = []golden{
	{"home", "/", "", []string{"alice", "scribe", "mia", "carol", "frank"}},
	{"inbox", "/inbox", "", []string{"alice", "dave", "scribe", "mia", "oscar"}},
	{"inbox", "/inbox", "?show=dismissed", []string{"alice"}},
	{"whoami", "/whoami", "", []string{"alice", "mia", "scribe", "anonymous"}},
	{"studios", "/studios", "", []string{"alice", "oscar", "anonymous"}},
	{"studio", "team", "", []string{"alice", "dave", "scout"}},
	{"studio", "plaza", "", []string{"anonymous", "carol"}},
	{"studio", "attic", "", []string{"bob"}},
	{"studio", "acme", "", []string{"carol", "reader"}},
	{"studio", "globex", "", []string{"oscar"}},
	{"studio-members", "team", "/members", []string{"erin"}},
	{"studio-decisions", "team", "/decisions", []string{"erin"}},
	{"studio-decisions", "plaza", "/decisions", []string{"anonymous"}},
	{"decision", "standups", "", []string{"alice", "bob", "dave", "scribe", "scout", "reader", "carol", "anonymous"}},
	{"decision", "open single", "", []string{"alice", "erin"}},
	{"decision", "open approval", "", []string{"erin"}},
	{"decision", "open schulze", "", []string{"alice"}},
	{"decision", "open irv", "", []string{"bob"}},
	{"decision", "open score", "", []string{"alice", "bob"}},
	{"decision", "open star", "", []string{"alice"}},
	{"decision", "open dots", "", []string{"erin"}},
	{"decision", "open time", "", []string{"alice", "bob"}},
	{"decision", "open lottery", "", []string{"alice"}},
	{"decision", "open anonymous", "", []string{"bob", "erin"}},
	{"decision", "no options", "", []string{"bob"}},
	{"decision", "talk", "", []string{"erin"}},
	{"decision", "agent's", "", []string{"alice"}},
	{"decision", "draft", "", []string{"alice", "bob"}},
	{"decision", "draft ranked", "", []string{"scribe"}},
	{"decision", "draft dots", "", []string{"alice"}},
	{"decision", "draft time", "", []string{"alice"}},
	{"decision", "due", "", []string{"bob", "erin"}},
	{"decision", "due irv", "", []string{"erin"}},
	{"decision", "result acceptance", "", []string{"alice"}},
	{"decision", "result single", "", []string{"bob"}},
	{"decision", "result approval", "", []string{"erin"}},
	{"decision", "result schulze", "", []string{"alice"}},
	{"decision", "result irv", "", []string{"bob"}},
	{"decision", "result score", "", []string{"alice"}},
	{"decision", "result star", "", []string{"erin"}},
	{"decision", "result dots", "", []string{"bob"}},
	{"decision", "result time", "", []string{"erin"}},
	{"decision", "result anonymous", "", []string{"alice"}},
	{"decision", "due lottery", "", []string{"erin"}},
	{"decision", "tie for erin", "", []string{"alice", "erin"}},
	{"decision", "no quorum percent", "", []string{"bob"}},
	{"decision", "tie", "", []string{"alice", "bob"}},
	{"decision", "tie decided", "", []string{"bob"}},
	{"decision", "no quorum", "", []string{"bob"}},
	{"decision", "imported", "", []string{"alice"}},
	{"decision", "wide", "", []string{"alice"}},
	{"decision", "plaza result", "", []string{"anonymous"}},
	{"decision", "attic open", "", []string{"bob"}},
	{"ballots", "result star", "/ballots", []string{"bob"}},
	{"ballots", "open score", "/ballots", []string{"bob"}},
	{"ballots", "plaza result", "/ballots", []string{"anonymous"}},
	{"draw", "open lottery", "/verify", []string{"erin"}},
	{"count", "wide", "/count", []string{"alice"}},
	{"studio-notes", "team", "/notes", []string{"alice"}},
	{"studio-notes", "plaza", "/notes", []string{"anonymous"}},
	{"note", "note post", "", []string{"alice", "bob", "erin", "dave", "scribe", "reader", "carol"}},
	{"note", "note of agent", "", []string{"alice"}},
	{"note", "note reminder", "", []string{"alice", "bob"}},
	{"note", "note due", "", []string{"scout"}},
	{"note", "note done", "", []string{"erin"}},
	{"note", "note deleted", "", []string{"bob"}},
	{"note", "note table", "", []string{"bob", "scout"}},
	{"note", "note table", "?where=worth:gt:10&sort=-worth", []string{"erin"}},
	{"note", "note table", "?where=thing:has:nothing", []string{"erin"}},
	{"note", "note table empty", "", []string{"alice"}},
	{"note-version", "note table", "/versions/2", []string{"bob"}},
	{"note", "note redacted", "", []string{"bob", "alice"}},
	{"decision", "redacted", "", []string{"bob"}},
	{"decision", "comment redacted", "", []string{"alice"}},
	{"note", "note plaza", "", []string{"anonymous"}},
	{"note", "note attic", "", []string{"bob"}},
	{"note", "note draft", "", []string{"alice"}},
	{"note", "note draft reminder", "", []string{"bob"}},
	{"note-readers", "note post", "/readers", []string{"dave"}},
	{"note-versions", "note post", "/versions", []string{"erin"}},
	{"note-versions", "note deleted", "/versions", []string{"erin"}},
	{"note-version", "note post", "/versions/1", []string{"erin"}},
	{"note-version", "note post", "/versions/2", []string{"erin"}},
	{"note-version", "note reminder", "/versions/2", []string{"bob"}},
	{"comments", "talk", "/comments", []string{"bob"}},
	{"studio-commitments", "team", "/commitments", []string{"erin"}},
	{"studio-commitments", "lab", "/commitments", []string{"oscar"}},
	{"commitment", "commitment open", "", []string{"alice", "bob", "erin", "reader", "carol"}},
	{"commitment", "commitment bound", "", []string{"alice", "scout"}},
	{"commitment", "commitment full", "", []string{"alice"}},
	{"commitment", "commitment event", "", []string{"bob"}},
	{"commitment", "commitment draft", "", []string{"alice", "scribe"}},
	{"commitment", "commitment failed", "", []string{"dave"}},
	{"commitment", "commitment closed", "", []string{"alice"}},
	{"commitment", "commitment due failed", "", []string{"bob", "erin"}},
	{"commitment", "commitment due bound", "", []string{"alice"}},
	{"commitment", "commitment done", "", []string{"erin"}},
	{"commitment", "commitment missed", "", []string{"bob"}},
	{"commitment", "commitment plaza event", "", []string{"anonymous", "carol"}},
	{"participants", "commitment event", "/participants", []string{"dave"}},
	{"comments", "commitment open", "/comments", []string{"alice"}},
	{"comments", "note deleted", "/comments", []string{"bob"}},
	{"studio-templates", "team", "/templates", []string{"dave"}},
	{"studio-templates", "plaza", "/templates", []string{"anonymous"}},
	{"file", "agenda", "", []string{"dave"}},
	{"file", "dot", "", []string{"scout"}},
	{"search", "/search", "", []string{"alice", "scribe", "mia"}},
	{"search", "/search?q=stand-ups", "", []string{"bob", "scribe"}},
	{"search", "/search?q=helps+type:comment+is:nice", "", []string{"erin"}},
	{"search", "/search?q=secrets", "", []string{"bob", "oscar"}},
	{"search", "/search?q=is:open+sort:old+studio:team", "", []string{"scout"}},
	{"cycle", "cycle week", "", []string{"alice", "bob", "carol", "reader"}},
	{"cycle", "cycle day", "", []string{"erin"}},
	{"cycle", "cycle past", "", []string{"alice"}},
	{"cycle", "cycle month", "", []string{"dave"}},
	{"cycle", "cycle next", "", []string{"alice"}},
	{"cycle", "cycle later", "", []string{"alice"}},
	{"cycle", "cycle far", "", []string{"alice"}},
	{"cycle", "cycle long ago", "", []string{"alice"}},
	{"cycle", "cycle plaza", "", []string{"anonymous", "alice"}},
	{"cycle", "cycle attic", "", []string{"bob"}},
	{"cycle", "cycle told", "", []string{"oscar"}},
	{"cycles", "team", "/cycles", []string{"bob"}},
	{"cycles", "plaza", "/cycles", []string{"anonymous"}},
	{"decision", "role casts", "", []string{"bob"}},
	{"decision", "role tie", "", []string{"erin"}},
	{"decision", "role vacant tie", "", []string{"bob"}},
	{"studio", "garden", "", []string{"carol"}},
	{"studio-roles", "team", "/roles", []string{"erin"}},
	{"studio-roles", "plaza", "/roles", []string{"carol"}},
	{"role", "leader of team", "", []string{"alice", "scribe"}},
	{"role", "role vacant", "", []string{"bob"}},
	{"role", "role over", "", []string{"dave"}},
	{"role", "role referee", "", []string{"erin"}},
	{"role", "role deleted", "", []string{"alice"}},
	{"role", "role term", "", []string{"carol", "mia"}},
	{"role", "role source", "", []string{"bob"}},
	{"role", "leader of plaza", "", []string{"alice"}},
	{"role", "role acting", "", []string{"bob"}},
	{"organization-studios", "acme organization", "/studios", []string{"alice", "carol"}},
	{"organization-roles", "acme organization", "/roles", []string{"alice", "carol"}},
	{"open", "acme organization", "/open", []string{"alice", "carol", "erin", "clerk"}},
	{"open", "globex organization", "/open", []string{"oscar", "owl"}},
	{"organization-tokens", "acme organization", "/tokens", []string{"alice", "erin", "scribe", "carol"}},
	{"activity", "acme organization", "/activity", []string{"alice", "erin", "clerk"}},
	{"organization", "acme organization", "", []string{"alice", "carol", "scribe"}},
	{"organizations", "/orgs", "", []string{"alice", "mia", "scribe", "frank"}},
	{"invitations", "acme invitations", "", []string{"alice", "bob", "scribe"}},
	{"invitations", "globex organization", "/invitations", []string{"oscar"}},
	{"settings", "acme organization", "/settings", []string{"alice", "bob", "scribe"}},
	{"member", "@frank", "", []string{"alice", "scribe"}},
	{"members", "acme organization", "/members", []string{"carol"}},
	{"member", "@alice", "", []string{"alice", "carol"}},
	{"member", "@bob", "", []string{"carol"}},
	{"member", "@mia globex", "", []string{"oscar"}},
	{"journal", "acme organization", "/journal", []string{"alice", "carol"}},
	{"journal", "acme organization", "/journal?by=agent&before=60", []string{"bob"}},
	{"journal", "globex organization", "/journal", []string{"owl"}},
	{"journal-verify", "acme organization", "/journal/verify", []string{"carol"}},
	{"entry", "acme organization", "/journal/1", []string{"carol"}},
	{"entry", "acme organization", "/journal/36", []string{"erin"}},
	{"tokens", "/settings/tokens", "", []string{"alice", "carol", "erin"}},
	{"agents", "acme organization", "/agents", []string{"carol"}},
	{"agent", "agent scribe", "", []string{"alice", "bob", "scribe"}},
	{"agent", "agent clerk", "", []string{"alice", "erin", "clerk", "carol"}},
	{"agent", "agent paused", "", []string{"erin"}},
	{"approvals", "/approvals", "", []string{"alice", "erin", "clerk", "carol"}},
	{"approvals", "/approvals?show=answered", "", []string{"erin"}},
	{"approval", "approval pending", "", []string{"erin", "alice", "clerk"}},
	{"approval", "approval made", "", []string{"erin"}},
	{"approval", "approval ballot", "", []string{"erin", "clerk"}},
	{"approval", "approval ballot done", "", []string{"erin"}},
	{"approval", "approval done", "", []string{"erin", "clerk"}},
	{"approval", "approval failed", "", []string{"clerk"}},
	{"approval", "approval rejected", "", []string{"clerk"}},
	{"approval", "approval withdrawn", "", []string{"erin"}},
	{"approval", "approval expired", "", []string{"erin"}},
	{"inbox", "/inbox", "?show=read", []string{"erin"}},
	{"actions", "approval pending", "/actions/approve", []string{"erin"}},
	{"account", "/settings/account", "", []string{"alice", "carol"}},
	{"help", "/help", "", []string{"anonymous"}},
	{"help-agents", "/help/agents", "", []string{"anonymous"}},
	{"help-catalogue", "/help/catalogue", "", []string{"anonymous"}},
	{"help-errors", "/help/errors", "", []string{"anonymous"}},
	{"actions", "standups", "/actions", []string{"bob"}},
	{"actions", "standups", "/actions/cast_vote?accept=1&prefer=1&reason=It+helps.", []string{"erin"}},
	{"actions", "team", "/actions/create_decision", []string{"bob"}},
	{"actions", "tie", "/actions/cast_vote", []string{"erin"}},
	{"actions", "team", "/actions/archive", []string{"alice"}},
	{"actions", "plaza", "/actions/change_visibility", []string{"alice"}},
	{"actions", "role vacant", "/actions/assign_role", []string{"bob"}},
}

// TestGolden holds the bytes of pages. Ids, hashes and keys are random, and have names there.
func TestGolden(t *testing.T) {
	w := webtest.New(t)
	kept, reached := map[string]bool{}, map[string]bool{}
	for _, g := range goldens {
		url := g.at + g.below
		if !strings.HasPrefix(g.at, "/") {
			url = w.URL(g.at) + g.below
		}
		path, _, _ := strings.Cut(url, "?")
		if place, ok := w.Site.PlaceOf(path); ok {
			reached[place.Pattern] = true
		}
		for _, actor := range g.actors {
			file := filepath.Join("testdata", "golden", g.folder, fileName(g.at+g.below)+"."+actor+".md")
			if kept[file] {
				t.Errorf("%s is there twice", file)
			}
			kept[file] = true
			if g.folder == "search" && !searches(w) {
				continue // the page says that search was not built in
			}
			c := w.As(actor)
			c.Header.Set("Prefer", "relative-links")
			same(t, file, stable(w, c.Get(url, "text/markdown").Body))
		}
	}
	bob := w.As("bob")
	for file, accept := range map[string]string{"standups.bob.html": "text/html", "standups.bob.json": "application/json"} {
		file = filepath.Join("testdata", "golden", "decision", file)
		kept[file] = true
		text := stable(w, bob.Get(w.URL("standups"), accept).Body)
		if accept == "application/json" {
			var b bytes.Buffer
			if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
				t.Error(err)
			}
			text = b.String() + "\n"
		}
		same(t, file, text)
	}
	for _, p := range w.Site.Places() {
		if !reached[p.Pattern] {
			t.Errorf("no golden file is of %s", p.Pattern)
		}
	}
	err := filepath.WalkDir(filepath.Join("testdata", "golden"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !kept[file] {
			t.Errorf("%s is nobody's: delete it", file)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d golden files", len(kept))
}

// searches reports that this test was built with full-text search.
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
	drawn  = regexp.MustCompile(`((?:tie-by-lot|result-lottery)\) \|[^\n]*? decided [^\n]*? CET: )\w+`) // by a lot, another each time
)

// stable is a page with names in place of what is random, and the rows of ballots, which are in the order of their voters'
// ids, in that of their words.
func stable(w *webtest.World, text string) string {
	text = keys.ReplaceAllString(hashes.ReplaceAllString(w.Stable(text), "HASH"), "${1}KEY")
	text = drawn.ReplaceAllString(text, "${1}DRAWN")
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

// same compares with a golden file, or writes it.
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
