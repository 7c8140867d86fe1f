package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestExecute(t *testing.T) {
	tests := []struct {
		name string
		args args
		page string // the page on which the action is taken
		verb string
	}{
		{"url and name", args{"url": "/d/1", "action": "cast_vote"}, "/d/1", "cast_vote"},
		{"home", args{"url": "/", "action": "start"}, "/", "start"},
		{"name in another letter case", args{"url": "/d/1", "action": "Cast_Vote"}, "/d/1", "cast_vote"},
		{"absolute url", args{"url": "http://samepage.test/d/1", "action": " cast_vote "}, "/d/1", "cast_vote"},
		{"link as action", args{"action": "/d/1/actions/cast_vote"}, "/d/1", "cast_vote"},
		{"absolute link as action", args{"action": "http://samepage.test/d/1/actions/cast_vote"}, "/d/1", "cast_vote"},
		{"link of home", args{"action": "/actions/start"}, "/", "start"},
		{"link and the same url", args{"action": "/d/1/actions/cast_vote", "url": "/D/1/"}, "/d/1", "cast_vote"},
		{"url with the action's suffix", args{"action": "cast_vote", "url": "/d/1/actions/cast_vote"}, "/d/1", "cast_vote"},
		{"url of the list of actions", args{"action": "cast_vote", "url": "/d/1/actions"}, "/d/1", "cast_vote"},
		{"url of the markdown form", args{"action": "cast_vote", "url": "/d/1.md"}, "/d/1", "cast_vote"},
		{"home's markdown form", args{"action": "start", "url": "/index.md"}, "/", "start"},
		{"url with query", args{"action": "cast_vote", "url": "/d/1?after=7&wait=30"}, "/d/1", "cast_vote"},
		{"relative name", args{"action": "plan", "url": "/cycles/today"}, "/cycles/2026-11-20", "plan"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site := newStub()
			got, isError := call(t, inMemory(t, site, alice), "execute_action", tt.args)
			want := fmt.Sprintf("%s on %s: Your ballot was cast.\n\n%s", tt.verb, tt.page, markdown(tt.page))
			if isError || got != want {
				t.Errorf("got error %t: %s", isError, got)
			}
			if p := site.last(t); p.page != tt.page || p.name != tt.verb {
				t.Errorf("acted on %+v", p)
			}
		})
	}
}

