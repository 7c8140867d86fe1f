package work_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"samepage/actions/param"
	"samepage/store/work"
	"samepage/web/webtest"
)

// shelf makes a board with the zones Ideas (1) and Doing (2), and a card (3) that stands for a page. The given member
// sets the trigger of the zone Doing. The result is the path of the board.
func shelf(t *testing.T, w *webtest.World, by, page string, trigger param.Input) (board string) {
	t.Helper()
	do := func(who, url, action string, in param.Input) string {
		r := w.As(who).Post(url, action, in)
		if r.Status != http.StatusSeeOther {
			t.Fatalf("%s: %s on %s: %d %s", who, action, url, r.Status, r.Body)
		}
		return r.Location()
	}
	board = do("bob", w.URL("team"), "create_board", param.Input{"title": "Shelf", "zones": "Ideas\nDoing"})
	do("erin", board, "add_card", param.Input{"zone": "1", "title": "Sand it", "text": "Twice.\nAnd oil.",
		"page": page})
	in := param.Input{"zone": "2"}
	for name, value := range trigger {
		in[name] = value
	}
	do(by, board, "set_trigger", in)
	return board
}

var toDoing = param.Input{"number": "3", "zone": "2"}

// count returns the result of a query for a number.
func count(w *webtest.World, query string) (n int) {
	w.Query(&n, query)
	return n
}

// TestTriggers moves cards into a zone that starts a session at once. A person's move and an agent's move each start
// one session, with the prompt of the zone. A second move into the same zone starts nothing.
func TestTriggers(t *testing.T) {
	w := webtest.Of(t, "work")
	const turns = `SELECT count(*) FROM turns`
	for _, who := range []string{"alice", "scribe"} {
		b := shelf(t, w, "alice", w.URL("worktree bench"), param.Input{"does": "start_session", "agent": "mason", "at_once": "true",
			"prompt": "For {{starter}} in {{worktree}}:\n\n{{card}}"})
		before := count(w, turns)
		act(t, w, who, b, "move_card", toDoing, 200, "The session of Mason is there.")
		act(t, w, who, b, "move_card", toDoing, 200, "is in Doing")
		if now := count(w, turns); now != before+1 {
			t.Errorf("%s: %d turns after %d", who, now, before)
		}
		var prompt string
		w.Query(&prompt, `SELECT prompt FROM turns ORDER BY queued_at DESC, id LIMIT 1`)
		for _, text := range []string{"zone “Doing”", "in bench:", "@erin wrote on the card “Sand it”:\n\n> Twice.\n> And oil."} {
			if !strings.Contains(prompt, text) {
				t.Errorf("the prompt lacks %q:\n%s", text, prompt)
			}
		}
	}
}

// onlyBob checks that only Bob can start the action of a waiting card. The page tells every other member that only Bob
// may start it, and a call by Erin is refused.
func onlyBob(t *testing.T, w *webtest.World, card string) {
	t.Helper()
	const only = "Only @bob can start it: the agent of the session "
	act(t, w, "erin", card, "start_card", nil, 403, only)
	for who, may := range map[string]bool{"bob": true, "erin": false, "alice": false} {
		body := w.As(who).Get(card, "text/markdown").Body
		front, _, _ := strings.Cut(strings.TrimPrefix(body, "---"), "---")
		starts, dismisses := strings.Contains(front, `"start_card"`), strings.Contains(front, `"dismiss_card"`)
		if starts != may || strings.Contains(body, only) == may || !dismisses {
			t.Errorf("%s may start it: %v, and reads:\n%s", who, may, body)
		}
	}
}

