package web_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/effort"
	"samepage/web/webtest"
)

// approvals is a model of the states of approvals, which is compared with the world.
type approvals struct {
	w       *webtest.World
	page    string
	all     []*modelApproval
	pending map[string]*modelApproval // pending approvals, by the text of the comment
	done    int                       // number of approved comments
	paused  bool                      // whether the agent is paused
}

type modelApproval struct{ url, state string }

// TestApprovalStates takes random actions on approvals and compares the results with the model.
func TestApprovalStates(t *testing.T) {
	slow(t)
	taken, enough := 0, effort.Of(1, 1, 100_000)
	for taken < enough && !t.Failed() {
		t.Run("", func(t *testing.T) { // a subtest of its own: its end deletes its worlds, so that they do not fill the memory
			checkHistories(t, func(rt *rapid.T) { taken += checkApprovals(t, rt) })
		})
	}
	t.Logf("%d steps", taken)
}

// checkApprovals takes some steps in a world of its own, and returns their number.
func checkApprovals(t *testing.T, rt *rapid.T) (taken int) {
	w := webtest.New(t)
	m := &approvals{w: w, page: w.URL("open single"), pending: map[string]*modelApproval{}}
	start := comments(t, w, m.page)
	taken = rapid.IntRange(3, effort.Of(14, 14, 60)).Draw(rt, "steps")
	for range taken {
		m.step(t, rt)
		for _, a := range m.all {
			if got := stateOf(rt, w, a.url); got != a.state {
				rt.Fatalf("%s is %s, want %s", a.url, got, a.state)
			}
		}
		if got := comments(t, w, m.page) - start; got != m.done {
			rt.Fatalf("%d comments for %d approvals", got, m.done)
		}
	}
	return taken
}

func (m *approvals) step(t *testing.T, rt *rapid.T) {
	switch op := rapid.SampledFrom([]string{"ask", "ask", "approve", "reject", "withdraw", "wait", "expire",
		"pause"}).Draw(rt, "op"); op {
	case "ask":
		m.ask(rt, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "text"))
	case "approve", "reject", "withdraw":
		if len(m.all) > 0 {
			m.answer(rt, op, rapid.SampledFrom(m.all).Draw(rt, "which"))
		}
	case "wait":
		m.w.Clock.Advance(rapid.SampledFrom([]time.Duration{time.Second, 24 * time.Hour,
			3 * 24 * time.Hour}).Draw(rt, "time"))
		for _, a := range m.all {
			if a.state == store.ApprovalPending && stateOf(rt, m.w, a.url) == store.ApprovalExpired {
				a.state = store.ApprovalExpired
			}
		}
	case "expire":
		m.w.Site.CloseDue(t.Context())
	case "pause":
		verb := map[bool]string{false: "pause_agent", true: "resume_agent"}[m.paused]
		if r := m.w.As("erin").PostJSON(m.w.URL("agent clerk"), verb, nil); r.Status != 200 {
			rt.Fatalf("%s: %d %s", verb, r.Status, r.Body)
		}
		m.paused = !m.paused
	}
}

// ask lets the agent comment. A second call with the same comment does not add an approval.
func (m *approvals) ask(rt *rapid.T, text string) {
	r := m.w.As("clerk").PostJSON(m.page, "comment", param.Input{"text": text})
	if m.paused {
		if r.Status != 401 {
			rt.Fatalf("a paused token asks: %d", r.Status)
		}
		return
	}
	url := held(rt, m.w, "clerk", m.page, "comment", webtest.Call{Params: param.Input{"text": text}})
	if known := m.pending[text]; known != nil && known.state == store.ApprovalPending {
		if known.url != url {
			rt.Fatalf("asked again, it waits at %s and not at %s", url, known.url)
		}
		return
	}
	a := &modelApproval{url, store.ApprovalPending}
	m.all, m.pending[text] = append(m.all, a), a
}

// answer approves or rejects a held comment as Erin, or withdraws it as the agent.
func (m *approvals) answer(rt *rapid.T, op string, a *modelApproval) {
	as := "erin"
	if op == "withdraw" {
		as = "clerk"
	}
	r := m.w.As(as).PostJSON(a.url, op+"_request", nil)
	switch {
	case op == "withdraw" && m.paused:
		if r.Status != 401 {
			rt.Fatalf("a paused token withdraws: %d", r.Status)
		}
	case a.state != store.ApprovalPending:
		if r.Status != 409 {
			rt.Fatalf("%s of an approval that is %s: %d %s", op, a.state, r.Status, r.Body)
		}
	case op == "approve" && m.paused:
		if r.Status != 409 {
			rt.Fatalf("an approval while the agent is paused: %d %s", r.Status, r.Body)
		}
	case r.Status != 200:
		rt.Fatalf("%s: %d %s", op, r.Status, r.Body)
	case op == "approve":
		a.state = store.ApprovalDone
		m.done++
	case op == "reject":
		a.state = store.ApprovalRejected
	default:
		a.state = store.ApprovalWithdrawn
	}
}

func stateOf(t *rapid.T, w *webtest.World, url string) string {
	var p struct{ Data struct{ State string } }
	r := w.As("erin").Get(url, "application/json")
	if err := json.Unmarshal([]byte(r.Body), &p); err != nil || r.Status != 200 {
		t.Fatalf("%s: %d %s", url, r.Status, r.Body)
	}
	return p.Data.State
}

