package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// TestCycleNames requests cycles by relative names. The answers redirect to the permanent names, which depend on
// the organization's time zone. Other names are not found.
func TestCycleNames(t *testing.T) {
	w := webtest.New(t)
	at := w.URL("team") + "/cycles/"
	names := func(want map[string]string) {
		t.Helper()
		for name, to := range want {
			if r := w.As("bob").Get(at+name, "text/html"); r.Status != 302 || r.Location() != at+to {
				t.Errorf("%s at %s: %d to %s, want %s", name, w.Clock.Now(), r.Status, r.Location(), to)
			}
		}
	}
	w.Clock.Set(time.Date(2026, 11, 22, 22, 59, 59, 0, time.UTC)) // Sunday, a second before midnight in Berlin
	names(map[string]string{"today": "2026-11-22", "this-week": "2026-w47", "this-month": "2026-11",
		"current": "2026-w47", "previous": "2026-w46", "next": "2026-w48", "today.md": "2026-11-22.md",
		"current/actions": "2026-w47/actions",
		"current/actions/create_decision?question=Why": "2026-w47/actions/create_decision?question=Why"})
	w.Clock.Advance(time.Second)
	names(map[string]string{"today": "2026-11-23", "this-week": "2026-w48", "current": "2026-w48",
		"previous": "2026-w47"})
	for _, name := range []string{"tomorrow", "2026", "2026-w54", "2026-02-30", "1999-12-31", "2101-w01",
		"2026-11-20.ics"} {
		if r := w.As("bob").Get(at+name, "text/markdown"); r.Status != 404 {
			t.Errorf("%s: %d", name, r.Status)
		}
	}
	for as, status := range map[string]int{"carol": 404, "oscar": 404, "anonymous": 401} {
		if r := w.As(as).Get(at+"today", "text/markdown"); r.Status != status {
			t.Errorf("%s reads today: %d", as, r.Status)
		}
	}
}

// TestHeartbeat sends heartbeats on the page of a studio and on that of a cycle. A member can send one heartbeat in
// each cycle, and only in the present one. A cycle that is over takes no new items.
func TestHeartbeat(t *testing.T) {
	w := webtest.New(t)
	bob, dave := w.As("bob"), w.As("dave")
	week := w.URL("cycle week")
	r := dave.Post(w.URL("team"), "send_heartbeat", param.Input{"text": "In the <workshop>."})
	if r.Status != 303 || r.Location() != week {
		t.Fatalf("%d to %s", r.Status, r.Location())
	}
	if md := bob.Get(week, "text/markdown").Body; !strings.Contains(md,
		`@dave, Fri 20 Nov 2026 10:00 CET: In the \<workshop`) {
		t.Errorf("it is not shown:\n%s", md)
	}
	for _, page := range []string{w.URL("team"), week, w.URL("team") + "/cycles/today"} {
		if r := dave.PostJSON(page, "send_heartbeat", nil); r.Status != 409 && r.Status != 302 {
			t.Errorf("again on %s: %d\n%s", page, r.Status, r.Body)
		}
	}
	w.Clock.Advance(7 * 24 * time.Hour)
	for page, status := range map[string]int{week: 409, w.URL("cycle later"): 409,
		w.URL("team") + "/cycles/current": 303} {
		if r := dave.Post(page, "send_heartbeat", nil); r.Status != status {
			t.Errorf("a week later on %s: %d, want %d\n%s", page, r.Status, status, r.Body)
		}
	}
	if r := bob.Post(week, "create_decision", param.Input{"question": "When?"}); r.Status != 409 ||
		!strings.Contains(r.Body, "This cycle is over.") {
		t.Errorf("made in a week that is over: %d", r.Status)
	}
	r = bob.Post(w.URL("cycle next"), "create_commitment", param.Input{"title": "Sweep the stairs", "critical_mass": 2})
	if r.Status != 303 || !strings.Contains(bob.Get(w.URL("cycle next"), "text/markdown").Body, "Sweep the stairs") {
		t.Errorf("made this week: %d\n%s", r.Status, r.Body)
	}
}

// TestCyclesNameTheirNextPart creates more notes in a week than its page shows. The page leads to the rest by a
// field of its front matter and by a link, and the next part says at which number of the list it begins.
func TestCyclesNameTheirNextPart(t *testing.T) {
	w := webtest.New(t)
	bob, team := w.As("bob"), w.URL("team")
	for i := range store.ShownInCycle + 1 {
		if r := bob.Post(team, "create_note", param.Input{"title": fmt.Sprint("Letter ", i), "text": "Dear."}); r.Status != 303 {
			t.Fatal(r.Body)
		}
	}
	week := w.URL("cycle week")
	for from, list := week, 0; from != ""; list++ {
		md := bob.Get(from, "text/markdown").Body
		m := regexp.MustCompile(`(?m)^next: "` + webtest.Origin + `([^"]*)"`).FindStringSubmatch(md)
		if from = ""; m != nil {
			from = m[1]
			if !strings.Contains(md, "[More of these]("+webtest.Origin+from+")") || !strings.HasPrefix(from, week+"?from=") {
				t.Errorf("no link to %s in\n%s", from, md)
			}
		}
		if list == 0 && from == "" {
			t.Errorf("nothing leads on from\n%s", md)
		}
	}
	rest := bob.Get(week+"?from="+store.CycleFrom("made", store.ShownInCycle+1), "text/markdown").Body
	for _, want := range []string{"# Week 47 of 2026: Made\n", "From number 13 on.", "| Note |"} {
		if !strings.Contains(rest, want) {
			t.Errorf("no %q in\n%s", want, rest)
		}
	}
	if r := bob.Get(week+"?from=made-9000", "text/html"); r.Status != 200 || !strings.Contains(r.Body, "fewer than 9000") {
		t.Errorf("far off: %d", r.Status)
	}
}
