package runner_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"samepage/actions/param"
)

// TestAForkHasTheConversation checks that the agent of a fork continues a copy of the parent session's conversation.
func TestAForkHasTheConversation(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	s := y.do("bob", tree, "start_session", param.Input{"agent": y.agent("one", "say FIRST\nturn\nsay SECOND"),
		"prompt": "One."})
	becomes(t, y.World, s, "Done")
	fork := y.do("bob", s, "fork_session", param.Input{"prompt": "Two."})
	if page := becomes(t, y.World, fork, "Done"); !strings.Contains(page, "SECOND") || strings.Contains(page,
		"began a new one") {
		t.Errorf("the agent has begun anew:\n%s", page)
	}
}

// TestAForkWithoutTheConversation forks a session whose conversation is lost. The agent of the fork must begin a new
// conversation, and its prompt must contain the address of the parent's page. The page must say that the conversation
// is new.
func TestAForkWithoutTheConversation(t *testing.T) {
	y := newYard(t)
	s := y.do("bob", y.worktree("paint"), "start_session", param.Input{"agent": y.agent("one", "say I hear: {prompt}"),
		"prompt": "One."})
	becomes(t, y.World, s, "Done")
	if err := os.RemoveAll(filepath.Join(y.data, "homes", path.Base(s))); err != nil {
		t.Fatal(err)
	}
	fork := y.do("bob", s, "fork_session", param.Input{"prompt": "Two."})
	page := becomes(t, y.World, fork, "Done")
	for _, want := range []string{"began a new one", "I hear: What was said before is on the page " + s} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

// TestALinkInPlaceOfAFolder lets an agent replace its folder by a symbolic link to another worktree. The files of
// that worktree must not be committed.
func TestALinkInPlaceOfAFolder(t *testing.T) {
	y := newYard(t)
	y.worktree("other")
	y.write(y.folder("other")+"/secret.txt", "of Erin\n")
	tree := y.worktree("paint")
	y.do("alice", "/orgs/acme/manifests", "add_manifest", param.Input{"key": "two", "title": "Mason two",
		"role":    "coding",
		"adapter": "plain", "argv": "/bin/sh\n-c\nd=$PWD; cd ..; mv $d $d.x; ln -s " + y.folder("other") + " $d"})
	s := y.do("bob", tree, "start_session", param.Input{"agent": "two", "prompt": "Paint."})
	page := becomes(t, y.World, s+"/turns/1", "Took")
	if !strings.Contains(page, "is not a folder") {
		t.Errorf("the page does not say why there is no commit:\n%s", page)
	}
	if diff := y.As("bob").Get(tree+"/diff", "text/markdown").Body; strings.Contains(diff, "of Erin") {
		t.Errorf("the files of another worktree are committed:\n%s", diff)
	}
}

// TestAnAgentReviews lets an agent review the last commit of a worktree, in a separate folder that has only the files
// of that commit. The changes that the reviewing agent makes there must not reach the worktree. A person's feedback
// must become the next prompt of the reviewed agent.
func TestAnAgentReviews(t *testing.T) {
	y := newYard(t)
	tree := y.worktree("paint")
	s := y.do("bob", tree, "start_session", param.Input{"agent": y.agent("one",
		"write door.txt red\\n\nturn\nsleep 2s\nsay I see: {prompt}"),
		"prompt": "Paint."})
	becomes(t, y.World, s, "Done")
	review := y.do("bob", s, "request_review", param.Input{"reviewer": y.agent("two",
		"write door.txt blue\\n\nwrite more.txt x\\n\nsay {dir}"),
		"text": "Is it red?"})
	becomes(t, y.World, review, "has ended its turn without an answer")
	said := becomes(t, y.World, y.reviewer(review), "/reviews/")
	if strings.Contains(said, "could not be committed") {
		t.Errorf("the reviewer's folder was committed:\n%s", said)
	}
	becomes(t, y.World, tree, "1 ahead")
	if diff := y.As("bob").Get(tree+"/diff", "text/markdown").Body; !strings.Contains(diff, "red") ||
		strings.Contains(diff, "blue") {
		t.Errorf("the review has changed the worktree:\n%s", diff)
	}
	y.do("erin", review, "send_feedback", param.Input{"type": "needs_work", "text": "Blue, please.",
		"items": []any{"door.txt:1 Not red."}})
	page := becomes(t, y.World, s, "I see:")
	for _, text := range []string{"Blue, please.", "door.txt:1", "Not red."} {
		if !strings.Contains(page, text) {
			t.Errorf("the agent does not hear %q:\n%s", text, page)
		}
	}
	becomes(t, y.World, review, "Changes requested")
}

// reviewer returns the address of the session of the agent that reviews.
func (y *yard) reviewer(review string) string {
	y.t.Helper()
	var id string
	y.Query(&id, `SELECT reviewer_id FROM reviews WHERE id = '`+review[strings.LastIndexByte(review, '/')+1:]+`'`)
	return y.URL("team") + "/sessions/" + id
}
