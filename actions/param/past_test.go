package param

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestParsePast parses times in the past that people may type, on a Wednesday evening in Vienna.
func TestParsePast(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Fatal(err)
	}
	clock := Clock{Now: time.Date(2026, 11, 25, 18, 30, 40, 0, zone), Zone: zone}
	for text, want := range map[string]string{
		"2026-11-20": "2026-11-20 00:00", "2026-11-20 14:00": "2026-11-20 14:00",
		"2026-11-20T14:00Z": "2026-11-20 15:00",
		"3d":                "2026-11-22 18:30", "2h30m": "2026-11-25 16:00", "0d": "2026-11-25 18:30",
		"2 days ago": "2026-11-23 18:30", "3 hours": "2026-11-25 15:30", "an hour ago": "2026-11-25 17:30",
		"last 7 days": "2026-11-18 18:30", "1w ago": "2026-11-18 18:30", "Today": "2026-11-25 00:00",
		"yesterday": "2026-11-24 00:00", "since yesterday, 14:00": "2026-11-24 14:00",
		"yesterday noon": "2026-11-24 12:00",
		"Monday":         "2026-11-23 00:00", "on Wednesday": "2026-11-25 00:00", "thu": "2026-11-19 00:00",
		"last friday at 9am": "2026-11-20 09:00", "this week": "2026-11-23 00:00", "last week": "2026-11-16 00:00",
		"last Monday": "2026-11-23 00:00", "past 7 days": "2026-11-18 18:30", "0 days ago": "2026-11-25 18:30",
		"3650d": "2016-11-27 18:30", "10 years": "2016-11-27 18:30", "5256000 minutes": "2016-11-27 18:30",
		"2 days" + strings.Repeat(" ", 31) + "ago": "2026-11-23 18:30",
		"last month": "2026-10-01 00:00", "this month": "2026-11-01 00:00", "9:00": "2026-11-25 09:00",
		"22:00":     "2026-11-24 22:00",
		"Wed 22:00": "2026-11-18 22:00", "wednesday 9:00": "2026-11-25 09:00", "today 22:00": "2026-11-25 22:00",
		"2026-11-20 UTC": "2026-11-20 01:00", "2026-11-20 14:00 UTC": "2026-11-20 15:00",
	} {
		got, ok := ParsePast(text, clock)
		if have := got.In(zone).Format("2006-01-02 15:04"); !ok || have != want {
			t.Errorf("%q is %s, %t; it should be %s", text, have, ok, want)
		}
	}
	for _, text := range []string{"", "soon", "tomorrow noon", "last", "this", "5000 days", "-3d", "3", "days",
		"yesterday 25:00",
		"next week", "999999999999999999999 days", "0001-01-01", "a very long text that is certainly no time at all",
		"2 days" + strings.Repeat(" ", 32) + "ago", "11 years", "300 years", "5256001 minutes"} {
		if got, ok := ParsePast(text, clock); ok {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

// TestPastWeekdays draws a present time, a weekday and perhaps an hour. The result is the last such time that has come,
// and a date alone is the beginning of the day in its zone, also where the clocks skip 0:00.
func TestPastWeekdays(t *testing.T) {
	var zones []*time.Location
	for _, name := range []string{"UTC", "Europe/Vienna", "America/New_York", "Africa/Cairo", "America/Havana",
		"Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, zone)
	}
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(zones).Draw(t, "zone")
		now := time.Unix(60*rapid.Int64Range(20_000_000, 32_000_000).Draw(t, "minute"), 0).In(zone)
		if start, _ := now.ZoneBounds(); rapid.Bool().Draw(t, "near a change") && !start.IsZero() {
			now = start.Add(time.Duration(rapid.IntRange(-200, 200).Draw(t, "off")) * time.Hour)
		}
		clock := Clock{Now: now, Zone: zone}
		day := time.Weekday(rapid.IntRange(0, 6).Draw(t, "weekday"))
		hour := rapid.IntRange(3, 23).Draw(t, "hour") // later than the changes of clocks in these zones
		text := day.String() + time.Date(1, 1, 1, hour, 0, 0, 0, time.UTC).Format(" 15:04")
		got, ok := ParsePast(text, clock)
		if got = got.In(zone); !ok || got.Weekday() != day || got.Hour() != hour || got.After(now) ||
			!got.AddDate(0, 0, 7).After(now) {
			t.Fatalf("%s at %s is %s", text, now, got)
		}
		for text, zone := range map[string]*time.Location{now.Format(time.DateOnly): zone,
			now.Format(time.DateOnly) + " UTC": time.UTC,
			"today":                            zone} {
			got, ok := ParsePast(text, clock)
			if before := got.Add(-time.Minute).In(zone); !ok ||
				got.In(zone).Format(time.DateOnly) != now.Format(time.DateOnly) ||
				before.Format(time.DateOnly) >= now.Format(time.DateOnly) {
				t.Fatalf("%s at %s is %s", text, now, got.In(zone))
			}
		}
	})
}
