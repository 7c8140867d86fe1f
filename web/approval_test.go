package web_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// held takes an action that must be held, and returns the URL of its approval.
func held(t interface{ Fatalf(string, ...any) }, w *webtest.World, as, page, action string, call webtest.Call) string {
	r := w.As(as).JSON(page, action, call)
	var out struct {
		Held bool
		URL  string
	}
	if err := json.Unmarshal([]byte(r.Body), &out); err != nil || r.Status != 202 || !out.Held {
		t.Fatalf("%s %s on %s was not held: %d %s", as, action, page, r.Status, r.Body)
	}
	return out.URL
}

// TestApprove holds an agent's action, and approves it as the agent's member. The action is carried out once, in the
// agent's name, and the agent can read the result.
func TestApprove(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	page := w.URL("open single")
	before := comments(t, w, page)
	url := held(t, w, "clerk", page, "comment",
		webtest.Call{Params: param.Input{"text": "I shall bring cake."}, Why: "She bakes."})
	if n := comments(t, w, page); n != before {
		t.Errorf("%d comments before it is approved, %d at first", n, before)
	}
	for as, says := range map[string]string{"erin": "I shall bring cake.", "alice": "I shall bring cake.",
		"clerk": "Waiting for @erin"} {
		if r := w.As(as).Get(url, "text/markdown"); r.Status != 200 || !strings.Contains(r.Body, says) ||
			!strings.Contains(r.Body, "She bakes.") {
			t.Errorf("%s: %d\n%s", as, r.Status, r.Body)
		}
	}
	for _, as := range []string{"bob", "carol", "oscar", "scribe", "scout", "owl", "anonymous"} {
		if r := w.As(as).Get(url, "text/markdown"); r.Status != 404 && r.Status != 401 {
			t.Errorf("%s sees it: %d", as, r.Status)
		}
		if r := w.As(as).PostJSON(url, "approve_request", nil); r.Status < 400 {
			t.Errorf("%s approves it: %d", as, r.Status)
		}
	}
	for _, verb := range []string{"approve_request", "reject_request"} {
		if r := w.As("clerk").PostJSON(url, verb, nil); r.Status != 403 ||
			!strings.Contains(r.Body, "Only a person can do this") {
			t.Errorf("the agent's own %s: %d %s", verb, r.Status, r.Body)
		}
	}
	if home := w.As("erin").Get("/", "text/markdown").Body; !strings.Contains(home,
		"("+strings.TrimPrefix(url, webtest.Origin)+")") && !strings.Contains(home, url) {
		t.Errorf("Erin's home does not name it:\n%s", home)
	}
	if inbox := w.As("erin").Get("/inbox", "text/markdown").Body; !strings.Contains(inbox,
		"asks for your approval, ") || !strings.Contains(inbox, url) {
		t.Errorf("Erin's inbox does not name it:\n%s", inbox)
	}
	r := w.As("erin").Post(url, "approve_request", param.Input{"comment": "With chocolate."})
	if r.Status != 303 || r.Location() != url {
		t.Fatalf("approved: %d %s %s", r.Status, r.Location(), r.Body)
	}
	if r := w.As("erin").Post(url, "approve_request", nil); r.Status != 409 ||
		!strings.Contains(r.Body, "has answered this already") {
		t.Errorf("approved again: %d %s", r.Status, r.Body)
	}
	if r := w.As("alice").Post(url, "reject_request", nil); r.Status != 409 {
		t.Errorf("rejected after: %d", r.Status)
	}
	if n := comments(t, w, page); n != before+1 {
		t.Errorf("%d comments, %d before", n, before)
	}
	if body := w.As("bob").Get(page, "text/markdown").Body; !strings.Contains(body, "Clerk, agent of @erin, Fri") ||
		!strings.Contains(body, "I shall bring cake.") {
		t.Errorf("it was not done as the agent:\n%s", body)
	}
	if r := w.As("clerk").Get(url, "text/markdown"); !strings.Contains(r.Body, "Approved by @erin") ||
		!strings.Contains(r.Body, "With chocolate.") || !strings.Contains(r.Body, "Your comment is added.") {
		t.Errorf("the agent reads:\n%s", r.Body)
	}
	done := entryOf(t, w, "bob", "comment")
	for _, part := range []string{"Clerk, agent of @erin, an agent, commented on ", "approved by @erin: " + url,
		"She bakes."} {
		if !strings.Contains(done, part) {
			t.Errorf("the journal does not say %q:\n%s", part, done)
		}
	}
	if answer := entryOf(t, w, "erin", "approve_request"); !strings.Contains(answer, "@erin, a person, approved ") ||
		!strings.Contains(answer, "Clerk, agent of @erin") {
		t.Errorf("the journal says of the answer:\n%s", answer)
	}
	if r := w.As("alice").Get("/orgs/acme/journal/verify", "text/markdown"); !strings.Contains(r.Body, "Whole. All") {
		t.Errorf("the chain:\n%s", r.Body)
	}
}

