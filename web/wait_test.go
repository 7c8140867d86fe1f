package web_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/webtest"
)

// waiting is a request that waits for a change of a page, in a synctest bubble. Time advances there only while all
// goroutines are blocked.
type waiting struct {
	answer chan *webtest.Response
	cancel context.CancelFunc
	begun  time.Time
	ended  time.Time
}

func wait(w *webtest.World, as, target, accept string) *waiting {
	ctx, cancel := context.WithCancel(context.Background())
	x := &waiting{answer: make(chan *webtest.Response, 1), cancel: cancel, begun: time.Now()}
	r := httptest.NewRequestWithContext(ctx, "GET", webtest.Origin+target, nil)
	r.Header.Set("Accept", accept)
	go func() {
		answer := w.As(as).Do(r)
		x.ended = time.Now()
		x.answer <- answer
	}()
	synctest.Wait()
	return x
}

// over reports whether the answer has arrived.
func (x *waiting) over() bool { synctest.Wait(); return len(x.answer) == 1 }

func (x *waiting) took() time.Duration { return x.ended.Sub(x.begun) }

func inBubble(t *testing.T, test func(t *testing.T, w *webtest.World), change ...func(*web.Config)) {
	t.Helper()
	pgtest.Folder(t, "the time of a test does not stand still while another process is asked")
	webtest.New(t) // creates the template of the world outside the bubble
	synctest.Test(t, func(t *testing.T) { test(t, webtest.New(t, change...)) })
}

func TestWaitReturnsAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		now := versionOf(t, w, page)
		for _, c := range []struct {
			as, target string
			status     int
		}{
			{"bob", fmt.Sprintf("%s?wait=30&since=%d", page, now-1), 200}, {"scout", page + "?wait=30", 200},
			{"bob", page + "?wait=30&since=x", 200},
			{"bob", fmt.Sprintf("%s?wait=0&since=%d", page, now), 200}, {"bob", fmt.Sprintf("%s?wait=-1&since=%d",
				page, now), 200}, {"bob", fmt.Sprintf("%s?wait=x&since=%d", page, now), 200},
			{"bob", "/help?wait=30", 200}, {"bob", "/?wait=30&since=", 200},
			{"bob", fmt.Sprintf("%s/actions/comment?wait=30&since=%d", page, now), 200},
			{"carol", fmt.Sprintf("%s?wait=30&since=%d", page, now), 404}, {"bob",
				"/studios/team/d/0000000000?wait=30&since=1", 404}, {"revoked", page + "?wait=30&since=1", 401},
			{"anonymous", page + "?wait=30&since=1", 401},
		} {
			x := wait(w, c.as, c.target, "text/markdown")
			if !x.over() {
				t.Errorf("%s waits on %s", c.as, c.target)
				x.cancel()
			}
			if r := <-x.answer; r.Status != c.status {
				t.Errorf("%s, %s: %d", c.as, c.target, r.Status)
			}
		}
	})
}

// TestWaitSaysThatItDidNot checks that a page which did not wait, because of an address that asks for it in another way,
// says so and how to wait.
func TestWaitSaysThatItDidNot(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("standups")
	old := fmt.Sprintf("since=%d", versionOf(t, w, page)-1)
	for query, want := range map[string]string{
		"wait=abc&" + old: "wait=abc is no number of seconds", "wait=-1&" + old: "wait=-1 is no number",
		"wait=&" + old: "wait= is no number", "wait=30s&" + old: "wait=30s is no number",
		"wait=30": "wait has no since", "wait=30&since=": "wait has no since",
		"wait=30&" + old: "", "wait=0": "", "wait=0&" + old: "", "full=1": "", old: "",
	} {
		for _, accept := range []string{"text/markdown", "application/json", "text/html"} {
			body := w.As("scribe").Get(page+"?"+query, accept).Body
			if want != "" && !strings.Contains(body, want) || want == "" && strings.Contains(body, "did not wait") {
				t.Errorf("%s as %s, want %q:\n%.1500s", query, accept, want, body)
			}
		}
	}
}