// TestTriggersOfSessions checks that zones can prompt, fork, spawn and review sessions. If the action is refused, the
// move is refused too.
func TestTriggersOfSessions(t *testing.T) {
	w := webtest.Of(t, "work")
	carrots, gate := w.URL("session carrots"), w.URL("session gate")
	for _, does := range []string{"prompt_session", "fork_session", "spawn_session"} {
		b := shelf(t, w, "bob", carrots, param.Input{"does": does, "at_once": "true", "prompt": "Go on: {{card}}"})
		act(t, w, "erin", b, "move_card", toDoing, 200, "asked first, on the page of the card, because @bob wrote the prompt")
		onlyBob(t, w, b+"/cards/3")
		act(t, w, "erin", b, "move_card", param.Input{"number": "3", "zone": "1"}, 200, "is in Ideas")
		if in := count(w, `SELECT zone FROM cards WHERE board_id = '`+b[strings.LastIndex(b, "/")+1:]+`'`); in != 1 {
			t.Errorf("%s: the card is in the zone %d", does, in)
		}
		act(t, w, "bob", b, "move_card", toDoing, 200, "is in Doing")
		if n := count(w, `SELECT count(*) FROM journal WHERE action = '`+does+`' AND authority = 'author'
			AND seq > (SELECT max(seq) - 3 FROM journal)`); n == 0 {
			t.Errorf("the journal does not say that Bob may %s as the author", does)
		}
	}
	b := shelf(t, w, "bob", gate, param.Input{"does": "request_review", "at_once": "true",
		"prompt": "Is {{worktree}} right?"})
	act(t, w, "bob", b, "move_card", toDoing, 200, "waits for people of Team")
	var text string
	w.Query(&text, `SELECT text FROM reviews ORDER BY requested_at DESC, id LIMIT 1`)
	if !strings.HasSuffix(text, "Is gate right?") {
		t.Errorf("the review asks %q", text)
	}
	b = shelf(t, w, "bob", w.URL("worktree arch"), param.Input{"does": "prompt_session", "at_once": "true",
		"prompt": "Go on."})
	act(t, w, "bob", b, "move_card", toDoing, 409, "has no session")
	b = shelf(t, w, "bob", "/studios/team/notes", param.Input{"does": "prompt_session", "at_once": "true",
		"prompt": "Go on."})
	act(t, w, "bob", b, "move_card", toDoing, 200, "Nothing starts, because")
}

// TestTriggersAsk checks that a zone without at_once asks a person first, and that agents cannot answer. The question
// ends when the card is moved away.
func TestTriggersAsk(t *testing.T) {
	w := webtest.Of(t, "work")
	b := shelf(t, w, "alice", w.URL("worktree bench"), param.Input{"does": "start_session", "agent": "mason",
		"prompt": "{{card}}"})
	before := count(w, `SELECT count(*) FROM turns`)
	card := b + "/cards/3"
	act(t, w, "scribe", b, "move_card", toDoing, 200, "A person is asked first")
	act(t, w, "scribe", card, "start_card", nil, 403, "Only a person")
	act(t, w, "bob", card, "dismiss_card", nil, 200, "Nothing is started")
	act(t, w, "bob", card, "start_card", nil, 409, "waits for nobody")
	away := param.Input{"number": "3", "zone": "1"}
	act(t, w, "bob", b, "move_card", away, 200, "is in Ideas")
	act(t, w, "bob", b, "move_card", toDoing, 200, "A person is asked first")
	act(t, w, "bob", b, "move_card", away, 200, "is in Ideas")
	act(t, w, "bob", card, "start_card", nil, 409, "waits for nobody")
	act(t, w, "bob", b, "move_card", toDoing, 200, "A person is asked first")
	if body := w.As("bob").Get(card, "text/markdown").Body; !strings.Contains(body, "Twice.") || !strings.Contains(body, "start_card") {
		t.Errorf("the page of the card does not show the prompt:\n%s", body)
	}
	if now := count(w, `SELECT count(*) FROM turns`); now != before {
		t.Errorf("%d turns began without a person", now-before)
	}
	act(t, w, "bob", card, "start_card", nil, 200, "The session of Mason is there.")
	if now := count(w, `SELECT count(*) FROM turns`); now != before+1 {
		t.Errorf("%d turns, and not one", now-before)
	}
}

