package clients

import (
	"fmt"
	"strings"
	"testing"

	"samepage/store/pgtest"
)

const question = "Do we read the same page?"

// TestOneStoryFiveReaders tells of one decision with six members and five kinds of clients. Alice's
// agent asks the question over stdio. Bob votes in Chromium with JavaScript turned off. The agents
// of the other members vote over HTTP with the Go SDK, the Inspector and both TypeScript SDKs.
// After each vote, all of them see the new count.
func TestOneStoryFiveReaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := open(t).withoutScripts().login(w, "bob")
	scribe := w.overStdio("Scribe", w.token("Scribe"))
	agents := []*agent{
		scribe,
		w.overHTTP("Pilot", w.newToken("carol", "Pilot")),
		w.overInspector("Lens", w.newToken("dave", "Lens")),
		w.overTypeScript("Quill", "v1", w.newToken("erin", "Quill")),
		w.overTypeScript("Plume", "v2", w.newToken("frank", "Plume")),
	}

	// Alice's agent asks the question.
	team := scribe.find("Team")
	said := scribe.act(team, "create_decision", map[string]any{
		"question":  question,
		"text":      "Each of us with another reader.",
		"options":   []string{"Yes", "Nearly", "No"},
		"results":   "shown",
		"closes_at": "3d",
	}, "Alice wants to know before Monday.")
	decision := scribe.find(question)
	contains(t, "what Scribe was told", said, question)

	// Bob finds the question on his home page and votes.
	bob.visit(w.url + "/")
	bob.follow(question)
	bob.sees(question, "By Scribe, agent of @alice", "0 of 6 have voted", "You have not")
	bob.tick("Accept", "Yes")
	bob.tick("Prefer", "Yes")
	bob.fill("Reason (optional)", "I see it with my own eyes.")
	bob.press("Vote")
	bob.sees("1 of 6 have voted", "You have.")
	if notice := eval[string](bob,
		`document.querySelector("[role=status]")?.innerText ?? ""`); !strings.Contains(notice, "ballot") {
		t.Errorf("Bob is not told that his ballot counts: %q", notice)
	}
	bob.quiet("Bob's vote")

	// Each agent finds the decision from / by itself, and votes with a reason for the journal. All members see each
	// vote at once.
	everybodySees := func(voted int) {
		t.Helper()
		votes := fmt.Sprintf("%d of 6 have voted", voted)
		row := fmt.Sprintf("| 1 | Yes | %d |", voted)
		for _, a := range agents {
			contains(t, "what "+a.name+" reads", a.navigate(decision), votes, row)
		}
		bob.visit(bob.address())
		bob.sees(votes, fmt.Sprintf("1 Yes %d", voted))
	}
	everybodySees(1)
	for i, a := range agents {
		url := decision
		if a != scribe {
			if url = a.find(question); url != decision {
				t.Errorf("%s found the decision at %s, Scribe at %s", a.name, url, decision)
			}
		}
		said := a.act(url, "cast_vote", map[string]any{
			"accept": []string{"Yes", "Nearly"}, "reason": "As " + a.name + " reads it.",
		}, a.name+" read the page first.")
		contains(t, "what "+a.name+" was told", said, decision, fmt.Sprintf("%d of 6 have voted", i+2))
		everybodySees(i + 2)
	}

	journalHasAll(t, bob, scribe, w.url)

	// The ballots show the reasons to all members.
	ballots := agents[1].navigate(decision + "/ballots")
	contains(t, "the ballots", ballots, "I see it with my own eyes.", "As Plume reads it.")
	bob.quiet("the story")
}

// journalHasAll checks that the journal has all votes of the story with their reasons, and that it marks agents as
// agents.
func journalHasAll(t *testing.T, bob *browser, scribe *agent, url string) {
	t.Helper()
	bob.visit(url + "/orgs/meadow/journal")
	bob.sees("@bob voted on "+question,
		"Scribe, agent of @alice asked "+question+" , Decision “Alice wants to know before Monday.”")
	for _, member := range []struct{ label, of string }{{"Scribe", "alice"}, {"Pilot", "carol"},
		{"Lens", "dave"}, {"Quill", "erin"}, {"Plume", "frank"}} {
		bob.sees(member.label + ", agent of @" + member.of + " voted on " + question + " , Decision “" +
			member.label + " read the page first.”")
	}
	bob.follow("Agents")
	bob.sees("Plume, agent of @frank voted on " + question)
	if strings.Contains(bob.text(), "\n@bob voted on") {
		t.Error("Bob's own vote is among those of agents")
	}
	journal := scribe.navigate("/orgs/meadow/journal?by=people")
	_, journal, _ = strings.Cut(journal, "\n# Journal\n")
	contains(t, "the journal of people", journal, "@bob voted on ["+question+"]")
	if strings.Contains(journal, "agent of") {
		t.Error("an agent's deed is among those of people")
	}
}

// TestAgentsAreRefusedInWords checks that the refusal of an action or a page explains the reason, and that nothing
// changes.
func TestAgentsAreRefusedInWords(t *testing.T) {
	w := newWorld(t)
	reader := w.overStdio("Reader", w.token("Reader"))
	decision := reader.find("Who speaks at the fair?")
	page := reader.navigate(decision)
	if params(page, "cast_vote") != nil {
		t.Error("an agent that may only read is offered to vote")
	}
	text, failed := reader.call("execute_action", map[string]any{
		"url": decision, "action": "cast_vote", "params": map[string]any{"ranking": "2 > 1"},
	})
	if !failed {
		t.Errorf("an agent that may only read voted: %s", text)
	}
	contains(t, "the refusal", text, "Nothing was changed.")
	if again := reader.navigate(decision); again != page {
		t.Errorf("the page has changed:\n%s", again)
	}
	if text, failed := reader.call("navigate", map[string]any{"url": "/studios/nowhere"}); !failed || text == "" {
		t.Errorf("a page that is not there opens: %s", text)
	}
	if got := w.get("/", "text/markdown", "sp_notatoken"); got.status != 401 {
		t.Errorf("a made-up token is answered %d", got.status)
	}
}

// TestStdioWithoutAServer checks that the command samepage mcp opens the data folder itself if no server runs, and
// that the next session sees the changes of the previous one.
func TestStdioWithoutAServer(t *testing.T) {
	pgtest.Folder(t, "it has no database")
	w := unserved(t)
	t.Run("vote", func(t *testing.T) {
		scout := (&world{t: t, bin: w.bin, at: w.at, keys: w.keys}).overStdio("Scout", w.token("Scout"))
		said := scout.act(scout.find("Who writes the next newsletter?"), "cast_vote",
			map[string]any{"option": "1"}, "Bob said so.")
		contains(t, "what Scout was told", said, "3 of 6 have voted")
	})
	scribe := w.overStdio("Scribe", w.token("Scribe"))
	contains(t, "the decision", scribe.navigate(scribe.find("Who writes the next newsletter?")), "3 of 6 have voted")
}

func contains(t *testing.T, what, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Fatalf("%s does not say %q:\n%s", what, want, text)
		}
	}
}