var entryLink = regexp.MustCompile(`/orgs/acme/journal/\d+`)

// entryOf returns the page of the latest journal entry of an action, as markdown.
func entryOf(t *testing.T, w *webtest.World, as, action string) string {
	t.Helper()
	link := entryLink.FindString(w.As(as).Get("/orgs/acme/journal?action="+action, "text/markdown").Body)
	if link == "" {
		t.Fatalf("%s sees no entry of %s", as, action)
	}
	return w.As(as).Get(link, "text/markdown").Body
}

// TestApproveAtOnce approves one request fifty times at the same time. The action is carried out once.
func TestApproveAtOnce(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open single")
	before := comments(t, w, page)
	url := held(t, w, "clerk", page, "comment", webtest.Call{Params: param.Input{"text": "Once."}})
	var wait sync.WaitGroup
	status := make([]int, 50)
	for i := range status {
		wait.Go(func() {
			status[i] = w.As([]string{"erin", "alice"}[i%2]).PostJSON(url, "approve_request",
				nil).Status
		})
	}
	wait.Wait()
	slices.Sort(status)
	if status[0] != 200 || status[1] != 409 || status[49] != 409 {
		t.Errorf("answers: %v", status)
	}
	if n := comments(t, w, page); n != before+1 {
		t.Errorf("%d comments, %d before", n, before)
	}
}

// TestApproveWhatChanged approves held calls after a change: of the stored parameters, or of the page for which the call
// was meant. The calls fail, and the page of the approval gives the reason.
func TestApproveWhatChanged(t *testing.T) {
	for name, c := range map[string]struct {
		call   webtest.Call
		change func(t *testing.T, w *webtest.World, url string)
		says   string
	}{
		"its params": {change: func(t *testing.T, w *webtest.World, url string) {
			db := w.Database()
			if n, err := db.MustExec(db.Rebind(
				`UPDATE approvals SET params = replace(params, 'Quiet', 'Loud') WHERE id = ?`),
				url[len("/approvals/"):]).RowsAffected(); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}, says: "is not what Clerk, agent of @erin asked for"},
		"the page, of which it gave the version": {call: webtest.Call{Version: "given"},
			change: func(t *testing.T, w *webtest.World, _ string) {
				if r := w.As("bob").PostJSON(w.URL("open single"), "comment",
					param.Input{"text": "First."}); r.Status != 200 {
					t.Fatal(r.Body)
				}
			}, says: "This page has changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t)
			page := w.URL("open single")
			c.call.Params = param.Input{"text": "Quiet words."}
			if c.call.Version != "" {
				c.call.Version = fmt.Sprint(versionOf(t, w, page))
			}
			url := held(t, w, "clerk", page, "comment", c.call)
			c.change(t, w, url)
			before := comments(t, w, page)
			r := w.As("erin").PostJSON(url, "approve_request", nil)
			if r.Status != 200 || !strings.Contains(r.Body, "could not be done") || !strings.Contains(r.Body, c.says) {
				t.Errorf("%d %s", r.Status, r.Body)
			}
			if n := comments(t, w, page); n != before {
				t.Errorf("%d comments, %d before", n, before)
			}
			if r := w.As("erin").Get(url, "text/markdown"); !strings.Contains(r.Body, c.says) ||
				strings.Contains(r.Body, "## Actions") {
				t.Errorf("its page:\n%s", r.Body)
			}
		})
	}
}

