package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"samepage/actions"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/web"
	"samepage/web/webtest"
)

// parrot is an agent that answers each notification once, and mentions everybody in the answer.
type parrot struct {
	name, token, names string
	done               map[string]bool
	wrote, skipped     int
}

var told1 = regexp.MustCompile(`\]\((/studios/[a-z]+/[a-z]/[a-z0-9]+)`)

// speak reads the inbox over MCP and answers each new notification. It counts the answers that were accepted and
// those that were skipped.
func (p *parrot) speak(t *testing.T, h http.Handler) {
	t.Helper()
	inbox, failed, _ := use(t, h, p.token, "navigate", map[string]any{"url": "/inbox?show=unread"})
	if failed {
		t.Fatal(inbox)
	}
	for _, line := range strings.Split(inbox, "\n") {
		m := told1.FindStringSubmatch(line)
		if m == nil || p.done[line] {
			continue
		}
		p.done[line] = true
		says, failed, _ := use(t, h, p.token, "execute_action", map[string]any{"url": m[1], "action": actions.Comment,
			"params": map[string]any{"text": fmt.Sprintf("I, %s, agree %d times. %s", p.name, len(p.done), p.names)}})
		switch {
		case !failed:
			p.wrote++
		case strings.Contains(says, "Skipped, because agents wrote the last 3"):
			p.skipped++
		default:
			t.Fatalf("%s on %s: %s", p.name, m[1], says)
		}
	}
}

// flock returns three agents of three members, each with a token that may write everywhere. Erin's agent in the world
// must ask before it comments and may not write everywhere, so Erin creates another one.
func flock(t *testing.T, w *webtest.World, names string) []*parrot {
	t.Helper()
	r := w.As("erin").JSON("/settings/tokens", "create_token",
		webtest.Call{Params: param.Input{"label": "Herald", "scopes": []any{"read", "write"}}})
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(r.Body), &made); err != nil || made.Secret == "" {
		t.Fatal(r.Status, r.Body)
	}
	list := []*parrot{{name: "scribe", token: w.Token("scribe")}, {name: "scout", token: w.Token("scout")},
		{name: "herald", token: made.Secret}}
	for _, p := range list {
		p.names, p.done = names, map[string]bool{}
	}
	return list
}

// TestAgentsStopAnsweringEachOther lets three agents answer every notification and mention each other in the answers:
// on a decision, a note, a topic and a commitment, and in the threads of messages. The conversation ends after three
// answers, and says why. A comment by a person lets it begin anew.
func TestAgentsStopAnsweringEachOther(t *testing.T) {
	const names = "@alice @bob @erin @oscar"
	for _, place := range []string{"standups", "note post", "message month", "message hello", "topic consent",
		"commitment open"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t, func(c *web.Config) { c.Unlimited = false })
			h := tools(w)
			for _, who := range []string{"alice", "bob", "erin"} {
				w.As(who).Post("/inbox", actions.MarkAllRead.Name, nil)
			}
			agents := flock(t, w, names)
			storm := func() (wrote, skipped int) {
				for range 12 {
					for _, p := range agents {
						w.Clock.Advance(time.Minute)
						p.speak(t, h)
					}
				}
				for _, p := range agents {
					if p.wrote == 0 && p.skipped == 0 {
						t.Errorf("%s takes no part", p.name)
					}
					wrote, skipped = wrote+p.wrote, skipped+p.skipped
					p.wrote, p.skipped = 0, 0
				}
				return wrote, skipped
			}
			url := w.URL(place)
			for round := range 2 {
				w.As("dave").Post(url, actions.Comment, param.Input{"text": fmt.Sprintf("What do you think, %s? %d",
					names, round)})
				wrote, skipped := storm()
				if wrote == 0 || wrote > 3 || skipped == 0 {
					t.Fatalf("round %d: %d answers of agents, %d skipped", round, wrote, skipped)
				}
				page := w.As("dave").Ahead().Get(url, "text/html").Body
				if !strings.Contains(page,
					"Agents pause here: what they would say is skipped, because agents wrote the last 3") {
					t.Error("the page does not say why agents pause")
				}
				if r := w.As("scout").Get(url, "application/json"); strings.Contains(r.Body, `"name":"comment"`) {
					t.Error("a comment is offered to an agent that would be refused")
				}
			}
		})
	}
}

// TestAgentsStopInAChannel posts as agents until the channel skips them. Replies count too, and so do items that a
// message carries.
func TestAgentsStopInAChannel(t *testing.T) {
	w := webtest.New(t, func(c *web.Config) { c.Unlimited = false })
	channel := w.URL("channel team")
	post := func(who, text string) *webtest.Response {
		w.Clock.Advance(time.Minute)
		return w.As(who).PostJSON(channel, governance.PostMessage.Name, param.Input{"text": text})
	}
	for i, c := range []struct {
		who  string
		want int
	}{{"dave", 200}, {"scribe", 200}, {"scout", 200}, {"scribe", 200}, {"scout", 409}, {"scribe", 409}, {"erin",
		200}, {"scout", 200}} {
		if r := post(c.who, fmt.Sprint("Message ", i)); r.Status != c.want {
			t.Errorf("message %d by %s is answered %d, not %d: %s", i, c.who, r.Status, c.want, r.Body)
		}
	}
	w.Clock.Advance(time.Minute)
	for i, want := range []int{200, 200, 409} {
		r := w.As("scribe").PostJSON(w.URL("message hello"), actions.Comment,
			param.Input{"text": fmt.Sprint("Reply ", i)})
		if r.Status != want {
			t.Errorf("reply %d after a message of an agent is answered %d: %s", i, r.Status, r.Body)
		}
	}
	r := w.As("scribe").PostJSON(channel, actions.CreateNote.Name, param.Input{"title": "A list", "text": "Of things."})
	var answer struct{ Message string }
	if err := json.Unmarshal([]byte(r.Body), &answer); err != nil || r.Status != 200 ||
		!strings.Contains(answer.Message,
			"The channel does not show it. Skipped, because agents wrote the last 3 messages") {
		t.Errorf("the note is answered %d: %s", r.Status, r.Body)
	}
}

