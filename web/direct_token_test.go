package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/actions/work"
	"samepage/store/effort"
	"samepage/web/webtest"
)

// marker is a word of the direct messages that this file sends, and of no other text.
const marker = "zugzwang"

// holder is a token of one of the kinds that exist, with a client that uses it.
type holder struct {
	name, token string
	*webtest.Client
}

// holders returns tokens of each kind: with each scope, by OAuth, of agents that must ask first, of a runner, and of
// an agent's turn. Most of them act for Alice, Bob or Erin, who write direct messages.
func holders(t *testing.T, w *webtest.World) (list []holder) {
	t.Helper()
	add := func(name, token string) { list = append(list, holder{name, token, w.Bearer(token)}) }
	for _, name := range []string{"scribe", "scout", "reader", "clerk", "owl"} {
		add(name, w.Token(name))
	}
	for _, scope := range []string{"read", "read write", "read write governance"} {
		for _, who := range []string{"alice", "bob"} {
			add("OAuth of "+who+" to "+scope, newProgram(t, w).tokens(who, scope).Access)
		}
	}
	r := w.As("alice").PostJSON("/settings/tokens", actions.CreateToken.Name,
		param.Input{"label": "Quill", "scopes": []any{"read", "write", "governance"}})
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(r.Body), &made); err != nil || made.Secret == "" {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	add("by hand", made.Secret)
	add("runner", w.Secret("runner mill"))
	mill := w.Bearer(w.Secret("runner mill"))
	turn := func(column, condition string) (value string) {
		w.Query(&value, `SELECT `+column+` FROM turns WHERE ended_at IS NULL AND `+condition+`
			ORDER BY claimed_to DESC, queued_at LIMIT 1`)
		return value
	}
	r = mill.PostJSON(w.URL("runner mill"), work.FinishTurn.Name, param.Input{"turn": turn("id", "claim > 0"),
		"claim": turn("claim", "claim > 0"), "report": `{"state":"succeeded"}`})
	if r.Status != 200 {
		t.Fatal(r.Body)
	}
	r = mill.PostJSON(w.URL("runner mill"), work.ClaimTurn.Name, param.Input{"turn": turn("id", "claim = 0"),
		"claim": "0"})
	made.Secret = ""
	if err := json.Unmarshal([]byte(r.Body), &made); err != nil || made.Secret == "" {
		t.Fatalf("the turn has no token: %d %s", r.Status, r.Body)
	}
	add("turn", made.Secret)
	return list
}