func TestWaitWakes(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		target := fmt.Sprintf("%s?wait=30&since=%d", page, versionOf(t, w, page))
		var all []*waiting
		for _, as := range []string{"bob", "scout", "alice", "erin", "reader"} {
			for _, accept := range []string{"text/markdown", "text/html", "application/json"} {
				all = append(all, wait(w, as, target, accept))
			}
		}
		// Changes of other pages, refused calls and dry runs do not wake the requests.
		w.As("bob").Post(w.URL("open single"), "comment", param.Input{"text": "Elsewhere"})
		w.As("oscar").Post(w.URL("lab open"), "comment", param.Input{"text": "In Globex"})
		w.As("reader").Post(page, "comment", param.Input{"text": "Refused"})
		w.As("bob").Form(page, "comment", webtest.Call{Params: param.Input{"text": "Dry"}, DryRun: true})
		for _, x := range all {
			if x.over() {
				t.Fatalf("woken by something else: %s", (<-x.answer).Body)
			}
		}
		time.Sleep(7 * time.Second)
		changed := time.Now()
		w.As("erin").Post(page, "comment", param.Input{"text": "Now"})
		for _, x := range all {
			if !x.over() {
				t.Fatal("still waiting")
			}
			r := <-x.answer
			if late := x.ended.Sub(changed); late > 100*time.Millisecond || r.Status != 200 ||
				!strings.Contains(r.Body, "Now") {
				t.Errorf("%v late: %d %s", late, r.Status, r.Body)
			}
		}
	})
}

// TestWaitCounts checks that a waiting request counts as a read, and that each change that wakes it counts as
// another.
func TestWaitCounts(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		since := versionOf(t, w, page)
		left := func() int {
			n, err := strconv.Atoi(w.As("scout").Get("/whoami", "").Header.Get("X-RateLimit-Remaining"))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := left()
		x := wait(w, "scout", fmt.Sprintf("%s?wait=30&since=%d", page, since), "text/markdown")
		if n := left(); n != before-2 { // the waiting request and this request
			t.Errorf("%d reads are left of %d once it waits", n, before)
		}
		w.As("erin").Post(page, "comment", param.Input{"text": "Now"})
		if !x.over() {
			t.Fatal("still waiting")
		}
		if n := left(); n != before-4 {
			t.Errorf("%d reads are left of %d once it was woken", n, before)
		}
	}, limited)
}

func TestWaitEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		version := versionOf(t, w, page)
		for seconds, want := range map[int]time.Duration{1: time.Second, 30: 30 * time.Second, 60: time.Minute,
			3600: time.Minute} {
			x := wait(w, "scout", fmt.Sprintf("%s?wait=%d&since=%d", page, seconds, version), "text/markdown")
			r := <-x.answer
			if x.took() != want || r.Status != 200 ||
				!strings.Contains(r.Body, fmt.Sprintf("version: \"%d\"", version)) || r.Header.Get("Etag") == "" {
				t.Errorf("wait=%d took %v: %d", seconds, x.took(), r.Status)
			}
		}
		// At the timeout, the answer shows that the deadline has passed.
		x := wait(w, "scout", fmt.Sprintf("%s?wait=60&since=%d", page, version), "text/markdown")
		w.Clock.Advance(80 * time.Hour)
		if r := <-x.answer; !strings.Contains(r.Body, "Closed Mon 23 Nov 2026 12:00 CET") {
			t.Errorf("it is not shown as closed:\n%s", r.Body)
		}
	})
}

// TestWaitIsCancelled cancels waiting requests. A goroutine that remained in the bubble would fail the test.
func TestWaitIsCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		target := fmt.Sprintf("%s?wait=30&since=%d", page, versionOf(t, w, page))
		for range 20 {
			x := wait(w, "scout", target, "text/markdown")
			x.cancel()
			<-x.answer
			if x.took() != 0 {
				t.Errorf("it took %v", x.took())
			}
		}
	})
}

