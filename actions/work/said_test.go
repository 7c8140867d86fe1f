package work_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// reads checks that a page has a text.
func reads(t *testing.T, w *webtest.World, who, url, text string) {
	t.Helper()
	if body := w.As(who).Get(url, "text/markdown").Body; !strings.Contains(body, text) {
		t.Errorf("%s has no %q:\n%s", url, text, body)
	}
}

// TestADraftIsSaidToBeOne opens a draft of a pull request. The answer must not say that the pull request is open.
func TestADraftIsSaidToBeOne(t *testing.T) {
	w := webtest.Of(t, "work")
	act(t, w, "bob", w.URL("worktree bench"), "create_pull_request",
		param.Input{"title": "Mend the bench", "draft": true}, 200,
		"The pull request is there, as a draft.")
}

// TestAnArchivedWorktreeTakesNoPulls archives worktrees below a session and below an open pull request. The session
// takes no pull request, and the page of the pull request says what is to be done before it can be merged.
func TestAnArchivedWorktreeTakesNoPulls(t *testing.T) {
	w := webtest.Of(t, "work")
	archive := func(tree string) {
		t.Helper()
		if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(`UPDATE worktrees SET archived_at = ? WHERE name = ?`, store.At(tx.Now), tree)
		}); err != nil {
			t.Fatal(err)
		}
	}
	approved := w.URL("pull approved")
	archive("gate")
	reads(t, w, "bob", approved,
		"Open, approved. Its worktree gate is archived. It can be merged once somebody has restored that")
	act(t, w, "bob", approved, "merge_pull_request", param.Input{"head": strings.Repeat("5", 40)}, 409,
		"gate is archived")
	act(t, w, "bob", approved, "close_pull_request", nil, 200, "")
	act(t, w, "bob", w.URL("session gate"), "create_pull_request", param.Input{"title": "Again"}, 409,
		"The worktree gate has no folder.")
}

// TestASessionSaysWhoseItIs prompts the agent of another member. The refusal must name the member, and what is left to do.
func TestASessionSaysWhoseItIs(t *testing.T) {
	w := webtest.Of(t, "work")
	gate := w.URL("session gate")
	for action, in := range map[string]param.Input{"prompt_session": {"prompt": "Go on."},
		"create_pull_request": {"title": "Again"}} {
		if action == "create_pull_request" {
			act(t, w, "bob", w.URL("pull approved"), "close_pull_request", nil, 200, "")
		}
		act(t, w, "erin", gate, action, in, 403,
			"The agent works for @bob, so this is for @bob. On the page of the worktree gate you can")
	}
}

// TestAReviewSaysHowItEnded answers a review twice. The refusal must say how the review ended and what is left to do.
func TestAReviewSaysHowItEnded(t *testing.T) {
	w := webtest.Of(t, "work")
	v := w.URL("review waiting")
	act(t, w, "erin", v, "send_feedback", feedback, 200, "")
	act(t, w, "erin", v, "approve_review", nil, 409,
		"The review is over: changes were asked for. Another one is requested on the page")
}

// TestAResumedSessionHearsWhatItMissed withdraws a prompt before its turn begins, and resumes the session. The agent must
// get the prompt, and not be told that its last turn broke off.
func TestAResumedSessionHearsWhatItMissed(t *testing.T) {
	w := webtest.Of(t, "work")
	gate := w.URL("session gate")
	act(t, w, "bob", gate, "prompt_session", param.Input{"prompt": "Oil the *hinges*."}, 200, "")
	act(t, w, "bob", gate, "stop_session", nil, 200, "withdrawn")
	act(t, w, "bob", gate, "resume_session", nil, 200, "")
	var prompt string
	w.Query(&prompt, `SELECT prompt FROM turns WHERE origin = 'resume' AND session_id = ?`, path.Base(gate))
	if want := "You were asked this before:\n\n> Oil the *hinges*.\n\nThat turn never began. Do now what you were asked."; prompt != want {
		t.Errorf("the agent is told %q, want %q", prompt, want)
	}
}

// TestCommentsSayWhereTheyGo comments on places of the difference and on others, and approves the work. The answers must
// say which places the difference lacks, and that the agent does not get the comments.
func TestCommentsSayWhereTheyGo(t *testing.T) {
	w := webtest.Of(t, "work")
	v := w.As("bob").Post(w.URL("session done"), "request_review", nil).Location()
	comment := func(path string, line int, text string) {
		t.Helper()
		act(t, w, "erin", v, "comment_line", param.Input{"path": path, "line": line, "text": "Why?"}, 200, text)
	}
	const there = `"message":"The comment is there. The agent gets it if changes are asked for.`
	comment("beds/roses.txt", 4, there+` Comments stay`)
	comment("logo.png", 7, there+` Comments stay`)
	comment("beds/roses.txt", 999, there+` Not in the difference, as it is now: beds/roses.txt:999.`)
	comment("nope.txt", 0, there+` Not in the difference, as it is now: nope.txt.`)
	act(t, w, "erin", v, "approve_review", nil, 200,
		"The comments on lines stay on this page; the agent does not get them.")
}

