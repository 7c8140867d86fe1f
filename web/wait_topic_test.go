package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"samepage/actions/param"
	"samepage/web"
	"samepage/web/webtest"
)

// looks counts the renderings of each page.
type looks struct {
	mu    sync.Mutex
	pages map[string]int
}

func (l *looks) observe(c *web.Config) {
	c.Observe = func(path string, _ int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.pages[path]++
	}
}

func (l *looks) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pages = map[string]int{}
}

// at returns the number of renderings of a page.
func (l *looks) at(page string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pages[page]
}

// sinceNow returns the URL with which an actor waits until a page has another version than its present one.
func sinceNow(t *testing.T, w *webtest.World, as, page string) string {
	t.Helper()
	for line := range strings.SplitSeq(w.As(as).Get(page, "text/markdown").Body, "\n") {
		if version, ok := strings.CutPrefix(line, "version: "); ok {
			return page + "?wait=30&since=" + url.QueryEscape(strings.Trim(version, `"`))
		}
	}
	t.Fatalf("%s has no version for %s", page, as)
	return ""
}

// doesAs returns a function that takes an action as an actor.
func doesAs(as, page, action string, in param.Input) func(t *testing.T, w *webtest.World) {
	return func(t *testing.T, w *webtest.World) {
		if u, ok := strings.CutPrefix(page, "fixture "); ok {
			page = w.URL(u)
		}
		if r := w.As(as).PostJSON(page, action, in); r.Status != http.StatusOK {
			t.Errorf("%s: %d %s", action, r.Status, r.Body)
		}
	}
}

// TestWaitersAreWokenByTheirTopics lets an agent of Bob wait for several pages while data changes. A change of a page
// wakes its request. Any other change does not even render the page.
func TestWaitersAreWokenByTheirTopics(t *testing.T) {
	says := func(page, text string) func(t *testing.T, w *webtest.World) {
		return doesAs("erin", "fixture "+page, "comment", param.Input{"text": text})
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, w *webtest.World)
		wakes  []string // the pages whose requests are woken
	}{
		{"a comment on what the member follows", says("standups", "Hm."),
			[]string{"standups", "inbox", "home", "journal"}},
		{"a comment elsewhere", says("open single", "Hm."), []string{"home", "journal"}},
		{"a mention", says("open single", "@bob, look."), []string{"inbox", "home", "journal"}},
		{"a vote", doesAs("erin", "fixture standups", "cast_vote", param.Input{"accept": []any{"3"}}),
			[]string{"standups", "home", "journal"}},
		{"a studio's name", doesAs("alice", "fixture team", "update_studio", param.Input{"name": "Crew"}),
			[]string{"team", "cycle", "home", "journal"}},
		{"a note's title, given by the member",
			doesAs("bob", "fixture note post", "update_note", param.Input{"title": "Another title"}),
			[]string{"team", "cycle", "inbox", "home", "journal"}},
		{"a studio of others", doesAs("erin", "/studios/orchard", "update_studio", param.Input{"name": "Fruit"}),
			[]string{"journal"}},
		{"a member's name", doesAs("erin", "fixture @erin", "update_profile", param.Input{"name": "Erin Elmore"}),
			[]string{"erin", "home", "journal"}},
		{"the organization's name", doesAs("alice", "/orgs/acme/settings", "update_settings",
			param.Input{"name": "Acme & Co"}), []string{"organization", "home", "journal"}},
		{"what only somebody else sees", doesAs("erin", "fixture open single", "mute", nil), nil},
		{"what only the member sees", doesAs("bob", "fixture open single", "mute", nil),
			[]string{"inbox", "home", "journal"}},
		{"another organization", doesAs("oscar", "fixture lab open", "comment", param.Input{"text": "In Globex"}), nil},
		{"a deadline", func(t *testing.T, w *webtest.World) {
			w.Clock.Advance(80 * time.Hour) // by then, people's logins have expired
			w.Site.CloseDue(context.Background())
		}, []string{"standups", "team", "cycle", "inbox", "home", "journal"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &looks{}
			l.forget()
			inBubble(t, func(t *testing.T, w *webtest.World) {
				pages := map[string]string{
					"standups": w.URL("standups"), "team": w.URL("team"), "cycle": w.URL("team") + "/cycles/2026-w47",
					"erin":         w.URL("@erin"),
					"organization": "/orgs/acme", "inbox": "/inbox", "home": "/", "journal": "/orgs/acme/journal",
				}
				doesAs("erin", "/orgs/acme", "create_studio", param.Input{"handle": "orchard", "name": "Orchard"})(t, w)
				waits := map[string]*waiting{}
				for name, page := range pages {
					waits[name] = wait(w, "scout", sinceNow(t, w, "scout", page), "text/markdown")
				}
				synctest.Wait()
				l.forget()
				c.change(t, w)
				for name, x := range waits {
					wakes := strings.Contains(" "+strings.Join(c.wakes, " ")+" ", " "+name+" ")
					if x.over() != wakes {
						t.Errorf("%s: answered %v, want %v", name, x.over(), wakes)
					}
					if n := l.at(pages[name]); !wakes && n != 0 {
						t.Errorf("%s was looked at %d times for nothing", name, n)
					}
				}
				w.Site.StopWaiting()
				for name, x := range waits {
					if r := <-x.answer; r.Status != http.StatusOK {
						t.Errorf("%s: %d", name, r.Status)
					}
				}
				if left := w.Site.Waiting(); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
			}, l.observe)
		})
	}
}

