package param

import (
	"strings"
	"testing"
	"time"
)

// TestParsePast parses times in the past that people may type, on a Wednesday evening in Vienna.
func TestParsePast(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Fatal(err)
	}
	clock := Clock{Now: time.Date(2026, 11, 25, 18, 30, 40, 0, zone), Zone: zone}
	for text, want := range map[string]string{
		"2026-11-20": "2026-11-20 00:00", "2026-11-20 14:00": "2026-11-20 14:00", "2026-11-20T14:00Z": "2026-11-20 15:00",
		"3d": "2026-11-22 18:30", "2h30m": "2026-11-25 16:00", "0d": "2026-11-25 18:30",
		"2 days ago": "2026-11-23 18:30", "3 hours": "2026-11-25 15:30", "an hour ago": "2026-11-25 17:30",
		"last 7 days": "2026-11-18 18:30", "1w ago": "2026-11-18 18:30", "Today": "2026-11-25 00:00",
		"yesterday": "2026-11-24 00:00", "since yesterday, 14:00": "2026-11-24 14:00", "yesterday noon": "2026-11-24 12:00",
		"Monday": "2026-11-23 00:00", "on Wednesday": "2026-11-25 00:00", "thu": "2026-11-19 00:00",
		"last friday at 9am": "2026-11-20 09:00", "this week": "2026-11-23 00:00", "last week": "2026-11-16 00:00",
		"last Monday": "2026-11-23 00:00", "past 7 days": "2026-11-18 18:30", "0 days ago": "2026-11-25 18:30",
		"3650d": "2016-11-27 18:30", "10 years": "2016-11-27 18:30", "5256000 minutes": "2016-11-27 18:30",
		"2 days" + strings.Repeat(" ", 31) + "ago": "2026-11-23 18:30",
		"last month": "2026-10-01 00:00", "this month": "2026-11-01 00:00", "9:00": "2026-11-25 09:00", "22:00": "2026-11-24 22:00",
	} {
		got, ok := ParsePast(text, clock)
		if have := got.In(zone).Format("2006-01-02 15:04"); !ok || have != want {
			t.Errorf("%q is %s, %t; it should be %s", text, have, ok, want)
		}
	}
	for _, text := range []string{"", "soon", "tomorrow noon", "last", "this", "5000 days", "-3d", "3", "days", "yesterday 25:00",
		"next week", "999999999999999999999 days", "0001-01-01", "a very long text that is certainly no time at all",
		"2 days" + strings.Repeat(" ", 32) + "ago", "11 years", "300 years", "5256001 minutes"} {
		if got, ok := ParsePast(text, clock); ok {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}