// TestBadTriggers checks that a template with an error is refused when it is set. A move is refused if no valid prompt
// results, or if the zone's agent is retired.
func TestBadTriggers(t *testing.T) {
	w := webtest.Of(t, "work")
	b := shelf(t, w, "bob", w.URL("worktree bench"), param.Input{"does": "nothing"})
	for _, c := range []struct {
		in   param.Input
		says string
	}{
		{param.Input{"does": "prompt_session"}, "Say what the agent is to do"},
		{param.Input{"does": "prompt_session", "prompt": "{{crad}}"}, "There is no variable crad. There are: board, branch, card"},
		{param.Input{"does": "prompt_session", "prompt": "{{card"}, "belongs to no variable"},
		{param.Input{"does": "prompt_session", "prompt": "{{ .Card }}"}, "belongs to no variable"},
		{param.Input{"does": "prompt_session", "prompt": "x", "agent": "mason"}, "Leave it out"},
		{param.Input{"does": "start_session", "prompt": "x"}, "Name the manifest"},
		{param.Input{"does": "start_session", "prompt": "x", "agent": "old"}, "the options are hammer, mason"},
	} {
		c.in["zone"] = "2"
		act(t, w, "bob", b, "set_trigger", c.in, 422, c.says)
	}
	act(t, w, "scribe", b, "set_trigger", param.Input{"zone": "2", "does": "nothing"}, 403, "Only a person")
	act(t, w, "bob", b, "set_trigger", param.Input{"zone": "2", "does": "start_session", "agent": "mason", "at_once": "true",
		"prompt": "{{card}}"}, 200, "A prompt of it, for example")
	act(t, w, "erin", b+"/cards/3", "update_card", param.Input{"text": "Print {{name}}."}, 200, "")
	act(t, w, "bob", b, "move_card", toDoing, 409, "contains {{ or }}")
	act(t, w, "erin", b+"/cards/3", "update_card", param.Input{"text": "Print it."}, 200, "")
	act(t, w, "alice", w.URL("manifest mason"), "retire_manifest", nil, 200, "")
	act(t, w, "bob", b, "move_card", toDoing, 409, "The zone Doing starts a")
}

// TestRender checks that a rendered prompt never contains double braces, for any template and any values.
func TestRender(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		piece := rapid.SampledFrom([]string{"{", "}", "{{", "}}", "{{card}}", "{{ zone }}", "{{no}}", "card", " ",
			"\n", "ä"})
		draw := func(name string) string { return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(rt, name), "") }
		text, err := work.Render(draw("template"), map[string]string{"card": draw("card"), "zone": draw("zone")})
		if err == nil && (strings.Contains(text, "{{") || strings.Contains(text, "}}")) {
			rt.Errorf("it is rendered as %q", text)
		}
	})
}

// TestTriggersOfHeldAgents checks that the limits of a token also apply to sessions that start because the token moved
// a card.
func TestTriggersOfHeldAgents(t *testing.T) {
	w := webtest.Of(t, "work")
	b := shelf(t, w, "bob", w.URL("worktree bench"), param.Input{"does": "start_session", "agent": "mason", "at_once": "true",
		"prompt": "{{card}}"})
	for in, says := range map[string]string{"asks": "A person is asked first", "kinds": "does not act on the kind session"} {
		r := w.As("bob").PostJSON("/settings/tokens", "create_token", param.Input{"label": "Mover " + in, "scopes": []any{"read", "write"},
			in: map[string][]any{"asks": {"start_session"}, "kinds": {"board"}}[in]})
		var made struct{ Secret string }
		if err := json.Unmarshal([]byte(r.Body), &made); err != nil || made.Secret == "" {
			t.Fatalf("%v %d %s", err, r.Status, r.Body)
		}
		if r := w.Bearer(made.Secret).PostJSON(b, "move_card", toDoing); !strings.Contains(r.Body, says) {
			t.Errorf("%s: %d %s", in, r.Status, r.Body)
		}
		act(t, w, "bob", b, "move_card", param.Input{"number": "3", "zone": "1"}, 200, "is in Ideas")
	}
}
