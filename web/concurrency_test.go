package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/mcp"
	"samepage/store"
	"samepage/store/governance"
	"samepage/web"
	"samepage/web/webtest"
)

// tools returns the MCP endpoint of a world's site, with the options that the server uses.
func tools(w *webtest.World) http.Handler {
	return mcp.Handler(w.Site, mcp.Options{Authenticate: w.Site.Authenticate, HostAllowed: w.Site.HostAllowed,
		Bounded: w.Site.Bounded, Charge: w.Site.Charge, Resolve: w.Site.Resolve, Origin: webtest.Origin, Now: w.Clock.Now})
}

// use calls a tool with a token. The text is empty if the answer has no result.
func use(t *testing.T, h http.Handler, token, tool string,
	arguments any) (text string, isError bool, status int) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": arguments,
			"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
				"io.modelcontextprotocol/clientCapabilities": map[string]any{}}}})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", webtest.Origin+"/mcp", strings.NewReader(string(body)))
	for name, v := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json",
		"Accept":               "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		r.Header.Set(name, v)
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	var answer struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if rec.Code == 200 {
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || len(answer.Result.Content) != 1 {
			t.Errorf("%s: %v: %s", tool, err, rec.Body)
			return "", true, rec.Code
		}
		text = answer.Result.Content[0].Text
	}
	return text, answer.Result.IsError, rec.Code
}

// questions creates n decisions in Team as Alice and returns their URLs.
func questions(t *testing.T, w *webtest.World, n int) []string {
	t.Helper()
	pages := make([]string, n)
	for i := range pages {
		r := w.As("alice").Post(w.URL("team"), "create_decision",
			param.Input{"question": fmt.Sprintf("Question %03d?", i), "options": []any{"A", "B"}, "results": "shown"})
		if r.Status != 303 {
			t.Fatal(r.Body)
		}
		pages[i] = r.Location()
	}
	return pages
}

// TestInterleavedConversations holds a hundred conversations with one token, each about another page. Some calls name
// their page and some do not. A comment never appears on the page of another conversation.
func TestInterleavedConversations(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	h, token := tools(w), w.Token("scout")
	pages := questions(t, w, 100)
	var wait sync.WaitGroup
	done := make([]bool, len(pages))
	for i, page := range pages {
		order := rand.New(rand.NewPCG(7, uint64(i)))
		wait.Go(func() {
			if text, isError, _ := use(t, h, token, "navigate", map[string]any{"url": page}); isError ||
				!strings.Contains(text, fmt.Sprintf("Question %03d?", i)) {
				t.Errorf("%s: %s", page, text)
			}
			for range order.IntN(3) {
				use(t, h, token, "navigate", map[string]any{"url": pages[order.IntN(len(pages))]})
			}
			said := map[string]any{"text": fmt.Sprintf("About %03d.", i)}
			arguments := []map[string]any{
				{"action": "comment", "params": said},
				{"action": "comment", "url": page, "params": said},
				{"action": page + "/actions/comment", "params": said},
				{"action": "comment", "url": webtest.Origin + page, "params": said},
			}[i%4]
			text, isError, _ := use(t, h, token, "execute_action", arguments)
			first, _, _ := strings.Cut(text, "\n")
			switch {
			case !isError:
				done[i] = true
				if i%4 != 0 && (!strings.HasPrefix(first, `comment on "`) || !strings.Contains(first, `" (`+page+"): ")) {
					t.Errorf("%v: %s", arguments, first)
				}
			case i%4 != 0 || !strings.Contains(text, "Nothing was changed."):
				t.Errorf("%v: %s", arguments, text)
			}
		})
	}
	wait.Wait()
	bare := 0
	for i, page := range pages {
		body := w.As("bob").Get(page, "text/markdown").Body
		for j := range pages {
			if here := strings.Contains(body, fmt.Sprintf("About %03d.", j)); here != (i == j && done[i]) {
				t.Errorf("page %d, what was said about %d: %v", i, j, here)
			}
		}
		if done[i] && i%4 == 0 {
			bare++
		}
	}
	t.Logf("%d bare names were acted on, %d refused", bare, len(pages)/4-bare)
}

