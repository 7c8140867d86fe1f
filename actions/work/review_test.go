package work_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// request asks for a review of the session Weeds by people, and returns the path of the review's page.
func request(t *testing.T, w *webtest.World) string {
	t.Helper()
	r := w.As("alice").Post(w.URL("session weeds"), "request_review", nil)
	if r.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	return r.Location()
}

// act takes an action, and checks the status and a part of the answer.
func act(t *testing.T, w *webtest.World, who, url, action string, in param.Input, status int, text string) {
	t.Helper()
	if r := w.As(who).PostJSON(url, action, in); r.Status != status || !strings.Contains(r.Body, text) {
		t.Errorf("%s: %s on %s: %d %s, and not %d with %q", who, action, url, r.Status, r.Body, status, text)
	}
}

// prompts returns the number of turns of the session Weeds.
func prompts(w *webtest.World) (n int) {
	w.Query(&n, `SELECT turns FROM sessions WHERE id = '`+w.URL("session weeds")[len(w.URL("team")+"/sessions/"):]+`'`)
	return n
}

var feedback = param.Input{"type": "suggestions", "text": "Say how long it takes."}

// TestAContinuedSessionKeepsItsLimits lets an agent prompt a session. A resumption, and the feedback of people, must not
// give the session's agent more rights than the token of that agent has. A prompt of the session's member gives all.
func TestAContinuedSessionKeepsItsLimits(t *testing.T) {
	w := webtest.Of(t, "work")
	s := w.URL("session weeds")
	limits := func() (token string) {
		w.Query(&token, `SELECT coalesce(by_token, '') FROM turns WHERE session_id = ? ORDER BY n DESC LIMIT 1`,
			s[len(w.URL("team")+"/sessions/"):])
		return token
	}
	stop := func() { act(t, w, "alice", s, "stop_session", nil, 200, "withdrawn") }
	act(t, w, "alice", w.URL("review waiting"), "approve_review", nil, 200, "")
	act(t, w, "scribe", s, "prompt_session", param.Input{"prompt": "Look again."}, 200, "")
	token := limits()
	if token == "" {
		t.Fatal("a prompt of an agent has no token")
	}
	stop()
	act(t, w, "erin", request(t, w), "send_feedback", feedback, 200, "as its next prompt")
	if got := limits(); got != token {
		t.Errorf("after feedback of a person, the turn has the rights of token %q, not %q", got, token)
	}
	stop()
	act(t, w, "alice", s, "resume_session", nil, 200, "")
	if got := limits(); got != token {
		t.Errorf("after a resumption, the turn has the rights of token %q, not %q", got, token)
	}
	stop()
	act(t, w, "alice", s, "prompt_session", param.Input{"prompt": "I say so."}, 200, "")
	if got := limits(); got != "" {
		t.Errorf("a prompt of the member has the rights of token %q", got)
	}
}

// TestReviewsHaveAnEnd requests reviews that end without approval. After three reviews, a person must allow each
// further one. After five, the session is archived, and its agent gets no prompt.
func TestReviewsHaveAnEnd(t *testing.T) {
	w := webtest.Of(t, "work")
	s := w.URL("session weeds")
	act(t, w, "alice", w.URL("review waiting"), "send_feedback", feedback, 200, "as its next prompt")
	for round := 2; round <= 5; round++ {
		if round > 3 {
			act(t, w, "alice", s, "request_review", nil, 409, "extend_reviews")
			act(t, w, "scribe", s, "extend_reviews", nil, 403, "")
			act(t, w, "alice", s, "extend_reviews", nil, 200, "One more review")
			act(t, w, "alice", s, "extend_reviews", nil, 409, "1 more")
		}
		v := request(t, w)
		act(t, w, "alice", s, "stop_session", nil, 200, "withdrawn") // no runner takes the prompt
		before := prompts(w)
		text, more := "as its next prompt", 1
		if round == 5 {
			text, more = "review 5 in a row without approval", 0
		}
		act(t, w, "erin", v, "send_feedback", feedback, 200, text)
		if now := prompts(w); now != before+more {
			t.Errorf("round %d: %d prompts after %d", round, now, before)
		}
	}
	if body := w.As("alice").Get(s, "text/markdown").Body; !strings.Contains(body, "Archived") {
		t.Errorf("the session is not archived:\n%s", body)
	}
	act(t, w, "alice", s, "unarchive_session", nil, 200, "")
	act(t, w, "alice", s, "request_review", nil, 409, "given up")
}

