package web_test

import (
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/faulttest"
	"samepage/web/webtest"
)

// TestMayRead asks which pages a person may read. A page that is hidden, gone or elsewhere is not readable. If the
// database does not answer, there is an error instead.
func TestMayRead(t *testing.T) {
	w := webtest.New(t)
	may := w.Site.Account().MayRead
	person := func(tx *store.Tx, handle string) store.Actor {
		var id string
		w.Query(&id, `SELECT id FROM users WHERE email = '`+handle+`@acme.example'`)
		by, err := tx.PersonOf(id)
		if err != nil {
			t.Fatal(err)
		}
		return by
	}
	standups := w.URL("standups")
	for _, c := range []struct {
		path string
		want bool
	}{
		{standups, true},
		{"/", true},
		{"/?q=walnut", false}, // this URL stands for a page of the search
		{"/studios/lab", false},
		{strings.Replace(standups, "/team/", "/nowhere/", 1), false},
		{"/there/is/no/such/page", false},
		{"/%zz", false},
	} {
		if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
			got, err := may(tx, person(tx, "bob"), c.path)
			if got != c.want || err != nil {
				t.Errorf("%s: %v %v, want %v", c.path, got, err, c.want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	var bob store.Actor
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error { bob = person(tx, "bob"); return nil }); err != nil {
		t.Fatal(err)
	}
	faulttest.EachStatement(t, w.Store, "a page", func(tx *store.Tx) error {
		got, err := may(tx, bob, standups)
		if err == nil && !got {
			t.Error("the page is not readable")
		}
		return err
	})
}
