package toy

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/mcp"
	"samepage/store"
	"samepage/web/webtest"
)

func TestMain(m *testing.M) {
	webtest.Tables = Tables
	os.Exit(m.Run())
}

// wish makes a wish of Bob for the studio Team, and returns the path of its page.
func wish(t *testing.T, w *webtest.World, more param.Input) string {
	t.Helper()
	in := param.Input{"title": "A hammock", "text": "Between the *two* birches.", "reason": "Naps, says xylem",
		"goal": "2"}
	for name, v := range more {
		in[name] = v
	}
	r := w.As("bob").Post(w.URL("team"), MakeWish.Name, in)
	if r.Status != 303 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	return r.Location()
}

// shows fails the test unless an actor can read the page as markdown and the page has each of the
// texts.
func shows(t *testing.T, w *webtest.World, who, page string, texts ...string) string {
	t.Helper()
	r := w.As(who).Get(page, "text/markdown")
	for _, text := range texts {
		if r.Status != 200 || !strings.Contains(r.Body, text) {
			t.Errorf("%s reads no %q on %s: %d\n%s", who, text, page, r.Status, r.Body)
		}
	}
	return r.Body
}

// TestAWishIsListedEverywhere checks that new, seconded and granted wishes are on every page that lists items, with
// the noun's own words. Search must find them by each of their texts.
func TestAWishIsListedEverywhere(t *testing.T) {
	w := webtest.New(t)
	team := w.URL("team")
	shows(t, w, "alice", team+"/wishes", "Team has no wishes. A wish says what you want for the studio.")
	page := wish(t, w, nil)
	link := "[A hammock](" + webtest.Origin + page + ")"
	lists := []string{team + "?full=1", team + "/wishes", team + "/cycles/today"}
	shown := func(state string, more ...string) {
		t.Helper()
		for _, list := range append(lists, more...) {
			at := list
			if r := w.As("alice").Get(list, "text/markdown"); r.Status == 302 || r.Status == 303 || r.Status == 307 {
				at = r.Location()
			}
			i := strings.Index(shows(t, w, "alice", at, link), link)
			if body := shows(t, w, "alice", at); i >= 0 {
				line, _, _ := strings.Cut(body[i:], "\n")
				if !strings.Contains(line, state) {
					t.Errorf("%s lists it as %q, without %q", at, line, state)
				}
			}
		}
	}
	shown("0 of 2 second it", "/orgs/acme/open", "/search?q=birches", "/search?q=xylem", "/search?q=type:wish")
	shows(t, w, "alice", team, "[Wishes]("+webtest.Origin+team+"/wishes)")
	shows(t, w, "alice", "/search?q=type:wish", "| wish in Team, ")
	shows(t, w, "alice", "/", "[Second it]("+webtest.Origin+page+"/actions/second_wish)", link)
	shows(t, w, "alice", page, "0 of 2 second it.", "> Between the *two* birches.", "Naps, says xylem",
		"- **second_wish**: ")
	if r := w.As("alice").Post(page, Second.Name, nil); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	shown("1 of 2 second it", "/orgs/acme/open", "/search?q=birches")
	if body := shows(t, w, "alice", "/"); strings.Contains(body, link) {
		t.Error("it waits for Alice, who has seconded it")
	}
	w.Clock.Advance(time.Hour)
	if r := w.As("erin").Post(page, Second.Name, nil); r.Status != 303 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	shown(": the last word was that of @erin", "/search?q=birches+is:closed")
	shown("granted ")
	if r := w.As("alice").Get(page, "text/html"); r.Status != 200 || !strings.Contains(r.Body, "<h1>A hammock</h1>") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	for who, status := range map[string]int{"bob": 200, "reader": 200, "oscar": 404, "anonymous": 401} {
		if r := w.As(who).Get(page, "text/markdown"); r.Status != status {
			t.Errorf("%s gets %d for a page of Team", who, r.Status)
		}
	}
}

// TestAWishIsToldOf checks that inboxes, the journal and the digest of the week mention a wish, and that the
// catalogue lists its actions.
func TestAWishIsToldOf(t *testing.T) {
	w := webtest.New(t)
	page := wish(t, w, nil)
	shows(t, w, "erin", "/inbox", "@bob wished", "A hammock")
	for _, who := range []string{"alice", "erin"} {
		w.As(who).Post(page, Second.Name, nil)
	}
	shows(t, w, "bob", "/inbox", "@erin seconded", "A hammock")
	shows(t, w, "alice", "/orgs/acme/journal", "@bob wished", "@erin seconded", page)
	shows(t, w, "alice", "/help/catalogue", "make_wish", "second_wish")
	shows(t, w, "alice", "/help/catalogue?noun=wish", "## second_wish", "/studios/{studio}/w/{id}")
	w.Clock.Set(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC))
	w.Site.CloseDue(t.Context())
	var told int
	w.Query(&told, `SELECT count(*) FROM notifications WHERE did = 'sums up' AND url LIKE '%/cycles/2026-w47'`)
	if told == 0 {
		t.Error("nobody is told of the week")
	}
	w.VerifyJournal()
}