// TestBareNameAfterManyPages opens more pages than the server remembers for a token. After that, a call that names an
// action without its page is refused, because the server no longer guesses the page. A day later the server remembers
// only one page, so it accepts such a call.
func TestBareNameAfterManyPages(t *testing.T) {
	w := webtest.New(t)
	h, token := tools(w), w.Token("scout")
	pages := questions(t, w, 2)
	open := func(url string) {
		if text, isError, _ := use(t, h, token, "navigate", map[string]any{"url": url}); isError {
			t.Fatalf("%s: %s", url, text)
		}
	}
	open(pages[0])
	for i := range 70 {
		open(fmt.Sprintf("/orgs/acme/members?after=x%d", i)) // all are the same page, because the query does not count
	}
	n := 0
	for seq := head(t, w, "bob"); n < 70; seq-- {
		if text, isError, _ := use(t, h, token, "navigate",
			map[string]any{"url": fmt.Sprintf("/orgs/acme/journal/%d", seq)}); !isError && text != "" {
			n++
		}
	}
	open(pages[1])
	text, isError, _ := use(t, h, token, "execute_action",
		map[string]any{"action": "cast_vote", "params": map[string]any{"accept": []string{"1"}}})
	if !isError || !strings.Contains(text, "Nothing was changed.") {
		t.Errorf("it was guessed: %.200s", text)
	}
	w.Clock.Advance(25 * time.Hour)
	open(pages[1])
	if text, isError, _ := use(t, h, token, "execute_action",
		map[string]any{"action": "comment", "params": map[string]any{"text": "Again."}}); isError {
		t.Errorf("a day later it is not found: %.200s", text)
	}
}

// TestPanicInTheWritePath panics inside an action. The process and concurrent requests go on.
func TestPanicInTheWritePath(t *testing.T) {
	trap := ""
	w := webtest.New(t, func(c *web.Config) {
		c.Observe = func(path string, _ int) {
			if path == trap {
				panic("secret detail")
			}
		}
	})
	page := w.URL("open single")
	trap = w.URL("open approval")
	before := versionOf(t, w, page)
	var wait sync.WaitGroup
	for i := range 60 {
		wait.Go(func() {
			call := webtest.Call{Params: param.Input{"text": fmt.Sprintf("Remark %d", i)}, Key: fmt.Sprint("k", i)}
			on, want := page, 200
			if i%20 == 0 {
				on, want = trap, 500
			}
			r := w.As("bob").JSON(on, "comment", call)
			if r.Status != want || strings.Contains(r.Body, "secret detail") {
				t.Errorf("%d: %d %s", i, r.Status, r.Body)
			}
			if want == 500 && (problemOf(t, r).Error.Code != "internal" ||
				!strings.Contains(r.Body, "Nothing was changed")) {
				t.Errorf("%d: %s", i, r.Body)
			}
		})
	}
	wait.Wait()
	if got := versionOf(t, w, page) - before; got != 57 {
		t.Errorf("%d of the 57 others were taken", got)
	}
}

