package web_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// itemFacts are the properties of an item that show which effects an action had on it.
type itemFacts struct {
	ID, Kind, Text string
	Opened         int
}

// factsOf returns the facts about all items by ID, the number of comments, and a text that changes with the ballots.
func factsOf(w *webtest.World) (items map[string]itemFacts, comments int, ballots string) {
	db := w.Database()
	query := func(dst any, text string) {
		if err := db.Select(dst, text); err != nil {
			panic(err)
		}
	}
	var list []itemFacts
	query(&list, `SELECT i.id, i.kind, CASE WHEN i.opened_at IS NULL THEN 0 ELSE 1 END AS opened,
		i.title || '|' || i.body || '|' || coalesce(CAST(i.due_at AS TEXT), '')
		|| coalesce(d.method || d.rules || d.results || d.reasons || d.tie || CAST(d.options AS TEXT), '')
		|| coalesce(n.type || n.fields, '') || coalesce(c.place || CAST(c.critical_mass AS TEXT), '') AS text
		FROM items i LEFT JOIN decisions d ON d.id = i.id LEFT JOIN notes n ON n.id = i.id
		LEFT JOIN commitments c ON c.id = i.id`)
	items = map[string]itemFacts{}
	for _, i := range list {
		items[i.ID] = i
	}
	w.Query(&comments, `SELECT count(*) FROM comments`)
	var votes []string
	query(&votes, `SELECT decision_id || voter || marks || coalesce(agent_id, '') FROM ballots ORDER BY 1`)
	return items, comments, strings.Join(votes, "\n")
}

// effectsBetween returns the effects that turn one state of the items into the other.
func effectsBetween(before, after map[string]itemFacts) (list []string) {
	add := func(e action.Effect) {
		if !slices.Contains(list, string(e)) {
			list = append(list, string(e))
		}
	}
	for id, is := range after {
		was, known := before[id]
		if !known {
			add(action.Makes(is.Kind))
		}
		if is.Opened > was.Opened {
			add(action.Opens(is.Kind))
		}
		if known && is.Text != was.Text {
			add(action.Edits(is.Kind))
		}
	}
	for id, was := range before {
		if _, left := after[id]; !left {
			add(action.Deletes(was.Kind))
		}
	}
	return list
}

// agentWalk takes random actions that pages offer to an agent. It calls step after each action that was done or held
// for approval.
func agentWalk(t *testing.T, w *webtest.World, agent string, seed uint64, steps int,
	step func(decl action.Decl, page string, status int)) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 13))
	c := w.As(agent)
	var urls []string
	for _, name := range w.Fixtures() {
		if u := w.URL(name); strings.HasPrefix(u, "/studios/") {
			urls = append(urls, u)
		}
	}
	done := 0
	for try := 0; done < steps && try < 20*steps; try++ {
		u := urls[random.IntN(len(urls))]
		place, ok := w.Site.PlaceOf(u)
		r := c.Get(u, "application/json")
		v := &visit{url: u, receipt: w.Receipt(u)}
		if !ok || r.Status != http.StatusOK || json.Unmarshal([]byte(r.Body), &v.page) != nil || len(v.page.Actions) == 0 {
			continue
		}
		listed := v.page.Actions[random.IntN(len(v.page.Actions))]
		i := slices.IndexFunc(place.Actions, func(d action.Decl) bool { return d.Name == listed.Name })
		if i < 0 {
			continue
		}
		in := required(t, place.Actions[i], listed, v)
		if s := schemaOf(t, listed); random.IntN(2) == 0 && s.Properties["draft"].Type != "" {
			in["draft"] = true
		}
		r = c.PostJSON(u, listed.Name, in)
		if r.Status != http.StatusOK && r.Status != http.StatusAccepted {
			continue
		}
		done++
		step(place.Actions[i], u, r.Status)
		var made struct{ URL string }
		if json.Unmarshal([]byte(r.Body), &made); strings.HasPrefix(made.URL, "/studios/") {
			// The page to which the action leads, such as a new draft, gets more actions than other pages.
			urls = append(urls, made.URL, made.URL, made.URL)
		}
	}
	if done < steps/2 {
		t.Errorf("only %d of %d steps were taken", done, steps)
	}
}

