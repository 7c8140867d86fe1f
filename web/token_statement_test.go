package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/web/webtest"
)

// tokenOf creates a token of a member with these params, and returns a client with the token.
func tokenOf(t *testing.T, w *webtest.World, member string, in param.Input) *webtest.Client {
	t.Helper()
	in["label"] = "Quill " + strings.Repeat("i", len(w.Rows("tokens"))%30)
	r := w.As(member).PostJSON("/settings/tokens", actions.CreateToken.Name, in)
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(r.Body), &made); err != nil || made.Secret == "" {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	return w.Bearer(made.Secret)
}

// TestStatementsAboutTokens has a row for each statement of the rules about the scopes of tokens, written by hand.
// With the scopes in the row, a token may take the action, and with fewer it may not. If the row says never, no token
// may take the action, but the member can. All calls are dry runs, so the order of the rows does not matter.
func TestStatementsAboutTokens(t *testing.T) {
	w := webtest.New(t)
	scopes := map[string][]any{"read": {"read"}, "write": {"read", "write"}, "governance": {"read", "write",
		"governance"}}
	tokens := map[string]*webtest.Client{}
	token := func(member, scope string) *webtest.Client {
		if tokens[member+scope] == nil {
			tokens[member+scope] = tokenOf(t, w, member, param.Input{"scopes": scopes[scope], "public": true})
		}
		return tokens[member+scope]
	}
	fewer := map[string]string{"write": "read", "governance": "write"}
	channel := w.URL("team") + "/channel"
	text, objects := param.Input{"text": "Hm."}, param.Input{"position": "objection", "reason": "It hurts."}
	for _, c := range []struct {
		statement, member, page, action string
		in                              param.Input
		needs                           string // the scope that the action needs, or "never"
	}{
		{"write adds messages", "alice", channel, "post_message", text, "write"},
		{"write adds reactions", "alice", w.URL("message edited"), "add_reaction", param.Input{"reaction": "🌿"},
			"write"},
		{"write adds notes", "alice", w.URL("team"), "create_note", param.Input{"title": "N", "text": "t"}, "write"},
		{"write adds comments", "alice", w.URL("note post"), "comment", text, "write"},
		{"write adds joining", "carol", w.URL("commons"), "join", nil, "write"},
		{"write adds commitments", "dave", w.URL("commitment open"), "join", nil, "write"},
		{"write adds commitments: making one", "alice", w.URL("team"), "create_commitment", param.Input{"title": "C",
			"critical_mass": 2, "closes_at": "5d"}, "write"},
		{"write adds starting decisions", "alice", w.URL("team"), "create_decision", param.Input{"question": "Q?",
			"options": []any{"A", "B"}}, "write"},
		{"write adds ballots", "alice", w.URL("open approval"), "cast_vote", param.Input{"accept": []any{"1"}},
			"write"},
		{"governance adds topics", "alice", w.URL("team"), "create_topic", param.Input{"title": "T", "text": "t"},
			"governance"},
		{"topics: questions", "alice", w.URL("topic clarification"), "ask_question",
			param.Input{"question": "Why?"}, "governance"},
		{"topics: reactions", "alice", w.URL("topic reaction"), "react_to_proposal", param.Input{"reaction": "Hm."},
			"governance"},
		{"topics: positions", "bob", w.URL("topic consent"), "respond_to_topic", objects, "governance"},
		{"elections: nominations", "alice", w.URL("election nomination"), "nominate_member",
			param.Input{"nominee": "dave",
				"reason": "He can."}, "governance"},
		{"elections: responses", "alice", w.URL("election consent"), "respond_to_election", objects, "governance"},
		{"never: create studios", "alice", "/orgs/acme", "create_studio", param.Input{"name": "S", "handle": "sss"},
			"never"},
		{"never: change studios", "alice", w.URL("team"), "update_studio", param.Input{"name": "S"}, "never"},
		{"never: delete studios", "alice", w.URL("team"), "archive_studio", nil, "never"},
		{"never: create roles", "alice", w.URL("team") + "/roles", "create_role", param.Input{"title": "R"}, "never"},
		{"never: change roles", "alice", w.URL("role vacant"), "assign_role", param.Input{"holder": "bob"}, "never"},
		{"never: delete roles", "alice", w.URL("role vacant"), "delete_role", nil, "never"},
		{"never: members", "alice", w.URL("@bob"), "remove_member", nil, "never"},
		{"never: policies", "alice", w.URL("team") + "/policies", "create_policy", param.Input{"title": "P",
			"text": "t"}, "never"},
		{"never: organizations", "alice", "/orgs/acme/settings", "update_settings", param.Input{"name": "O"}, "never"},
		{"never: delete messages", "alice", w.URL("message pinned"), "delete_message", nil, "never"},
		{"never: invitations", "alice", "/orgs/acme/invitations", "invite_member",
			param.Input{"email": "x@acme.example"}, "never"},
		{"never: advancing", "bob", w.URL("topic clarification"), "advance_topic", nil, "never"},
		{"never: resolving", "dave", w.URL("topic ready"), "accept_topic", nil, "never"},
		{"never: closing", "alice", w.URL("open single"), "close_decision", nil, "never"},
		{"never: cancelling", "alice", w.URL("election nomination"), "cancel_election", nil, "never"},
		{"never: approving", "erin", w.URL("approval pending"), "approve_request", nil, "never"},
		{"never: tokens", "alice", "/settings/tokens", "create_token", param.Input{"label": "T",
			"scopes": []any{"read"}}, "never"},
		{"never: webhooks", "alice", "/orgs/acme/webhooks", "create_webhook",
			param.Input{"address": "https://h.example.org/"}, "never"},
		{"never: rate limits", "alice", "/orgs/acme/settings", "update_limits", param.Input{"reads": 10}, "never"},
		{"never: rules", "alice", "/orgs/acme/settings", "update_settings", param.Input{"agent_ballots": "off"},
			"never"},
		{"never: leaving a private studio", "alice", w.URL("team"), "leave", nil, "never"},
		{"never: direct messages", "alice", "/orgs/acme/dm/bob", "send_direct_message", text, "never"},
	} {
		try := func(by *webtest.Client) (status int, body string) {
			r := by.JSON(c.page, c.action, webtest.Call{Params: c.in, DryRun: true})
			return r.Status, r.Body
		}
		if c.needs == "never" {
			status, body := try(token(c.member, "governance"))
			missing := status == http.StatusNotFound && !strings.Contains(body, "There is no action")
			if !missing && (status != http.StatusForbidden || !strings.Contains(body, "nly a person can")) {
				t.Errorf("%s: a token with every scope is answered %d: %.300s", c.statement, status, body)
			}
			if status, body := try(w.As(c.member)); status != http.StatusOK &&
				status != http.StatusUnprocessableEntity &&
				status != http.StatusConflict {
				t.Errorf("%s: the member in person is answered %d: %.300s", c.statement, status, body)
			}
			continue
		}
		if status, body := try(token(c.member, c.needs)); status != http.StatusOK {
			t.Errorf("%s: a token for %s is answered %d: %.300s", c.statement, c.needs, status, body)
		}
		if status, body := try(token(c.member, fewer[c.needs])); status != http.StatusForbidden ||
			!strings.Contains(body, "does not carry the scope") {
			t.Errorf("%s: a token for %s is answered %d: %.300s", c.statement, fewer[c.needs], status, body)
		}
	}
}

