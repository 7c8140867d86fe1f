package world

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web"
)

// TestMake checks that the rows written directly are like those that the product writes: the
// journal is valid, and every measured page shows its content.
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