// TestApprovalBeginsAnew checks that an approval resets the count of reviews without approval. A review that is
// requested while a prompt waits begins after the prompt's turn. If the prompt is withdrawn, the review is about the
// present commit.
func TestApprovalBeginsAnew(t *testing.T) {
	w := webtest.Of(t, "work")
	act(t, w, "erin", w.URL("review waiting"), "send_feedback", feedback, 200, "")
	second := request(t, w)
	act(t, w, "erin", second, "approve_review", nil, 409, "has not ended")
	act(t, w, "alice", w.URL("session weeds"), "stop_session", nil, 200, "withdrawn")
	act(t, w, "erin", second, "approve_review", nil, 200, "approved")
	var failed int
	w.Query(&failed, `SELECT failed FROM sessions WHERE id IN (SELECT session_id FROM reviews WHERE state = 'approved')
		AND title = 'Weed the path.'`)
	if failed != 0 {
		t.Errorf("%d reviews without approval are counted", failed)
	}
	if body := w.As("alice").Get(request(t, w), "text/markdown").Body; !strings.Contains(body, "1 of 3") {
		t.Errorf("the next review is not the first round:\n%s", body)
	}
}

// TestAnswersOfReviewsCountOnce checks that only members of the studio may answer a review, and that only the first
// answer counts.
func TestAnswersOfReviewsCountOnce(t *testing.T) {
	w := webtest.Of(t, "work")
	v, before := w.URL("review waiting"), prompts(w)
	for _, who := range []string{"scout", "scribe"} { // agents that were not asked to review
		act(t, w, who, v, "approve_review", nil, 403, "Only people answer this review")
	}
	act(t, w, "scribe", v, "comment_line", param.Input{"path": "a", "text": "b"}, 403, "")
	act(t, w, "carol", v, "approve_review", nil, 404, "")
	act(t, w, "erin", v, "send_feedback", param.Input{"type": "needs_work", "text": "No.",
		"items": []any{"path.txt"}}, 422, "beds/roses.txt:3")
	act(t, w, "erin", v, "send_feedback", feedback, 200, "")
	act(t, w, "bob", v, "send_feedback", feedback, 409, "changes were asked for")
	act(t, w, "bob", v, "approve_review", nil, 409, "changes were asked for")
	act(t, w, "alice", v, "cancel_review", nil, 409, "changes were asked for")
	if now := prompts(w); now != before+1 {
		t.Errorf("%d prompts after %d", now, before)
	}
	var delivered int
	w.Query(&delivered, `SELECT count(*) FROM turns WHERE origin = 'feedback' AND prompt LIKE '%Say how long it takes.%'`)
	if delivered != 1 {
		t.Errorf("the answer is in %d prompts", delivered)
	}
}

// TestReviewsExpire lets a review expire after a day. An expired review counts as one without approval.
func TestReviewsExpire(t *testing.T) {
	w := webtest.Of(t, "work")
	act(t, w, "alice", w.URL("review waiting"), "cancel_review", nil, 200, "cancelled")
	v := request(t, w)
	w.Clock.Advance(23 * time.Hour)
	w.Site.CloseDue(t.Context())
	if body := w.As("alice").Get(v, "text/markdown").Body; !strings.Contains(body, "It waits for people") {
		t.Fatalf("it has ended too early:\n%s", body)
	}
	w.Clock.Advance(2 * time.Hour)
	act(t, w, "erin", v, "approve_review", nil, 409, "expired")
	w.Site.CloseDue(t.Context())
	if body := w.As("alice").Get(v, "text/markdown").Body; !strings.Contains(body, "Nobody answered within a day") {
		t.Errorf("it has not expired:\n%s", body)
	}
	if body := w.As("alice").Get(request(t, w), "text/markdown").Body; !strings.Contains(body, "2 of 3") {
		t.Errorf("it does not count:\n%s", body)
	}
	if body := w.As("alice").Get("/inbox", "text/markdown").Body; !strings.Contains(body, "let expire") {
		t.Errorf("Alice is not told:\n%s", body)
	}
}

