package demo

import (
	"strings"
	"testing"
	"time"

	"samepage/actions"
	"samepage/store"
	"samepage/web"
)

// TestDemoIsLively checks the demo: its three weeks end now, people and agents talk with each other, and some votes are
// open.
func TestDemoIsLively(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	o := store.Options{Clock: func() time.Time { return now }}
	if err := Make(t.Context(), dir, o); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	site, err := web.New(t.Context(), st, web.Config{})
	if err != nil {
		t.Fatal(err)
	}
	before := entries(t, st)
	if first, last := before[len(before)-1].At, before[0].At; now.Sub(first.Time) < 20*day || last.After(now) ||
		now.Sub(last.Time) > time.Hour {
		t.Errorf("the story goes from %s to %s", first, last)
	}
	minutes, comments, agents := map[string]bool{}, map[string]int{}, 0
	untouched := map[string]bool{} // open decisions without a vote of Alice, Bob or their agents
	for i := len(before) - 1; i >= 0; i-- {
		e := before[i]
		minutes[e.At.Format("2006-01-02 15:04")] = true
		switch e.Action {
		case actions.CreateDecision.Name:
			untouched[e.URL] = !strings.Contains(e.Title, "in spring")
		case actions.Comment:
			if e.Kind == "decision" {
				comments[e.Title]++
			}
			if e.AgentID != "" {
				agents++
			}
		case actions.CloseDecision.Name:
			delete(untouched, e.URL)
		case actions.CastVote.Name:
			if e.Member == "alice" || e.Member == "bob" {
				delete(untouched, e.URL)
			}
		}
	}
	left := 0
	for _, yes := range untouched {
		if yes {
			left++
		}
	}
	if len(minutes) < 100 || left < 2 || agents < 5 || len(comments) != len(votes) {
		t.Errorf("%d minutes, %d left to vote on, %d comments by agents, comments on %d of %d", len(minutes), left,
			agents, len(comments), len(votes))
	}
	for title, n := range comments {
		if n < 2 || n > 3 {
			t.Errorf("%d comments on %s", n, title)
		}
	}
	// Open items are not due yet. Later runs of the demo only make tokens, and end those older than a day.
	for run := range 3 {
		now = now.Add(time.Duration(run) * 25 * time.Hour / 2)
		site.CloseDue(t.Context())
		if err := Make(t.Context(), dir, store.Options{Clock: o.Clock, Beside: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := Seed(t.Context(), site, st); err != nil {
			t.Fatal(err)
		}
		// The second run is half a day after the first, the third more than a day after both.
		if n, want := active(t, st), []int{3, 6, 3}[run]; n != want {
			t.Errorf("run %d: %d active tokens, want %d", run+1, n, want)
		}
	}
	after := entries(t, st)
	for _, e := range after[:len(after)-len(before)] {
		if e.Kind != "token" && e.Action != actions.Remind {
			t.Errorf("a later run did %s on %s", e.Action, e.Title)
		}
	}
}

func entries(t *testing.T, st *store.Store) (list []store.Entry) {
	t.Helper()
	err := st.Read(t.Context(), func(tx *store.Tx) error {
		var by store.Actor
		for _, p := range people { // each person sees their own private entries
			m, err := tx.FindMember(store.System(), organization, p.handle)
			if err != nil {
				return err
			}
			by.Members = append(by.Members, *m)
		}
		o, err := tx.FindOrganization(store.System(), organization)
		if err != nil {
			return err
		}
		by.Member = &by.Members[0]
		page, err := tx.ShowJournal(by, o, store.JournalQuery{Limit: 10_000}, "")
		if err == nil {
			list = page.Entries
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func active(t *testing.T, st *store.Store) (n int) {
	t.Helper()
	err := st.Read(t.Context(), func(tx *store.Tx) error {
		list, err := tx.AllTokens()
		for _, token := range list {
			if token.State() == "active" {
				n++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
