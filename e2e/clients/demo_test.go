package clients

import (
	"regexp"
	"strings"
	"testing"
)

// TestDemoAtWork tells what a newcomer finds in the demo: a waiting agent, a review in its second round and a pull
// request that can be merged. The newcomer answers the agent and merges the pull request. The demo's runner does its
// jobs, but starts no other programs.
func TestDemoAtWork(t *testing.T) {
	t.Parallel()
	w, flags := demoAtWork(t)
	w.serve(flags...)
	alice := w.signIn("alice")
	alice.hears("/studios/team/reviews", "Review 2 of Water after rain")
	alice.hears("/studios/team/pulls/1", "waits for somebody to merge it")
	contains(t, "the inbox", alice.hears("/inbox", "brother_ql"), "Moss, agent of @alice asks for your permission")
	home := alice.hears("/", "| [Review](") // the second review starts when the agent's turn has ended
	contains(t, "the start page", home, "[Review 2 of Water after rain]")
	_, session, _ := strings.Cut(home, "[Answer](")
	_, session, _ = strings.Cut(session, "/studios/team/sessions/")
	session, _, _ = strings.Cut(session, "/permissions/1")
	session = "/studios/team/sessions/" + session
	contains(t, "the session", alice.reads(session, "text/markdown"), "# Labels for the beds",
		"Moss, agent of @alice", "labels.py")
	alice.does(session+"/permissions/1", "answer_permission", map[string]any{"choice": "once"})
	alice.hears(session, "beside the printer")
	water := links(alice.reads("/studios/team/worktrees/watering", "text/markdown"))["Water after rain"]
	contains(t, "the session with a rule", alice.reads(strings.TrimPrefix(water, w.url), "text/markdown"),
		"## Rules", "Deny: ", "@bob")
	diff, line := "/studios/team/worktrees/watering/diff", "comment_line?path=watering.py&amp;line=11"
	contains(t, "the difference", alice.reads(diff, "text/html"), line)
	_, review, _ := strings.Cut(home, "[Review 2 of Water after rain](")
	review, _, _ = strings.Cut(review, ")")
	alice.does(strings.TrimPrefix(review, w.url), "comment_line",
		map[string]any{"path": "watering.py", "line": 11, "text": "And hail?"})
	contains(t, "the difference", alice.reads(diff, "text/markdown"), "`watering.py:11`, @alice", "And hail?")
	lacks(t, "the difference", w.get(diff, "text/html", w.token("Scribe")).body, line)

	alice.does("/studios/team/pulls/1", "merge_pull_request", nil)
	alice.hears("/studios/team/pulls/1", "Merged")
	alice.hears("/inbox", "@alice merged")
	alice.hears("/studios/team/repos/harvest", "Warn before a frost")
	boards := links(alice.reads("/studios/team/boards", "text/markdown"))
	contains(t, "the board", alice.reads(strings.TrimPrefix(boards["Harvest programs"], w.url), "text/markdown"), "Next", "At work",
		"Review", "When to turn the compost")

	alice.does("/orgs/meadow/manifests", "add_manifest", map[string]any{"key": "shell", "title": "Shell", "role": "coding",
		"argv": []string{"sh", "-c", "touch /tmp/x"}})
	other := alice.does("/studios/team/worktrees/compost", "start_session", map[string]any{"agent": "shell", "prompt": "Go."}).URL
	alice.hears(other, "starts no other agents than its own scripts")
	w.run("journal", "verify")
}

// demoAtWork returns a world without a server, and the flags that start the demo in it with agents at work.
func demoAtWork(t *testing.T) (w *world, flags []string) {
	t.Helper()
	w, flags = unserved(t), []string{"--demo"}
	if w.data == "" { // the database is on a server, but the agents need a folder
		flags = append(flags, "--data="+t.TempDir())
	}
	return w, flags
}

// TestDemoStartsAgain stops the demo while an agent waits for an answer. After the next start the agent asks again, and
// the journal has no new tokens.
func TestDemoStartsAgain(t *testing.T) {
	t.Parallel()
	w, flags := demoAtWork(t)
	w.serve(flags...)
	alice := w.signIn("alice")
	alice.hears("/inbox", "brother_ql")
	const tokens, runner = "/orgs/meadow/journal?kind=token", "/orgs/meadow/journal?kind=runner&action=renew_runner"
	made, renewed := alice.reads(tokens, "text/markdown"), alice.reads(runner, "text/markdown")
	boards := links(alice.reads("/studios/team/boards", "text/markdown"))
	board := strings.TrimPrefix(boards["Harvest programs"], w.url)
	asks := ", Asks, [worktree labels]("
	alice.hears(board, asks)
	end(t, w.server)

	w.serve(flags...)
	alice = w.signIn("alice")
	alice.hears(board, asks)
	sessions := links(alice.reads("/studios/team/sessions", "text/markdown"))
	session := strings.TrimPrefix(sessions["Labels for the beds"], w.url)
	contains(t, "the session", alice.reads(session, "text/markdown"), "\n\nThe runner was stopped.\n\n")
	for page, before := range map[string]string{tokens: made, runner: renewed} {
		if got := alice.reads(page, "text/markdown"); entryNumbers(got) != entryNumbers(before) {
			t.Errorf("%s has new entries:\n%s", page, got)
		}
	}
}

// entryNumbers returns the addresses of the entries on a page of the journal.
func entryNumbers(page string) string {
	return strings.Join(journalEntry.FindAllString(page, -1), " ")
}

var journalEntry = regexp.MustCompile(`/orgs/meadow/journal/[0-9]+`)
