package webtest

import (
	"fmt"
	"path"
	"strconv"
	"time"

	"samepage/actions/param"
	work "samepage/actions/work"
	"samepage/store"
	"samepage/web"
)

// sessions adds manifests, and sessions in most states. The claim of the last turn lasts a day, so that the turn still
// runs in tests.
func (m *maker) sessions(mill string) {
	manifest := func(key, title string, more param.Input) {
		in := param.Input{"key": key, "title": title, "argv": []any{"/usr/bin/" + key, "--speak"}}
		for name, value := range more {
			in[name] = value
		}
		m.urls["manifest "+key] = m.do("alice", "/orgs/acme/manifests", work.AddManifest.Name, in)
	}
	manifest("mason", "Mason", param.Input{"role": "coding", "mode": "ask", "asks": "true", "env": []any{"MASON_KEY"},
		"instructions": "Make **small** steps."})
	manifest("hammer", "Hammer", param.Input{"adapter": "plain"})
	manifest("old", "Old mill", nil)
	m.do("alice", m.urls["manifest mason"], work.ReviseManifest.Name,
		param.Input{"title": "Mason", "role": "coding", "mode": "ask",
			"asks": "true", "model": "steady", "env": []any{"MASON_KEY"}, "argv": []any{"/usr/bin/mason", "--speak"},
			"instructions": "Make **small** steps, and run the tests."})
	m.do("alice", m.urls["manifest old"], work.RetireManifest.Name, nil)

	start := func(name, by, agent, prompt string) string {
		u := m.do(by, m.urls["worktree watering"], work.StartSession.Name,
			param.Input{"agent": agent, "prompt": prompt})
		m.urls["session "+name] = u
		m.names[path.Base(u)] = "session-" + name
		return u
	}
	end := func(state, more string) {
		m.finishTurn(mill, `{"state":"`+state+`","agent_session":"mason-1","head_before":"`+storyHash(4)+`",
			"head_after":"`+storyHash(5)+`"`+
			more+`}`)
	}
	done := start("done", "bob", "mason", "Say **when** to water.\n\nThe roses are dry.")
	m.beginTurn(mill)
	m.report(mill, `[{"n":1,"kind":"began","text":"mason-1"},{"n":2,"kind":"thought","text":"Roses | need water."},
		{"n":3,"kind":"plan","data":[{"content":"Read the beds","status":"completed"},{"content":"Say when","status":"pending"}]},
		{"n":4,"kind":"text","text":"I read the beds.\n\n- roses"},
		{"n":5,"kind":"call","data":{"id":"1","title":"Read beds/roses.txt","kind":"read","status":"pending"}},
		{"n":6,"kind":"call","data":{"id":"1","title":"Read beds/roses.txt","kind":"read","status":"completed"}},
		{"n":7,"kind":"call","data":{"id":"2","kind":"execute","status":"failed"}},
		{"n":8,"kind":"stderr","text":"warning: <dry>"},{"n":9,"kind":"end","data":{"state":"succeeded"}}]`)
	end("succeeded", `,"tokens_in":1200,"tokens_out":340,"cost":410000,"currency":"EUR"`)
	m.do("bob", done, work.PromptSession.Name, param.Input{"prompt": "And the lilies?"})
	m.beginTurn(mill)
	m.report(mill, `[{"n":1,"kind":"began","text":"mason-1"},{"n":2,"kind":"permission","data":{"id":"3","title":"Run make water"}},
		{"n":3,"kind":"text","text":"The lilies "},{"n":4,"kind":"usage","data":{"Used":50000,"Size":200000,
		"Cost":{"amount":0.52,"currency":"EUR"}}},{"n":5,"kind":"text","text":"have water."},
		{"n":6,"kind":"permission","data":{"id":"5","title":"Run make rain"}},
		{"n":7,"kind":"permission","data":{"id":"6","title":"Run make water"}}]`)
	m.askFor(mill, 2, "Run make water")
	m.hold(2 * time.Minute)
	m.do("bob", done+"/permissions/1", work.AnswerPermission.Name,
		param.Input{"choice": "reject", "reason": "It rains.", "reach": "same"})
	m.urls["rule deny"] = done + "/rules/1"
	m.askFor(mill, 6, "Run make rain")
	m.askFor(mill, 7, "Run make water")
	end("succeeded", `,"fresh":true`)

	start("failed", "scribe", "mason", "Count the cans.")
	m.beginTurn(mill)
	end("failed", `,"class":"limit_reached","reason":"The limit of the account is reached."`)
	stopped := start("stopped", "erin", "hammer", "Nail the boards.")
	m.do("alice", stopped, work.StopSession.Name, nil)
	archived := start("archived", "erin", "hammer", "Sweep.")
	m.beginTurn(mill)
	end("succeeded", "")
	m.do("erin", archived, work.ArchiveSession.Name, nil)
	start("interrupted", "bob", "mason", "Dig.")
	m.beginTurn(mill)
	child := m.do("bob", done, work.SpawnSession.Name, param.Input{"prompt": "Look after the tulips.",
		"title": "The tulips"})
	m.names[path.Base(child)] = "session-child"
	m.beginTurn(mill)
	end("succeeded", "")
	m.reviews(mill)
	m.pulls(mill)
	m.asking(mill, start)
}

