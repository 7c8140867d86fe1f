package clients

import (
	"regexp"
	"strings"
	"testing"
)

// TestHeldAction tells how an agent takes an action that needs approval, over stdio and over HTTP. Bob opens the link
// from the answer in Chromium without scripts, sees the exact effect and approves. The action is then taken once, in
// the agent's name, and the agent can read the result.
func TestHeldAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := open(t).withoutScripts().login(w, "bob")
	asker := func(label string) string {
		return strings.TrimSpace(w.run("token", "create", "--member", "bob", "--label", label, "--asks", "comment"))
	}
	agents := []*agent{w.overStdio("Quiet", asker("Quiet")), w.overHTTP("Meek", asker("Meek"))}
	decision := agents[0].find("Should we adopt weekly stand-ups?")
	for _, a := range agents {
		words := "May I say this, asks " + a.name + "?"
		said := a.act(decision, "comment", map[string]any{"text": words}, "Bob may want it.")
		at := approvalLink.FindString(said)
		if at == "" {
			t.Fatalf("%s was told no approval: %s", a.name, said)
		}
		contains(t, "what "+a.name+" was told", said, "Waiting for approval: "+at)
		contains(t, "what "+a.name+" reads", a.navigate(at), "Waiting for @bob", words)
		if strings.Contains(a.navigate(decision), words) {
			t.Errorf("it was done before Bob approved")
		}

		bob.visit(w.url + at)
		bob.sees("Waiting for an answer", a.name+", agent of @bob", words, "Bob may want it.",
			"Your comment is added.", "To undo it")
		bob.fill("Comment (optional)", "Go ahead, "+a.name+".")
		bob.press("Approve")
		bob.sees("Approved by @bob", "Go ahead, "+a.name+".")
		bob.quiet("the approval")

		contains(t, "what "+a.name+" reads then", a.navigate(at), "Approved by @bob",
			"Go ahead, "+a.name+".", "Your comment is added.")
		if n := strings.Count(a.navigate(decision), words); n != 1 {
			t.Errorf("it is said %d times", n)
		}
		bob.visit(w.url + "/orgs/meadow/journal")
		bob.sees(a.name+", agent of @bob commented on Should we adopt weekly stand-ups?", "Bob may want it.",
			"@bob approved")
	}
}

var approvalLink = regexp.MustCompile(`/approvals/[0-9a-hjkmnp-tv-z]{10}`)