// TestEveryVersionHasATopic waits on every page that has a version. Each has topics that announce its changes.
func TestEveryVersionHasATopic(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		waited := 0
		for _, name := range w.Fixtures() {
			page := w.URL(name)
			r := w.As("alice").Get(page, "text/markdown")
			if r.Status != http.StatusOK || !strings.Contains(r.Body, "\nversion: ") {
				continue
			}
			x := wait(w, "alice", sinceNow(t, w, "alice", page), "text/markdown")
			if x.over() {
				t.Errorf("nobody can wait on %s", page)
				continue
			}
			waited++
			for topic := range w.Site.Waiting() {
				if kind, id, _ := strings.Cut(string(topic), ":"); kind == "" || id == "" {
					t.Errorf("%s is waited for by %q", page, topic)
				}
			}
			x.cancel()
			<-x.answer
		}
		if waited < 50 {
			t.Errorf("only %d pages have a version", waited)
		}
	})
}

// TestWaitersShareARendering lets 2,200 requests of five actors wait for 200 pages, and changes one page. The
// requests for this page are answered with one rendering for each actor, and no other page is rendered. A server that
// stops renders a page at most once for each request that still waits.
func TestWaitersShareARendering(t *testing.T) {
	l := &looks{}
	l.forget()
	inBubble(t, func(t *testing.T, w *webtest.World) {
		const pages, each = 200, 11
		actors := []string{"bob", "scout", "alice", "erin", "reader"}
		var notes []string
		for n := range pages {
			r := w.As("bob").Post(w.URL("team"), "create_note",
				param.Input{"title": fmt.Sprint("Note ", n), "text": "Words."})
			notes = append(notes, r.Location())
		}
		since := sinceNow(t, w, "bob", notes[0])
		since = since[strings.IndexByte(since, '?'):]
		var all [pages][]*waiting
		for n, page := range notes {
			for i := range each {
				all[n] = append(all[n], wait(w, actors[i%len(actors)], page+since, "text/markdown"))
			}
		}
		l.forget()
		if r := w.As("erin").Post(notes[7], "comment", param.Input{"text": "Now."}); r.Status != http.StatusSeeOther {
			t.Fatal(r.Status, r.Body)
		}
		for i, x := range all[7] {
			if !x.over() {
				t.Fatal("a waiter of the page is not woken")
			}
			as := actors[i%len(actors)]
			if r := <-x.answer; r.Status != http.StatusOK || !strings.Contains(r.Body, "Now.") ||
				!strings.Contains(r.Body, asLine(w, as)) {
				t.Errorf("%s: %d %s", as, r.Status, r.Body)
			}
		}
		for n, page := range notes {
			most := 0
			if n == 7 {
				most = len(actors) + 1 // the author of the comment also renders the page
			}
			if got := l.at(page); got > most {
				t.Errorf("page %d was looked at %d times, at most %d were needed", n, got, most)
			}
		}
		l.forget()
		w.Site.StopWaiting()
		for n := range all {
			for _, x := range all[n] {
				if n != 7 {
					if r := <-x.answer; r.Status != http.StatusOK || !strings.Contains(r.Body, "Words.") {
						t.Fatalf("when the server stops: %d %s", r.Status, r.Body)
					}
				}
			}
			if got := l.at(notes[n]); got > each {
				t.Errorf("page %d was looked at %d times for the answers to %d requests", n, got, each)
			}
		}
		if left := w.Site.Waiting(); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}, l.observe)
}

// asLine returns the line of a page that names the actor.
func asLine(w *webtest.World, actor string) string {
	for line := range strings.SplitSeq(w.As(actor).Get("/help", "text/markdown").Body, "\n") {
		if strings.HasPrefix(line, "as: ") {
			return line
		}
	}
	return "as: nobody"
}