// TestAWishGoes checks that redacting a wish removes all its texts, that a discarded draft leaves no rows, and that a
// member who leaves no longer seconds a wish.
func TestAWishGoes(t *testing.T) {
	w := webtest.New(t)
	page := wish(t, w, param.Input{"title": "A cembalo", "text": "Rückpositiv", "reason": "Naps, says xylem",
		"goal": "3"})
	if r := w.As("erin").Post(page, Second.Name, nil); r.Status != 303 {
		t.Fatal(r.Body)
	}
	if r := w.As("erin").Post(w.URL("team"), "leave", nil); r.Status != 303 {
		t.Fatal(r.Body)
	}
	shows(t, w, "alice", page, "0 of 3 second it.")
	shows(t, w, "alice", w.URL("team")+"/wishes", "0 of 3 second it")
	if r := w.As("alice").Post(page, "redact", nil); r.Status != 303 {
		t.Fatal(r.Body)
	}
	for _, word := range []string{"cembalo", "Rückpositiv", "xylem"} {
		if at := w.Holds(word); at != "" {
			t.Errorf("%s still says %q", at, word)
		}
	}
	shows(t, w, "alice", page, "Removed by @alice")
	shows(t, w, "alice", w.URL("team")+"/wishes", "removed ")

	draft := wish(t, w, param.Input{"draft": "1"})
	id := draft[strings.LastIndexByte(draft, '/')+1:]
	if r := w.As("alice").Get(draft, "text/markdown"); r.Status != 404 {
		t.Errorf("Alice reads Bob's draft: %d", r.Status)
	}
	if r := w.As("bob").Post(draft, "discard", nil); r.Status != 303 {
		t.Fatal(r.Body)
	}
	if at := w.Holds(id); at != "" && !strings.HasPrefix(at, "journal.") && !strings.HasPrefix(at, "receipts.") {
		t.Errorf("%s still has the draft", at)
	}
	var rows int
	if w.Query(&rows, `SELECT count(*) FROM wishes WHERE id = ?`, id); rows != 0 {
		t.Error("the draft's own row stays")
	}
}

// TestAnAgentSecondsAWish checks that an agent can read and second a wish with the two tools, if its token permits
// actions on this kind.
func TestAnAgentSecondsAWish(t *testing.T) {
	w := webtest.New(t)
	page := wish(t, w, nil)
	tools := mcp.Handler(w.Site, mcp.Options{Authenticate: w.Site.Authenticate, HostAllowed: w.Site.HostAllowed,
		Bounded: w.Site.Bounded, Resolve: w.Site.Resolve, Origin: webtest.Origin, Now: w.Clock.Now})
	use := func(token, tool string, arguments map[string]any) (string, bool) {
		t.Helper()
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": tool, "arguments": arguments, "_meta": map[string]any{
				"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
				"io.modelcontextprotocol/clientCapabilities": map[string]any{}}}})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", webtest.Origin+"/mcp", strings.NewReader(string(body)))
		for name, v := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json",
			"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
			"Mcp-Method": "tools/call", "Mcp-Name": tool} {
			r.Header.Set(name, v)
		}
		rec := httptest.NewRecorder()
		tools.ServeHTTP(rec, r)
		var answer struct {
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || len(answer.Result.Content) != 1 {
			t.Fatalf("%s: %v: %s", tool, err, rec.Body)
		}
		return answer.Result.Content[0].Text, answer.Result.IsError
	}
	scribe := w.Token("scribe")
	text, failed := use(scribe, "navigate", map[string]any{"url": page})
	if failed || !strings.Contains(text, `actions: ["second_wish"`) || !strings.Contains(text, "# A hammock") {
		t.Errorf("%s", text)
	}
	text, failed = use(scribe, "execute_action", map[string]any{"action": Second.Name, "url": page})
	if failed || !strings.Contains(text, "You have seconded it.") || !strings.Contains(text, "1 of 2 second it.") {
		t.Errorf("%s", text)
	}
	if text, failed = use(scribe, "execute_action", map[string]any{"action": Second.Name, "url": page}); !failed {
		t.Errorf("it is seconded twice: %s", text)
	}
	if text, failed = use(w.Token("clerk"), "execute_action", map[string]any{"action": Second.Name, "url": page}); !failed {
		t.Errorf("a token for decisions and notes seconds a wish: %s", text)
	}
	if !slices.Contains(store.GrantKinds(), WishKind.Name) {
		t.Error("no token can be restricted to wishes")
	}
}
