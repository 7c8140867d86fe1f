package web_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// TestApprovalStates walks random ways through an approval's life beside a model of it.
func TestApprovalStates(t *testing.T) {
	if testing.Short() {
		t.Skip("left out: it makes many worlds")
	}
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := webtest.New(t)
		page := w.URL("open single")
		start := comments(t, w, page)
		type asked struct{ url, state string }
		var all []*asked
		pending := map[string]*asked{}
		texts := map[*asked]string{}
		done, paused := 0, false
		n := rapid.IntRange(3, 14).Draw(rt, "steps")
		for range n {
			switch op := rapid.SampledFrom([]string{"ask", "ask", "approve", "reject", "withdraw", "wait", "expire",
				"pause"}).Draw(rt, "op"); op {
			case "ask":
				text := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "text")
				r := w.As("clerk").PostJSON(page, "comment", param.Input{"text": text})
				if paused {
					if r.Status != 401 {
						rt.Fatalf("a paused token asks: %d", r.Status)
					}
					continue
				}
				url := held(rt, w, "clerk", page, "comment", webtest.Call{Params: param.Input{"text": text}})
				if known := pending[text]; known != nil && known.state == store.ApprovalPending {
					if known.url != url {
						rt.Fatalf("asked again, it waits at %s and not at %s", url, known.url)
					}
					continue
				}
				a := &asked{url, store.ApprovalPending}
				all, pending[text], texts[a] = append(all, a), a, text
			case "approve", "reject", "withdraw":
				if len(all) == 0 {
					continue
				}
				a := rapid.SampledFrom(all).Draw(rt, "which")
				as := "erin"
				if op == "withdraw" {
					as = "clerk"
				}
				r := w.As(as).PostJSON(a.url, op, nil)
				switch {
				case op == "withdraw" && paused:
					if r.Status != 401 {
						rt.Fatalf("a paused token withdraws: %d", r.Status)
					}
				case a.state != store.ApprovalPending:
					if r.Status != 409 {
						rt.Fatalf("%s of what is %s: %d %s", op, a.state, r.Status, r.Body)
					}
				case r.Status != 200:
					rt.Fatalf("%s: %d %s", op, r.Status, r.Body)
				case op == "approve" && paused:
					a.state = store.ApprovalFailed
				case op == "approve":
					a.state = store.ApprovalDone
					done++
				case op == "reject":
					a.state = store.ApprovalRejected
				default:
					a.state = store.ApprovalWithdrawn
				}
			case "wait":
				w.Clock.Advance(rapid.SampledFrom([]time.Duration{time.Second, 24 * time.Hour,
					3 * 24 * time.Hour}).Draw(rt, "time"))
				for _, a := range all {
					if a.state == store.ApprovalPending && stateOf(rt, w, a.url) == store.ApprovalExpired {
						a.state = store.ApprovalExpired
					}
				}
			case "expire":
				w.Site.CloseDue(t.Context())
			case "pause":
				verb := map[bool]string{false: "pause_agent", true: "resume_agent"}[paused]
				if r := w.As("erin").PostJSON(w.URL("agent clerk"), verb, nil); r.Status != 200 {
					rt.Fatalf("%s: %d %s", verb, r.Status, r.Body)
				}
				paused = !paused
			}
			for _, a := range all {
				if got := stateOf(rt, w, a.url); got != a.state {
					rt.Fatalf("%s is %s, want %s", a.url, got, a.state)
				}
			}
			if got := comments(t, w, page) - start; got != done {
				rt.Fatalf("%d comments for %d approvals", got, done)
			}
		}
	})
}

func stateOf(t *rapid.T, w *webtest.World, url string) string {
	var p struct{ Data struct{ State string } }
	r := w.As("erin").Get(url, "application/json")
	if err := json.Unmarshal([]byte(r.Body), &p); err != nil || r.Status != 200 {
		t.Fatalf("%s: %d %s", url, r.Status, r.Body)
	}
	return p.Data.State
}