// TestHeldSecretBallot holds an agent's secret ballot for approval. Only the agent's member sees the choice; the
// owner of the organization does not. The choice is deleted when the approval is answered.
func TestHeldSecretBallot(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	page := w.URL("open anonymous")
	url := held(t, w, "clerk", page, "cast_vote", webtest.Call{Params: param.Input{"accept": []any{"2"},
		"reason": "A wish in confidence."}, Why: "The reason of the heart.", Key: "k"})
	if r := w.As("erin").Get(url, "text/markdown"); r.Status != 200 ||
		!strings.Contains(r.Body, "A wish in confidence.") {
		t.Errorf("Erin reads %d\n%s", r.Status, r.Body)
	}
	for _, text := range []string{"A wish in confidence", "reason of the heart"} {
		if at := w.Holds(text); at != "" {
			t.Errorf("%s has %q in clear text", at, text)
		}
	}
	for _, as := range []string{"alice", "bob", "scribe"} {
		if r := w.As(as).Get(url, "text/markdown"); r.Status != 404 {
			t.Errorf("%s reads it: %d", as, r.Status)
		}
		if r := w.As(as).Get("/approvals", "text/markdown"); strings.Contains(r.Body, url) {
			t.Errorf("%s sees it listed", as)
		}
	}
	r := w.As("erin").PostJSON(url, "approve_request", nil)
	var out struct{ Secret string }
	if err := json.Unmarshal([]byte(r.Body), &out); err != nil || r.Status != 200 ||
		!receiptShape.MatchString(out.Secret) {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	if got := w.As("clerk").Get(url, "text/markdown").Body; strings.Contains(got, "A wish") ||
		strings.Contains(got, "of the heart") || strings.Contains(got, out.Secret) {
		t.Errorf("the agent reads\n%s", got)
	}
	db := w.Database()
	var kept []string
	if err := db.Select(&kept,
		db.Rebind(`SELECT params || preview || why || coalesce(CAST(sealed AS TEXT), '') FROM approvals WHERE id = ?`),
		url[len("/approvals/"):]); err != nil || kept[0] != "" {
		t.Errorf("kept is %q, %v", kept, err)
	}
	var n int
	if err := db.Get(&n,
		`SELECT count(*) FROM journal WHERE coalesce(before, '') || coalesce(after, '') || why
			LIKE '%of the heart%'`); err != nil || n != 0 {
		t.Errorf("%d entries of the journal say why (%v)", n, err)
	}
}

// TestAgentBallots checks the rules that an organization can set for the votes of agents: they may vote, must ask
// first, or may not vote. The organization can also name actions for which agents must ask, but no action for people
// only.
func TestAgentBallots(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open approval")
	set := func(ballots string, asks ...any) {
		t.Helper()
		if r := w.As("alice").PostJSON(w.URL("acme organization")+"/settings", "update_settings",
			param.Input{"agent_ballots": ballots, "agent_asks": asks}); r.Status != 200 {
			t.Fatal(r.Body)
		}
	}
	vote := webtest.Call{Params: param.Input{"accept": []any{"1"}}}
	set("ask")
	held(t, w, "scribe", page, "cast_vote", vote)
	set("off")
	if r := w.As("scribe").JSON(page, "cast_vote", vote); r.Status != 403 ||
		!strings.Contains(r.Body, "agents do not vote") {
		t.Errorf("off: %d %s", r.Status, r.Body)
	}
	if r := w.As("scribe").Get(page, "text/markdown"); strings.Contains(r.Body, "**cast_vote**") {
		t.Error("off: it is listed")
	}
	if r := w.As("bob").JSON(page, "cast_vote", vote); r.Status != 200 && r.Status != 409 {
		t.Errorf("off: Bob %d", r.Status)
	}
	set("allowed", "comment")
	if r := w.As("scribe").JSON(page, "cast_vote", vote); r.Status != 200 {
		t.Errorf("allowed: %d %s", r.Status, r.Body)
	}
	held(t, w, "scribe", page, "comment", webtest.Call{Params: param.Input{"text": "May I?"}})
	if r := w.As("alice").PostJSON(w.URL("acme organization")+"/settings", "update_settings",
		param.Input{"agent_asks": []any{"archive_studio"}}); r.Status != 422 ||
		!strings.Contains(r.Body, "no action that an agent can take") {
		t.Errorf("an action for people: %d %s", r.Status, r.Body)
	}
}

// TestWaitForAnApproval checks that an agent that waits at the URL of an approval gets the page as soon as a person
// has answered the request.
func TestWaitForAnApproval(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		url := held(t, w, "clerk", w.URL("open single"), "comment", webtest.Call{Params: param.Input{"text": "Well?"}})
		x := wait(w, "clerk", url+"?wait=30&since=1", "text/markdown")
		if x.over() {
			t.Fatal("it did not wait")
		}
		w.As("erin").PostJSON(url, "reject_request", param.Input{"comment": "Not today."})
		if !x.over() {
			t.Fatal("it was not woken")
		}
		if r := <-x.answer; !strings.Contains(r.Body, "Rejected by @erin") ||
			!strings.Contains(r.Body, "Not today.") || x.took() != 0 {
			t.Errorf("after %v: %s", x.took(), r.Body)
		}
	})
}