// TestDirectMessagesReachNoToken sends direct messages with mentions and links, and edits and deletes some. Then
// tokens of each kind read every URL that the writers can reach, in each form and over MCP, and try every action. No
// answer contains a word of a direct message.
func TestDirectMessagesReachNoToken(t *testing.T) {
	aboutContent(t) // TestDirectMessagesReachNoAgent also searches on a server
	w := webtest.New(t)
	tokens := holders(t, w)
	key := "the key of a person"
	send := func(by, to, text string) {
		t.Helper()
		if r := w.As(by).JSON("/orgs/acme/dm/"+to, actions.SendDirectMessage.Name, webtest.Call{Key: key,
			Params: param.Input{"text": text}}); r.Status != 200 || !strings.Contains(r.Body, marker) {
			t.Fatalf("%d: %s", r.Status, r.Body)
		}
		key = ""
	}
	said := "A " + marker + " for @erin, @carol and Scribe: [" + marker + "](" + w.URL("note post") + "), " + w.URL("standups")
	send("alice", "bob", said)
	send("bob", "alice", said)
	send("erin", "alice", said)
	for name, in := range map[string]param.Input{actions.EditDirectMessage.Name: {"message": "6",
		"text": "Again: " + said},
		actions.DeleteDirectMessage.Name: {"message": "2"}} {
		if r := w.As("bob").PostJSON("/orgs/acme/dm/alice", name, in); r.Status != 200 {
			t.Fatalf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	x := &leaks{t: t, w: w, mcp: tools(w)}
	effort.LeftOut(t, "all but some of the URLs that are alike, and all but one form for each token")
	for _, who := range []string{"alice", "bob", "erin"} {
		x.reach(who)
	}
	for i, h := range tokens {
		x.reads(i, h)
	}
	for i, h := range tokens {
		x.acts(i, h)
	}
	if x.answers < 100*len(tokens) || x.own == 0 {
		t.Errorf("%d answers to %d tokens, and people read their own messages at %d URLs", x.answers, len(tokens),
			x.own)
	}
	t.Logf("%d tokens, %d URLs, %d answers, %d of them to actions", len(tokens), len(x.urls), x.answers, x.acted)
}

// leaks looks for direct messages in answers to tokens.
type leaks struct {
	t    *testing.T
	w    *webtest.World
	mcp  http.Handler
	urls []string
	seen map[string]bool

	places         []string // one URL for each pattern
	answers, acted int
	found          int // number of answers with direct messages
	own            int // number of URLs at which a person reads a direct message
}

// reach adds the URLs that a person reaches by links. In a short run it adds only some of the URLs with equal
// patterns.
func (x *leaks) reach(who string) {
	x.t.Helper()
	if x.seen == nil {
		x.seen = map[string]bool{}
	}
	alike, c := quota{}, x.w.As(who).Ahead()
	for _, v := range survey(x.t, who) {
		at, query, _ := strings.Cut(v.url, "?")
		place, _ := x.w.Site.PlaceOf(at)
		direct := strings.Contains(at, "/dm")
		kind := place.Pattern + path.Ext(at)
		if strings.Contains(at, "/actions/") {
			kind = path.Base(at)
		}
		if x.seen[v.url] || !direct && !alike.left(kind, query[:min(len(query), 5)]) {
			continue
		}
		x.seen[v.url] = true
		x.urls = append(x.urls, v.url)
		if p := v.place.Pattern; p != "" && !x.seen[p] {
			x.seen[p] = true
			x.places = append(x.places, at)
		}
		if direct && betrays(c.Get(v.url, "text/html").Body) {
			x.own++
		}
	}
}

// betrays reports whether a text contains a word of a direct message.
func betrays(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, marker) || strings.Contains(text, webtest.Secret)
}

// keeps fails the test if an answer to a token contains a word of a direct message.
func (x *leaks) keeps(h holder, what, text string) {
	x.t.Helper()
	x.answers++
	if !betrays(text) {
		return
	}
	x.t.Errorf("the token %s reads a direct message: %s\n%.1500s", h.name, what, text)
	if x.found++; x.found >= 20 {
		x.t.FailNow()
	}
}

// reads opens all URLs with a token.
func (x *leaks) reads(token int, h holder) {
	x.t.Helper()
	accepted := []string{"text/markdown", "text/html", "application/json", "text/calendar", "mcp"}
	urls := append([]string{"/search?q=surprise", "/search?q=" + marker[:6] + "*", "/search?q=type:message",
		"/search?q=from:bob",
		"/orgs/acme/dm/bob?before=3", "/orgs/acme/dm/bob.md", "/orgs/acme/dm/alice?wait=1&since=1",
		"/orgs/acme/dm/erin?full=1",
		"/orgs/acme/journal.csv", "/orgs/acme/journal.jsonl", "/orgs/acme/activity", "/whoami", "/inbox?all=1",
		"/oembed?url=" + webtest.Origin + "/orgs/acme/dm/bob", "/orgs/acme/dm/bob?card=1"}, x.urls...)
	for i, u := range urls {
		for j, form := range accepted {
			if !thorough && j != (i+token)%len(accepted) && !strings.Contains(u, "/dm") {
				continue
			}
			if form == "mcp" {
				text, _, _ := use(x.t, x.mcp, h.token, "navigate", map[string]any{"url": u})
				x.keeps(h, "navigate "+u, text)
				continue
			}
			r := h.Get(u, form)
			x.keeps(h, u+" as "+form, r.Body+fmt.Sprint(r.Header))
		}
	}
}

// acts tries each action of each page with a token, as a dry run. It also lets the token take some actions that
// could reveal a direct message.
func (x *leaks) acts(token int, h holder) {
	x.t.Helper()
	for i, u := range x.places {
		place, _ := x.w.Site.PlaceOf(u)
		for j, decl := range place.Actions {
			if !thorough && (i+j+token)%4 != 0 && !strings.Contains(u, "/dm") {
				continue
			}
			x.try(h, u, decl, j%2 == 0)
		}
	}
	direct := "/orgs/acme/dm/bob"
	for what, r := range map[string]*webtest.Response{
		"the key of a person again": h.JSON(direct, actions.SendDirectMessage.Name,
			webtest.Call{Key: "the key of a person",
				Params: param.Input{"text": "Again."}}),
		"a link to the page": h.PostJSON(x.w.URL("note post"), "comment",
			param.Input{"text": direct + " and " + direct + "#m-1"}),
		"a message with the page": h.PostJSON(x.w.URL("team")+"/channel", "post_message",
			param.Input{"text": "See " + direct + "."}),
		"a change that a topic carries": h.PostJSON(x.w.URL("topic carrying"), governance.AddChange.Name,
			param.Input{"page": direct, "change": actions.SendDirectMessage.Name, "values": "text: Hello."}),
	} {
		x.acted++
		x.keeps(h, what, r.Body+fmt.Sprint(r.Header))
	}
	x.keeps(h, "the note with a link", h.Get(x.w.URL("note post"), "text/html").Body)
	x.keeps(h, "the channel with a link", h.Get(x.w.URL("team")+"/channel", "application/json").Body)
	x.keeps(h, "the topic", h.Get(x.w.URL("topic carrying"), "text/markdown").Body)
}

// try takes an action as a dry run, and checks the answer.
func (x *leaks) try(h holder, u string, decl action.Decl, mcp bool) {
	x.t.Helper()
	x.acted++
	in := blindly(decl)
	if mcp {
		text, _, _ := use(x.t, x.mcp, h.token, "execute_action",
			map[string]any{"url": u, "action": decl.Name, "params": plain(in), "dry_run": true})
		x.keeps(h, "execute_action "+decl.Name+" on "+u, text)
		return
	}
	r := h.JSON(u, decl.Name, webtest.Call{Params: in, DryRun: true})
	x.keeps(h, decl.Name+" on "+u, r.Body+fmt.Sprint(r.Header))
}

// plain returns the params with the text of each file instead of the file, because JSON has no files.
func plain(in param.Input) map[string]any {
	out := map[string]any{}
	for name, v := range in {
		if file, ok := v.(param.Upload); ok {
			v = string(file.Data)
		}
		out[name] = v
	}
	return out
}

// TestDirectMessagesWakeNoToken opens event streams with tokens of the agents of both writers. A direct message
// causes no event there, no stream of a conversation can be opened, and no version or ETag of a page changes.
func TestDirectMessagesWakeNoToken(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		for _, as := range []string{"scribe", "scout"} {
			for _, page := range []string{"/orgs/acme/dm", "/orgs/acme/dm/bob", "/orgs/acme/dm/alice"} {
				if x := listenTo(w, as, page, 1); x.Code != http.StatusNotFound {
					t.Errorf("%s listens to %s: %d", as, page, x.Code)
				}
			}
		}
		listened := []string{"/", "/inbox", "/orgs/acme", "/orgs/acme/members/bob", "/orgs/acme/journal",
			"/orgs/acme/activity",
			"/orgs/acme/briefing"}
		tags := func() (all string) {
			for _, as := range []string{"scribe", "scout"} {
				for _, page := range listened {
					all += as + " " + page + " " + w.As(as).Ahead().Get(page, "text/markdown").Header.Get("ETag") + "\n"
				}
			}
			return all
		}
		listen := func(as, page string) *stream {
			var p jsonPage
			if err := json.Unmarshal([]byte(w.As(as).Ahead().Get(page, "application/json").Body), &p); err != nil {
				t.Fatal(err)
			}
			return listenTo(w, as, page, p.Version)
		}
		before := tags()
		var open []*stream
		for _, as := range []string{"scribe", "scout"} {
			for _, page := range listened {
				open = append(open, listen(as, page))
			}
		}
		person := listen("alice", "/inbox")
		w.As("bob").PostJSON("/orgs/acme/dm/alice", actions.SendDirectMessage.Name, param.Input{"text": "A " + marker})
		time.Sleep(5 * time.Second)
		synctest.Wait()
		for i, x := range open {
			if ids, _ := x.got(); ids != "" {
				t.Errorf("stream %d on %s tells of a direct message: %s", i, listened[i%len(listened)], ids)
			}
			x.cancel()
		}
		if ids, _ := person.got(); ids == "" {
			t.Error("the person's own stream does not tell of it, so the test finds nothing")
		}
		person.cancel()
		if after := tags(); after != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
	})
}
