package runner_test

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// begin starts a session of Bob with an agent in the worktree Empty.
func begin(t *testing.T, w *webtest.World, agent, prompt string) string {
	t.Helper()
	r := w.As("bob").Post(w.URL("worktree empty"), "start_session", param.Input{"agent": agent, "prompt": prompt})
	if r.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	return r.Location()
}

// does takes an action that must succeed, and returns the body of the answer.
func does(t *testing.T, c *webtest.Client, url, action string, in param.Input) string {
	t.Helper()
	r := c.PostJSON(url, action, in)
	if r.Status != http.StatusOK {
		t.Fatalf("%s on %s: %d %s", action, url, r.Status, r.Body)
	}
	return r.Body
}

// denies takes an action that must be refused with the text.
func denies(t *testing.T, c *webtest.Client, url, action string, in param.Input, text string) {
	t.Helper()
	if r := c.PostJSON(url, action, in); r.Status < 400 || !strings.Contains(r.Body, text) {
		t.Errorf("%s on %s: %d %s, and not a refusal with %q", action, url, r.Status, r.Body, text)
	}
}

// says checks that Bob reads the texts on a page.
func says(t *testing.T, w *webtest.World, url string, texts ...string) {
	t.Helper()
	body := w.As("bob").Get(url, "text/markdown").Body
	for _, text := range texts {
		if !strings.Contains(body, text) {
			t.Errorf("%s lacks %q:\n%s", url, text, body)
		}
	}
}

// mill returns a client with the token of the runner Mill.
func mill(w *webtest.World) *webtest.Client { return w.Bearer(w.Secret("runner mill")) }

// turnID returns the id of a turn of a session.
func turnID(w *webtest.World, session string, n int) (id string) {
	w.Query(&id, fmt.Sprintf(`SELECT id FROM turns WHERE session_id = '%s' AND n = %d`, path.Base(session), n))
	return id
}

// TestATurnMayNoMoreThanItsAuthor starts a session with a token that is restricted to a few kinds of things and needs
// approval to create a note. The token of the turn must have the same limits. Once the first token has expired, a
// turn must fail.
func TestATurnMayNoMoreThanItsAuthor(t *testing.T) {
	w := webtest.Of(t, "work")
	var secret string
	err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		var studio, bob string
		if err := tx.Get(&studio, `SELECT id FROM studios WHERE handle = 'team'`); err != nil {
			return err
		}
		if err := tx.Get(&bob, `SELECT id FROM members WHERE handle = 'bob'`); err != nil {
			return err
		}
		m, err := tx.MemberIn(studio, bob)
		if err != nil {
			return err
		}
		_, secret, err = tx.CreateToken(m, store.Grant{Label: "Limited",
			Scopes: store.Set[store.Scope]{store.ScopeRead, store.ScopeWrite},
			Asks:   store.Set[string]{"create_note"}, Kinds: store.Set[string]{"session", "worktree", "note"},
			Roles:   store.Set[string]{},
			Expires: store.At(tx.Now.Add(time.Minute))})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r := w.Bearer(secret).Post(w.URL("worktree empty"), "start_session", param.Input{"agent": "mason",
		"prompt": "Make a note."})
	s := r.Location()
	turn, _ := takeTurn(t, w, s)
	if r := w.Bearer(turn).PostJSON(w.URL("team"), "create_note",
		param.Input{"title": "A note"}); r.Status != http.StatusAccepted {
		t.Errorf("a note is not held: %d %s", r.Status, r.Body)
	}
	denies(t, w.Bearer(turn), w.URL("team"), "create_board", param.Input{"title": "A board"}, "board")
	does(t, w.Bearer(secret), s, "prompt_session", param.Input{"prompt": "And another one."})
	w.Clock.Advance(2 * time.Minute)
	w.Site.CloseDue(t.Context()) // the first turn is interrupted
	does(t, mill(w), w.URL("runner mill"), "claim_turn", param.Input{"turn": turnID(w, s, 2), "claim": "0"})
	says(t, w, s+"/turns/2", "Failed", "is not in force any more")
}

