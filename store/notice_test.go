package store_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/notice"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestQuietHoursWhereClocksChange checks quiet hours over midnight, on chosen days, and around clock changes. In Berlin
// the clocks skip the hour from 02:00 on 29 March 2026, and repeat it on 25 October. In Beirut they skip midnight on 29
// March.
func TestQuietHoursWhereClocksChange(t *testing.T) {
	for _, c := range []struct {
		name, zone string
		from, to   int
		days       []string
		at, until  string // until is empty if no quiet hours contain the time in the field at
	}{
		{"over midnight", "Europe/Berlin", 22 * 60, 7 * 60, nil, "2026-01-10T23:00:00Z", "2026-01-11T06:00:00Z"},
		{"their first moment", "Europe/Berlin", 22 * 60, 7 * 60, nil, "2026-01-10T21:00:00Z", "2026-01-11T06:00:00Z"},
		{"a moment earlier", "Europe/Berlin", 22 * 60, 7 * 60, nil, "2026-01-10T20:59:59Z", ""},
		{"their end", "Europe/Berlin", 22 * 60, 7 * 60, nil, "2026-01-11T06:00:00Z", ""},
		{"by day", "Asia/Kathmandu", 9 * 60, 17 * 60, nil, "2026-01-10T06:00:00Z", "2026-01-10T11:15:00Z"},
		{"a short night", "Europe/Berlin", 22 * 60, 7 * 60, nil, "2026-03-29T00:30:00Z", "2026-03-29T05:00:00Z"},
		{"a long night", "Europe/Berlin", 22 * 60, 7 * 60, nil, "2026-10-25T00:30:00Z", "2026-10-25T06:00:00Z"},
		{"an end that is skipped", "Europe/Berlin", 22 * 60, 2*60 + 30, nil, "2026-03-29T00:59:59Z",
			"2026-03-29T01:00:00Z"},
		{"after an end that is skipped", "Europe/Berlin", 22 * 60, 2*60 + 30, nil, "2026-03-29T01:00:00Z", ""},
		{"all skipped", "Europe/Berlin", 2*60 + 10, 2*60 + 50, nil, "2026-03-29T01:00:00Z", ""},
		{"an end that repeats", "Europe/Berlin", 22 * 60, 2*60 + 30, nil, "2026-10-25T00:45:00Z",
			"2026-10-25T01:30:00Z"},
		{"midnight is skipped", "Asia/Beirut", 0, 6 * 60, nil, "2026-03-28T22:00:00Z", "2026-03-29T03:00:00Z"},
		{"begun on a chosen day", "UTC", 22 * 60, 7 * 60, []string{"fri"}, "2026-01-10T05:00:00Z",
			"2026-01-10T07:00:00Z"},
		{"begun on another day", "UTC", 22 * 60, 7 * 60, []string{"fri"}, "2026-01-10T23:00:00Z", ""},
		{"none", "UTC", 0, 0, nil, "2026-01-10T00:00:00Z", ""},
	} {
		s := notice.Notifications{Zone: c.zone, QuietFrom: c.from, QuietTo: c.to, QuietDays: c.days}
		want := time.Time{}
		if c.until != "" {
			want = at(t, c.until)
		}
		if got := s.QuietUntil(at(t, c.at)); !got.Equal(want) {
			t.Errorf("%s: until %v, want %v", c.name, got.UTC(), want)
		}
	}
}

// TestQuietHoursEnd checks quiet hours at random times. They must last until their end and no longer. If the clocks do
// not change around the time, the time of day must decide.
func TestQuietHoursEnd(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Beirut", "Pacific/Apia",
		"Africa/Casablanca", "UTC"}
	r := rand.New(rand.NewPCG(1, 2))
	begin, quiet := at(t, "2026-01-01T00:00:00Z"), 0
	for range 20_000 {
		s := notice.Notifications{Zone: zones[r.IntN(len(zones))], QuietFrom: r.IntN(1440), QuietTo: r.IntN(1440)}
		now := begin.Add(time.Duration(r.IntN(365*24*60)) * time.Minute)
		end := s.QuietUntil(now)
		zone := store.Location(s.Zone)
		_, before := now.Add(-30 * time.Hour).In(zone).Zone()
		_, after := now.Add(30 * time.Hour).In(zone).Zone()
		minute := now.In(zone).Hour()*60 + now.In(zone).Minute()
		within := minute >= s.QuietFrom && minute < s.QuietTo
		if s.QuietTo < s.QuietFrom {
			within = minute >= s.QuietFrom || minute < s.QuietTo
		}
		if before == after && within == end.IsZero() {
			t.Fatalf("%+v at %v: until %v", s, now.In(zone), end)
		}
		if end.IsZero() {
			continue
		}
		quiet++
		if !end.After(now) || end.Sub(now) > 26*time.Hour || !s.QuietUntil(end.Add(-time.Second)).Equal(end) ||
			!s.QuietUntil(end).IsZero() {
			t.Fatalf("%+v at %v: until %v, and then until %v", s, now.In(zone), end.In(zone), s.QuietUntil(end))
		}
	}
	if quiet < 5000 {
		t.Errorf("only %d times are quiet", quiet)
	}
}

// TestNextDigest checks the time of the next digest, also where the clocks change. Every day of a year must have one.
func TestNextDigest(t *testing.T) {
	s := notice.Notifications{Zone: "Europe/Berlin", Digest: notice.Daily, DigestAt: 2*60 + 30}
	for _, c := range [][2]string{{"2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"}, {"2026-03-29T01:00:00Z",
		"2026-03-30T00:30:00Z"},
		{"2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"}, {"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}} {
		if got := s.NextDigest(at(t, c[0])); !got.Equal(at(t, c[1])) {
			t.Errorf("after %s: %v, want %s", c[0], got.UTC(), c[1])
		}
	}
	days := 0
	for now := at(t, "2025-12-31T23:00:00Z"); now.Before(at(t, "2026-12-31T01:30:00Z")); days++ {
		now = s.NextDigest(now)
	}
	if days != 365 {
		t.Errorf("%d digests in a year", days)
	}
	s.Digest, s.DigestDay = notice.Weekly, time.Sunday
	if got := s.NextDigest(at(t, "2026-03-29T01:00:00Z")); got.In(store.Location(s.Zone)).Format("Mon 2 Jan 15:04") != "Sun 5 Apr 02:30" {
		t.Errorf("a week later: %v", got)
	}
	for _, bad := range []string{"", "24:00", "7", "12:60", "noon", "-1:00"} {
		if _, err := notice.ReadClock(bad); store.CodeOf(err) != store.Invalid {
			t.Errorf("%q is a time of day: %v", bad, err)
		}
	}
	for i, name := range notice.Days() {
		if d := notice.DayOf(name); notice.DayName(d) != name || int(d) != (i+1)%7 {
			t.Errorf("%s is %v", name, d)
		}
	}
}
