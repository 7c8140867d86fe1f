package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"samepage/actions/param"
	"samepage/mcp"
	"samepage/store"
	"samepage/web"
	"samepage/web/demo"
	"samepage/web/webtest"
)

// These are the limits for an agent's ten tasks: the calls of one task, and the characters of all results together.
const (
	mostCalls      = 4
	mostCharacters = 54_000
)

// novice is an agent that knows only the descriptions of the two tools and its last result.
type novice struct {
	t          *testing.T
	h          http.Handler
	token      string
	tools      string // the descriptions of the tools that a client gives its model
	page       string // the last result
	calls, all int
}

func (n *novice) use(tool string, args map[string]any) string {
	n.t.Helper()
	text, isError, status := use(n.t, n.h, n.token, tool, args)
	if status != http.StatusOK || isError && tool == "navigate" {
		n.t.Fatalf("%s %v: %d %.500s", tool, args, status, text)
	}
	n.page, n.calls, n.all = text, n.calls+1, n.all+utf8.RuneCountInString(text)
	n.t.Logf("%6d characters: %s %v", utf8.RuneCountInString(text), tool, args)
	return text
}

// open opens an address that a tool's description or the last page names.
func (n *novice) open(url string) string {
	n.t.Helper()
	described := url == "/" && strings.Contains(n.tools, "Start at /") ||
		strings.HasPrefix(url, "/?q=") && strings.Contains(n.tools, "/?q=words searches")
	if !described && !strings.Contains(n.page, url) {
		n.t.Fatalf("neither the tools nor the last page name %s", url)
	}
	return n.use("navigate", map[string]any{"url": url})
}

