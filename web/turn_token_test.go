package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"samepage/actions/param"
	actions "samepage/actions/work"
	"samepage/web/webtest"
)

// TestATurnEndsWithTheTokenThatBeganIt starts a session with a token, and ends that token in several ways. The token of
// the turn ends at once, and the runner is asked to stop the turn.
func TestATurnEndsWithTheTokenThatBeganIt(t *testing.T) {
	for _, action := range []string{"revoke_token", "pause_token", "revoke_agent", "pause_agent"} {
		t.Run(action, func(t *testing.T) {
			w := webtest.Of(t, "work")
			erin, mill := w.As("erin"), w.Bearer(w.Secret("runner mill"))
			var made struct {
				Secret string
				Made   []string
			}
			r := erin.PostJSON("/settings/tokens", "create_token", param.Input{"label": "Helper",
				"scopes": []any{"read", "write"}})
			if err := json.Unmarshal([]byte(r.Body), &made); err != nil || made.Secret == "" {
				t.Fatal(r.Body)
			}
			does(t, w.Bearer(made.Secret), w.URL("worktree bench"), actions.StartSession.Name,
				param.Input{"agent": "mason", "prompt": "Saw."}, 200, "")
			var turn, id, agent string
			w.Query(&turn, `SELECT t.id FROM turns t JOIN worktrees w ON w.id = t.worktree_id WHERE w.name = 'bench' AND t.claim = 0`)
			w.Query(&id, `SELECT by_token FROM turns WHERE id = '`+turn+`'`)
			w.Query(&agent, `SELECT agent_id FROM tokens WHERE id = '`+id+`'`)
			claim := param.Input{"turn": turn, "claim": "0"}
			does(t, mill, w.URL("runner mill"), actions.ClaimTurn.Name, claim, 200, "")
			claim["claim"] = "1"
			claim["begins"] = "true"
			does(t, mill, w.URL("runner mill"), actions.RenewTurn.Name, claim, 200, "")
			page, in := "/settings/tokens", param.Input{"token": id}
			if strings.HasSuffix(action, "agent") {
				page, in = "/orgs/acme/agents/"+agent, nil
			}
			does(t, erin, page, action, in, 200, "The turn of an agent that began with it stops.")
			var revoked, stops int
			const held = ` FROM turns t JOIN tokens k ON k.id = t.token_id WHERE t.id = '`
			w.Query(&revoked, `SELECT count(*)`+held+turn+`' AND k.revoked_at IS NOT NULL`)
			does(t, mill, w.URL("runner mill"), actions.RenewTurn.Name, claim, 200, "")
			w.Query(&stops, `SELECT count(*)`+held+turn+`' AND t.stop_at IS NOT NULL`)
			if revoked != 1 || stops != 1 {
				t.Errorf("revoked: %d, stops: %d", revoked, stops)
			}
		})
	}
}