// TestEffectsAreDeclared takes hundreds of random actions as an agent. Each effect on items, comments and ballots
// must be among the action's declared effects. Only then does a rule about an effect hold every action with that
// effect.
func TestEffectsAreDeclared(t *testing.T) {
	slow(t)
	pgtest.Folder(t, "the effects of an action do not depend on the database")
	seen := map[string]bool{}
	var all []action.Effect
	for _, kind := range []string{"decision", "note", "commitment"} {
		all = append(all, action.Makes(kind), action.Opens(kind), action.Edits(kind))
	}
	lacks := func(e action.Effect) bool { return !seen[string(e)] }
	for seed := range uint64(20) { // four walks, and more of them until each effect has occurred
		if seed >= 4 && !slices.ContainsFunc(all, lacks) {
			break
		}
		w := webtest.New(t)
		items, comments, ballots := factsOf(w)
		agentWalk(t, w, "scribe", seed, 120, func(decl action.Decl, page string, _ int) {
			is, remarks, votes := factsOf(w)
			effects := effectsBetween(items, is)
			if remarks > comments { // deleting a draft also deletes its comments, and the number falls
				effects = append(effects, "comment")
			}
			if votes != ballots && !decl.Ballot {
				t.Errorf("seed %d: %s on %s changes ballots", seed, decl.Name, page)
			}
			for _, e := range effects {
				seen[e] = true
				if !slices.Contains(decl.Effects, action.Effect(e)) {
					t.Errorf("seed %d: %s on %s has the effect %s and does not declare it", seed, decl.Name, page, e)
				}
			}
			items, comments, ballots = is, remarks, votes
		})
	}
	for _, e := range all {
		if lacks(e) {
			t.Errorf("no step had the effect %s", e)
		}
	}
}

// TestNoWayAroundAnAsk takes random actions as an agent whose organization holds some effects for approval. No action
// that is done at once may have one of these effects.
func TestNoWayAroundAnAsk(t *testing.T) {
	slow(t)
	pgtest.Folder(t, "the effects of an action do not depend on the database")
	w := webtest.New(t)
	if r := w.As("alice").PostJSON(w.URL("acme organization")+"/settings", "update_settings",
		param.Input{"agent_asks": []any{"create_decision", "opens:note", "update_note", "comment"}}); r.Status != http.StatusOK {
		t.Fatal(r.Body)
	}
	items, comments, _ := factsOf(w)
	never := []string{"makes:decision", "opens:decision", "opens:note", "edits:note"}
	held := 0
	agentWalk(t, w, "scribe", 7, 150, func(decl action.Decl, page string, status int) {
		is, remarks, _ := factsOf(w)
		for _, e := range effectsBetween(items, is) {
			if slices.Contains(never, e) {
				t.Errorf("%s on %s has the effect %s and was not held", decl.Name, page, e)
			}
		}
		if remarks > comments {
			t.Errorf("%s on %s comments and was not held", decl.Name, page)
		}
		if status == http.StatusAccepted {
			held++
		}
		items, comments = is, remarks
	})
	if held < 10 {
		t.Errorf("only %d calls were held", held)
	}
}

// TestAsksFollowEffects takes actions as an agent under rules that name other actions or effects. An action is held if
// it has an effect that the rule names, or an effect of an action that the rule names.
func TestAsksFollowEffects(t *testing.T) {
	slow(t)
	pgtest.Folder(t, "the effects of an action do not depend on the database")
	for name, c := range map[string]struct {
		asks, page, action string
		held               bool
	}{
		"a copy is a decision that is made":      {"create_decision", "standups", "duplicate", true},
		"a copy is a note that is made":          {"create_note", "note post", "duplicate", true},
		"a copy of a note is no decision":        {"create_decision", "note post", "duplicate", false},
		"an effect by its name":                  {"makes:decision", "standups", "duplicate", true},
		"an effect of another kind":              {"makes:commitment", "standups", "duplicate", false},
		"an action with an effect of its own":    {"comment", "standups", "comment", true},
		"an action without the effect in common": {"comment", "standups", "duplicate", false},
		"a draft is not opened":                  {"opens:decision", "team", "create_decision as a draft", false},
		"nor by the name of the opening":         {"open_decision", "team", "create_decision as a draft", false},
		"a draft is made":                        {"makes:decision", "team", "create_decision as a draft", true},
		"no draft is opened":                     {"opens:decision", "team", "create_decision", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := webtest.New(t)
			if r := w.As("alice").PostJSON(w.URL("acme organization")+"/settings", "update_settings",
				param.Input{"agent_asks": []any{c.asks}}); r.Status != http.StatusOK {
				t.Fatal(r.Body)
			}
			in := param.Input{}
			if c.action == "comment" {
				in["text"] = "May I?"
			}
			name, draft := strings.CutSuffix(c.action, " as a draft")
			if name == "create_decision" {
				in = param.Input{"question": "May I?", "options": []any{"Yes", "No"}, "draft": draft}
			}
			r := w.As("scribe").PostJSON(w.URL(c.page), name, in)
			if held := r.Status == http.StatusAccepted; held != c.held || r.Status >= 400 {
				t.Errorf("%s on %s is answered %d: %s", c.action, c.page, r.Status, r.Body)
			}
		})
	}
}
