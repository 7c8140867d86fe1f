package store_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/store"
	"samepage/store/effort"
	"samepage/store/governance"
	"samepage/store/pgtest"
)

// fullTextBuilt reports whether the test binary was built with full-text search.
func fullTextBuilt(t testing.TB) bool {
	t.Helper()
	if pgtest.Given() != "" {
		return true
	}
	s, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.HasText()
}

// mustSearch skips a test that needs a full-text index if this build has none. If the environment variable
// SAMEPAGE_MUST_SEARCH is set, it fails the test instead.
func mustSearch(t testing.TB) {
	t.Helper()
	if fullTextBuilt(t) {
		return
	}
	if os.Getenv("SAMEPAGE_MUST_SEARCH") != "" {
		t.Fatal("built without full-text search: run go test -tags sqlite_fts5")
	}
	t.Skip("built without full-text search: run go test -tags sqlite_fts5")
}

// searches is the part of [world.everything] about searches.
func (w *world) searches() {
	hidden := w.studio("hidden", "members", w.alice)
	w.decision(w.alice, hidden, "Hidden?", "One")
	w.read(func(tx *store.Tx) error {
		for _, by := range []store.Actor{w.alice, w.bob, w.scribe, w.oscar, w.nobody} {
			for _, text := range []string{"", "stand-ups", "type:decision -type:comment", "is:open",
				"-is:due is:mine", "by:@bob -by:agent studio:team", "sort:old hello",
				"sort:relevance stand ups", "is:pinned is:closed is:draft before:1d after:2w -hello"} {
				if _, err := tx.Search(by, text, ""); err != nil {
					return err
				}
			}
		}
		return nil
	})
	w.write(func(tx *store.Tx) error {
		if err := tx.Exec(`UPDATE comments SET removed_at = 1 WHERE item_id = ?`, w.standups.ID); err != nil {
			return err
		}
		tx.Index(store.CommentDocument, w.standups.ID, 1)
		_, err := tx.IndexWaiting(10)
		return err
	})
}

// search returns the URLs of all results, over all pages.
func (w *world) search(by store.Actor, text string) []string {
	w.t.Helper()
	var list []string
	after := ""
	for {
		var p *store.SearchPage
		w.read(func(tx *store.Tx) (err error) {
			p, err = tx.Search(by, text, after)
			return err
		})
		for i := range p.Results {
			list = append(list, p.Results[i].URL())
		}
		if len(p.Results) > store.SearchLimit {
			w.t.Errorf("%q: %d results on a page", text, len(p.Results))
		}
		if after = p.Next; after == "" {
			return list
		}
	}
}

