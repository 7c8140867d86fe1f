package runner_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// takeTurn claims the last turn of a session as the runner Mill, begins it, and returns its token and a function that
// ends it.
func takeTurn(t *testing.T, w *webtest.World, session string) (secret string, end func()) {
	t.Helper()
	mill := w.URL("runner mill")
	do := func(action string, in param.Input) string {
		t.Helper()
		r := w.Bearer(w.Secret("runner mill")).PostJSON(mill, action, in)
		if r.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", action, r.Status, r.Body)
		}
		return r.Body
	}
	var id string
	w.Query(&id, `SELECT id FROM turns WHERE session_id = '`+session[strings.LastIndexByte(session,
		'/')+1:]+`' ORDER BY n DESC LIMIT 1`)
	var said struct{ Secret string }
	if err := json.Unmarshal([]byte(do("claim_turn", param.Input{"turn": id, "claim": "0"})), &said); err != nil ||
		said.Secret == "" {
		t.Fatalf("no token: %v", err)
	}
	claim := param.Input{"turn": id, "claim": "1"}
	do("renew_turn", param.Input{"turn": id, "claim": "1", "begins": "true"})
	return said.Secret, func() {
		claim["report"] = `{"state":"succeeded"}`
		do("finish_turn", claim)
	}
}

// TestChainsOfAgentsEnd lets an agent prompt its own session in each turn. The ninth prompt of the agent must be
// refused. After a person has prompted the session, the agent may prompt it again.
func TestChainsOfAgentsEnd(t *testing.T) {
	w := webtest.Of(t, "work")
	s := w.As("bob").Post(w.URL("worktree empty"), "start_session",
		param.Input{"agent": "mason", "prompt": "Begin."}).Location()
	for i := range 10 {
		secret, end := takeTurn(t, w, s)
		r := w.Bearer(secret).PostJSON(s, "prompt_session", param.Input{"prompt": fmt.Sprint("Again ", i)})
		end()
		if after := w.Bearer(secret).PostJSON(s, "prompt_session",
			param.Input{"prompt": "Too late."}); after.Status != 401 {
			t.Errorf("after its turn the token is answered with %d %s", after.Status, after.Body)
		}
		if i < 8 && r.Status != http.StatusOK || i == 8 && !strings.Contains(r.Body, "without a word of a person") {
			t.Fatalf("prompt %d: %d %s", i, r.Status, r.Body)
		}
		if i == 8 {
			w.As("bob").Post(s, "prompt_session", param.Input{"prompt": "Go on."})
		}
	}
}

// TestParentsAreTold lets an agent begin another session. When the new session has ended its turn, the first session
// is prompted.
func TestParentsAreTold(t *testing.T) {
	w := webtest.Of(t, "work")
	s := w.As("bob").Post(w.URL("worktree empty"), "start_session",
		param.Input{"agent": "mason", "prompt": "Begin."}).Location()
	secret, end := takeTurn(t, w, s)
	r := w.Bearer(secret).PostJSON(s, "spawn_session", param.Input{"prompt": "Look after the lilies."})
	var made struct{ URL string }
	if err := json.Unmarshal([]byte(r.Body), &made); err != nil || made.URL == "" {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	end()
	_, end = takeTurn(t, w, made.URL)
	end()
	page := w.As("bob").Get(s, "text/markdown").Body
	if !strings.Contains(page, "The session that you began has ended a turn: succeeded.") ||
		!strings.Contains(page, "Queued") {
		t.Errorf("the first session is not told:\n%s", page)
	}
}