// TestApprovalsOfALostStudioAreHidden takes a member out of a studio for members only, about which the member's agent has
// asked for something. No page shows the member the request any more.
func TestApprovalsOfALostStudioAreHidden(t *testing.T) {
	w := webtest.New(t)
	alice, erin := w.As("alice"), w.As("erin")
	does(t, alice, "/orgs/acme/studios", "create_studio", param.Input{"handle": "plans", "name": "Plans",
		"visibility": "members"}, 200, "")
	does(t, alice, "/studios/plans", "add_member", param.Input{"member": "erin"}, 200, "")
	note := strings.TrimPrefix(urlIn(t, alice.PostJSON("/studios/plans", "create_note",
		param.Input{"title": "Hidden quince"}).Body), webtest.Origin)
	asked := strings.TrimPrefix(held(t, w, "clerk", note, "comment", webtest.Call{Params: param.Input{"text": "Hm."}}), webtest.Origin)
	pages := []string{"/", "/briefing", "/approvals", "/orgs/acme/open", w.URL("agent clerk"), asked}
	shown := func() (n int) {
		for _, as := range []string{"erin", "clerk"} {
			for _, page := range pages {
				if r := w.As(as).Get(page, "text/markdown"); r.Status == 200 && strings.Contains(r.Body, asked) {
					n++
				}
			}
		}
		return n
	}
	if n := shown(); n < 10 {
		t.Fatalf("%d pages show the request while the member is in the studio", n)
	}
	does(t, alice, "/studios/plans/members", "remove_from_studio", param.Input{"member": "erin"}, 200, "")
	if n := shown(); n != 0 {
		t.Errorf("%d pages show the request after the member has lost the studio", n)
	}
	before := comments(t, w, note)
	if r := w.As("clerk").Get(asked, "text/markdown"); r.Status != 404 {
		t.Errorf("the agent still reads the request: %d %s", r.Status, r.Body)
	}
	for _, action := range []string{"approve_request", "reject_request"} {
		if r := erin.PostJSON(asked, action, nil); r.Status != 404 {
			t.Errorf("%s: %d %s", action, r.Status, r.Body)
		}
	}
	if n := comments(t, w, note); n != before {
		t.Errorf("%d comments, %d before", n, before)
	}
}

// TestApproveWhatCannotBeDone tries to approve a held call that the agent could not make now. The approval is refused
// with the reason, which the page shows, and uses nothing up: while the reason can pass, the request goes on to wait.
func TestApproveWhatCannotBeDone(t *testing.T) {
	owner := func(url, action string, in param.Input) func(*testing.T, *webtest.World) {
		return func(t *testing.T, w *webtest.World) { does(t, w.As("alice"), url, action, in, 200, "") }
	}
	agent := func(action string) func(*testing.T, *webtest.World) {
		return func(t *testing.T, w *webtest.World) {
			does(t, w.As("alice"), w.URL("agent clerk"), action, nil, 200, "")
		}
	}
	for name, c := range map[string]struct {
		change, back func(*testing.T, *webtest.World)
		state, says  string
	}{
		"its token is revoked": {change: func(t *testing.T, w *webtest.World) {
			does(t, w.As("erin"), "/settings/tokens", "revoke_token", param.Input{"token": tokenID(t, w, "clerk")}, 200, "")
		}, state: store.ApprovalWithdrawn, says: "The token with which it was asked for was revoked."},
		"its agent is revoked": {change: agent("revoke_agent"), state: store.ApprovalWithdrawn,
			says: "The token with which it was asked for was revoked."},
		"its member is removed": {change: owner("/orgs/acme/members/erin", "remove_member", nil),
			state: store.ApprovalWithdrawn, says: "The member for whom the agent acts is no member any more."},
		"its agent is paused": {change: agent("pause_agent"), back: agent("resume_agent"),
			state: store.ApprovalPending, says: "Clerk, agent of @erin is paused. Resume it first"},
		"its studio is archived": {change: owner("/studios/team", "archive_studio", nil),
			state: store.ApprovalPending, says: "Team is archived."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t)
			page := w.URL("open single")
			url := held(t, w, "clerk", page, "comment", webtest.Call{Params: param.Input{"text": "Quiet words."}})
			c.change(t, w)
			does(t, w.As("alice"), url, "approve_request", nil, 409, c.says)
			r := w.As("alice").Get(url, "application/json")
			if !strings.Contains(r.Body, `"state":"`+c.state+`"`) || strings.Contains(r.Body, "approve_request") {
				t.Errorf("its page: %s", r.Body)
			}
			if r = w.As("alice").Get(url, "text/markdown"); !strings.Contains(r.Body, c.says) {
				t.Errorf("its page: %s", r.Body)
			}
			if waits := strings.Contains(w.As("alice").Get("/approvals", "text/markdown").Body, url); waits !=
				(c.state == store.ApprovalPending) {
				t.Errorf("it waits: %v", waits)
			}
			if c.back != nil {
				c.back(t, w)
				does(t, w.As("alice"), url, "approve_request", nil, 200, "Approved and done")
			}
		})
	}
}