func TestSearch(t *testing.T) {
	mustSearch(t)
	w := newWorld(t)
	budget := w.decision(w.bob, w.team, "Café budget for spring", "Ten thousand", "Nothing")
	w.clock.advance(time.Hour)
	draft := w.draft(w.alice, w.team, "Budget draft", "One")
	w.write(func(tx *store.Tx) error {
		_, err := tx.AddComment(w.scribe, &budget.Item, "The budget is *tight*, as always.")
		return err
	})
	comment := budget.URL() + "/comments?before=2#c1"
	hour := w.clock.Now()
	w.clock.advance(72 * time.Hour)
	later := w.decision(w.alice, w.team, "Later", "Spring budget")
	w.write(func(tx *store.Tx) error { return tx.PinItem(w.bob, &later.Item, true) })
	for _, c := range []struct {
		by   store.Actor
		text string
		want []string
	}{
		{w.alice, "budget", []string{later.URL(), comment, draft.URL(), budget.URL()}},
		{w.bob, "budget", []string{later.URL(), comment, budget.URL()}},
		{w.oscar, "budget", nil},
		{w.nobody, "budget", nil},
		{w.bob, "BUDGET cafe", []string{budget.URL()}},
		{w.bob, "café", []string{budget.URL()}},
		{w.bob, `"spring budget"`, []string{later.URL()}},
		{w.bob, `spring budget`, []string{later.URL(), budget.URL()}},
		{w.bob, `"spring budget`, []string{later.URL()}},
		{w.bob, "budget -café", []string{later.URL(), comment}},
		{w.bob, "budg", nil},
		{w.bob, "budgets", []string{later.URL(), comment, budget.URL()}},
		{w.bob, "budgets -nothings", []string{later.URL(), comment}},
		{w.bob, `"budgets"`, nil},
		{w.bob, `"budget"`, []string{later.URL(), comment, budget.URL()}},
		{w.bob, `"spring budgets"`, nil},
		{w.bob, "budgets in:title", []string{budget.URL()}},
		{w.bob, "budgets in:text", []string{later.URL(), comment}},
		{w.bob, "budgeting sort:relevance", []string{budget.URL(), later.URL(), comment}},
		{w.bob, "thousand", []string{budget.URL()}},
		{w.bob, "budget in:title", []string{budget.URL()}},
		{w.bob, "budget in:text", []string{later.URL(), comment}},
		{w.bob, "budget in:comments", []string{comment}},
		{w.bob, "budget type:decision", []string{later.URL(), budget.URL()}},
		{w.bob, "budget -type:decision", []string{comment}},
		{w.bob, "budget by:@bob", []string{budget.URL()}},
		{w.bob, "budget by:agent", []string{comment}},
		{w.bob, "budget -by:agent", []string{later.URL(), budget.URL()}},
		{w.bob, "budget by:people", []string{later.URL(), budget.URL()}},
		{w.bob, "budget -by:bob", []string{later.URL(), comment}},
		{w.bob, "budget by:nobody", nil},
		{w.bob, "by:nobody", nil},
		{w.bob, "budget by:nobody by:@bob", []string{budget.URL()}},
		{w.bob, "budget -by:nobody", []string{later.URL(), comment, budget.URL()}},
		{w.bob, "budget studio:nowhere", nil},
		{w.alice, "budget is:draft", []string{draft.URL()}},
		{w.bob, "is:draft", nil},
		{w.bob, "budget is:mine", []string{budget.URL()}},
		{w.bob, "is:pinned", []string{later.URL()}},
		{w.bob, "is:open -is:pinned", []string{budget.URL(), w.standups.URL()}},
		{w.bob, "budget sort:old", []string{budget.URL(), comment, later.URL()}},
		{w.bob, "budget sort:relevance", []string{budget.URL(), later.URL(), comment}},
		{w.bob, "budget after:1d", []string{later.URL()}},
		{w.bob, "budget before:1d", []string{comment, budget.URL()}},
		{w.bob, "budget before:" + hour.Format(time.DateOnly), nil},
		{w.bob, "budget studio:team", []string{later.URL(), comment, budget.URL()}},
		{w.bob, "budget -studio:team", nil},
		{w.bob, "type:member alice", []string{"/orgs/acme/members/alice"}},
		{w.bob, "type:studio", []string{"/studios/team", "/studios/acme"}},
		{w.bob, "oacme tags budget", nil},
		{w.bob, `" OR budget"`, nil},
		{w.bob, "— & !", nil},
	} {
		if got := w.search(c.by, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q\n\tgot  %q\n\twant %q", c.by.Name(), c.text, got, c.want)
		}
	}
}

