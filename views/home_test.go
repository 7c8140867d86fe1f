package views

import (
	"strconv"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/governance"
	"samepage/views/page"
)

// TestHomeTitle checks that the title of the home page has the number of things that wait for the reader.
func TestHomeTitle(t *testing.T) {
	alice := store.Actor{UserID: "1", Members: []store.Member{{ID: "a", Name: "Alice"}}}
	scribe := alice
	scribe.Token = "t"
	home := func(items, asked int, more bool) *store.HomePage {
		return &store.HomePage{Waiting: make([]store.Waiting, items), Asked: make([]store.Approval, asked), More: more}
	}
	first := home(0, 0, false)
	first.First = []store.Beginning{{Org: "acme"}}
	for i, c := range []struct {
		by   store.Actor
		v    *store.HomePage
		want string
	}{
		{alice, home(0, 0, false), "Nothing waits for you"},
		{alice, home(1, 0, false), "1 thing waits for you"},
		{alice, home(0, 1, false), "1 thing waits for you"},
		{alice, home(2, 1, false), "3 things wait for you"},
		{alice, home(20, 10, true), "More than 30 things wait for you"},
		{alice, first, "Welcome, Alice"},
		{scribe, home(0, 2, false), "Nothing waits for you"}, // Scribe's own requests wait for a person
		{scribe, home(1, 2, false), "1 thing waits for you"},
	} {
		if got := homeTitle(c.by, c.v); got != c.want {
			t.Errorf("%d: %q, want %q", i, got, c.want)
		}
	}
}

// TestStart checks that the home page offers things to start with only to a person for whom nothing waits.
func TestStart(t *testing.T) {
	alice := store.Actor{UserID: "1", Members: []store.Member{{ID: "a", Name: "Alice"}}}
	for name, change := range map[string]func(v *store.HomePage){
		"":                 func(*store.HomePage) {},
		"a first step":     func(v *store.HomePage) { v.First = make([]store.Beginning, 1) },
		"an item":          func(v *store.HomePage) { v.Waiting = make([]store.Waiting, 1) },
		"an approval":      func(v *store.HomePage) { v.Asked = make([]store.Approval, 1) },
		"another request":  func(v *store.HomePage) { v.Wanted = make([]store.Request, 1) },
		"an unread event":  func(v *store.HomePage) { v.Unread = make([]store.Notification, 1) },
		"without a studio": func(v *store.HomePage) { v.Studios = nil },
	} {
		v := &store.HomePage{Studios: []store.Studio{{Handle: "team", Name: "Team"}}}
		change(v)
		if got := len(start(alice, v, nil)) > 0; got != (name == "") {
			t.Errorf("%q: things to start with are shown: %v", name, got)
		}
	}
}

// TestHappened checks the sentence about several notifications of one page.
func TestHappened(t *testing.T) {
	told := func(actor, did string) *store.Notification { return &store.Notification{Actor: actor, Did: did} }
	ended := told("@eve", "closed")
	ended.Kind, ended.ItemState, ended.Headline = "decision", governance.DecisionResult, "Cargo, 3 of 5"
	for _, c := range []struct {
		list []*store.Notification
		want string
	}{
		{[]*store.Notification{told("@bob", "wrote")}, "@bob wrote"},
		{[]*store.Notification{told("@bob", "commented on"), told("@eve", "commented on"), told("@bob", "commented on"),
			told("@dan", "commented on")}, "@bob, @eve and @dan commented"},
		{[]*store.Notification{told("@bob", "commented on"), told("@bob", "asked")}, "@bob commented and asked"},
		{[]*store.Notification{told("@eve", "commented on"), told("@bob", "asked")}, "@eve commented; @bob asked"},
		{[]*store.Notification{ended}, "Decided: Cargo, 3 of 5."},
		{[]*store.Notification{told("@bob", "commented on"), ended, told("@eve", "asked"), ended},
			"Decided: Cargo, 3 of 5. @bob commented; @eve asked"},
	} {
		if got := page.Plain(happened(c.list), &page.Context{}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestChanges checks the fields that an entry changed, as a list of entries shows them.
func TestChanges(t *testing.T) {
	long := ""
	for i := range 100 {
		long += strconv.Itoa(i) + " "
	}
	was, is := `{"state":"open","title":"Tea","text":"`+long+`one end","gone":1}`,
		`{"state":"closed","title":"Tea","text":"`+long+`another end","new_field":"x"}`
	got, state := changes(&store.Entry{Before: &was, After: &is})
	if state != page.Pill("Closed", page.Calm) {
		t.Errorf("the state is %+v", state)
	}
	if _, state := changes(&store.Entry{Before: &is, After: &is}); state != (page.Inline{}) {
		t.Errorf("without a change, the state is %+v", state)
	}
	longTitle, cut := strings.Repeat("ö", 50), strings.Repeat("ö", mostWinner)+"…"
	for record, won := range map[string]string{
		`{"state":"result","options":["Oak","Elm","Ash"],"result":{"winners":[2,0]}}`:        "Ash, Oak",
		`{"state":"result","options":["Oak","Elm"],"deciding":2,"result":{"winners":[0,1]}}`: "Elm",
		`{"state":"result","options":["` + longTitle + `"],"result":{"winners":[0,7,-1]}}`:   cut,
		`{"state":"elected","candidate":"erin"}`:                                             "@erin",
		`{"state":"result"}`:                                                                 "Decided",
		`{"state":"result","options":"oak"}`:                                                 "Decided",
		`{"state":"approved","candidate":"eve"}`:                                             "Approved",
	} {
		if _, state := changes(&store.Entry{Before: &was, After: &record}); state != page.Pill(won, page.Good) {
			t.Errorf("%s has the state %+v", record, state)
		}
	}
	want := []page.Changed{{Field: "gone", Before: "1"}, {Field: "new field", After: "x"},
		{Field: "state", Before: "open", After: "closed"}}
	if len(got) != 4 {
		t.Fatal(got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	if text := got[3]; text.Field != "text" || !strings.HasPrefix(text.Before, "…") || !strings.HasSuffix(text.Before, "99 one end") ||
		!strings.HasSuffix(text.After, "99 another end") || len(text.Before) > 60 {
		t.Errorf("%+v", text)
	}
}
