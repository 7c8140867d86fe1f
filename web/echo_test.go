package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// TestEveryActionSaysHowToUndoIt checks that each action declares in at most 12 words how it can be undone, or that it
// cannot be. Actions that these words mention must exist.
func TestEveryActionSaysHowToUndoIt(t *testing.T) {
	w := webtest.New(t)
	names, checked := map[string]bool{}, map[string]bool{}
	for _, p := range w.Site.Places() {
		for _, a := range p.Actions {
			names[a.Name] = true
		}
	}
	for _, p := range w.Site.Places() {
		for _, a := range p.Actions {
			checked[a.Name] = true
			if n := len(strings.Fields(a.Undo)); (a.Undo == "") != (a.Destructive || a.AllowedFor == store.Clock) || n > 12 {
				t.Errorf("%s: %d words: %q", a.Name, n, a.Undo)
			}
			for _, word := range strings.FieldsFunc(a.Undo, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
				if strings.Contains(word, "_") && !names[word] {
					t.Errorf("%s: %q is no action", a.Name, word)
				}
			}
		}
	}
	t.Logf("%d actions", len(checked))
}

// TestAnswersEchoTheirEffect checks that the answer to a ballot repeats the ballot, says how to change it, and tells an
// agent its next step. A message to a browser repeats the ballot but names no actions.
func TestAnswersEchoTheirEffect(t *testing.T) {
	w := webtest.New(t)
	for _, c := range []struct {
		page   string
		ballot param.Input
		says   string
	}{
		{"open approval", param.Input{"accept": []any{"1", "3"}}, "Your ballot: Budget, The garden."},
		{"open approval", param.Input{"accept": []any{}}, "Your ballot: none of the options."},
		{"open single", param.Input{"option": "2"}, "Your ballot: Dave."},
		{"unvoted", param.Input{"ranking": map[string]any{"3": 1, "1": 2, "2": 2}}, "Your ballot: Floor > Roof = Windows."},
		{"unvoted star", param.Input{"points": map[string]any{"1": 2, "2": 5}}, "Your ballot: The new one 5, The old one 2."},
	} {
		r := w.As("scribe").PostJSON(w.URL(c.page), "cast_vote", c.ballot)
		says := c.says + " Change: cast_vote. Take back: retract_vote."
		if r.Status != http.StatusOK || !strings.Contains(strings.ReplaceAll(r.Body, `\u003e`, ">"), says) {
			t.Errorf("%s: %d, want %q in %.600s", c.page, r.Status, says, r.Body)
		}
	}
	r := w.As("scribe").PostJSON(w.URL("open approval"), "retract_vote", nil)
	if !strings.Contains(r.Body, "Vote again: cast_vote. Next: ") || !strings.Contains(r.Body, " wait, first: ") {
		t.Errorf("it does not say what waits: %.600s", r.Body)
	}
	html := w.As("bob").Post(w.URL("open approval"), "cast_vote", param.Input{"accept": []any{"2"}})
	if flash := html.Header.Get("Set-Cookie"); !strings.Contains(flash, "Your+ballot%3A+Hiring.") || strings.Contains(flash, "retract") {
		t.Errorf("a browser is told %q", flash)
	}
}

// TestExamplesAreAccepted sends the example of a ballot, which the page describes and a refusal repeats, for each budget
// of dots and each number of options.
func TestExamplesAreAccepted(t *testing.T) {
	w := webtest.New(t)
	c := w.As("scribe")
	for budget := 3; budget <= 20; budget++ {
		options := []any{"Cargo", "Wagon", "Barrow"}[:1+budget%3]
		made := c.PostJSON("/studios/team", "create_decision", param.Input{"question": "What do we buy?",
			"method":  "dots",
			"options": append(options[:len(options):len(options)], "Nothing"), "dots": budget})
		var out struct{ URL string }
		if err := json.Unmarshal([]byte(made.Body), &out); err != nil || made.Status != http.StatusOK {
			t.Fatal(made.Status, made.Body, err)
		}
		page := strings.TrimPrefix(out.URL, webtest.Origin)
		refused := c.PostJSON(page, "cast_vote", nil).Body
		_, example, _ := strings.Cut(strings.ReplaceAll(refused, `\"`, `"`), "; send {")
		example, _, _ = strings.Cut(example, "}")
		ballot := param.Input{}
		if err := json.Unmarshal([]byte("{"+example+"}"), &ballot); err != nil || len(ballot) == 0 {
			t.Fatalf("no example in %s", refused)
		}
		if r := c.PostJSON(page, "cast_vote", param.Input{"dots": map[string]any(ballot)}); r.Status != http.StatusOK {
			t.Errorf("%d dots, {%s}: %d %s", budget, example, r.Status, r.Body)
		}
	}
}
