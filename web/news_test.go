package web_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// TestOpeningAPageReads opens a page in many ways. Only a person's browser that shows the page marks the member's
// notifications about it as read.
func TestOpeningAPageReads(t *testing.T) {
	for _, c := range []struct {
		name, as, path, accept string
		header                 http.Header
		reads                  bool
	}{
		{"a browser", "alice", "", "text/html", nil, true},
		{"a browser's prefetch", "alice", "", "text/html", http.Header{"Sec-Purpose": {"prefetch"}}, false},
		{"a prerendered page", "alice", "", "text/html", http.Header{"Sec-Purpose": {"prefetch;prerender"}}, false},
		{"an old browser's prefetch", "alice", "", "text/html", http.Header{"Purpose": {"prefetch"}}, false},
		{"a person's program", "alice", "", "application/json", nil, false},
		{"the member's agent", "scribe", "", "text/html", nil, false},
		{"the page of an action", "alice", "/actions/comment", "text/html", nil, false},
		{"another person", "dave", "", "text/html", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t)
			comment(t, w, "bob", "talk", "@alice, look.")
			_, before := told(t, w, "alice", "")
			var here int
			w.Query(&here, `SELECT count(*) FROM notifications n JOIN members m ON m.id = n.member_id
				WHERE m.handle = 'alice' AND url = ? AND read_at IS NULL AND dismissed_at IS NULL`, w.URL("talk"))
			who := w.As(c.as)
			who.Header = c.header
			page := who.Get(w.URL("talk")+c.path, c.accept)
			if page.Status != 200 || here == 0 {
				t.Fatal(page.Status, here)
			}
			_, after := told(t, w, "alice", "")
			want := before
			if c.reads {
				want -= here
			}
			if after != want {
				t.Errorf("%d unread before, %d of them here, %d after", before, here, after)
			}
			if count := fmt.Sprintf(`<span class="count">%d<`, want); c.as == "alice" && c.accept == "text/html" &&
				c.header == nil && !strings.Contains(page.Body, count) {
				t.Errorf("the page does not say %s", count)
			}
		})
	}
}

// TestReadingDoesNotWait opens a page while another transaction writes. The page is answered at once, and its
// notifications are marked as read when it is opened again.
func TestReadingDoesNotWait(t *testing.T) {
	pgtest.Folder(t, "there writes do not wait for each other")
	w := webtest.New(t)
	comment(t, w, "bob", "talk", "@alice, look.")
	_, before := told(t, w, "alice", "")
	blocked, release := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- w.Store.Write(context.Background(), func(*store.Tx) error { close(blocked); <-release; return nil })
	}()
	<-blocked
	if r := w.As("alice").Get(w.URL("talk"), "text/html"); r.Status != 200 {
		t.Error(r.Status)
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, unread := told(t, w, "alice", ""); unread != before {
		t.Errorf("%d unread, before %d", unread, before)
	}
	w.As("alice").Get(w.URL("talk"), "text/html")
	if _, unread := told(t, w, "alice", ""); unread >= before {
		t.Errorf("%d unread after the second look, before %d", unread, before)
	}
}

var dataVersion = regexp.MustCompile(`data-version="([^"]+)"`)

// TestStreamHasNews opens a page's event stream as the script does, with the version from the page. A notification
// about another page is an event, and a notification about this page is marked as read at once.
func TestStreamHasNews(t *testing.T) {
	inBubble(t, func(t *testing.T, w *webtest.World) {
		shown := func() string {
			return dataVersion.FindStringSubmatch(w.As("alice").Get(w.URL("standups"), "text/html").Body)[1]
		}
		first := shown()
		x := listenTo(w, "alice", w.URL("standups"), first)
		x.says(t, "", false)
		comment(t, w, "bob", "talk", "@alice, elsewhere.")
		second := shown()
		if second == first || second[:strings.Index(second, "~")] != first[:strings.Index(first, "~")] {
			t.Errorf("%s became %s", first, second)
		}
		x.says(t, second, false)
		_, before := told(t, w, "alice", "")
		comment(t, w, "bob", "standups", "@alice, here.")
		time.Sleep(2 * time.Second)
		x.got()
		if _, after := told(t, w, "alice", ""); after != before {
			t.Errorf("%d unread with the page in sight, %d before", after, before)
		}
		x.cancel()
	})
}

// TestInboxQuotes reads the sentences that the inbox quotes. The inbox quotes no text that the member may not
// read.
func TestInboxQuotes(t *testing.T) {
	w := webtest.New(t)
	comment(t, w, "bob", "talk", "First this. Then that, says @alice! And **more**. The end @alice.")
	comment(t, w, "erin", "talk", "Only an opinion. And reasons.")
	inbox := func() string { return w.As("alice").Get("/inbox", "text/markdown").Body }
	for _, said := range []string{"[“Then that, says @alice!”](", "[“Only an opinion.”]("} {
		if !strings.Contains(inbox(), said) {
			t.Errorf("no %s in:\n%s", said, inbox())
		}
	}
	if strings.Contains(inbox(), "First this") || strings.Contains(inbox(), "And reasons") {
		t.Error("more than the sentence is quoted")
	}
	w.Query(new(int), `UPDATE comments SET removed_at = 1 WHERE text LIKE 'Only%' RETURNING 1`)
	if strings.Contains(inbox(), "Only an opinion") {
		t.Error("a removed comment is quoted")
	}
	w.Query(new(int), `UPDATE studios SET visibility = 'members' WHERE handle = 'team' RETURNING 1`)
	if !strings.Contains(inbox(), "Then that") {
		t.Error("a member of the studio reads no quote")
	}
	w.Query(new(int), `UPDATE roles SET holder_id = NULL WHERE holder_id = (SELECT id FROM members WHERE handle = 'alice')
		AND studio_id = (SELECT id FROM studios WHERE handle = 'team') RETURNING 1`)
	w.Query(new(int), `DELETE FROM studio_members WHERE member_id IN (SELECT id FROM members WHERE handle = 'alice')
		AND studio_id IN (SELECT id FROM studios WHERE handle = 'team') RETURNING 1`)
	if strings.Contains(inbox(), "Then that") {
		t.Error("somebody who left the studio reads quotes from it")
	}
}