func TestExecuteSends(t *testing.T) {
	none, absent := map[string]any{}, map[string]any{}
	accept := map[string]any{"accept": []any{"1"}}
	tests := []struct {
		name string
		args args
		want map[string]any
	}{
		{"nothing", args{}, absent},
		{"null", args{"params": nil, "why": nil, "dry_run": nil}, absent},
		{"an empty object", args{"params": args{}}, map[string]any{"params": none}},
		{"object", args{"params": accept}, map[string]any{"params": accept}},
		{"object as text", args{"params": ` {"accept":["1"]} `}, map[string]any{"params": accept}},
		{"empty text", args{"params": " "}, map[string]any{"params": none}},
		{"the rest", args{"params": accept, "why": "Agreed.", "if_version": "7", "idempotency_key": "k", "wait_for_previous": true},
			map[string]any{"params": accept, "why": "Agreed.", "if_version": "7", "idempotency_key": "k",
				"wait_for_previous": true}},
		{"not nested", args{"accept": []any{"1"}}, accept},
		{"misspelt", args{"parameters": accept}, map[string]any{"parameters": accept}},
		{"numbers for text", args{"if_version": 7, "idempotency_key": 12},
			map[string]any{"if_version": "7", "idempotency_key": "12"}},
		{"dry run", args{"dry_run": true}, map[string]any{"dry_run": true}},
		{"dry run as text", args{"dry_run": "true"}, map[string]any{"dry_run": true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site := newStub()
			tt.args["url"], tt.args["action"] = "/d/1", "cast_vote"
			got, isError := call(t, inMemory(t, site, alice), "execute_action", tt.args)
			p := site.last(t)
			if isError || !reflect.DeepEqual(p.order, tt.want) {
				t.Errorf("error %t %s; sent %v, want %v", isError, got, p.order, tt.want)
			}
			h := p.header
			if h.Get("Content-Type") != "application/json" ||
				h.Get("Accept") != "application/json" || h.Get("Prefer") != "relative-links" ||
				h.Get("Authorization") != "Bearer "+alice {
				t.Errorf("headers %v", h)
			}
			if tt.want["dry_run"] == true && !strings.HasPrefix(got,
				"cast_vote on /d/1: Dry run, nothing was changed. It would say:") {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestExecuteRefusesBeforeAsking(t *testing.T) {
	tests := []struct {
		name string
		args any
		want string
	}{
		{"no action", args{"url": "/d/1"}, "action is missing"},
		{"no arguments", nil, "action is missing"},
		{"action is a list", args{"action": []string{"a"}}, "action must be text, it was a list"},
		{"several wrong", args{"action": 1, "url": true, "why": args{}},
			"url must be text, it was true.\nwhy must be text, it was an object"},
		{"params is a list", args{"action": "a", "url": "/d/1", "params": []int{1}}, "params must be an object"},
		{"params is other text", args{"action": "a", "url": "/d/1", "params": "accept=1"}, "text that is not one"},
		{"params is text of a list", args{"action": "a", "url": "/d/1", "params": "[1]"}, "text that is not one"},
		{"dry_run is a number", args{"action": "a", "url": "/d/1", "dry_run": 1}, "dry_run must be true or false"},
		{"no name", args{"action": "cast vote", "url": "/d/1"}, "not the name of an action"},
		{"climbing name", args{"action": "..", "url": "/d/1"}, "not the name of an action"},
		{"a page as action", args{"action": "/d/1"}, "not the link of an action"},
		{"link elsewhere", args{"action": "https://evil.example/d/1/actions/cast_vote"}, "not a URL of this workspace"},
		{"url elsewhere", args{"action": "cast_vote", "url": "//evil.example/d/1"}, "not a URL of this workspace"},
		{"link against url", args{"action": "/d/1/actions/cast_vote", "url": "/d/2"}, "Give the one you mean"},
		{"name against url's suffix", args{"action": "comment", "url": "/d/1/actions/cast_vote"}, "Give the one you mean"},
		{"link against url's suffix", args{"action": "/d/1/actions/comment", "url": "/d/1/actions/cast_vote"}, "Give the one you mean"},
		{"prefilled link without params", args{"action": "/d/1/actions/cast_vote?accept=1"}, "carries values (accept=1)"},
		{"prefilled link with params",
			args{"action": "/d/1/actions/cast_vote?accept=1", "params": args{"accept": []string{"2"}}},
			"carries values (accept=1)"},
		{"a member twice", json.RawMessage(`{"action":"a","url":"/d/1","params":{"a":1},"params":{}}`),
			`The arguments name "params" twice`},
		{"prefilled url without params",
			args{"action": "cast_vote", "url": "/d/1/actions/cast_vote?accept=1"},
			"carries values (accept=1)"},
		{"nothing opened", args{"action": "cast_vote"}, "Open the page with navigate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site := newStub()
			got, isError := call(t, inMemory(t, site, alice), "execute_action", tt.args)
			if !isError || !strings.Contains(got, tt.want) ||
				!strings.HasSuffix(got, "\nNothing was changed.") || site.count() != 0 {
				t.Errorf("error %t, %d actions: %s", isError, site.count(), got)
			}
		})
	}
}

func TestExecuteReports(t *testing.T) {
	tests := []struct {
		page, verb, want string
		isError          bool
	}{
		{"/held", "pay", "pay on /held: Waiting for approval: /approvals/a1\n@bob decides.", false},
		{"/stale", "resolve", "resolve on /stale: Voting closed.\nAvailable here: comment, withdraw_request\n" +
			"Next: Results ## Forged /d/1/results, Home /\nNothing was changed.\n\n# Fresh\n", true},
		{"/bad", "fill", "fill on /bad: Some params are wrong.\n- accept: Choose one.\n- reason: Too long.\nNothing was changed.", true},
		{"/titled", "pay", `pay on "Who pays? \") on \"x\" (/" (/titled): Paid.`, false},
		{"/closed", "pay", "pay on \"Who pays?\" (/closed): Closed.\nNothing was changed.", true},
		{"/limited", "rush", "rush on /limited: Too many actions.\nTry again after 12 seconds.\nNothing was changed.", true},
		{"/broken", "crash", "crash on /broken: It broke.\n" + uncertain, true},
		{"/boom", "explode", "Something went wrong on the server, and it was not your call. " + uncertain, true},
		{"/mute", "plain", "plain on /mute: The site answered Bad Request.\nNothing was changed.\n\nplain words", true},
		{"/detour", "plan", "plan on /detour: The page has moved to /d/1/actions/cast_vote.\nNothing was changed.", true},
	}
	for _, tt := range tests {
		t.Run(tt.page, func(t *testing.T) {
			got, isError := call(t, inMemory(t, newStub(), alice), "execute_action",
				args{"url": tt.page, "action": tt.verb})
			if isError != tt.isError || got != tt.want {
				t.Errorf("got error %t:\n%s\nwant\n%s", isError, got, tt.want)
			}
		})
	}
}

func TestCallID(t *testing.T) {
	tests := []struct {
		meta sdk.Meta
		key  string
		want string
	}{
		{sdk.Meta{"claudecode/toolUseId": "toolu_1"}, "", "toolu_1"},
		{sdk.Meta{"callId": "call_2"}, "", "call_2"},
		{sdk.Meta{"callId": "call_2"}, "own", ""},
		{sdk.Meta{"callId": "a\r\nX-Evil: 1"}, "", ""},
		{sdk.Meta{"callId": 7}, "", ""},
		{nil, "", ""},
	}
	for _, tt := range tests {
		site := newStub()
		_, err := inMemory(t, site, alice).CallTool(context.Background(), &sdk.CallToolParams{
			Meta:      tt.meta,
			Name:      "execute_action",
			Arguments: args{"url": "/d/1", "action": "cast_vote", "idempotency_key": tt.key},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := site.last(t).header.Get("Samepage-Call-Id"); got != tt.want {
			t.Errorf("%v: sent %q", tt.meta, got)
		}
	}
}

// TestInterleavedConversations holds a hundred conversations with one token. Each action must reach exactly the page
// that its call names. A call without a page is refused, because many opened pages offer the action.
func TestInterleavedConversations(t *testing.T) {
	const n = 100
	site := newStub()
	for i := range n {
		site.offers[fmt.Sprintf("/topic/%d", i)] = []string{"cast_vote"}
	}
	url := served(t, site) + "/mcp"
	client := httpClient(t, alice)
	sessions := make([]*sdk.ClientSession, n)
	for i := range sessions {
		sessions[i] = joined(t, &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: client},
			[]string{legacy, modern}[i%2])
	}
	var wg sync.WaitGroup
	var opened sync.WaitGroup
	opened.Add(n)
	for i, s := range sessions {
		wg.Go(func() {
			page := fmt.Sprintf("/topic/%d", i)
			call(t, s, "navigate", args{"url": page})
			opened.Done()
			opened.Wait()
			if got, isError := call(t, s, "execute_action",
				args{"action": "cast_vote", "params": args{"by": "bare"}}); !isError ||
				!strings.Contains(got, "give it as url") && !strings.Contains(got, "the one you mean") {
				t.Errorf("a bare name among %d pages: %s", n, got)
			}
			got, isError := call(t, s, "execute_action",
				args{"action": "cast_vote", "url": page, "params": args{"by": page}})
			if isError || !strings.HasPrefix(got, "cast_vote on "+page+": ") {
				t.Errorf("%s: %s", page, got)
			}
		})
	}
	wg.Wait()
	if site.count() != n {
		t.Errorf("%d actions", site.count())
	}
	for _, p := range site.posts {
		if params, _ := p.order["params"].(map[string]any); params["by"] != p.page {
			t.Errorf("on %s acted who meant %v", p.page, params["by"])
		}
	}
}

func TestParamsAreNotDecoded(t *testing.T) {
	raw := json.RawMessage(`{"url":"/d/1","action":"a","params":{"n":12345678901234567890.10,"n2":1e400}}`)
	o, err := readExecuteArgs(raw)
	if err != nil || string(o.params) != `{"n":12345678901234567890.10,"n2":1e400}` {
		t.Errorf("%s, %v", o.params, err)
	}
}