// TestRedactedIsForgotten redacts a page and checks that the text is also removed from held calls on the page.
func TestRedactedIsForgotten(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open single")
	done := held(t, w, "clerk", page, "comment",
		webtest.Call{Params: param.Input{"text": "Unsayable, said."}, Why: "Unsayable why."})
	waits := held(t, w, "clerk", page, "comment", webtest.Call{Params: param.Input{"text": "Unsayable, asked."}})
	if r := w.As("erin").PostJSON(done, "approve_request", nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	if r := w.As("alice").PostJSON(page, "redact", nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	for _, dump := range w.Rows("approvals") {
		if strings.Contains(dump, "Unsayable") {
			t.Errorf("kept: %s", dump)
		}
	}
	if r := w.As("erin").PostJSON(waits, "approve_request", nil); r.Status/100 == 2 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	for _, url := range []string{done, waits} {
		if r := w.As("erin").Get(url, "text/markdown"); r.Status != 200 || strings.Contains(r.Body, "newsletter") {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	}
	if r := w.As("alice").Get("/orgs/acme/journal/verify", "text/markdown"); !strings.Contains(r.Body, "Whole. All") {
		t.Errorf("the chain:\n%s", r.Body)
	}
}

// TestRedactedCommentIsForgotten removes an agent's comment that was approved. The text of the comment must be
// removed from the approval, too. Other calls that wait for approval on the same page can still be approved.
func TestRedactedCommentIsForgotten(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open single")
	done := held(t, w, "clerk", page, "comment", webtest.Call{Params: param.Input{"text": "Unsayable, said."},
		Why: "Unsayable why."})
	waits := held(t, w, "clerk", page, "comment", webtest.Call{Params: param.Input{"text": "Beans, please."}})
	redactedComment(t, w, page, done)
	if r := w.As("erin").PostJSON(waits, "approve_request", nil); r.Status != 200 ||
		!strings.Contains(w.As("erin").Get(page, "text/markdown").Body, "Beans, please.") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