// TestACancelledReviewStopsItsAgent cancels a review while its agent waits for the runner. The agent's turn must end.
// Then the test requests a review by an unknown agent. The server must refuse that request.
func TestACancelledReviewStopsItsAgent(t *testing.T) {
	w := webtest.Of(t, "work")
	act(t, w, "alice", w.URL("review waiting"), "cancel_review", nil, 200, "")
	r := w.As("alice").Post(w.URL("session weeds"), "request_review", param.Input{"reviewer": "mason"})
	act(t, w, "alice", r.Location(), "cancel_review", nil, 200, "cancelled")
	var open int
	w.Query(&open, `SELECT count(*) FROM turns t JOIN sessions s ON s.id = t.session_id JOIN reviews v ON v.reviewer_id = s.id
		WHERE v.state = 'cancelled' AND t.ended_at IS NULL`)
	if open != 0 {
		t.Errorf("%d turns still wait", open)
	}
	act(t, w, "alice", w.URL("session weeds"), "request_review", param.Input{"reviewer": "hammer"}, 422,
		"mason")
}

// TestStaleReviews moves the head of a worktree away from an approved commit. The page of the review must then say that
// the approval is stale, with another ETag.
func TestStaleReviews(t *testing.T) {
	w := webtest.Of(t, "work")
	v := w.URL("review approved")
	before := w.As("alice").Get(v, "text/markdown")
	act(t, w, "bob", w.URL("worktree empty"), "refresh_worktree", nil, 200, "")
	var id string
	w.Query(&id, `SELECT id FROM jobs WHERE kind = 'refresh' AND ended_at IS NULL`)
	mill := w.Bearer(w.Secret("runner mill"))
	for _, c := range []struct {
		action string
		in     param.Input
	}{{"claim_job", param.Input{"job": id, "claim": "0"}}, {"finish_job", param.Input{"job": id, "claim": "1",
		"facts": fmt.Sprintf(`{"head":"%040d","base":"%040d","tip":"%040d"}`, 7, 8, 9)}}} {
		if r := mill.PostJSON(w.URL("runner mill"), c.action, c.in); r.Status != 200 {
			t.Fatalf("%s: %d %s", c.action, r.Status, r.Body)
		}
	}
	after := w.As("alice").Get(v, "text/markdown")
	if strings.Contains(before.Body, "(stale)") || !strings.Contains(after.Body, "Approved (stale)") ||
		before.Header.Get("ETag") == after.Header.Get("ETag") {
		t.Errorf("the page does not say that it is stale:\n%s", after.Body)
	}
}

// TestChangedFilesAreSuggested opens the form of a comment on a line. It suggests the files that the worktree has
// changed, and takes any other path, too.
func TestChangedFilesAreSuggested(t *testing.T) {
	w := webtest.Of(t, "work")
	v := w.URL("review waiting")
	err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		for n, path := range []string{"beds/b_.txt", "beds/a.txt"} {
			if err := tx.Exec(`INSERT INTO worktree_files (worktree_id, n, org_id, path, was, change, added, deleted, lines, is_binary, cut,
				patch) SELECT s.worktree_id, ?, s.org_id, ?, '', 'added', 1, 0, 1, 0, 0, '' FROM reviews v
				JOIN sessions s ON s.id = v.session_id WHERE v.id = ?`, n+1, path, v[strings.LastIndex(v, "/")+1:]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	at := v + "/actions/comment_line"
	if text := w.As("erin").Get(at, "text/markdown").Body; !strings.Contains(text,
		"`path` (text, at most 500 characters): `beds/b_.txt` · `beds/a.txt`. The file") {
		t.Errorf("the form suggests no files:\n%s", text)
	}
	if page := w.As("erin").Get(at, "text/html").Body; !strings.Contains(page, `<option value="beds/a.txt">`) {
		t.Errorf("the form suggests no files:\n%s", page)
	}
	act(t, w, "erin", v, "comment_line", param.Input{"path": "beds/c.txt", "text": "Missing."}, 200,
		"The comment is there")
}
