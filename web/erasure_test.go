package web_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/web/webtest"
)

// TestErasure erases a former member. Afterwards no table has their name, their login is deleted, and the journal is
// still valid.
func TestErasure(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	alice, u := w.As("alice"), w.URL("@frank")
	if r := alice.Post(w.URL("@bob"), "erase_member", nil); r.Status != 409 {
		t.Errorf("a member is erased: %d", r.Status)
	}
	for _, who := range []string{"bob", "scribe"} {
		if r := w.As(who).PostJSON(w.URL("@erin"), "erase_member", nil); r.Status != 403 {
			t.Errorf("%s erases: %d", who, r.Status)
		}
	}
	// Frank follows this decision, so the comment notifies him.
	w.As("bob").Post(w.URL("commons open"), "comment", map[string]any{"text": "Thank you."})
	r := alice.Post(u, "erase_member", nil)
	if r.Status != 303 {
		t.Fatalf("%d %s", r.Status, mainOf(r.Body))
	}
	if page := alice.Get(r.Location(), "text/markdown"); page.Status != 200 ||
		!strings.Contains(page.Body, "# Former member") {
		t.Errorf("%d %s", page.Status, page.Body)
	}
	for _, word := range []string{"frank", "Fuchs"} {
		if at := w.Holds(word); at != "" {
			t.Errorf("%s still says %q", at, word)
		}
	}
	if r := w.As("frank").Get("/", "text/html"); r.Status != 303 {
		t.Errorf("the login still opens: %d", r.Status)
	}
	if r := alice.Get(u, ""); r.Status != 404 {
		t.Errorf("the old handle leads somewhere: %d", r.Status)
	}
	if text := wholeJournal(alice); !strings.Contains(text, "a former member") {
		t.Errorf("the journal names nobody:\n%s", text)
	}
	w.VerifyJournal()
}

// TestRedactingTakesTheReasons redacts a page and a comment. The reasons given for their edits are removed with the
// text, and the journal is still valid.
func TestRedactingTakesTheReasons(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	scribe, alice := w.As("scribe"), w.As("alice")
	r := scribe.JSON(w.URL("team"), "create_note",
		webtest.Call{Params: param.Input{"title": "Wages", "text": "Secret."}, Why: "because frank-earns-most"})
	if r.Status != 201 && r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	note := regexp.MustCompile(`/studios/team/n/[a-z0-9]{10}`).FindString(r.Body)
	talk := w.URL("standups")
	for page, why := range map[string]string{note: "because erin-earns-least", talk: "because bob-snores"} {
		if r := scribe.JSON(page, "comment",
			webtest.Call{Params: param.Input{"text": "Look."}, Why: why}); r.Status >= 300 {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	said := []string{"frank-earns-most", "erin-earns-least", "bob-snores"}
	for _, s := range said {
		if !strings.Contains(strings.Join(w.Rows("journal"), ""), s) {
			t.Fatalf("%q was not in the journal", s)
		}
	}
	if r := alice.PostJSON(note, "redact", nil); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	if r := alice.PostJSON(talk, "redact", param.Input{"comment": 7}); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	for _, s := range said {
		if strings.Contains(strings.Join(w.Rows("journal"), ""), s) {
			t.Errorf("%q is in the journal still", s)
		}
	}
	if body := alice.Get(w.URL("acme organization")+"/journal/verify", "text/markdown").Body; !strings.Contains(body,
		"Whole. All") {
		t.Error(body)
	}
}

// TestErasureWithLinksUnderWay erases a member who has unused links to reset the password and to change the address.
// The links are deleted too.
func TestErasureWithLinksUnderWay(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		u, err := tx.UserByEmail("frank@acme.example")
		if err != nil {
			return err
		}
		if err := credential.RequestReset(tx, u.Email, tx.Now); err != nil {
			return err
		}
		return credential.RequestAddress(tx, u.ID, u.Email, "francis@example.org")
	}); err != nil {
		t.Fatal(err)
	}
	if r := w.As("alice").Post(w.URL("@frank"), "erase_member", nil); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, mainOf(r.Body))
	}
	for _, word := range []string{"frank@", "francis"} {
		if at := w.Holds(word); at != "" {
			t.Errorf("%s still says %q", at, word)
		}
	}
}

// TestErasureOfRecords removes and erases members who hold roles, take part in elections and have agents. Afterwards
// no record of the journal has their handles or the bylines of their agents, and the journal is still valid.
func TestErasureOfRecords(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	alice := w.As("alice")
	named := func() map[string]int { // the number of values that name each member, by handle
		var records []string
		if err := w.Database().Select(&records, `SELECT before FROM journal WHERE before IS NOT NULL
			UNION ALL SELECT after FROM journal WHERE after IS NOT NULL`); err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for _, r := range records {
			var v any
			if err := json.Unmarshal([]byte(r), &v); err != nil {
				t.Fatal(err)
			}
			eachText(v, func(text string) {
				if _, of, ok := strings.Cut(text, ", agent of "); ok {
					text = of
				}
				n[strings.TrimPrefix(text, "@")]++
			})
		}
		return n
	}
	before := named()
	for _, who := range []string{"bob", "carol", "dave", "erin"} {
		if before[who] == 0 {
			t.Fatalf("no record names @%s, so there is nothing to erase", who)
		}
		for _, action := range []string{"remove_member", "erase_member"} {
			if r := alice.Post(w.URL("@"+who), action, nil); r.Status != 303 {
				t.Fatalf("%s of @%s: %d %s", action, who, r.Status, mainOf(r.Body))
			}
		}
		if n := named()[who]; n > 0 {
			t.Errorf("%d values in records of the journal still name @%s", n, who)
		}
	}
	w.VerifyJournal()
}

// eachText calls f with each text in a JSON value, but not with the names of its fields.
func eachText(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			eachText(e, f)
		}
	case map[string]any:
		for _, e := range v {
			eachText(e, f)
		}
	}
}