// toolsOf returns the list of tools, as a client reads it for its model.
func toolsOf(t *testing.T, h http.Handler, token string) string {
	t.Helper()
	list := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r := httptest.NewRequest("POST", webtest.Origin+"/mcp", list)
	for name, v := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"} {
		r.Header.Set(name, v)
	}
	rec := httptest.NewRecorder()
	if h.ServeHTTP(rec, r); rec.Code != http.StatusOK {
		t.Fatalf("tools/list: %d %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

// follow looks on the last page for a link whose text begins with this pattern, and opens it.
func (n *novice) follow(text string) string {
	n.t.Helper()
	return n.open(n.link(text))
}

func (n *novice) link(text string) string {
	n.t.Helper()
	m := regexp.MustCompile(`\[(?:` + text + `)[^\]]*\]\((/[^)]*)\)`).FindStringSubmatch(n.page)
	if m == nil {
		n.t.Fatalf("no link %q on\n%s", text, n.page)
	}
	return m[1]
}

// describe opens the description of an action of a linked page. The last page must name the action, and must say that
// descriptions are below the path /actions/ of a page.
func (n *novice) describe(title, action string) string {
	n.t.Helper()
	url, below := n.link(title), "/actions/"+action
	if !strings.Contains(n.page, "`/actions/`") || !strings.Contains(n.page, "`"+action+"`") {
		n.t.Fatalf("no page says where %s is described", action)
	}
	return n.use("navigate", map[string]any{"url": url + below})
}

// act takes an action that the last page lists, on that page.
func (n *novice) act(action string, params map[string]any, says ...string) string {
	n.t.Helper()
	at := regexp.MustCompile(`(?m)^url: "([^"]*)"`).FindStringSubmatch(n.page)
	if at == nil || !strings.Contains(n.page, `"`+action+`"`) {
		n.t.Fatalf("%s is not listed on\n%s", action, n.page)
	}
	return n.take(at[1], action, params, says...)
}

// answer takes an action of a linked page. The last page must also have a link to the action.
func (n *novice) answer(title, action string, params map[string]any, says ...string) string {
	n.t.Helper()
	url := n.link(title)
	if !strings.Contains(n.page, "("+url+"/actions/"+action+")") {
		n.t.Fatalf("no link to %s of %s on\n%s", action, url, n.page)
	}
	return n.take(url, action, params, says...)
}

// take takes an action. The last page must name each of the given parameters.
func (n *novice) take(url, action string, params map[string]any, says ...string) string {
	n.t.Helper()
	for name := range params {
		if !strings.Contains(n.page, "`"+name+"`") {
			n.t.Fatalf("no parameter %s on\n%s", name, n.page)
		}
	}
	text := n.use("execute_action", map[string]any{"url": url, "action": action, "params": params})
	n.reads(says...)
	return text
}

// example returns the example that the page shows for a parameter.
func (n *novice) example(name string) (v any) {
	n.t.Helper()
	m := regexp.MustCompile("`" + name + "` \\([^`]*such as `([^`]+)`").FindStringSubmatch(n.page)
	if m == nil || json.Unmarshal([]byte(m[1]), &v) != nil {
		n.t.Fatalf("no example of %s on\n%s", name, n.page)
	}
	return v
}

func (n *novice) reads(says ...string) {
	n.t.Helper()
	for _, s := range says {
		if !strings.Contains(n.page, s) {
			n.t.Errorf("reads no %q in\n%.3000s", s, n.page)
		}
	}
}

// TestTenTasks does an agent's ten tasks in the demo, starting at the home page. It uses only links, actions and
// values from the tools' descriptions and the pages.
func TestTenTasks(t *testing.T) {
	slow(t)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) // a Friday
	var ticks atomic.Int64
	clock := func() time.Time { return now.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	site, err := web.New(t.Context(), st, web.Config{Origin: webtest.Origin, Unlimited: true})
	if err != nil {
		t.Fatal(err)
	}
	made, err := demo.Seed(t.Context(), site, st)
	if err != nil {
		t.Fatal(err)
	}
	h := mcp.Handler(site, mcp.Options{Authenticate: site.Authenticate, HostAllowed: site.HostAllowed,
		Bounded: site.Bounded, Resolve: site.Resolve, Origin: webtest.Origin, Now: clock})
	token := func(label string) string {
		for _, a := range made.Tokens {
			if a.Label == label {
				return a.Token
			}
		}
		t.Fatal(label)
		return ""
	}
	edit := func(by, url, action string, in param.Input) {
		t.Helper()
		var actor store.Actor
		err := st.Read(t.Context(), func(tx *store.Tx) error {
			m, err := tx.FindMember(store.System(), "meadow", by)
			if err == nil {
				actor = m.InPerson()
			}
			return err
		})
		if err == nil {
			_, err = site.Do(t.Context(), web.As(actor), web.Call{URL: url, Action: action, Params: in})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tasks := []struct {
		name, agent string
		play        func(n *novice)
	}{
		{"vote with a reason", "Scout", func(n *novice) {
			n.open("/")
			n.answer("Which cover for the annual report", "cast_vote",
				map[string]any{"points": n.example("points"), "reason": "It is calm."}, "Your ballot: ")
		}},
		{"decision with four options and a deadline", "Scout", func(n *novice) {
			n.open("/")
			n.follow("Team")
			n.act("create_decision", map[string]any{"question": "Where do we meet?", "options": []string{"Hall", "Yard", "Shed", "Attic"},
				"closes_at": "3d"}, "Hall", "Attic", "closes")
		}},
		{"Debian vote and its matrix", "Scout", func(n *novice) {
			n.open("/?q=firmware")
			n.follow("[^\\]]*irmware")
			n.reads("Decided: Release Etch", "beats every option that remained in pairs.",
				"| 1. Release Etch even with kernel firmware issues | – | **196** | **271** |",
				"| 3. Further Discussion | 42 | 111 | – |")
		}},
		{"join a commitment", "Scout", func(n *novice) {
			n.open("/?q=cellar")
			n.follow("Clear the cellar")
			n.act("join", nil, "You are in")
		}},
		{"note with a mention", "Scout", func(n *novice) {
			n.open("/")
			n.describe("Team", "create_note")
			n.act("create_note", map[string]any{"title": "Keys", "text": "@carol has them."}, "@carol")
		}},
		{"who holds which role", "Scout", func(n *novice) {
			n.open("/")
			n.follow("Team")
			n.reads("Leader", "@alice")
		}},
		{"recover from a stale page", "Scribe", func(n *novice) {
			n.open("/?q=minutes")
			n.follow("Minutes of the November meeting")
			at := regexp.MustCompile(`(?m)^url: "([^"]*)"`).FindStringSubmatch(n.page)[1]
			edit("alice", at, "update_note", param.Input{"title": "Minutes of November"})
			n.act("update_note", map[string]any{"title": "Minutes"}, "changed since you read it")
			n.act("update_note", map[string]any{"title": "Minutes"}, "Minutes")
		}},
		{"refused, human only", "Scout", func(n *novice) {
			n.open("/?q=cover")
			n.follow("Which cover for the annual report")
			n.reads("**For people**: ", "may [Close the vote]("+webtest.Origin)
		}},
		{"held until approved", "Scout", func(n *novice) {
			edit("alice", "/orgs/meadow/settings", "update_settings", param.Input{"agent_asks": []any{"comment"}})
			n.open("/?q=cover")
			n.follow("Which cover for the annual report")
			n.act("comment", map[string]any{"text": "I like the first."}, "Nothing is done yet: @bob can approve it.")
			wait := regexp.MustCompile(`(/approvals/[a-z0-9]+)\?wait=30&since=1`).FindStringSubmatch(n.page)
			edit("bob", wait[1], "approve_request", nil)
			n.open(wait[0])
			n.reads("Approved by @bob")
		}},
		{"what happened last week", "Scout", func(n *novice) {
			now = now.AddDate(0, 0, 7)
			n.open("/")
			n.follow("Team")
			n.reads("Last week, [Week 47 of 2026](")
			n.follow("Week 47")
			n.reads("Ended Mon 23 Nov 2026", "## Decided and closed", "## Also made", "decided Fri 20 Nov 2026 13:00 CET: Cargo |")
		}},
	}
	calls, all := 0, 0
	for _, task := range tasks {
		n := &novice{t: t, h: h, token: token(task.agent), tools: toolsOf(t, h, token(task.agent))}
		task.play(n)
		t.Logf("%-50s %d calls %6d characters", task.name, n.calls, n.all)
		if n.calls > mostCalls {
			t.Errorf("%s takes %d calls, more than %d", task.name, n.calls, mostCalls)
		}
		calls, all = calls+n.calls, all+n.all
	}
	t.Logf("%-50s %d calls %6d characters", "all", calls, all)
	if all > mostCharacters {
		t.Errorf("all tasks take %d characters, more than %d", all, mostCharacters)
	}
}