// TestPlacesWithBlanks asks for changes at a file whose path has blanks and a colon.
func TestPlacesWithBlanks(t *testing.T) {
	w := webtest.Of(t, "work")
	v := w.As("bob").Post(w.URL("session done"), "request_review", nil).Location()
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`UPDATE worktree_files SET path = 'src/ä b:1' WHERE path = 'beds/roses.txt'`)
	}); err != nil {
		t.Fatal(err)
	}
	act(t, w, "erin", v, "send_feedback", param.Input{"type": "suggestions", "text": "See there.",
		"items": []any{"src/ä b:1 whole", "src/ä b:1:3 line", "src/ä b:1: colon", "src/ä other"}}, 200,
		"as its next prompt. Not in the difference, as it is now: src/ä.")
	var got []string
	if err := w.Database().Select(&got, w.Database().Rebind(`SELECT path || '|' || line || '|' || text FROM review_comments
		WHERE review_id = ? ORDER BY n`), path.Base(v)); err != nil {
		t.Fatal(err)
	}
	want := []string{"src/ä b:1|0|whole", "src/ä b:1|3|line", "src/ä b:1|0|colon", "src/ä|0|other"}
	if !slices.Equal(got, want) {
		t.Errorf("the comments are %q, want %q", got, want)
	}
}

// TestUndoingAWorktree checks that the answers about worktrees name only what will be possible.
func TestUndoingAWorktree(t *testing.T) {
	w := webtest.Of(t, "work")
	act(t, w, "bob", w.URL("repo garden"), "create_worktree", param.Input{"name": "shed"}, 200,
		"once its folder is made: archive_worktree.")
	act(t, w, "bob", w.URL("worktree broken"), "archive_worktree", nil, 200,
		"It had no folder. Add another one, with another name")
	act(t, w, "scout", w.URL("team")+"/worktrees/archived", "restore_worktree", nil, 200,
		"A person archives it, as it has commits")
}

// TestARunnerIsNoted asks a runner for work while it is ready, silent, stopped and without a token. Answers, refusals and
// pages must say that it does nothing at present.
func TestARunnerIsNoted(t *testing.T) {
	w := webtest.Of(t, "work")
	mill, orchard, bench := w.URL("runner mill"), w.URL("repo orchard"), w.URL("worktree bench")
	announce := func() {
		t.Helper()
		in := param.Input{"program": "x", "starts": true}
		if r := w.Bearer(w.Secret("runner mill")).PostJSON(mill, "announce_runner", in); r.Status != 200 {
			t.Fatal(r.Body)
		}
	}
	query := func(text string, args ...any) {
		t.Helper()
		if err := w.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.Exec(text, args...) }); err != nil {
			t.Fatal(err)
		}
	}
	announce()
	act(t, w, "bob", orchard, "fetch_repo", nil, 200, "The runner Mill is asked to fetch it.")
	reads(t, w, "bob", orchard, "The runner Mill is to fetch it.")
	query(`UPDATE runners SET seen_at = seen_at - 100000000 WHERE name = 'Mill'`)
	const silent = "Mill (away: its program is silent)"
	reads(t, w, "bob", orchard, "The runner "+silent+" is to fetch it.")
	act(t, w, "bob", bench, "refresh_worktree", nil, 200, "The runner "+silent+" is asked to look at it.")
	reads(t, w, "bob", bench, "The runner "+silent+" is to look at it.")
	act(t, w, "bob", bench, "archive_worktree", nil, 409, "The runner "+silent+" is to look at it first.")
	announce()
	const stopped = "Mill (stopped: the organization's owner can start it)"
	act(t, w, "alice", mill, "stop_runner", nil, 200, "")
	r := w.As("bob").PostJSON(bench, "start_session", param.Input{"agent": "mason", "prompt": "Paint it."})
	if !strings.Contains(r.Body, "Its prompt waits for the runner "+stopped) ||
		!strings.Contains(r.Body, "The prompt waits for the runner "+stopped) {
		t.Error(r.Body)
	}
	act(t, w, "alice", mill, "start_runner", nil, 200, "")
	query(`UPDATE tokens SET paused_at = created_at WHERE id = (SELECT token_id FROM runners WHERE name = 'Mill')`)
	reads(t, w, "bob", orchard, "The runner Mill (stopped: its token is paused or revoked) is to fetch it.")
}
