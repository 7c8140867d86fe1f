package store_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/store"
)

// awkward are zones with half-hour summer time, a skipped day, odd offsets, and clock changes over midnight.
var awkward = []string{"UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kathmandu",
	"Australia/Lord_Howe", "America/St_Johns", "America/Sao_Paulo",
	"America/Havana", "Asia/Beirut", "Pacific/Kiritimati", "Antarctica/Troll"}

var tempos = []string{"daily", "weekly", "monthly"}

// TestSpansTileTime checks that every time is in exactly one span, that there are no gaps between spans, and that the
// name of a span parses to the same span.
func TestSpansTileTime(t *testing.T) {
	from, to := time.Date(2000, 1, 8, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2100, 11, 1, 0, 0, 0, 0, time.UTC).Unix()
	for _, name := range awkward {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(rt *rapid.T) {
			at := time.Unix(rapid.Int64Range(from, to).Draw(rt, "at"), rapid.Int64Range(0, 999).Draw(rt, "ms")*1e6)
			if rapid.Bool().Draw(rt, "early") { // years in which zones changed their rules
				at = at.AddDate(-(at.Year()-2000)*8/9, 0, 0)
			}
			if rapid.Bool().Draw(rt, "near a change") { // near a clock change of the zone
				if _, change := at.In(zone).ZoneBounds(); !change.IsZero() && change.Unix() < to {
					at = change.Add(time.Duration(rapid.Int64Range(-90, 90).Draw(rt, "minutes")) * time.Minute)
				}
			}
			s := store.SpanAt(rapid.SampledFrom(tempos).Draw(rt, "tempo"), at, zone)
			if !s.Has(at) || !s.Start.Before(s.End) {
				rt.Fatalf("%s is not in %s, from %s to %s", at.In(zone), s.Name, s.Start.In(zone), s.End.In(zone))
			}
			read, ok := store.ReadSpan(s.Name, zone)
			if !ok || read != s {
				rt.Fatalf("%s reads as %+v, %v, want %+v", s.Name, read, ok, s)
			}
			next, ok := s.Next()
			if !ok || !next.Start.Equal(s.End) {
				rt.Fatalf("after %s, until %s, comes %s, from %s", s.Name, s.End, next.Name, next.Start)
			}
			if back, ok := next.Previous(); !ok || back != s {
				rt.Fatalf("before %s comes %+v, want %+v", next.Name, back, s)
			}
			for _, moment := range []time.Time{s.Start, s.End.Add(-time.Millisecond)} {
				if same := store.SpanAt(s.Tempo, moment, zone); same != s {
					rt.Fatalf("%s, within %s, is said to be in %s", moment.In(zone), s.Name, same.Name)
				}
			}
			if other := store.SpanAt(s.Tempo, s.End, zone); other != next {
				rt.Fatalf("%s, the end of %s, is said to be in %s, want %s", s.End.In(zone), s.Name,
					other.Name, next.Name)
			}
			// A daily span has the local date of its times, unless the clocks go back over midnight.
			if y, m, d := at.In(zone).Date(); s.Tempo == "daily" && s.Name != time.Date(y, m, d, 0, 0, 0, 0,
				time.UTC).Format("2006-01-02") {
				if _, back := at.In(zone).Zone(); back >= offsetBefore(at, zone) {
					rt.Fatalf("%s is said to be in %s", at.In(zone), s.Name)
				}
			}
		})
	}
}

// offsetBefore returns the offset of a zone before its last clock change.
func offsetBefore(at time.Time, zone *time.Location) int {
	start, _ := at.In(zone).ZoneBounds()
	_, offset := start.Add(-time.Second).Zone()
	return offset
}

func TestSpans(t *testing.T) {
	for _, c := range []struct{ zone, name, start, end, previous, next string }{
		{"Europe/Berlin", "2026-11-20", "2026-11-19T23:00:00Z", "2026-11-20T23:00:00Z", "2026-11-19", "2026-11-21"},
		// a day of 23 hours
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-28", "2026-03-30"},
		// a day of 25 hours
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "2026-10-24", "2026-10-26"},
		{"Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z", "2026-04-04",
			"2026-04-06"},
		{"Asia/Kathmandu", "2026-11", "2026-10-31T18:15:00Z", "2026-11-30T18:15:00Z", "2026-10", "2026-12"},
		{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-28", "2011-12-31"},
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z", "2011-12-29", "2012-01-01"},
		// the day begins at 01:00
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z", "2018-11-03", "2018-11-05"},
		// the clocks go back from 00:01 to 23:01 of the day before
		{"America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z", "2010-11-08T03:30:00Z", "2010-11-06", "2010-11-08"},
		{"UTC", "2026-w01", "2025-12-29T00:00:00Z", "2026-01-05T00:00:00Z", "2025-w52", "2026-w02"},
		{"UTC", "2026-w53", "2026-12-28T00:00:00Z", "2027-01-04T00:00:00Z", "2026-w52", "2027-w01"},
		{"America/New_York", "2026-w45", "2026-11-02T05:00:00Z", "2026-11-09T05:00:00Z", "2026-w44", "2026-w46"},
		// the last day of a leap year
		{"Europe/Berlin", "2096-12-31", "2096-12-30T23:00:00Z", "2096-12-31T23:00:00Z", "2096-12-30", "2097-01-01"},
		{"America/New_York", "2096-12-31", "2096-12-31T05:00:00Z", "2097-01-01T05:00:00Z", "2096-12-30", "2097-01-01"},
		{"UTC", "2000-01", "2000-01-01T00:00:00Z", "2000-02-01T00:00:00Z", "", "2000-02"},
		{"UTC", "2100-12-31", "2100-12-31T00:00:00Z", "2101-01-01T00:00:00Z", "2100-12-30", ""},
	} {
		s, ok := store.ReadSpan(c.name, store.Location(c.zone))
		if !ok || s.Start.Format(time.RFC3339) != c.start || s.End.Format(time.RFC3339) != c.end {
			t.Errorf("%s in %s: %v, %s to %s", c.name, c.zone, ok, s.Start.Format(time.RFC3339),
				s.End.Format(time.RFC3339))
		}
		for want, beside := range map[string]func() (store.Span, bool){c.previous: s.Previous, c.next: s.Next} {
			if got, ok := beside(); ok != (want != "") || ok && got.Name != want {
				t.Errorf("beside %s in %s is %s (%v), want %q", c.name, c.zone, got.Name, ok, want)
			}
		}
	}
	for _, name := range strings.Fields("2025-w53 2026-w54 2026-w00 2026-w1 2026-W47 w47 2026-13 2026-00 2026-1 " +
		"2026-02-29 2026-11-31 2026-11-20x 1999-12-31 2101-01 1999-w52 2101-w01 today 20261120 -026-01 2026-w-1 " +
		"+026-w01") {
		if s, ok := store.ReadSpan(name, time.UTC); ok {
			t.Errorf("%s reads as %+v", name, s)
		}
	}
	if s, ok := store.ReadSpan("2011-12-30", store.Location("Pacific/Apia")); ok {
		t.Errorf("Apia never had %+v", s)
	}
	if s, ok := store.ReadSpan("2011-12-30", store.Location("Pacific/Pago_Pago")); !ok {
		t.Errorf("Pago Pago had %+v", s)
	}
}