// TestLimitsOfAToken has a row for each statement about the other limits of a token: kinds of pages, public pages,
// and actions that need approval.
func TestLimitsOfAToken(t *testing.T) {
	w := webtest.New(t)
	every := []any{"read", "write", "governance"}
	say := func(by *webtest.Client, page string) int {
		return by.JSON(page, "comment", webtest.Call{Params: param.Input{"text": "Hm."}, DryRun: true}).Status
	}
	note, decision, public := w.URL("note post"), w.URL("open single"), w.URL("plaza open")
	for _, c := range []struct {
		statement string
		in        param.Input
		may       map[string]int
	}{
		{"carries every kind unless some are named", param.Input{"scopes": every, "public": true},
			map[string]int{note: 200, decision: 200, public: 200}},
		{"carries resource types", param.Input{"scopes": every, "kinds": []any{"note"}, "public": true},
			map[string]int{note: 200, decision: 403, public: 403}},
		{"whether it may write on public pages", param.Input{"scopes": every}, map[string]int{note: 200, public: 403}},
	} {
		by := tokenOf(t, w, "alice", c.in)
		for page, want := range c.may {
			if got := say(by, page); got != want {
				t.Errorf("%s: %s is answered %d, want %d", c.statement, page, got, want)
			}
		}
	}
	asks := tokenOf(t, w, "alice", param.Input{"scopes": every, "asks": []any{"comment"}})
	if r := asks.PostJSON(note, "comment", param.Input{"text": "May I?"}); r.Status != http.StatusAccepted {
		t.Errorf("which actions need approval: %d", r.Status)
	}
	if r := asks.PostJSON(w.URL("open approval"), "cast_vote",
		param.Input{"accept": []any{"1"}}); r.Status != http.StatusOK {
		t.Errorf("an action that needs none: %d %s", r.Status, r.Body)
	}
}

// TestAgentsNeverReplaceTheirMember votes as an agent, then as its member, and as the agent again. The agent cannot
// replace the member's ballot.
func TestAgentsNeverReplaceTheirMember(t *testing.T) {
	w := webtest.New(t)
	page, vote := questions(t, w, 1)[0], param.Input{"accept": []any{"1"}}
	agent := tokenOf(t, w, "erin", param.Input{"scopes": []any{"read", "write"}})
	for _, c := range []struct {
		who  *webtest.Client
		want int
	}{{agent, 200}, {agent, 200}, {w.As("erin"), 200}, {agent, 403}, {w.As("erin"), 200}} {
		if r := c.who.PostJSON(page, "cast_vote", vote); r.Status != c.want {
			t.Errorf("%s is answered %d, want %d: %.300s", c.who.Name, r.Status, c.want, r.Body)
		}
	}
}
