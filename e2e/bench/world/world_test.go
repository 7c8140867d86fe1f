package world

import (
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/work"
	"samepage/web"
)

// TestMake checks that the directly written rows are like those of the product: the journal is valid, and every
// measured page shows its content.
func TestMake(t *testing.T) {
	w, err := Make(t.Context(), t.TempDir(), 1000, false)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), w.Folder, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	err = st.Read(t.Context(), func(tx *store.Tx) error {
		o, err := tx.FindOrganization(store.System(), Org)
		if err != nil {
			return err
		}
		head, err := tx.VerifyJournal(o)
		if head.Seq < 1000 {
			t.Errorf("%d journal entries", head.Seq)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	site, err := web.New(t.Context(), st, web.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		w.Small:         "Comments",
		w.Open[0]:       "cast_vote",
		w.Closed[0]:     "Decided",
		w.LastDecisions: "Older ones",
		w.LastJournal:   "Older entries",
		"/":             "Waiting",
		w.Notes[0]:      "Note number",
		"/inbox":        "Older ones",
		w.Cycle:         "Note number",
	} {
		r := httptest.NewRequest("GET", url, nil)
		r.Host, r.RemoteAddr = "localhost", "127.0.0.1:4711"
		r.Header.Set("Accept", "text/markdown")
		r.Header.Set("Authorization", "Bearer "+w.Token)
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, r)
		if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %d\n%s", url, rec.Code, rec.Body)
		}
	}
	if w.Searchable {
		by := store.Actor{}
		var found *store.SearchPage
		err := st.Read(t.Context(), func(tx *store.Tx) (err error) {
			if by, err = tx.ActorByToken(w.Token); err != nil {
				return err
			}
			for _, text := range []string{"month type:comment studio:team by:m0001 by:people",
				"Monday type:decision studio:team is:closed before:1d",
				"stand type:decision is:open", "essay type:note studio:team"} {
				if found, err = tx.Search(by, text, ""); err != nil {
					return err
				}
				if len(found.Results) == 0 || !found.State.Complete {
					t.Errorf("%q finds %+v", text, found)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if again, err := Make(t.Context(), w.Folder, 1000, false); err != nil || again.Token != w.Token {
		t.Error("a world that is there was made again", err)
	}
}

// TestMakeWork checks that the directly written rows are like those of the product: every measured page shows its
// content, and the runner can claim the waiting turns.
func TestMakeWork(t *testing.T) {
	w, err := MakeWork(t.Context(), t.TempDir(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), w.Folder, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	site, err := web.New(t.Context(), st, web.Config{})
	if err != nil {
		t.Fatal(err)
	}
	get := func(url, token string) string {
		r := httptest.NewRequest("GET", url, nil)
		r.Host, r.RemoteAddr = "localhost", "127.0.0.1:4711"
		r.Header.Set("Accept", "text/markdown")
		r.Header.Set("Authorization", "Bearer "+token)
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, r)
		if rec.Code != http.StatusOK {
			t.Errorf("%s: %d", url, rec.Code)
		}
		return rec.Body.String()
	}
	for url, want := range map[string]string{
		w.Pages[0]:                         "Do part 6 of the work",
		w.Pages[0] + "/turns/2":            "Read beds/5.txt",
		w.Trees[0]:                         "Part 0 of the work",
		w.Board:                            "Card 23",
		"/studios/" + Studio:               "Workshop",
		"/studios/" + Studio + "/sessions": "Part 119 of the work",
		w.Live[0].Page:                     "Queued",
	} {
		if body := get(url+"?full=1", w.Token); !strings.Contains(body, want) {
			t.Errorf("%s does not say %q:\n%s", url, want, body)
		}
	}
	err = st.Read(t.Context(), func(tx *store.Tx) error {
		agent, err := tx.ActorByToken(w.Token)
		if err != nil {
			return err
		}
		home, err := tx.ShowHome(store.Actor{UserID: agent.UserID, Members: agent.Members, Member: agent.Member})
		if err != nil {
			return err
		}
		wanted := map[string]int{}
		for i := range home.Wanted {
			wanted[home.Wanted[i].Act]++
		}
		if len(home.Wanted) < 10 || wanted["Review"] == 0 {
			t.Errorf("home lists %v", home.Wanted)
		}
		by, err := tx.ActorByToken(w.Secret)
		if err != nil {
			return err
		}
		r, err := work.FindRunner(tx, by, Org, path.Base(w.Runner))
		if err != nil {
			return err
		}
		p, err := work.ShowRunner(tx, by, r)
		if err == nil && len(p.Turns) != LiveTurns {
			t.Errorf("the runner sees %d turns", len(p.Turns))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
