package web_test

import (
	"path"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestDeadlinesWhereClocksChange sets deadlines in the nights in which Berlin's clocks change. Each vote ends at the
// same moment for all readers, and the end is recorded once.
func TestDeadlinesWhereClocksChange(t *testing.T) {
	for given, want := range map[string]struct{ moment, shown string }{
		"2027-03-28T01:59":       {"2027-03-28T00:59:00Z", "Sun 28 Mar 2027 01:59 CET"},
		"2027-03-28T03:00":       {"2027-03-28T01:00:00Z", "Sun 28 Mar 2027 03:00 CEST"},
		"2027-03-28":             {"2027-03-28T21:59:00Z", "Sun 28 Mar 2027 23:59 CEST"},
		"2027-10-31T02:30+01:00": {"2027-10-31T01:30:00Z", "Sun 31 Oct 2027 02:30 CET"},
		"2027-10-31T02:30+02:00": {"2027-10-31T00:30:00Z", "Sun 31 Oct 2027 02:30 CEST"},
		"2027-10-31":             {"2027-10-31T22:59:00Z", "Sun 31 Oct 2027 23:59 CET"},
		"129d":                   {"2027-03-29T09:00:00Z", "Mon 29 Mar 2027 11:00 CEST"}, // 129 times 24 hours
	} {
		t.Run(given, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t)
			url := w.As("bob").Post(w.URL("team"), "create_decision",
				param.Input{"question": "When?", "options": []any{"A", "B"}, "closes_at": given}).Location()
			moment, err := time.Parse(time.RFC3339, want.moment)
			if err != nil {
				t.Fatal(err)
			}
			may := func() bool {
				return strings.Contains(w.As("alice").Get(url, "text/markdown").Body, "**cast_vote**")
			}
			records := func() (n int) {
				w.Query(&n, `SELECT count(*) FROM journal WHERE action = 'close_decision' AND target_id = ?`,
					path.Base(url))
				return n
			}
			if md := w.As("bob").Get(url, "text/markdown").Body; !strings.Contains(md, "closes "+want.shown) {
				t.Errorf("it is not said to close %s:\n%s", want.shown, md)
			}
			w.Clock.Set(moment.Add(-time.Millisecond))
			w.Site.CloseDue(t.Context())
			if !may() || records() != 0 {
				t.Error("it ends too early")
			}
			w.Clock.Set(moment)
			if may() || records() != 0 {
				t.Error("nobody was there to close it, and it is not shown as closed")
			}
			for range 2 {
				w.Site.CloseDue(t.Context())
			}
			if n := records(); may() || n != 1 {
				t.Errorf("%d records are made", n)
			}
		})
	}
}

// TestTimesToVoteOnAreUnique proposes a time that the clocks show twice, as an option of a time poll and as a deadline.
func TestTimesToVoteOnAreUnique(t *testing.T) {
	w := webtest.New(t)
	for _, in := range []param.Input{
		{"question": "When?", "method": "time", "options": []any{"2027-10-31 02:30", "2027-11-01 10:00"}},
		{"question": "When?", "options": []any{"Here", "There"}, "closes_at": "2027-10-31 02:30"},
	} {
		r := w.As("bob").PostJSON(w.URL("team"), "create_decision", in)
		if r.Status != 422 || !strings.Contains(r.Body, "the clocks of Europe/Berlin show that time twice, because they are changed. "+
			"Send 2027-10-31T02:30+02:00 or 2027-10-31T02:30+01:00") {
			t.Errorf("%v: %d %s", in, r.Status, r.Body)
		}
	}
	in := param.Input{"question": "When?", "method": "time", "options": []any{"2027-10-31T02:30+01:00", "2027-11-01 10:00"}}
	if r := w.As("bob").PostJSON(w.URL("team"), "create_decision", in); r.Status != 200 || !strings.Contains(r.Body, "02:30 CET") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