// TestWaitLosesTheRight revokes a token while its request waits. The answer is a refusal.
func TestWaitLosesTheRight(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		target := fmt.Sprintf("%s?wait=30&since=%d", page, versionOf(t, w, page))
		x, left := wait(w, "scout", target, "text/markdown"), wait(w, "erin", target, "text/markdown")
		if err := w.Site.RevokeToken(context.Background(), tokenID(t, w, "scout")); err != nil {
			t.Fatal(err)
		}
		if r := <-x.answer; r.Status != 401 || x.took() != 0 {
			t.Errorf("a revoked token after %v: %d", x.took(), r.Status)
		}
		w.As("erin").Post(w.URL("team"), "leave", nil)
		if r := <-left.answer; r.Status != 404 || left.took() != 0 {
			t.Errorf("who has left, after %v: %d", left.took(), r.Status)
		}
	})
}

// TestWaitersLoseTheRight ends the right to read, in every possible way, while a request waits. The request is
// answered at once, without the page.
func TestWaitersLoseTheRight(t *testing.T) {
	for _, c := range []struct {
		name, as, page  string // page is a fixture's name
		by, where, does string
		in              param.Input
		status          int
	}{
		{"the token is revoked by its member", "scout", "standups", "bob", "/settings/tokens", "revoke_token",
			param.Input{"token": "scout"}, 401},
		{"the agent is paused", "scout", "standups", "bob", "fixture agent scout", "pause_agent", nil, 401},
		{"the member is removed", "erin", "standups", "alice", "fixture @erin", "remove_member", nil, 404},
		{"the member's agent ends with them", "scout", "standups", "alice", "fixture @bob", "remove_member", nil, 401},
		{"a member leaves the studio", "erin", "standups", "erin", "fixture team", "leave", nil, 404},
		{"a studio closes to others", "dave", "plaza open", "alice", "fixture plaza", "change_visibility",
			param.Input{"visibility": "members"}, 404},
		{"a draft is discarded", "alice", "draft", "alice", "fixture draft", "discard", nil, 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *webtest.World) {
				x := wait(w, c.as, sinceNow(t, w, c.as, w.URL(c.page)), "text/markdown")
				where := c.where
				if u, ok := strings.CutPrefix(where, "fixture "); ok {
					where = w.URL(u)
				}
				if agent := c.in["token"]; agent != nil {
					c.in["token"] = tokenID(t, w, agent.(string))
				}
				if r := w.As(c.by).Post(where, c.does, c.in); r.Status != 303 {
					t.Errorf("%s: %d %s", c.does, r.Status, r.Body)
				}
				if r := <-x.answer; r.Status != c.status || x.took() != 0 {
					t.Errorf("after %v: %d, want %d at once", x.took(), r.Status, c.status)
				}
			})
		})
	}
}

// TestVersionsOfPlaces votes and comments. Both change the versions of the decision and of the home page, but not of
// the studio, as the help says.
func TestVersionsOfPlaces(t *testing.T) {
	w := webtest.New(t)
	version := func(url string) string {
		t.Helper()
		_, rest, _ := strings.Cut(w.As("scribe").Ahead().Get(url, "text/markdown").Body, "\nversion: ")
		line, _, _ := strings.Cut(rest, "\n")
		return line
	}
	decision := w.URL("open single")
	for action, params := range map[string]param.Input{"cast_vote": {"option": "1"},
		actions.Comment: {"text": "Why not?"}} {
		before := map[string]string{}
		for _, url := range []string{decision, "/", w.URL("team")} {
			before[url] = version(url)
		}
		if r := w.As("erin").PostJSON(decision, action, params); r.Status != 200 {
			t.Fatalf("%s: %d %s", action, r.Status, r.Body)
		}
		for url, was := range before {
			if is := version(url); is == "" || (is == was) != (url == w.URL("team")) {
				t.Errorf("%s changes the version of %s from %s to %s", action, url, was, is)
			}
		}
	}
}