// asking adds a session with an agent that waits for two answers, and a session that waits for the runner.
func (m *maker) asking(mill string, start func(name, by, agent, prompt string) string) {
	start("asking", "bob", "mason", "Prune the hedge.")
	m.do("bob", m.urls["session asking"], work.PromptSession.Name, param.Input{"prompt": "Then sweep."})
	start("queued", "bob", "mason", "Rake.")
	m.beginTurn(mill)
	m.report(mill,
		`[{"n":1,"kind":"began","text":"mason-2"},{"n":2,"kind":"permission","data":{"id":"4","title":"Run make prune"}},
		{"n":3,"kind":"permission","data":{"id":"7","title":"Edit two beds","kind":"edit"}}]`)
	m.askFor(mill, 2, "Run make prune")
	m.hold(24 * time.Hour)
	m.askToEdit(mill, 3)
	m.permissionRules()
}

func (m *maker) permissionRules() {
	m.urls["rule ask"] = m.do("alice", m.urls["session asking"], work.AddPermissionRule.Name,
		param.Input{"verdict": "ask", "tool": "fetch", "reason": "No network."})
	m.urls["rule allow"] = m.do("bob", m.urls["session asking"], work.AddPermissionRule.Name,
		param.Input{"verdict": "allow", "tool": "read", "folder": "beds"})
	m.urls["rule withdrawn"] = m.do("bob", m.urls["session asking"], work.AddPermissionRule.Name,
		param.Input{"verdict": "allow", "tool": "execute", "command": "make test"})
	m.do("bob", m.urls["rule withdrawn"], work.WithdrawPermissionRule.Name, nil)
}

// now takes an action as the runner without moving the clock.
func (m *maker) now(runner, action string, in param.Input) {
	if m.err != nil {
		return
	}
	if _, err := m.site.Do(m.ctx, web.As(m.actors["mill"]), web.Call{URL: runner, Action: action,
		Params: in}); err != nil {
		m.err = fmt.Errorf("mill: %s %v: %w", action, in, err)
	}
}

// heldTurn returns the ID and the claim number of a turn that has not ended, as parameters of an action: the claimed
// turn with the claim that ends last, or the oldest unclaimed turn if claims is 0.
func (m *maker) heldTurn(claims int) param.Input {
	var t struct {
		ID    string `db:"id"`
		Claim int    `db:"claim"`
	}
	if m.err == nil {
		order := `claim = 0 ORDER BY queued_at, id`
		if claims > 0 {
			order = `claim > 0 ORDER BY claimed_to DESC, queued_at DESC`
		}
		m.err = m.store.Read(m.ctx, func(tx *store.Tx) error {
			return tx.Get(&t, `SELECT id, claim FROM turns WHERE ended_at IS NULL AND `+order+` LIMIT 1`)
		})
		m.names[t.ID] = "turn-" + strconv.Itoa(len(m.names))
	}
	return param.Input{"turn": t.ID, "claim": strconv.Itoa(t.Claim)}
}

func (m *maker) beginTurn(runner string) {
	m.now(runner, work.ClaimTurn.Name, m.heldTurn(0))
	in := m.heldTurn(1)
	in["begins"] = "true"
	m.now(runner, work.RenewTurn.Name, in)
}

// hold extends the claim of the running turn, so that a person has time to answer.
func (m *maker) hold(long time.Duration) {
	in := m.heldTurn(1)
	if m.err == nil {
		m.err = m.store.Write(m.ctx, func(tx *store.Tx) error {
			return tx.Exec(`UPDATE turns SET claimed_to = ? WHERE id = ?`, store.At(tx.Now.Add(long)), in["turn"])
		})
	}
}

func (m *maker) report(runner, events string) {
	in := m.heldTurn(1)
	in["events"] = events
	m.now(runner, work.ReportTurn.Name, in)
}

func (m *maker) askFor(runner string, event int, title string) {
	in := m.heldTurn(1)
	in["event"], in["title"], in["kind"], in["input"] = strconv.Itoa(event), title, "execute", `{"command":"`+title+`"}`
	in["digest"] = title
	in["choices"] = `[{"id":"allow","name":"Allow once","kind":"allow_once"},{"id":"reject","name":"Deny","kind":"reject_once"}]`
	m.now(runner, work.AskPermission.Name, in)
}

func (m *maker) askToEdit(runner string, event int) {
	in := m.heldTurn(1)
	in["event"], in["title"], in["kind"], in["digest"] = strconv.Itoa(event), "Edit two beds", "edit", "two beds"
	in["paths"] = `["beds/south/roses.txt","beds/south/lilies.txt"]`
	in["choices"] = `[{"id":"allow","name":"Yes","kind":"allow_once"},{"id":"all","name":"All edits","kind":"allow_always"},
		{"id":"reject","name":"Deny","kind":"reject_once"}]`
	m.now(runner, work.AskPermission.Name, in)
}

func (m *maker) finishTurn(runner, report string) {
	in := m.heldTurn(1)
	in["report"] = report
	m.now(runner, work.FinishTurn.Name, in)
}