var messageURL = regexp.MustCompile(`/studios/team/m/[a-z0-9]+`)

// TestPausesCountAThread checks that a message of an agent with replies of agents counts as messages of its thread, and
// that nobody is asked to write where nobody can.
func TestPausesCountAThread(t *testing.T) {
	w := webtest.New(t, func(c *web.Config) { c.Unlimited = false })
	w.As("dave").PostJSON(w.URL("channel team"), governance.PostMessage.Name, param.Input{"text": "How is it?"})
	made := w.As("scribe").PostJSON(w.URL("channel team"), governance.PostMessage.Name, param.Input{"text": "Rain."})
	found := messageURL.FindAllString(made.Body, -1)
	if found == nil {
		t.Fatal(made.Status, made.Body)
	}
	thread := found[len(found)-1]
	for _, as := range []string{"scout", "scribe"} {
		if r := w.As(as).PostJSON(thread, actions.Comment, param.Input{"text": "Yes."}); r.Status != 200 {
			t.Fatal(r.Status, r.Body)
		}
	}
	const paused = "agents wrote the last 3 messages in this thread in a row"
	if body := w.As("bob").Get(thread, "text/markdown").Body; !strings.Contains(body, paused) {
		t.Errorf("no %q in\n%s", paused, body)
	}
	if r := w.As("scout").PostJSON(thread, actions.Comment, param.Input{"text": "Yes!"}); !strings.Contains(r.Body,
		paused) {
		t.Errorf("no %q in %s", paused, r.Body)
	}
	if r := w.As("alice").PostJSON(thread, governance.DeleteMessage.Name, nil); r.Status != 200 {
		t.Fatal(r.Status, r.Body)
	}
	if body := w.As("bob").Get(thread, "text/markdown").Body; strings.Contains(body, "Agents pause here") {
		t.Errorf("a deleted message asks for a word of a person:\n%s", body)
	}
}

// TestChainsOfAgentsEnd lets agents wake each other from page to page, by notes that mention the next agent's member.
// After three notes no agent is woken or has something unread, the people are still told, and both the inbox and the
// answer say so. A note by a person wakes the agents again.
func TestChainsOfAgentsEnd(t *testing.T) {
	w := webtest.New(t, func(c *web.Config) { c.Unlimited = false })
	agentOf := map[string]string{"alice": "scribe", "bob": "scout"}
	for _, who := range []string{"alice", "bob"} {
		w.As(who).Post("/inbox", actions.MarkAllRead.Name, nil)
	}
	w.Clock.Advance(2 * time.Hour)
	unread := func(who string) int {
		r := w.As(who).Get("/inbox?show=unread", "application/json")
		var inbox struct{ Data struct{ Unread int } }
		if err := json.Unmarshal([]byte(r.Body), &inbox); err != nil {
			t.Fatal(err, r.Body)
		}
		return inbox.Data.Unread
	}
	version := func(member string) (n int) { // for which the member's agents wait
		w.Query(&n, `SELECT own_version FROM members WHERE handle = ? AND org_id = (SELECT id FROM organizations
			WHERE handle = 'acme')`, member)
		return n
	}
	make := func(who, names string, n int) string {
		t.Helper()
		w.Clock.Advance(time.Minute)
		r := w.As(who).PostJSON(w.URL("team"), actions.CreateNote.Name,
			param.Input{"title": fmt.Sprintf("Link %d of %s", n, who), "text": "Over to you, " + names + "."})
		if r.Status != 200 {
			t.Fatal(r.Status, r.Body)
		}
		return r.Body
	}
	make("dave", "@alice", 0)
	for i, want := range []bool{true, true, true, false, false, false} {
		who, to := "scribe", "bob"
		if i%2 == 1 {
			who, to = "scout", "alice"
		}
		person, agent, known := unread(to), unread(agentOf[to]), version(to)
		says := make(who, "@"+to, i)
		if now := unread(to); now != person+1 {
			t.Errorf("link %d by %s: @%s has %d unread notifications after %d", i, who, to, now, person)
		}
		if woken := unread(agentOf[to]) > agent; woken != want || (version(to) > known) != want {
			t.Errorf("link %d by %s wakes %s: %t, and has the version %d after %d", i, who, agentOf[to], woken,
				version(to), known)
		}
		if said := strings.Contains(says, "Agents skip the notifications of this"); said == want {
			t.Errorf("the answer to link %d says that agents skip it: %t\n%s", i, said, says)
		}
	}
	for _, who := range []string{"alice", "scribe"} {
		if r := w.As(who).Get("/inbox", "text/markdown").Body; !strings.Contains(r, "; agents skip it: agents caused") {
			t.Errorf("the inbox does not tell %s why no agent was woken:\n%s", who, r)
		}
	}
	w.As("scout").Post("/inbox", actions.MarkAllRead.Name, nil)
	if unread("bob") == 0 {
		t.Error("an agent has marked as read what only its member is told")
	}
	make("dave", "@alice", 10)
	before := unread("scout")
	make("scribe", "@bob", 11)
	if unread("scout") != before+1 {
		t.Error("after a word of a person, agents do not wake each other again")
	}
}
