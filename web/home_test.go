package web_test

import (
	"log/slog"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/account"
	"samepage/web/webtest"
)

var actionLink = regexp.MustCompile(`\]\(` + regexp.QuoteMeta(webtest.Origin) + `(/[^)]+/actions/[a-z_]+)\)`)

// TestWhatWaitsCanBeDone follows every button on the home page of every actor. Each leads to an action that the actor
// may take.
func TestWhatWaitsCanBeDone(t *testing.T) {
	w := webtest.New(t)
	followed := 0
	for _, who := range w.Actors() {
		c := w.As(who)
		home := c.Get("/", "text/markdown").Body
		if strings.Contains(home, "To begin") {
			t.Errorf("%s is told how to begin where there is much already:\n%s", who, home)
		}
		for _, link := range actionLink.FindAllStringSubmatch(home, -1) {
			followed++
			// Reader's token may only read, but its agent may pass the link on to its member.
			if r := c.Get(link[1], "text/markdown"); r.Status != 200 && who != "reader" {
				t.Errorf("%s: %s is %d:\n%s", who, link[1], r.Status, r.Body)
			}
		}
	}
	if followed < 20 {
		t.Fatalf("only %d links were found", followed)
	}
}

// founder founds an organization on an empty site. It returns a function that sends requests as the owner.
func founder(t *testing.T) func(method, target string, form url.Values, accept string) *httptest.ResponseRecorder {
	t.Helper()
	where := webtest.Where(t)
	st, err := store.Open(t.Context(), where, store.Options{Keys: pgtest.Keys(where)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	s, err := web.New(t.Context(), st, web.Config{Origin: webtest.Origin, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := account.FoundOrganization(t.Context(), st,
		account.Founding{Handle: "acme", Zone: "Europe/Berlin", Name: "Alice <b>",
			Member: "alice", Email: "alice@acme.example", Password: webtest.Password}); err != nil {
		t.Fatal(err)
	}
	login := httptest.NewRequest("POST", webtest.Origin+"/login",
		strings.NewReader(url.Values{"email": {"alice@acme.example"}, "password": {webtest.Password}}.Encode()))
	login.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	signedIn := httptest.NewRecorder()
	s.ServeHTTP(signedIn, login)
	cookie, _, _ := strings.Cut(signedIn.Header().Get("Set-Cookie"), ";")
	return func(method, target string, form url.Values, accept string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequest(method, webtest.Origin+target, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Cookie", cookie)
		r.Header.Set("Accept", accept)
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		return rec
	}
}

// TestFirstVisit founds an organization. The home page leads the owner through the first steps, and each step
// disappears once it is done.
func TestFirstVisit(t *testing.T) {
	t.Parallel()
	do := founder(t)
	home := func(accept string) string { return do("GET", "/", nil, accept).Body.String() }
	steps := []struct {
		title, at, action string
		form              url.Values
	}{
		{"Name it", "/orgs/acme/settings", "update_settings", url.Values{"name": {"Acme & Co"}}},
		{"Invite somebody", "/orgs/acme/invitations", "invite_member", url.Values{}},
		{"Connect an agent", "/settings/tokens", "create_token",
			url.Values{"label": {"Scribe"}, "scopes": {"read", "write"}}},
		{"Write a note", "/studios/acme", "create_note", url.Values{"title": {"Welcome"}, "text": {"Come in."}}},
	}
	if text := home("text/markdown"); !strings.Contains(text, "# Welcome, Alice \\<b>\n\nThese are the first steps.\n\n## "+
		"To begin\n\n| Do | Step | Why | Until |\n| --- | --- | --- | --- |\n| [Name it]") || strings.Contains(text,
		"Three things") {
		t.Error(text)
	}
	for i, step := range steps {
		target := step.at + "/actions/" + step.action
		for _, accept := range []string{"text/markdown", "text/html"} {
			body := home(accept)
			for j, other := range steps {
				if shown := strings.Contains(body, other.at+"/actions/"+other.action) &&
					strings.Contains(body, other.title); shown != (j >= i) {
					t.Errorf("before %q, %q is shown: %v\n%s", step.title, other.title, shown, body)
				}
			}
		}
		if r := do("GET", target, nil, "text/html"); r.Code != 200 ||
			!strings.Contains(r.Body.String(), `action="`+target+`"`) {
			t.Errorf("%s: %d", target, r.Code)
		}
		if r := do("POST", target, step.form, "text/html"); r.Code >= 400 {
			t.Errorf("%s: %d\n%s", step.title, r.Code, r.Body)
		}
	}
	text := home("text/markdown")
	if strings.Contains(text, "To begin") || !strings.Contains(text, "# Nothing waits for you\n") ||
		!strings.Contains(text, "## Your agents") || !strings.Contains(text, "## Things to start with\n\n- [") {
		t.Error(text)
	}
	const create = "](https://samepage.example/studios/acme/actions/create_"
	for _, begin := range []string{
		"- [Ask for a decision" + create + "decision) Let acme decide.",
		"- [Propose a commitment" + create + "commitment) What happens only",
		"- [Write a note" + create + "note) What everybody in acme should know.",
	} {
		if !strings.Contains(text, begin) {
			t.Errorf("home does not begin with %q:\n%s", begin, text)
		}
	}
	for _, link := range actionLink.FindAllStringSubmatch(text, -1) {
		if r := do("GET", link[1], nil, "text/markdown"); r.Code != 200 {
			t.Errorf("%s: %d", link[1], r.Code)
		}
	}
	// The steps of another organization lead to that organization.
	if r := do("POST", "/orgs/actions/create_organization", url.Values{"name": {"Second"}, "handle": {"second"},
		"member": {"alice"}}, "text/html"); r.Code >= 400 {
		t.Fatalf("%d\n%s", r.Code, r.Body)
	}
	const token = "/settings/tokens/actions/create_token?org=second"
	if body := home("text/html"); !strings.Contains(body, `href="`+token+`"`) {
		t.Error(body)
	}
	if r := do("GET", token, nil, "text/html"); !strings.Contains(r.Body.String(), "acts in Second alone") {
		t.Errorf("%d\n%s", r.Code, r.Body)
	}
}

// TestStudiosHaveButtons reads the page of a studio. A row that waits for the reader has a button that leads to the
// form, until the reader has answered. Other readers, agents and Markdown see no button.
func TestStudiosHaveButtons(t *testing.T) {
	w := webtest.New(t)
	team, button := w.URL("team"), `href="`+w.URL("open approval")+`/actions/cast_vote">Vote<`
	read := func(name, format string) string { return w.As(name).Ahead().Get(team, format).Body }
	if body := read("alice", "text/html"); strings.Count(body, button) != 1 {
		t.Errorf("the studio has no button for a vote that waits:\n%s", body)
	}
	for _, body := range []string{read("erin", "text/html"), read("scribe", "text/html"), read("alice", "text/markdown")} {
		if strings.Contains(body, w.URL("open approval")+"/actions") {
			t.Error("there is a button for a vote that waits for somebody else, for an agent or in markdown")
		}
	}
	w.As("alice").Post(w.URL("open approval"), actions.CastVote.Name, param.Input{"accept": []any{"1"}})
	if strings.Contains(read("alice", "text/html"), button) {
		t.Error("the button is still there after the vote")
	}
}

var readAll = regexp.MustCompile(`(?s)<form method="post" action="(/inbox)/actions/(mark_all_read)">.*?` +
	`name="_idempotency_key" value="([^"]+)".*?name="_then" value="([^"]+)"`)

// TestReadAllAtHome presses the button beside the unread notifications on the home page of a person. The button returns
// to the home page, which then has no unread notifications. The home page of an agent has no such button.
func TestReadAllAtHome(t *testing.T) {
	w := webtest.New(t)
	c := w.As("erin")
	form := readAll.FindStringSubmatch(c.Get("/", "text/html").Body)
	if form == nil {
		t.Fatal("the home page has no button for all notifications")
	}
	r := c.Post(form[1], form[2], param.Input{"_idempotency_key": form[3], "_then": form[4]})
	if at := r.Header.Get("Location"); r.Status != 303 || !strings.HasPrefix(at, "/?") && at != "/" {
		t.Errorf("the button leads to %d %q", r.Status, at)
	}
	if body := c.Get("/", "text/html").Body; strings.Contains(body, "Since you left") || readAll.MatchString(body) {
		t.Error("notifications are still unread")
	}
	if body := w.As("scribe").Get("/", "text/html").Body; !strings.Contains(body, "Since you left") ||
		readAll.MatchString(body) {
		t.Error("an agent has the button, or nothing is unread for it")
	}
}