// TestSearchFollowsChanges expects a search to find the present text of changed documents, and no text of undone
// changes.
func TestSearchFollowsChanges(t *testing.T) {
	mustSearch(t)
	w := newWorld(t)
	d := w.draft(w.alice, w.team, "Giraffes", "Yes")
	find := func(by store.Actor, text string, want int) {
		t.Helper()
		if got := w.search(by, text); len(got) != want {
			t.Errorf("%s finds %q for %q, want %d", by.Name(), got, text, want)
		}
	}
	find(w.alice, "giraffes", 1)
	w.write(func(tx *store.Tx) error {
		return governance.UpdateDecision(tx, d,
			governance.NewDecision{Question: "Zebras", Method: "acceptance", Results: "shown", Reasons: "off"})
	})
	find(w.alice, "giraffes", 0)
	find(w.alice, "zebras", 1)
	find(w.bob, "zebras", 0)
	err := w.Write(context.Background(), func(tx *store.Tx) error {
		if err := governance.OpenDecision(tx, d); err != nil {
			return err
		}
		return store.Errorf(store.Conflict, "no")
	})
	if err == nil {
		t.Error("not undone")
	}
	w.write(func(tx *store.Tx) error {
		tx.Nested(func() error {
			if _, err := tx.AddComment(w.alice, &d.Item, "okapi"); err != nil {
				return err
			}
			return store.Missing()
		})
		return nil
	})
	find(w.alice, "okapi", 0)
	find(w.bob, "zebras", 0)
	w.write(func(tx *store.Tx) error { return governance.OpenDecision(tx, d) })
	find(w.bob, "zebras is:open", 1)
	find(w.alice, "zebras is:draft", 0)
	w.clock.advance(time.Hour)
	w.write(func(tx *store.Tx) error {
		return governance.CloseDecision(tx, w.alice, d, "So we keep gnus", "result", "", "")
	})
	find(w.bob, "zebras is:open", 0)
	find(w.bob, "gnus is:closed", 1)
	w.write(func(tx *store.Tx) error { return tx.RenameMember(w.bob.Member, "bob", "Robert", "") })
	find(w.alice, "robert", 1)
	find(w.alice, "bob type:member", 1) // the handle is still bob
	w.raw(`UPDATE items SET removed_at = 1 WHERE id = ?`, d.ID)
	find(w.bob, "zebras", 0)
}

// searchWords are the words of the documents of a searchModel.
var searchWords = []string{"apple", "pear", "plum"}

// searchModel is a world with random documents.
type searchModel struct {
	w       *world
	actors  []store.Actor
	studios []*store.Studio
	all     []madeDocument
	// addresses has the URL of each document in the field all. It has "" for a document that the actor of the last
	// call of the method look may not see.
	addresses []string
}

type madeDocument struct {
	studio, id string
	seq        int
	text       string
	by         string
	kind       string
}

// add makes a random change: a draft, a decision, a comment, or another visibility of a studio.
func (m *searchModel) add(r *rapid.T) {
	if rapid.Bool().Draw(r, "later") {
		m.w.clock.advance(time.Minute)
	}
	s := rapid.SampledFrom(m.studios).Draw(r, "studio")
	var here []store.Actor
	for _, a := range append(m.actors, m.w.scribe) {
		err := m.w.Read(context.Background(), func(tx *store.Tx) error {
			_, err := tx.FindStudio(a, s.Handle)
			return err
		})
		if err == nil && a.In(s.OrgID).Member != nil {
			here = append(here, a)
		}
	}
	by := rapid.SampledFrom(here).Draw(r, "author")
	text := rapid.SampledFrom(searchWords).Draw(r, "word") + " " + rapid.SampledFrom(searchWords).Draw(r, "word")
	switch rapid.IntRange(0, 3).Draw(r, "what") {
	case 0:
		d := m.w.draft(by, s, text)
		m.all = append(m.all, madeDocument{s.Handle, d.ID, 0, text, by.Member.Handle, "decision"})
	case 1:
		d := m.w.decision(by, s, text)
		m.all = append(m.all, madeDocument{s.Handle, d.ID, 0, text, by.Member.Handle, "decision"})
	case 2:
		m.w.write(func(tx *store.Tx) error {
			s.Visibility = rapid.SampledFrom([]string{"members", "organization", "public"}).
				Draw(r, "visibility")
			return tx.SetVisibility(s, s.Visibility)
		})
	default:
		if len(m.all) == 0 || m.all[len(m.all)-1].seq != 0 {
			return
		}
		last := m.all[len(m.all)-1]
		m.w.write(func(tx *store.Tx) error {
			d, err := governance.FindDecision(tx, by, last.studio, last.id)
			if store.CodeOf(err) == store.NotFound || err == nil && by.In(d.OrgID).Member == nil {
				return nil
			}
			if err != nil {
				return err
			}
			seq, err := tx.AddComment(by, &d.Item, text)
			m.all = append(m.all, madeDocument{last.studio, last.id, seq, text, by.Member.Handle, "comment"})
			return err
		})
	}
}

