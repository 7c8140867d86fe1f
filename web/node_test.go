package web_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/archive"
	"samepage/store/credential"
	"samepage/store/effort"
	"samepage/store/governance"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// TestMovedPagesAreTheSame moves both organizations to several other databases. A page that an actor can reach has the
// same bytes and the same ETag in all of them, and the same status as before. Pages about what is not moved are left
// out.
func TestMovedPagesAreTheSame(t *testing.T) {
	slow(t)
	folder := func() string { return t.TempDir() }
	kinds := map[string]func() string{"to a folder": folder, "to another folder": folder}
	if pgtest.Given() != "" { // that two folders are the same does not depend on the original
		delete(kinds, "to a folder")
		kinds["to a server"] = func() string { return pgtest.Database(t) }
	} else {
		t.Log("left out: to and from a server. go run ./e2e/all does that.")
	}
	w := webtest.New(t)
	moved := map[string]*webtest.World{}
	for kind, where := range kinds {
		moved[kind] = w.Moved(where(), func(from, to *store.Store) { transfer(t, from, to) })
	}
	few := []string{"anonymous", "bob", "clerk", "oscar"}
	actors := effort.Of(few, append(few, "alice", "scribe"), w.Actors())
	effort.LeftOut(t, "the pages of all but %q", actors)
	var compared atomic.Int64
	t.Run("actors", func(t *testing.T) {
		for _, actor := range actors {
			t.Run(actor, func(t *testing.T) {
				t.Parallel()
				for _, v := range pages(survey(t, actor)) {
					if strings.HasPrefix(v.url, credential.AccountURL) || strings.Contains(v.url, "/webhooks/") ||
						strings.HasPrefix(v.url, governance.OwnWebhookURL) ||
						strings.Contains(v.url, "/runners/") || strings.Contains(v.url, "/repos/") ||
						strings.Contains(v.url, "/worktrees/") || strings.Contains(v.url, "/sessions/") ||
						strings.Contains(v.url, "/reviews/") || strings.Contains(v.url, "/pulls/") ||
						strings.Contains(v.url, "/manifests/") {
						continue // logins, passkeys, webhooks, runners and the work of agents are not moved
					}
					compared.Add(1)
					for _, accept := range []string{"text/html", "text/markdown"} {
						// The import adds a journal entry, so this compares the pages after two imports, and not with
						// the original. The requests are prefetches, which mark nothing as read.
						was := moved["to another folder"].As(actor).Ahead().Get(v.url, accept)
						if first := w.As(actor).Ahead().Get(v.url, accept); first.Status != was.Status {
							t.Errorf("%s as %s: %d, was %d", v.url, accept, was.Status, first.Status)
						}
						for kind, there := range moved {
							if kind == "to another folder" {
								continue
							}
							is := there.As(actor).Ahead().Get(v.url, accept)
							if was.Status != is.Status || was.Body != is.Body || was.Header.Get("Etag") != is.Header.Get("Etag") {
								t.Errorf("%s: %s as %s: %d %s, was %d %s\n%s", kind, v.url, accept,
									is.Status, is.Header.Get("Etag"), was.Status, was.Header.Get("Etag"),
									firstDifference(was.Body, is.Body))
							}
						}
					}
				}
			})
		}
	})
	for kind, there := range moved {
		if r := there.As("bob").PostJSON(w.URL("standups"), "comment", param.Input{"text": "Still here."}); r.Status != http.StatusOK {
			t.Errorf("%s: %d %s", kind, r.Status, r.Body)
		}
	}
	t.Logf("%d pages, each in %d places", compared.Load(), 1+len(moved))
}