// TestATurnReadsAndWrites uses the token of a turn for which a person asked. The token may read and write for that
// person. It has no other scope, and permits nothing that only people or runners may do.
func TestATurnReadsAndWrites(t *testing.T) {
	w := webtest.Of(t, "work")
	s := begin(t, w, "mason", "Begin.")
	secret, _ := takeTurn(t, w, s)
	turn := w.Bearer(secret)
	if r := turn.Get(s, "text/markdown"); r.Status != http.StatusOK ||
		!strings.Contains(r.Body, "as: \"Mason, agent of @bob\"") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	does(t, turn, w.URL("team"), "create_note", param.Input{"title": "A note"})
	denies(t, turn, w.URL("team"), "create_topic", param.Input{"title": "A topic", "text": "A text."}, "governance")
	if r := turn.PostJSON(w.URL("runner mill"), "claim_turn",
		param.Input{"turn": turnID(w, s, 1), "claim": "0"}); r.Status < 400 {
		t.Errorf("a turn claims turns: %d %s", r.Status, r.Body)
	}
}

// TestAgentsDoNotDriveThoseThatDoNotAsk has two agents: only the first asks for permissions. The first agent must not
// be able to make the second agent work.
func TestAgentsDoNotDriveThoseThatDoNotAsk(t *testing.T) {
	w := webtest.Of(t, "work")
	free := begin(t, w, "hammer", "Wait.")
	_, end := takeTurn(t, w, free)
	end()
	secret, _ := takeTurn(t, w, begin(t, w, "mason", "Begin."))
	for _, action := range []string{"spawn_session", "prompt_session"} {
		denies(t, w.Bearer(secret), free, action, param.Input{"prompt": "Strike."}, "does not ask")
	}
	denies(t, w.Bearer(secret), free, "request_review", nil, "does not ask")
	does(t, w.As("bob"), free, "prompt_session", param.Input{"prompt": "Strike."})
	does(t, w.As("bob"), free, "stop_session", nil)
	denies(t, w.Bearer(secret), free, "resume_session", nil, "does not ask")
}

// TestCallbacksCount lets a parent session and its child prompt each other. Within 15 rounds, the server must refuse
// a prompt, because no person takes part.
func TestCallbacksCount(t *testing.T) {
	w := webtest.Of(t, "work")
	s := begin(t, w, "mason", "Begin.")
	secret, end := takeTurn(t, w, s)
	r := w.Bearer(secret).Post(s, "spawn_session", param.Input{"prompt": "Look after the lilies."})
	child := r.Location()
	end()
	for i := range 15 {
		w.Clock.Advance(time.Minute)
		_, end = takeTurn(t, w, child)
		end()
		secret, end = takeTurn(t, w, s)
		r := w.Bearer(secret).PostJSON(child, "prompt_session", param.Input{"prompt": fmt.Sprint("Again ", i)})
		end()
		if r.Status == http.StatusConflict && strings.Contains(r.Body, "without a word of a person") {
			return
		}
	}
	t.Error("15 rounds without a word of a person")
}

// TestRetiredManifestsStartNothing checks that a spawned session uses the latest version of the manifest, and that a
// retired manifest starts no session.
func TestRetiredManifestsStartNothing(t *testing.T) {
	w := webtest.Of(t, "work")
	s := begin(t, w, "mason", "Begin.")
	_, end := takeTurn(t, w, s)
	end()
	does(t, w.As("alice"), w.URL("manifest mason"), "revise_manifest", param.Input{"title": "Mason",
		"role": "coding", "mode": "ask",
		"asks": "true", "argv": []any{"/usr/bin/mason", "--slow"}})
	child := w.As("bob").Post(s, "spawn_session", param.Input{"prompt": "Look."}).Location()
	if body := mill(w).Get(w.URL("runner mill"), "application/json").Body; !strings.Contains(body, `"--slow"`) {
		t.Errorf("the child %s is not of the new version: %s", child, body)
	}
	does(t, w.As("alice"), w.URL("manifest mason"), "retire_manifest", nil)
	for _, action := range []string{"spawn_session", "fork_session"} {
		denies(t, w.As("bob"), s, action, param.Input{"prompt": "Look."}, "")
	}
}

