package web_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/web"
	"samepage/web/webtest"
)

// stream is an open stream of events about a page, in a synctest bubble.
type stream struct {
	*httptest.ResponseRecorder
	mu     sync.Mutex
	cancel context.CancelFunc
	begun  time.Time
	ended  time.Time // zero while the stream is open
}

// Write records the arriving bytes.
func (x *stream) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.ResponseRecorder.Write(p)
}

// listenTo opens a stream about a page as an actor who has read this version.
func listenTo(w *webtest.World, as, page string, since any) *stream {
	ctx, cancel := context.WithCancel(context.Background())
	x := &stream{ResponseRecorder: httptest.NewRecorder(), cancel: cancel, begun: time.Now()}
	r := httptest.NewRequestWithContext(ctx, "GET", webtest.Origin+page+fmt.Sprintf("?since=%v", since), nil)
	r.Header.Set("Accept", "text/event-stream")
	go func() {
		w.As(as).Serve(x, r)
		x.mu.Lock()
		defer x.mu.Unlock()
		x.ended = time.Now()
	}()
	synctest.Wait()
	return x
}

// got returns the IDs of the events so far, and whether the stream has ended.
func (x *stream) got() (ids string, ended bool) {
	synctest.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	for event := range strings.SplitSeq(x.Body.String(), "\n\n") {
		if id, ok := strings.CutSuffix(event, "\ndata: changed"); ok {
			ids += strings.TrimPrefix(id, "id: ") + " "
		}
	}
	return strings.TrimSpace(ids), !x.ended.IsZero()
}

func (x *stream) took() time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.ended.Sub(x.begun)
}

// says checks the events of a stream and whether it has ended.
func (x *stream) says(t *testing.T, ids string, ended bool) {
	t.Helper()
	if got, over := x.got(); got != ids || over != ended || x.Code != 200 {
		t.Errorf("%d: events %q, ended %v, want %q and %v", x.Code, got, over, ids, ended)
	}
}

// remark adds a comment to a page.
func remark(w *webtest.World, as, page, text string) {
	w.As(as).Post(page, "comment", param.Input{"text": text})
}

func TestStreamSaysThatAPageChanged(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		now := versionOf(t, w, page)
		x, old := listenTo(w, "bob", page, now), listenTo(w, "erin", page, now-1)
		if h := x.Header(); h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") != "no-store" ||
			h.Get("Content-Encoding") != "" {
			t.Errorf("%v", h)
		}
		x.says(t, "", false)
		old.says(t, fmt.Sprint(now), false) // there was a change since the version that Erin has read
		remark(w, "bob", w.URL("open single"), "Elsewhere")
		x.says(t, "", false)
		remark(w, "erin", page, "Now")
		x.says(t, fmt.Sprint(now+1), false)
		if body := x.Body.String(); strings.Contains(body, "Now") || strings.Contains(body, "stand-ups") {
			t.Errorf("the stream has contents of the page:\n%s", body)
		}
		// Changes in quick succession are one event.
		remark(w, "erin", page, "Then")
		remark(w, "erin", page, "And then")
		time.Sleep(2 * time.Second)
		x.says(t, fmt.Sprint(now+1, " ", now+3), false)
		time.Sleep(time.Minute)
		x.says(t, fmt.Sprint(now+1, " ", now+3), true)
		if x.took() != time.Minute {
			t.Errorf("it took %v", x.took())
		}
		if len(w.Site.Waiting()) != 0 {
			t.Errorf("still waiting: %v", w.Site.Waiting())
		}
	})
}

// TestStreamOfAStudioHearsItsChannel opens the streams of the page of a studio, of its members and of another studio. A
// message in the channel is an event of the first one alone, because only that page shows the end of the conversation,
// and only to people.
func TestStreamOfAStudioHearsItsChannel(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		shown := func(page string) string {
			return dataVersion.FindStringSubmatch(w.As("erin").Get(page, "text/html").Body)[1]
		}
		before := shown("/studios/team")
		x := listenTo(w, "erin", "/studios/team", before)
		members := listenTo(w, "erin", "/studios/team/members", shown("/studios/team/members"))
		other := listenTo(w, "erin", "/studios/commons", shown("/studios/commons"))
		agent := listenTo(w, "scribe", "/studios/team", versionOf(t, w, "/studios/team"))
		w.As("bob").Post(w.URL("channel team"), governance.PostMessage.Name, param.Input{"text": "Is the kettle on?"})
		after := shown("/studios/team")
		if after == before || !strings.Contains(w.As("erin").Get("/studios/team", "text/html").Body, "Is the kettle on?") {
			t.Errorf("%s became %s", before, after)
		}
		x.says(t, after, false)
		members.says(t, "", false)
		other.says(t, "", false)
		agent.says(t, "", false)
		time.Sleep(time.Minute) // until all streams end
	})
}

