package web_test

import (
	"os"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestMinneapolis2017 imports the ballots of the mayoral election of 2017 in Minneapolis, with the rules of that
// election and with the default rules for reading ballots. Only the page with the rules of the election has the
// published numbers, and each page states its rules.
func TestMinneapolis2017(t *testing.T) {
	w := webtest.New(t)
	alice := w.As("alice")
	data, err := os.ReadFile("../actions/tally/testdata/minneapolis-2017-mayor.csv")
	if err != nil {
		t.Fatal(err)
	}
	const first = "Round 1: 104,484 ballots count"
	file := param.Upload{Name: "minneapolis-2017-mayor.csv", Data: data}
	for _, c := range []struct {
		overvote, says string
		published      bool
	}{
		{"skip", "Overvotes are skipped; a second skipped rank in a row ends a ballot.", true},
		{"", "An overvote ends a ballot; a second skipped rank in a row ends a ballot.", false},
	} {
		in := param.Input{"file": file}
		if c.overvote != "" {
			in["overvote"] = c.overvote
		}
		md := alice.Get(alice.Post("/studios/commons", "import_decisions", in).Location()+"?full=1", "text/markdown").Body
		for _, want := range []string{"Minneapolis 2017 mayor", "Decided: Jacob Frey. Ranked, counted by instant runoff. " + c.says} {
			if !strings.Contains(md, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
		if strings.Contains(md, first) != c.published {
			t.Errorf("%q: says %q: %v, want %v", c.overvote, first, !c.published, c.published)
		}
	}
}

// TestReadingOfADecision checks the rules for reading ballots, such as skipped ranks. The rules are stored with a
// decision and shown while the decision is open. Only an instant runoff has such rules, so a draft loses the rules
// when its method changes.
func TestReadingOfADecision(t *testing.T) {
	w := webtest.New(t)
	alice, team := w.As("alice"), w.URL("team")
	ask := func(method string, more param.Input) *webtest.Response {
		in := param.Input{"question": "Who?", "method": method, "options": []any{"A", "B"}, "draft": true}
		for name, value := range more {
			in[name] = value
		}
		return alice.PostJSON(team, "create_decision", in)
	}
	if r := ask("schulze", param.Input{"overvote": "skip", "skipped": "any"}); r.Status != 422 ||
		!strings.Contains(r.Body, "Only an instant runoff") {
		t.Errorf("schulze: %d %s", r.Status, r.Body)
	}
	draft := alice.Post(team, "create_decision", param.Input{"question": "Who?", "method": "irv",
		"options": []any{"A", "B"}, "draft": true, "overvote": "skip"}).Location()
	says := func(want string) {
		t.Helper()
		if md := alice.Get(draft, "text/markdown").Body; !strings.Contains(md, want) {
			t.Errorf("the page does not say %q:\n%s", want, md)
		}
	}
	says("Overvotes are skipped; a second skipped rank in a row ends a ballot.")
	alice.Post(draft, "update_decision", param.Input{"question": "Who then?", "skipped": "none"})
	says("Overvotes are skipped; a skipped rank ends a ballot.")
	alice.Post(draft, "update_decision", param.Input{"method": "schulze", "overvote": "skip", "skipped": "none"})
	if md := alice.Get(draft, "text/markdown").Body; strings.Contains(md, "**Ballots are read**") {
		t.Errorf("the draft keeps the rules of another method:\n%s", md)
	}
}

// TestImportHasTitleAndDates checks that lists show an imported vote with its title, its outcome, and the original
// time of its closing.
func TestImportHasTitleAndDates(t *testing.T) {
	w := webtest.New(t)
	alice := w.As("alice")
	data, err := os.ReadFile("../actions/tally/testdata/debian-2002-2010.json")
	if err != nil {
		t.Fatal(err)
	}
	alice.Post("/studios/commons", "import_decisions", param.Input{"file": param.Upload{Name: "debian.json",
		Data: data}})
	md := alice.Get("/studios/commons/decisions", "text/markdown").Body
	for _, want := range []string{
		"General Resolution: Lenny and resolving DFSG violations",
		"decided Sun 28 Dec 2008 00:59 CET: Assume blobs comply with GPL unless proven otherwise",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("the list does not say %q:\n%s", want, md)
		}
	}
	late := `{"id":"late","options":["A"],"opened":"2030-01-01T00:00:00Z","closed":"2030-02-01T00:00:00Z","ballots":{"1":1}}`
	r := alice.PostJSON("/studios/commons", "import_decisions",
		param.Input{"file": param.Upload{Name: "late.json", Data: []byte(late)}})
	if r.Status != 422 || !strings.Contains(r.Body, "in the future") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
