package param_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"samepage/actions/param"
)

type moment struct {
	At time.Time `param:"at,time" doc:"When."`
}

// read decodes a time that was sent at now in the zone.
func read(text string, now time.Time, zone *time.Location) (time.Time, string) {
	var got moment
	err := param.Decode(param.Fields(reflect.TypeFor[moment]()), param.Input{"at": text}, param.Clock{Now: now,
		Zone: zone}, &got)
	if err != nil {
		return time.Time{}, err.Error()
	}
	return got.At, ""
}

func zoneOf(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// TestTimesAtAChangeOfClocks sends times that the clocks of a zone skip or show twice. The refusal names two times to
// send instead. A day without an hour ends with its last minute.
func TestTimesAtAChangeOfClocks(t *testing.T) {
	for _, c := range []struct{ zone, now, text, want string }{
		{"Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T02:30",
			"skip that time, because they are changed. Send 2026-03-29T01:30+01:00 or 2026-03-29T03:30+02:00"},
		{"Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29 02:00:00", "Send 2026-03-29T01:00+01:00 or 2026-03-29T03:00+02:00"},
		{"Europe/Berlin", "2026-03-28T12:00:00Z", "tomorrow 2:30am", "skip that time"},
		{"Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:59", "2026-03-29T00:59:00Z"},
		{"Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T03:00", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25 02:30",
			"show that time twice, because they are changed. Send 2026-10-25T02:30+02:00 or 2026-10-25T02:30+01:00"},
		{"Europe/Berlin", "2026-10-24T12:00:00Z", "Sun 02:30", "show that time twice"},
		{"Europe/Berlin", "2026-10-25T00:40:00Z", "02:30", "show that time twice"},
		{"Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25 02:30 UTC", "2026-10-25T02:30:00Z"},
		{"Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T02:30+01:00", "2026-10-25T01:30:00Z"},
		{"Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T03:00", "2026-10-25T02:00:00Z"},
		{"Africa/Cairo", "2026-10-28T12:00:00Z", "2026-10-29", "2026-10-29T21:59:00Z"}, // its last hour is there twice
		{"Africa/Cairo", "2026-10-28T12:00:00Z", "tomorrow", "2026-10-29T21:59:00Z"},
		{"Africa/Cairo", "2026-10-28T12:00:00Z", "2026-10-29 23:30", "show that time twice"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		got, problem := read(c.text, now, zoneOf(t, c.zone))
		if said := got.Format(time.RFC3339) + problem; problem == "" && said != c.want || problem != "" && !strings.Contains(said, c.want) {
			t.Errorf("%q in %s: %s; want %s", c.text, c.zone, said, c.want)
		}
		if problem == "" {
			continue
		}
		_, times, _ := strings.Cut(problem, "Send ")
		for text := range strings.SplitSeq(times, " or ") {
			if _, problem := read(text, now, zoneOf(t, c.zone)); problem != "" {
				t.Errorf("%q is named, and then: %s", text, problem)
			}
		}
		if at, _, odd, ok := param.ParseTime(c.text, param.Clock{Now: now, Zone: zoneOf(t, c.zone)}); ok && (odd == "" || at.IsZero()) {
			t.Errorf("%q is an option at %s", c.text, at)
		}
	}
}

// TestWallClocks draws local times in zones with changes of clocks. A time that is accepted is shown by the clocks of
// the zone, and never twice.
func TestWallClocks(t *testing.T) {
	zones := []*time.Location{time.UTC}
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/Havana",
		"Asia/Kathmandu", "Pacific/Apia", "America/St_Johns"} {
		zones = append(zones, zoneOf(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(zones).Draw(t, "zone")
		from := time.Date(rapid.IntRange(2008, 2030).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC)
		at := from.Add(time.Duration(rapid.IntRange(0, 365*24*4).Draw(t, "quarters")) * 15 * time.Minute).In(zone)
		if rapid.Bool().Draw(t, "near a change") {
			if start, end := at.ZoneBounds(); !end.IsZero() && !start.IsZero() {
				at = end.Add(time.Duration(rapid.IntRange(-6, 6).Draw(t, "off")) * 15 * time.Minute).In(zone)
			}
		}
		at = at.Truncate(time.Minute)
		text := at.Format("2006-01-02T15:04")
		got, problem := read(text, at.Add(-time.Hour), zone)
		twice := false
		for _, d := range []time.Duration{-24 * time.Hour, -2 * time.Hour, -time.Hour, -30 * time.Minute, 30 * time.Minute, time.Hour,
			2 * time.Hour, 24 * time.Hour} {
			twice = twice || at.Add(d).In(zone).Format("2006-01-02T15:04") == text
		}
		if (problem != "") != twice || problem == "" && !got.Equal(at) {
			t.Fatalf("%s in %s, shown twice: %t, is %s: %s", text, zone, twice, got, problem)
		}
	})
}
