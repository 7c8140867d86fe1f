package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReviewByAnAgent tells how an agent requests a review of its work, with our two tools. Another agent finds the
// page of the review from /whoami, and requests changes. The feedback is the first agent's next prompt. That agent
// requests another review, and a person approves.
func TestReviewByAnAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := t.TempDir()
	source := shed(t, root)
	script := func(name, text string) []string {
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{w.bin, "agent-script", path}
	}
	alice, bob := w.signIn("alice"), w.signIn("bob")
	runner := alice.does("/orgs/meadow/runners", "create_runner", map[string]any{"name": "Mill",
		"roots": []string{root}})
	w.runs(runner.URL, runner.Secret, root)
	alice.hears(runner.URL, "Ready")
	repo := alice.does(runner.URL, "add_repo", map[string]any{"studio": "team", "name": "shed", "source": source}).URL
	for key, argv := range map[string][]string{
		"mason": script("mason", `write door.txt red\n
navigate /whoami
open /sessions/
act request_review {"reviewer":"judge","text":"Is the door right?"}
turn
write door.txt green\n
navigate /whoami
open /sessions/
act request_review {"text":"And now?"}
`),
		"judge": script("judge", `navigate /whoami
open /reviews/
act send_feedback {"type":"needs_work","priority":"high","text":"It is red.","items":["door.txt:1 Green, please."]}
`),
	} {
		alice.does("/orgs/meadow/manifests", "add_manifest", map[string]any{"key": key,
			"title": strings.ToUpper(key[:1]) + key[1:],
			"role":  "coding", "mode": "ask", "asks": true, "argv": argv})
	}
	bob.hears(repo, "Nail the boards")
	tree := bob.does(repo, "create_worktree", map[string]any{"name": "door"}).URL
	bob.hears(tree, "0 ahead")
	session := bob.does(tree, "start_session", map[string]any{"agent": "mason", "prompt": "Paint the door."}).URL
	said := bob.hears(session, "Review 2 of Paint the door.")
	contains(t, "the session", said, "It is red.", "`door.txt:1`, Judge, agent of @bob", "Green, please.", "Changes requested")
	alice.hears("/inbox", "Mason, agent of @bob asked for")
	bob.hears(session, "In review")
	_, review, _ := strings.Cut(said, "[Review 2](")
	review, _, _ = strings.Cut(review, ")")
	review = strings.TrimPrefix(review, w.url)
	said = bob.hears(review, "It waits for people")
	contains(t, "the review", said, "And now?", "2 of 3")
	bob.hears(tree, "2 ahead")
	contains(t, "the difference", bob.reads(tree+"/diff", "text/markdown"), "+green")
	bob.does(review, "approve_review", map[string]any{"text": "Green it is."})
	contains(t, "the review", bob.reads(review, "text/markdown"), "Approved", "Green it is.")
	w.run("journal", "verify")
}