// TestStreamsShareOneCheck opens 300 streams of one person about a page. A change causes one check of the page for
// all of them, which renders nothing.
func TestStreamsShareOneCheck(t *testing.T) {
	seen := &looks{pages: map[string]int{}}
	statements := 0
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		now := versionOf(t, w, page)
		var all []*stream
		for range 300 {
			all = append(all, listenTo(w, "bob", page, now))
		}
		for i := range 3 {
			time.Sleep(2 * time.Second)
			seen.forget()
			statements = 0
			remark(w, "erin", page, "Now")
			for _, x := range all {
				if ids, over := x.got(); len(strings.Fields(ids)) != i+1 || over {
					t.Fatalf("change %d: events %q, ended %v", i+1, ids, over)
				}
			}
			if n := seen.at(page); n != 1+1 { // the action and the check
				t.Errorf("change %d: %d looks at the page", i+1, n)
			}
		}
		for _, x := range all {
			x.cancel()
		}
		synctest.Wait()
	}, func(c *web.Config) {
		seen.observe(c)
		look := c.Observe
		c.Observe = func(path string, n int) { look(path, n); statements += n }
	})
	t.Logf("%d statements for the last change and its check", statements)
}

func TestStreamEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		now := versionOf(t, w, page)
		agent, left, gone, stays := listenTo(w, "scout", page, now), listenTo(w, "erin", page, now),
			listenTo(w, "bob", page, now), listenTo(w, "alice", page, now)
		if err := w.Site.RevokeToken(context.Background(), tokenID(t, w, "scout")); err != nil {
			t.Fatal(err)
		}
		agent.says(t, "gone", true)
		w.As("erin").Post(w.URL("team"), "leave", nil)
		left.says(t, "gone", true)
		gone.cancel()
		if _, over := gone.got(); !over {
			t.Error("the stream of a tab that was closed goes on")
		}
		if _, over := stays.got(); over {
			t.Error("a stream ended without a reason")
		}
		w.Site.StopWaiting()
		if _, over := stays.got(); !over || stays.took() != 0 {
			t.Errorf("the stream goes on when the server stops, %v", stays.took())
		}
		if x := listenTo(w, "alice", page, now); x.Code != 503 || x.Header().Get("Retry-After") == "" {
			t.Errorf("a stream to a server that stops: %d", x.Code)
		}
	})
}

// TestNoStream requests streams of pages without events, of missing pages, and with invalid credentials. No stream
// opens.
func TestNoStream(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		for _, c := range []struct {
			as, page string
			status   int
		}{
			{"bob", "/help", 204}, {"bob", page + "/actions/comment", 204}, {"bob", page + "/actions", 204},
			{"carol", page, 404}, {"bob", "/studios/team/d/0000000000", 404}, {"revoked", page, 401},
			{"anonymous", page, 404}, {"bob", page[:len(page)-1], 404},
		} {
			x := listenTo(w, c.as, c.page, 1)
			if _, over := x.got(); x.Code != c.status || !over || strings.Contains(x.Body.String(), "stand-ups") {
				t.Errorf("%s, %s: %d, ended %v\n%s", c.as, c.page, x.Code, over, x.Body)
			}
			x.cancel()
		}
	})
}

// TestStreamCounts checks that opening a stream counts as a read, and each event as another. Over the limit, no
// stream can be opened.
func TestStreamCounts(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		page := w.URL("standups")
		now := versionOf(t, w, page)
		opened := 0
		var last *stream
		for {
			x := listenTo(w, "scout", page, now)
			if x.Code == 429 {
				if x.Header().Get("Retry-After") == "" {
					t.Error("429 without Retry-After")
				}
				break
			}
			if opened++; opened > 100 {
				t.Fatal("no limit")
			}
			defer x.cancel()
			last = x
		}
		if opened > 60 {
			t.Errorf("%d streams in one minute", opened)
		}
		// After a change, a stream checks again whether its reader may read the page, and this check counts as a read.
		// Scout has no reads left, so the check ends Scout's stream. Bob's stream goes on.
		x := listenTo(w, "bob", page, now)
		remark(w, "erin", page, "Now")
		x.says(t, fmt.Sprint(now+1), false)
		x.cancel()
		last.says(t, "gone", true)
	}, limited)
}