// TestPausedAgentsStayPaused pauses the agent of a turn. The agent's next turn must get no token until the agent is
// resumed.
func TestPausedAgentsStayPaused(t *testing.T) {
	w := webtest.Of(t, "work")
	s := begin(t, w, "mason", "Begin.")
	secret, end := takeTurn(t, w, s)
	does(t, w.As("bob"), s, "prompt_session", param.Input{"prompt": "Go on."})
	var agent string
	w.Query(&agent, `SELECT k.agent_id FROM turns t JOIN tokens k ON k.id = t.token_id WHERE t.id = '`+turnID(w, s, 1)+`'`)
	does(t, w.As("bob"), "/orgs/acme/agents/"+agent, "pause_agent", nil)
	if r := w.Bearer(secret).Get(s, "text/markdown"); r.Status != http.StatusUnauthorized {
		t.Errorf("a paused agent reads: %d", r.Status)
	}
	end()
	does(t, mill(w), w.URL("runner mill"), "claim_turn", param.Input{"turn": turnID(w, s, 2), "claim": "0"})
	says(t, w, s, "Failed", "is paused")
	w.Clock.Advance(time.Hour) // the paused token expires, but the agent must stay paused
	does(t, w.As("bob"), s, "prompt_session", param.Input{"prompt": "Go on."})
	does(t, mill(w), w.URL("runner mill"), "claim_turn", param.Input{"turn": turnID(w, s, 3), "claim": "0"})
	says(t, w, s+"/turns/3", "Failed", "is paused")
	says(t, w, "/orgs/acme/agents/"+agent, "paused")
	does(t, w.As("bob"), "/orgs/acme/agents/"+agent, "resume_agent", nil)
	does(t, w.As("bob"), s, "prompt_session", param.Input{"prompt": "Now."})
	secret, _ = takeTurn(t, w, s)
	if r := w.Bearer(secret).Get(s, "text/markdown"); r.Status != http.StatusOK {
		t.Errorf("a resumed agent reads: %d", r.Status)
	}
}

// TestALostRunnerIsTold lets a claim expire. The session's page must get a new ETag, and the member who started the
// session must be notified. A turn that did not begin waits for a runner again, and fails after the fifth expired
// claim.
func TestALostRunnerIsTold(t *testing.T) {
	w := webtest.Of(t, "work")
	s := begin(t, w, "mason", "Begin.")
	secret, _ := takeTurn(t, w, s)
	before := w.As("bob").Get(s, "text/markdown").Header.Get("ETag")
	w.Clock.Advance(31 * time.Second)
	w.Site.CloseDue(t.Context())
	if after := w.As("bob").Get(s, "text/markdown").Header.Get("ETag"); after == before || after == "" {
		t.Errorf("the ETags are %s and %s", before, after)
	}
	says(t, w, s, "Interrupted", "resume_session")
	says(t, w, "/inbox", "Samepage says the runner went away")
	if r := w.Bearer(secret).Get(s, "text/markdown"); r.Status != http.StatusUnauthorized {
		t.Errorf("the token outlives its turn: %d", r.Status)
	}
	other := begin(t, w, "mason", "Never begin.")
	for i := range 5 {
		does(t, mill(w), w.URL("runner mill"), "claim_turn", param.Input{"turn": turnID(w, other, 1),
			"claim": fmt.Sprint(i)})
		w.Clock.Advance(time.Minute)
		w.Site.CloseDue(t.Context())
	}
	says(t, w, other, "Failed", "each time before it could start", "resume_session")
	says(t, w, "/inbox", "[Never begin.]("+webtest.Origin+other+") | Samepage says the runner went away")
}

// TestStoppedSessionsRest stops a session in which a prompt waits for the running turn. The waiting prompt must not
// run, so the session can be archived.
func TestStoppedSessionsRest(t *testing.T) {
	w := webtest.Of(t, "work")
	s := begin(t, w, "mason", "Begin.")
	_, end := takeTurn(t, w, s)
	does(t, w.As("bob"), s, "prompt_session", param.Input{"prompt": "Then sweep."})
	does(t, w.As("bob"), s, "stop_session", nil)
	end()
	does(t, w.As("bob"), s, "archive_session", nil)
}