// transfer moves both organizations to another database.
func transfer(t *testing.T, from, to *store.Store) {
	t.Helper()
	for _, org := range []string{"globex", "acme"} {
		var file bytes.Buffer
		if _, err := archive.Export(t.Context(), from, org, &file); err != nil {
			t.Fatal(err)
		}
		if _, _, err := archive.Import(t.Context(), to, &file); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTokensOfRunnersStayBehind moves an organization to another database. There the token of a runner is revoked, and
// the tokens of agents are in force. A runner's token in force only lacks the page, because it is for people and agents.
func TestTokensOfRunnersStayBehind(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	there := w.Moved(t.TempDir(), func(from, to *store.Store) { transfer(t, from, to) })
	for token, want := range map[string][2]int{w.Secret("runner mill"): {404, 401}, w.Token("scribe"): {200, 200}} {
		for i, world := range []*webtest.World{w, there} {
			if r := world.Bearer(token).Get("/whoami", "text/markdown"); r.Status != want[i] {
				t.Errorf("world %d answers %d, want %d: %s", i, r.Status, want[i], r.Body)
			}
		}
	}
}

// nodes returns the worlds of two servers on one PostgreSQL database. It skips the test if there is none.
func nodes(t *testing.T) (a, b *webtest.World) {
	t.Helper()
	if pgtest.Given() == "" {
		t.Skip("left out: there is no PostgreSQL. go run ./e2e/all starts one.")
	}
	a = webtest.New(t)
	return a, a.Node()
}

// entries returns the number of journal entries of an action.
func entries(w *webtest.World, action string) (n int) {
	w.Query(&n, `SELECT count(*) FROM journal WHERE action = ?`, action)
	return n
}

// TestNodesCloseOnce closes due items on two nodes at the same time. Each item is closed once.
func TestNodesCloseOnce(t *testing.T) {
	a, b := nodes(t)
	before := entries(a, "close_decision")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { []*webtest.World{a, b}[i%2].Site.CloseDue(t.Context()) })
	}
	wg.Wait()
	a.Site.CloseDue(t.Context())
	n := entries(a, "close_decision") - before
	var closed, events int
	a.Query(&events, `SELECT count(*) FROM journal WHERE action = 'close_decision' AND member_id = ''`)
	a.Query(&closed, `SELECT count(DISTINCT target_id) FROM journal WHERE action = 'close_decision' AND member_id = ''`)
	if n == 0 || events != closed {
		t.Errorf("%d entries are new, %d by the clock about %d decisions", n, events, closed)
	}
}

// TestNodesWake checks that an action on one node wakes a request that waits on the other.
func TestNodesWake(t *testing.T) {
	a, b := nodes(t)
	url := a.URL("standups")
	for round := range 3 {
		version := versionOf(t, a, url)
		answer := make(chan *webtest.Response, 1)
		go func() { answer <- a.As("bob").Get(fmt.Sprintf("%s?wait=60&since=%d", url, version), "text/markdown") }()
		time.Sleep(50 * time.Millisecond) // a request that begins to wait later finds the new version at once, which also passes
		begun := time.Now()
		if r := b.As("scout").PostJSON(url, "comment", param.Input{"text": fmt.Sprint("Round ", round)}); r.Status != http.StatusOK {
			t.Fatal(r.Body)
		}
		r := <-answer
		if took := time.Since(begun); r.Status != http.StatusOK || took > 45*time.Second {
			t.Errorf("woken with %d after %v", r.Status, took)
		}
		if now := versionOf(t, a, url); now == version {
			t.Error("nothing has changed")
		}
	}
}

// TestNodesDoItOnce sends calls with the same key to two nodes at the same time. The action is taken once. Calls with
// different keys are all taken, and their journal entries form one chain.
func TestNodesDoItOnce(t *testing.T) {
	a, b := nodes(t)
	url := a.URL("standups")
	before := entries(a, "comment")
	const calls = 6
	var mu sync.Mutex
	var bodies []string
	var wg sync.WaitGroup
	for i := range calls * 4 {
		wg.Go(func() {
			w := []*webtest.World{a, b}[i/calls%2]
			key := fmt.Sprint("key-", i%calls)
			r := w.As("scout").JSON(url, "comment", webtest.Call{Params: param.Input{"text": key}, Key: key})
			mu.Lock()
			defer mu.Unlock()
			if r.Status != http.StatusOK {
				t.Errorf("%d %s", r.Status, r.Body)
			}
			bodies = append(bodies, r.Body)
		})
	}
	wg.Wait()
	if n := entries(a, "comment") - before; n != calls {
		t.Errorf("%d comments for %d keys", n, calls)
	}
	a.VerifyJournal()
	if len(bodies) != 4*calls {
		t.Errorf("%d answers", len(bodies))
	}
}

// TestNodesRevoke checks that a token which is revoked on one node is refused on the other at once.
func TestNodesRevoke(t *testing.T) {
	a, b := nodes(t)
	url := a.URL("standups")
	if r := b.As("scribe").Get(url, "text/markdown"); r.Status != http.StatusOK {
		t.Fatal(r.Body)
	}
	var id string
	a.Query(&id, `SELECT t.id FROM tokens t JOIN agents g ON g.id = t.agent_id WHERE g.label = 'Scribe'`)
	if err := a.Site.RevokeToken(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if r := b.As("scribe").Get(url, "text/markdown"); r.Status != http.StatusUnauthorized {
		t.Errorf("%d", r.Status)
	}
}
