package runner_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/actions/param"
)

// longName is the id of a conversation, longer than the runner accepts.
var longName = strings.Repeat("conversation", 30)

// actRaw acts as an agent that does what scripts cannot do. Its conversations have long ids, it reports its cost in
// credits, and it sends two permission requests for one tool call, with titles of two lines, before it waits for an
// answer.
func actRaw() error {
	type frame struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Prompt []struct{ Text string }
		} `json:"params"`
		Result struct {
			Outcome struct{ OptionID string }
		} `json:"result"`
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	send := func(text string, args ...any) error {
		return out.Encode(json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0",`+text+`}`, args...)))
	}
	update := func(text string) error {
		return send(`"method":"session/update","params":{"sessionId":%q,"update":{%s}}`, longName, text)
	}
	say := func(text string) error {
		return update(fmt.Sprintf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}`, text))
	}
	for {
		var f frame
		if err := in.Decode(&f); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var err error
		switch f.Method {
		case "initialize":
			err = send(`"id":%s,"result":{"protocolVersion":1,"agentCapabilities":{}}`, f.ID)
		case "session/new":
			err = send(`"id":%s,"result":{"sessionId":%q}`, f.ID, longName)
		case "session/prompt":
			heard := f.Params.Prompt[0].Text
			err = say("I hear: " + heard + "\n\n")
			if err == nil && strings.HasSuffix(heard, "Ask.") {
				time.Sleep(400 * time.Millisecond) // by then the runner is reporting the words, and both requests must wait
				for _, title := range []string{"one", "two"} {
					_ = send(`"id":"ask %s","method":"session/request_permission","params":{"sessionId":%q,`+
						`"toolCall":{"toolCallId":"call","title":"Open\n door %[1]s"},`+
						`"options":[{"optionId":"yes to %[1]s","name":"Yes","kind":"allow_once"}]}`, title, longName)
				}
				for range 2 {
					var answer frame
					if err := in.Decode(&answer); err != nil {
						return err
					}
					_ = say(fmt.Sprintf("To %s you say %s.\n\n", strings.Trim(string(answer.ID), `"`),
						answer.Result.Outcome.OptionID))
				}
			}
			_ = update(`"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":3,"currency":"credits of the maker"}`)
			_ = send(`"id":%s,"result":{"stopReason":"end_turn"}`, f.ID)
		}
		if err != nil {
			return err
		}
	}
}

// raw adds a manifest of the agent [actRaw], and returns its key.
func (y *yard) raw() string {
	y.t.Helper()
	self, err := os.Executable()
	if err != nil {
		y.t.Fatal(err)
	}
	y.do("alice", "/orgs/acme/manifests", "add_manifest", param.Input{"key": "raw", "title": "Mason raw",
		"role": "coding", "argv": self + "\nraw", "asks": "true"})
	return "raw"
}

// plain adds a manifest of a plain program that the shell runs, and returns its key.
func (y *yard) plain(key, lines string) string {
	y.t.Helper()
	y.do("alice", "/orgs/acme/manifests", "add_manifest", param.Input{"key": key, "title": "Mason " + key,
		"role": "coding", "adapter": "plain", "argv": "/bin/sh\n-c\n" + lines})
	return key
}

// through restarts the runner. The function see gets the name and the body of each action that the runner takes. If
// see returns a sentence, the request is refused with that sentence and does not reach the server.
func (y *yard) through(see func(action, body string) (refusal string)) {
	y.t.Helper()
	y.stop()
	y.stop = start(y.t, y.World, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				y.t.Error(err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			action := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
			if refusal := see(action, string(body)); refusal != "" {
				w.WriteHeader(http.StatusRequestEntityTooLarge)
				_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": refusal}})
				return
			}
		}
		y.Site.ServeHTTP(w, r)
	}), y.data, y.root)
}

// TestOddAgentsEndTheirTurns runs an agent whose names for its conversation and for its unit of cost are too long.
// The turn must end normally. The next turn begins a new conversation, and its prompt must contain the address of the
// earlier one.
func TestOddAgentsEndTheirTurns(t *testing.T) {
	y := newYard(t)
	s := y.do("bob", y.worktree("paint"), "start_session", param.Input{"agent": y.raw(), "prompt": "Look."})
	page := becomes(t, y.World, s, "Done")
	if !strings.Contains(page, "more than 200 bytes") || strings.Contains(page, "credits of") {
		t.Errorf("the page does not say that the conversation ends, or has a cost:\n%s", page)
	}
	y.do("bob", s, "prompt_session", param.Input{"prompt": "Go on."})
	page = becomes(t, y.World, s+"/turns/2", "Took")
	if want := "I hear: What was said before is on the page " + s; !strings.Contains(page, want) {
		t.Errorf("the page lacks %q:\n%s", want, page)
	}
}

// TestMarksOfHTMLAreReported checks that the report of a turn is accepted if the worktree's diff is full of the
// character <. The report would be too long if the JSON had escapes for this character.
func TestMarksOfHTMLAreReported(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	key := y.plain("marks", "for n in 1 2 3 4 5 6 7 8 9; do head -c 200000 /dev/zero | tr '\\0' '<' | fold -w 200 >$n.txt; done")
	s := y.do("bob", tree, "start_session", param.Input{"agent": key, "prompt": "Mark."})
	if page := becomes(t, y.World, s, "Done"); strings.Contains(page, "refused") {
		t.Errorf("the report was refused:\n%s", page)
	}
	becomes(t, y.World, tree, "1 ahead")
	y.do("bob", tree, "refresh_worktree", nil)
	becomes(t, y.World, tree, "Ready.\n")
}

// TestARefusedReportIsMadeShorter refuses the full report of a turn's end. The runner must then send a shorter
// report, and the page must show why the full report was refused.
func TestARefusedReportIsMadeShorter(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	y.through(func(action, body string) string {
		if action == verbs.FinishTurn && strings.Contains(body, `\"tree\"`) {
			return "It is too heavy."
		}
		return ""
	})
	s := y.do("bob", tree, "start_session", param.Input{"agent": y.plain("one", "echo Painted."), "prompt": "Paint."})
	if page := becomes(t, y.World, s, "Done"); !strings.Contains(page, "was refused: It is too heavy.") {
		t.Errorf("the page does not say why the report is short:\n%s", page)
	}
}

// TestTwoRequestsForOneCall lets an agent ask twice for one call of a tool while the report of the agent's words is
// slow, so that both requests are reported together. Each request must get its own answer.
func TestTwoRequestsForOneCall(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	var once sync.Once
	y.through(func(action, body string) string {
		if action == verbs.ReportTurn && strings.Contains(body, "I hear") {
			once.Do(func() { time.Sleep(2 * time.Second) })
		}
		return ""
	})
	s := y.do("bob", tree, "start_session", param.Input{"agent": y.raw(), "prompt": "Ask."})
	for n := range 2 {
		request := fmt.Sprintf("%s/permissions/%d", s, n+1)
		page := becomes(t, y.World, request, "Open door")
		choice := "yes to one"
		if strings.Contains(page, "Open door two") {
			choice = "yes to two"
		}
		y.do("bob", request, "answer_permission", param.Input{"choice": choice})
	}
	page := becomes(t, y.World, s, "Done")
	for _, n := range []string{"one", "two"} {
		if want := fmt.Sprintf("To ask %s you say yes to %[1]s.", n); !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}