// TestArchivedStudiosStartNothing checks that nothing starts in an archived studio, but that a running turn can be
// stopped there.
func TestArchivedStudiosStartNothing(t *testing.T) {
	w := webtest.Of(t, "work")
	s := begin(t, w, "mason", "Begin.")
	_, end := takeTurn(t, w, s)
	waiting := begin(t, w, "mason", "Then sweep.")
	does(t, w.As("alice"), w.URL("team"), "archive_studio", nil)
	does(t, w.As("bob"), s, "stop_session", nil)
	end()
	denies(t, mill(w), w.URL("runner mill"), "claim_turn", param.Input{"turn": turnID(w, waiting, 1), "claim": "0"},
		"cannot be claimed")
	denies(t, w.As("bob"), s, "prompt_session", param.Input{"prompt": "More."}, "archived")
	does(t, w.As("bob"), waiting, "stop_session", nil)
}

// TestArchivedWorktreesTakeNoPrompts checks that a prompt is refused if the worktree is archived.
func TestArchivedWorktreesTakeNoPrompts(t *testing.T) {
	w := webtest.Of(t, "work")
	s := begin(t, w, "mason", "Begin.")
	_, end := takeTurn(t, w, s)
	end()
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`UPDATE worktrees SET archived_at = ? WHERE name = 'empty'`, store.At(tx.Now))
	}); err != nil {
		t.Fatal(err)
	}
	denies(t, w.As("bob"), s, "prompt_session", param.Input{"prompt": "More."}, "has no folder")
}

// TestResumedAgentsHearTheirPrompt resumes a session whose first turn never began. The next turn must have the first
// prompt.
func TestResumedAgentsHearTheirPrompt(t *testing.T) {
	w := webtest.Of(t, "work")
	s := begin(t, w, "mason", "Water the fern.")
	does(t, w.As("bob"), s, "stop_session", nil)
	does(t, w.As("bob"), s, "resume_session", nil)
	says(t, w, s+"/turns/2", "Water the fern.", "never began")
}

// TestAForkStaysAFork checks that a fork whose first turn never began still continues a copy of its parent's
// conversation.
func TestAForkStaysAFork(t *testing.T) {
	w := webtest.Of(t, "work")
	fork := w.As("bob").Post(w.URL("session done"), "fork_session", param.Input{"prompt": "Fork."}).Location()
	does(t, w.As("bob"), fork, "stop_session", nil)
	does(t, w.As("bob"), fork, "prompt_session", param.Input{"prompt": "Go on."})
	w.Clock.Advance(25 * time.Hour)
	var copied int
	w.Query(&copied, `SELECT copied FROM sessions WHERE id = '`+path.Base(fork)+`'`)
	if body := mill(w).Get(w.URL("runner mill"), "application/json").Body; copied != 1 || !strings.Contains(body, `"fork":true`) {
		t.Errorf("the fork goes on with the conversation of its parent: %s", body)
	}
}

// TestReportsAreSeenAtOnce requests a session's page again with its ETag, after the agent has said something. The
// server must send the new page.
func TestReportsAreSeenAtOnce(t *testing.T) {
	w := webtest.Of(t, "work")
	s := begin(t, w, "mason", "Begin.")
	takeTurn(t, w, s)
	first := w.As("bob").Get(s, "text/markdown")
	ask := func() *webtest.Response {
		r, err := http.NewRequest(http.MethodGet, webtest.Origin+s, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/markdown")
		r.Header.Set("If-None-Match", first.Header.Get("ETag"))
		return w.As("bob").Do(r)
	}
	if r := ask(); r.Status != http.StatusNotModified {
		t.Errorf("the same page is answered with %d", r.Status)
	}
	does(t, mill(w), w.URL("runner mill"), "report_turn", param.Input{"turn": turnID(w, s, 1), "claim": "1",
		"events": `[{"n":1,"kind":"text","text":"The roses are dry."}]`})
	if r := ask(); r.Status != http.StatusOK || !strings.Contains(r.Body, "The roses are dry.") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	says(t, w, s+"/turns/1?after=99999", "1 event before these")
}
