package world

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web"
)

// TestMake holds the rows written past the product to what the product would have written: the journal is whole, and every
// page that is measured shows what it should.
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
		w.Small: "Comments", w.Open[0]: "cast_vote", w.Closed[0]: "Decided", w.LastDecisions: "Next page", w.LastJournal: "Next page", "/": "Waiting",
	} {
		r := httptest.NewRequest("GET", url, nil)
		r.Host = "localhost"
		r.Header.Set("Accept", "text/markdown")
		r.Header.Set("Authorization", "Bearer "+w.Token)
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, r)
		if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %d\n%s", url, rec.Code, rec.Body)
		}
	}
	if again, err := Make(t.Context(), w.Folder, 1000, false); err != nil || again.Token != w.Token {
		t.Error("a world that is there was made again", err)
	}
}