// look finds the addresses of the documents that the actor may see.
func (m *searchModel) look(by store.Actor) {
	m.addresses = make([]string, len(m.all))
	m.w.read(func(tx *store.Tx) error {
		for i, made := range m.all {
			d, err := governance.FindDecision(tx, by, made.studio, made.id)
			if err != nil {
				continue
			}
			if m.addresses[i] = d.URL(); made.seq > 0 {
				m.addresses[i] += fmt.Sprintf("/comments?before=%d#c%d", made.seq+1, made.seq)
			}
		}
		return nil
	})
}

// compare compares the results of a search with the documents that look has found.
func (m *searchModel) compare(r *rapid.T, by store.Actor, text string, matches func(madeDocument) bool) {
	var want []string
	for i, made := range m.all {
		if m.addresses[i] != "" && matches(made) {
			want = append(want, m.addresses[i])
		}
	}
	if strings.Contains(text, "by:alice") && by.In(m.w.acme.ID).Member == nil {
		return // an outsider must not learn whether Alice exists
	}
	slices.Reverse(want)
	got := m.w.search(by, text)
	if strings.Contains(text, "relevance") {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		r.Fatalf("%s: %q\n\tfinds %q\n\tmay see %q", by.Name(), text, got, want)
	}
}

// TestSearchShowsWhatPagesShow makes worlds with studios of every visibility. With every filter, an actor's results
// must be the documents whose pages the actor may see, in the order of age.
func TestSearchShowsWhatPagesShow(t *testing.T) {
	effort.Slow(t)
	mustSearch(t)
	fewerHistories(t, 10)
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t)
		defer w.Store.Close()
		actors := []store.Actor{w.alice, w.bob, w.oscar}
		m := &searchModel{w: w, actors: actors}
		m.all = []madeDocument{{"team", w.standups.ID, 0, w.standups.Title, "alice", "decision"}}
		for i := range rapid.IntRange(1, 5).Draw(r, "studios") {
			by := rapid.SampledFrom(actors).Draw(r, "creator")
			m.studios = append(m.studios,
				w.studio(fmt.Sprintf("studio-%d", i),
					rapid.SampledFrom([]string{"members", "organization", "public"}).Draw(r, "visibility"), by))
		}
		for range rapid.IntRange(5, 40).Draw(r, "documents") {
			m.add(r)
		}
		for _, by := range append(actors, w.scribe, w.nobody) {
			m.look(by)
			word := rapid.SampledFrom(searchWords).Draw(r, "wanted")
			not := rapid.SampledFrom(searchWords).Draw(r, "unwanted")
			query := map[string]func(d madeDocument) bool{
				word: func(d madeDocument) bool { return strings.Contains(d.text, word) },
				word + " -" + not + " type:decision": func(d madeDocument) bool {
					return strings.Contains(d.text, word) && !strings.Contains(d.text, not) && d.kind == "decision"
				},
				"type:comment type:decision by:alice": func(d madeDocument) bool {
					return d.by == "alice" && by.In(w.acme.ID).Member != nil
				},
				"type:decision": func(d madeDocument) bool { return d.kind == "decision" },
				"-type:decision type:comment -" + not: func(d madeDocument) bool {
					return d.kind == "comment" && !strings.Contains(d.text, not)
				},
				`"` + word + " " + not + `" sort:relevance`: func(d madeDocument) bool { return d.text == word+" "+not },
			}
			for text, matches := range query {
				m.compare(r, by, text, matches)
			}
		}
	})
}