// versionOf returns the version of a page.
func versionOf(t *testing.T, w *webtest.World, page string) int {
	t.Helper()
	var p jsonPage
	if err := json.Unmarshal([]byte(w.As("bob").Get(page, "application/json").Body), &p); err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(p.Version)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCancelledCaller cancels requests before and during an action. Other requests are unaffected.
func TestCancelledCaller(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open single")
	bob, err := w.Site.Person(t.Context(), "acme", "bob")
	if err != nil {
		t.Fatal(err)
	}
	blocked, release := make(chan struct{}), make(chan struct{})
	go w.Store.Write(context.Background(), func(*store.Tx) error { close(blocked); <-release; return nil })
	<-blocked
	entries := head(t, w, "bob")
	var wait sync.WaitGroup
	given, kept := 0, 0
	results := make([]error, 60)
	for i := range results {
		ctx, cancel := context.WithCancel(t.Context())
		if i%3 == 0 {
			given++
			cancel() // the request is cancelled before the action begins
		} else {
			kept++
			defer cancel()
		}
		wait.Go(func() {
			_, results[i] = w.Site.Do(ctx, web.As(bob),
				web.Call{URL: page, Action: "comment", Params: param.Input{"text": fmt.Sprintf("Remark %d", i)}})
		})
	}
	late, cancel := context.WithCancel(t.Context())
	var lateErr error
	wait.Go(func() {
		_, lateErr = w.Site.Do(late, web.As(bob),
			web.Call{URL: page, Action: "comment", Params: param.Input{"text": "Late"}})
	})
	cancel()
	close(release)
	wait.Wait()
	for i, err := range results {
		if cancelled := errors.Is(err, context.Canceled); cancelled != (i%3 == 0) || !cancelled && err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	if lateErr == nil {
		kept++
	}
	if n := head(t, w, "bob") - entries; n != kept {
		t.Errorf("%d entries for %d who stayed (%d gave up)", n, kept, given)
	}
}

// TestParallelVotes lets fifty members vote at the same time, each up to three times. The running tally equals a
// recount.
func TestParallelVotes(t *testing.T) {
	w := webtest.New(t)
	alice, err := w.Site.Person(t.Context(), "acme", "alice")
	if err != nil {
		t.Fatal(err)
	}
	voters := make([]store.Actor, 50)
	for i := range voters {
		handle := fmt.Sprintf("voter-%02d", i)
		if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
			m, err := tx.CreateMember(alice.Member.OrgID, handle, handle, handle+"@acme.example", "-")
			if err != nil {
				return err
			}
			_, err = tx.Journal(alice, store.Change{Action: "join_organization", Target: m.Ref(), After: m.Record()})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if voters[i], err = w.Site.Person(t.Context(), "acme", handle); err != nil {
			t.Fatal(err)
		}
	}
	r := w.As("alice").Post("/studios/acme", "create_decision",
		param.Input{"question": "Which?", "method": "approval", "options": []any{"A", "B", "C"}, "results": "shown"})
	page := r.Location()
	var wait sync.WaitGroup
	want := [3]int{}
	for i, by := range voters {
		for _, o := range []int{0, 1 + i%2} {
			want[o]++
		}
		wait.Go(func() {
			for turn := range 1 + i%3 {
				options := []any{"1", "2", "3"}
				if turn == i%3 {
					options = []any{"1", fmt.Sprint(2 + i%2)}
				}
				if _, err := w.Site.Do(context.Background(), web.As(by),
					web.Call{URL: page, Action: "cast_vote", Params: param.Input{"accept": options}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for i, state := range []string{"open", "closed"} {
		if i == 1 {
			w.As("alice").Post(page, "close_decision", nil)
		}
		got := table(w.As("alice").Get(page, "text/markdown").Body, []string{"## Options", "## Result"}[i])
		for o := range want {
			if len(got) != 3 || got[o][2] != want[o] {
				t.Errorf("%s: the tally is %v, a recount %v", state, got, want)
				break
			}
		}
	}
	recount, ballots := [3]int{}, 0
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		d, err := governance.FindDecision(tx, alice, "acme", page[len("/studios/acme/d/"):])
		if err != nil {
			return err
		}
		profiles, err := governance.Profiles(tx, d)
		for _, p := range profiles {
			b, err := tally.ParseMarks(p.Marks, 3)
			if err != nil {
				return err
			}
			ballots += p.Count
			for o, mark := range b.Marks {
				recount[o] += mark * p.Count
			}
		}
		return err
	}); err != nil || recount != want || ballots != len(voters) {
		t.Errorf("%d ballots recounted: %v, want %v, %v", ballots, recount, want, err)
	}
}
