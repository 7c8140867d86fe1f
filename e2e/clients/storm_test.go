package clients

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"samepage/actions/effect/runner/turn"
)

// chatter is a real coding agent of a member. Whenever the member's inbox changes, the agent takes a turn, in which its
// model answers the newest mention and names everybody in the answer.
type chatter struct {
	realAgent
	*model
	token   string
	spec    turn.Spec
	version string   // of the inbox when the agent last looked
	results []string // the results of the comments, as the model received them
}

// everybody names the members whose agents answer.
const everybody = "@alice @bob @carol"

// mentionOf finds the page of the first mention in the table of an inbox.
var mentionOf = regexp.MustCompile(`\]\((/studios/[a-z]+/[a-z]/[a-z0-9]+)\)[^|]*\|[^|]*\| names you`)

// next is the model's answer to the last input: it opens the inbox, then comments on the page of the newest mention,
// and then ends the turn.
func (c *chatter) next(last string) move {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case strings.Contains(last, "call_comment"):
		c.results[len(c.results)-1] = last
		return move{text: "I have answered."}
	case strings.Contains(last, "call_inbox"):
		page := mentionOf.FindStringSubmatch(last)
		if page == nil {
			return move{text: "Nobody mentions me."}
		}
		c.results = append(c.results, "")
		return move{id: "call_comment", tool: actionTool, input: object{"url": page[1], "action": "comment",
			"params": object{"text": fmt.Sprintf("%s has answer %d for %s.", c.name, len(c.results), everybody)}}}
	}
	return move{id: "call_inbox", tool: pageTool, input: object{"url": "/inbox?show=unread"}}
}

// woken reports whether the agent's inbox has changed since the last call. It waits up to two seconds for a change.
func (c *chatter) woken(w *world) bool {
	w.t.Helper()
	inbox := w.get("/inbox?wait=2&since="+c.version, "text/markdown", c.token).body
	version := versionOf.FindStringSubmatch(inbox)
	if version == nil {
		w.t.Fatalf("the inbox of %s has no version:\n%s", c.name, inbox)
	}
	changed := version[1] != c.version
	c.version = version[1]
	return changed
}

var versionOf = regexp.MustCompile(`(?m)^version: "(\d+)"$`)

// chatters returns three agents of different makers, each of another member.
func chatters(w *world) (list []*chatter) {
	w.t.Helper()
	for _, a := range []struct {
		member, label string
		of            func(*testing.T, *model, string) realAgent
	}{{"alice", "Clara", claudeCode}, {"bob", "Cody", codex}, {"carol", "Gemma", gemini}} {
		w.signIn(a.member).does("/inbox", "mark_all_read", nil)
		c := &chatter{model: newModel(w.t), token: w.newToken(a.member, a.label)}
		c.model.answer = c.next
		home := w.t.TempDir()
		c.realAgent = a.of(w.t, c.model, home)
		c.spec = c.realAgent.spec(w, home, w.t.TempDir())
		c.spec.Server.Headers[0].Value = "Bearer " + c.token
		c.spec.Prompt = "Your inbox has changed."
		c.woken(w)
		list = append(list, c)
	}
	return list
}

// storm lets the agents with a changed inbox take turns at the same time, until no inbox changes any more. It returns
// the number of their turns. It fails the test if inboxes still change after eight rounds.
func storm(w *world, agents []*chatter) (turns int) {
	w.t.Helper()
	for range 8 {
		before := turns
		var group sync.WaitGroup
		for _, c := range agents {
			if !c.woken(w) {
				continue
			}
			turns++
			group.Go(func() {
				to := &watcher{}
				if got := turn.Run(w.t.Context(), c.spec, to); got.State != turn.Succeeded {
					w.t.Errorf("a turn of %s ended as %+v\n%s", c.name, got, to.text())
				}
			})
		}
		group.Wait()
		if turns == before {
			return turns
		}
	}
	w.t.Fatalf("after %d turns of agents, they still wake each other", turns)
	return 0
}

// TestStormOfMentions tells how Dave mentions Alice in the channel. Claude Code is her agent, Codex is Bob's and Gemini
// CLI is Carol's. Each answers every mention and names everybody, so that they wake each other. The exchange ends by
// itself after three comments of agents. The page says why, and so do the answers to the agents. After another word
// of Dave, they write three comments again.
func TestStormOfMentions(t *testing.T) {
	w := unserved(t)
	w.serve("--limits=true")
	agents, dave := chatters(w), w.signIn("dave")
	const says = "What do you think, @alice?"
	dave.does("/studios/team/channel", "post_message", map[string]any{"text": says})
	message := strings.TrimPrefix(links(dave.reads("/search?q=What+do+you+think", "text/markdown"))[says], w.url)
	answered, skippedBefore := 0, 0
	for round := 1; round <= 2; round++ {
		turns, answers, skipped := storm(w, agents), -answered, -skippedBefore
		for _, c := range agents {
			answers += len(c.results)
			for _, told := range c.results {
				if strings.Contains(told,
					"Skipped, because agents wrote the last 3 messages in this thread in a row.") {
					skipped++
				}
			}
		}
		answered, skippedBefore = answered+answers, skippedBefore+skipped
		page := dave.reads(message, "text/markdown")
		on := strings.Count(page, " has answer ")
		t.Logf("storm %d: %d turns of agents, %d answers, %d of them skipped", round, turns, answers, skipped)
		if answers-skipped != 3 || on != round*3 || skipped == 0 {
			t.Errorf("storm %d: of %d answers, %d were skipped, and the page has %d:\n%s", round, answers, skipped,
				on, page)
		}
		contains(t, "the page of the message", page,
			"Agents pause here: what they would say is skipped, because agents wrote the last 3 messages in this thread in a row.")
		dave.does(message, "comment", map[string]any{"text": "And now, " + everybody + "?"})
	}
}
