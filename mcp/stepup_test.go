package mcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestStepUp checks that a call of an action which the token does not cover is answered with 403, however the call
// names the action. All other calls reach the MCP server.
func TestStepUp(t *testing.T) {
	o := options()
	o.StepUp = func(r *http.Request) func(page, action string) string {
		if r.Header.Get("Authorization") != "Bearer "+alice {
			return nil
		}
		return func(page, action string) string {
			if action == "cast_vote" && (page == "/d/1" || page == "") {
				return `Bearer error="insufficient_scope", scope="read write"`
			}
			return ""
		}
	}
	h := Handler(newStub(), o)
	post := func(body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+alice)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		return rec
	}
	call := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_action","arguments":` +
			arguments + `}}`
	}
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"by page and name":    {call(`{"url":"/d/1","action":"cast_vote"}`), 403},
		"by a full URL":       {call(`{"url":"http://localhost/d/1","action":"cast_vote"}`), 403},
		"by link":             {call(`{"action":"/d/1/actions/cast_vote"}`), 403},
		"by the action's URL": {call(`{"url":"/d/1/actions/cast_vote","action":"cast_vote"}`), 403},
		"by its markdown":     {call(`{"url":"/d/1.md","action":"cast_vote"}`), 403},
		"by name alone":       {call(`{"action":"cast_vote"}`), 403},
		"in a list":           {`[` + call(`{"url":"/d/1","action":"cast_vote"}`) + `]`, 403},
		"another action":      {call(`{"url":"/d/1","action":"comment"}`), 200},
		"another page":        {call(`{"url":"/d/2","action":"cast_vote"}`), 200},
		"another tool":        {strings.Replace(call(`{"url":"/d/1","action":"cast_vote"}`), "execute_action", "navigate", 1), 200},
		"no action":           {call(`{"url":"/d/1"}`), 200},
		"no arguments":        {call(`null`), 200},
		"arguments in a list": {call(`[]`), 200},
		"what is not JSON":    {`{"jsonrpc":`, 400},
		"nothing":             {``, 400},
		"too much":            {call(`{"url":"/d/1","action":"comment","why":"` + strings.Repeat("x", maxBody) + `"}`), 413},
	} {
		rec := post(c.body)
		body, _ := io.ReadAll(rec.Body)
		challenge := rec.Header().Get("WWW-Authenticate")
		if rec.Code != c.want ||
			(c.want == 403) != (challenge == `Bearer error="insufficient_scope", scope="read write"`) {
			t.Errorf("%s: %d %q\n%.300s", name, rec.Code, challenge, body)
		}
	}
}
