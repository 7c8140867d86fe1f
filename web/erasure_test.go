package web_test

import (
	"strings"
	"testing"

	"samepage/store"
	"samepage/web/webtest"
)

// TestErasure: no table says any more what a former member was called, their login is gone, and the journal is whole.
func TestErasure(t *testing.T) {
	w := webtest.New(t)
	alice, u := w.As("alice"), w.URL("@frank")
	if r := alice.Post(w.URL("@bob"), "erase", nil); r.Status != 409 {
		t.Errorf("a member is erased: %d", r.Status)
	}
	for _, who := range []string{"bob", "scribe"} {
		if r := w.As(who).PostJSON(w.URL("@erin"), "erase", nil); r.Status != 403 {
			t.Errorf("%s erases: %d", who, r.Status)
		}
	}
	w.As("bob").Post(w.URL("commons open"), "comment", map[string]any{"text": "Thank you."}) // Frank follows it
	r := alice.Post(u, "erase", nil)
	if r.Status != 303 {
		t.Fatalf("%d %s", r.Status, mainOf(r.Body))
	}
	if page := alice.Get(r.Location(), "text/markdown"); page.Status != 200 || !strings.Contains(page.Body, "# Former member") {
		t.Errorf("%d %s", page.Status, page.Body)
	}
	for _, word := range []string{"frank", "Fuchs"} {
		if at := holds(t, w, word); at != "" {
			t.Errorf("%s still says %q", at, word)
		}
	}
	if r := w.As("frank").Get("/", "text/html"); r.Status != 303 {
		t.Errorf("the login still opens: %d", r.Status)
	}
	if r := alice.Get(u, ""); r.Status != 404 {
		t.Errorf("the old handle leads somewhere: %d", r.Status)
	}
	if page := alice.Get("/orgs/acme/journal", "text/markdown"); !strings.Contains(page.Body, "a former member") {
		t.Errorf("the journal names nobody:\n%s", page.Body)
	}
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		o, err := tx.FindOrganization(store.System(), "acme")
		if err == nil {
			_, err = tx.VerifyJournal(o)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
