package web_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

// digests returns the number of members that were notified of a cycle's digest, and the number of
// digests.
func digests(w *webtest.World, cycle string) (told, sent int) {
	w.Query(&told, `SELECT count(*) FROM notifications WHERE did = 'sums up' AND url = ?`, cycle)
	w.Query(&sent, `SELECT count(*) FROM journal WHERE action = 'send_digest' AND url = ?`, cycle)
	return told, sent
}

// TestOnlyTheLastCycleIsSummedUp asks, as the scheduler, for the digests of the present cycle, of a future one and
// of an older one. It also asks to expire an approval before its time. All these requests are refused.
func TestOnlyTheLastCycleIsSummedUp(t *testing.T) {
	w := webtest.New(t)
	clock := web.As(store.System())
	refused := func(url, action, why string) {
		t.Helper()
		_, err := w.Site.Do(t.Context(), clock, web.Call{URL: url, Action: action})
		if store.CodeOf(err) != store.Conflict || !strings.Contains(err.Error(), why) {
			t.Errorf("%s on %s: %v", action, url, err)
		}
	}
	refused(w.URL("approval pending"), actions.Expire.Name, "no wait to end")
	w.Clock.Advance(14 * 24 * time.Hour)
	for _, cycle := range []string{"2026-w49", "2026-w47", "2026-w50"} {
		refused(w.URL("team")+"/cycles/"+cycle, actions.SendDigest.Name, "Only the last cycle")
	}
}

// TestDigest ends a week in the organization's time zone. Every member of the studio gets one digest, except those who
// have muted the studio. A week without events has no digest. If the scheduler has not run for several weeks, only the
// last of them has one. The test also ends weeks in which the clocks change.
func TestDigest(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	team := w.URL("team")
	if r := w.As("erin").PostJSON(team, "mute", nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	want := func(cycle string, told, sent int) {
		t.Helper()
		for range 2 {
			w.Site.CloseDue(t.Context())
		}
		if n, entries := digests(w, team+"/cycles/"+cycle); n != told || entries != sent {
			t.Errorf("at %s, %d were told of %s by %d entries, want %d by %d", w.Clock.Now(), n, cycle,
				entries, told, sent)
		}
	}
	var people int
	w.Query(&people, `SELECT people FROM studios WHERE handle = 'team'`)
	people-- // Erin has muted the studio
	want("2026-w46", 0, 0)
	w.Clock.Set(time.Date(2026, 11, 22, 22, 59, 59, 0, time.UTC)) // Sunday, a second before midnight in Berlin
	want("2026-w47", 0, 0)
	w.Clock.Advance(time.Second)
	want("2026-w47", people, 1)
	var decided, made, due int
	w.Query(&decided,
		`SELECT count(*) FROM items i JOIN studios s ON s.id = i.studio_id
			WHERE s.handle = 'team' AND kind = 'decision' AND closed_at > opened_at AND removed_at IS NULL`)
	list, _ := told(t, w, "bob", "?show=unread")
	if !slices.Contains(list, "change unread "+team+"/cycles/2026-w47") {
		t.Errorf("Bob reads %q", list)
	}
	var title string
	w.Query(&title, `SELECT title FROM journal WHERE action = 'send_digest' AND url = ?`, team+"/cycles/2026-w47")
	if n, err := fmt.Sscanf(title, "Week 47 of Team: %d decided", &made); n != 1 || err != nil || made == 0 ||
		made > decided {
		t.Errorf("%q, and %d are decided", title, decided)
	}
	w.Clock.Set(time.Date(2027, 1, 6, 12, 0, 0, 0, time.UTC)) // every decision that was open is closed in this week
	w.Site.CloseDue(t.Context())
	w.Query(&due, `SELECT count(*) FROM journal WHERE action = 'send_digest'`)
	w.Clock.Set(time.Date(2027, 3, 17, 12, 0, 0, 0, time.UTC)) // ten weeks later, and the last week has no events
	want("2027-w01", 0, 0)
	var since int
	if w.Query(&since, `SELECT count(*) FROM journal WHERE action = 'send_digest'`); since != due {
		t.Errorf("%d digests of weeks in which nothing happened", since-due)
	}

	// The clocks go forward in the last night of the first of these weeks, and back in that of the second.
	for _, c := range []struct {
		cycle string
		over  time.Time
	}{{"2027-w12", time.Date(2027, 3, 28, 22, 0, 0, 0, time.UTC)},
		{"2027-w43", time.Date(2027, 10, 31, 23, 0, 0, 0, time.UTC)}} {
		w.Clock.Set(c.over.Add(-time.Hour))
		question(t, w)
		w.Clock.Set(c.over.Add(-time.Second))
		want(c.cycle, 0, 0)
		w.Clock.Advance(time.Second)
		want(c.cycle, people, 1)
	}
}

// question creates a decision as Bob, even if Bob signed in long ago.
func question(t *testing.T, w *webtest.World) {
	t.Helper()
	bob, err := w.Site.Person(t.Context(), "acme", "bob")
	if err == nil {
		_, err = w.Site.Do(t.Context(), web.As(bob), web.Call{URL: w.URL("team"), Action: "create_decision",
			Params: param.Input{"question": "When?", "options": []string{"Now", "Later"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDigestOfADay checks that a studio with a daily tempo gets a digest for each day. When it changes to a weekly
// tempo, a week that was over before the change gets no digest.
func TestDigestOfADay(t *testing.T) {
	w := webtest.New(t)
	tempo := func(tempo string) {
		t.Helper()
		if r := w.As("alice").PostJSON(w.URL("team"), "update_studio", param.Input{"tempo": tempo}); r.Status != 200 {
			t.Fatal(r.Body)
		}
	}
	tempo("daily")
	question(t, w)
	w.Clock.Set(time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC))
	w.Site.CloseDue(t.Context())
	told, sent := digests(w, w.URL("team")+"/cycles/2026-11-20")
	var title string
	w.Query(&title, `SELECT title FROM journal WHERE action = 'send_digest' AND url = ?`,
		w.URL("team")+"/cycles/2026-11-20")
	if told < 3 || sent != 1 || !strings.HasPrefix(title, "Friday 20 November in Team: 1 made") {
		t.Errorf("%d were told by %d entries: %q", told, sent, title)
	}
	tempo("weekly")
	w.Clock.Advance(time.Hour)
	w.Site.CloseDue(t.Context())
	if _, sent := digests(w, w.URL("team")+"/cycles/2026-w46"); sent != 0 {
		t.Error("a week was summed up that was over before")
	}
}

// TestDigestOnce runs several schedulers at once. Each digest is sent once.
func TestDigestOnce(t *testing.T) {
	w := webtest.New(t)
	w.Clock.Set(time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC))
	sumUpOnce(t, w, w)
}

// TestNodesSumUpOnce runs the schedulers of two servers with one database at once. Each digest is sent once.
func TestNodesSumUpOnce(t *testing.T) {
	a, b := nodes(t)
	a.Clock.Set(time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC))
	sumUpOnce(t, a, b)
}

func sumUpOnce(t *testing.T, sites ...*webtest.World) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { sites[i%len(sites)].Site.CloseDue(t.Context()) })
	}
	wg.Wait()
	var entries, cycles int
	sites[0].Query(&entries, `SELECT count(*) FROM journal WHERE action = 'send_digest'`)
	sites[0].Query(&cycles, `SELECT count(DISTINCT url) FROM journal WHERE action = 'send_digest'`)
	if entries == 0 || entries != cycles {
		t.Errorf("%d digests of %d cycles", entries, cycles)
	}
}
