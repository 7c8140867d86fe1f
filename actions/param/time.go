package param

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// MaxDuration is the longest duration, and the longest distance of a relative time from now: ten years.
const MaxDuration = 3650 * day

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// TimeForms and DurationForms describe the accepted forms in a sentence.
const (
	TimeForms = "A time such as 2026-11-23T12:00 or 2026-11-23 12:00 UTC, a date (the end of that " +
		"day), a distance from now: 30m, 3h, 3d, 1w, in 3 days, or words: tomorrow noon, Fri 14:00, next week (its end)."
	DurationForms = "A duration such as 90m, 2h30m, 3d or 1w."
)

const offsetLayouts = 2

// layouts are the accepted forms of absolute times. The first offsetLayouts have an offset; the others use the zone of
// the clock.
var layouts = []string{
	time.RFC3339,
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"2006-01-02 15:04",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
}

// moment decodes a time: absolute, a date, a distance from now, or in words. A date means 23:59 of that day, because
// dates are given for deadlines. In a distance, a day has 24 hours. A time without a zone is in the zone of the clock.
// A time that the clocks of the zone skip or show twice is a problem, so that the caller chooses one of its meanings.
// The time is rounded up to the whole minute, so that a deadline includes the minute that the caller wrote. The zero
// time means that no time was sent.
func moment(raw any, clock Clock) (t time.Time, problem string) {
	s, problem := str(raw)
	if problem != "" {
		return time.Time{}, problem + ". " + TimeForms
	}
	if s = strings.TrimSpace(s); s == "" {
		return time.Time{}, ""
	}
	if d, ok := parseDuration(s); ok && d == 0 { // such as 0m, which would make a deadline within the minute
		return time.Time{}, "must be longer than nothing from now"
	}
	t, odd, ok := parseMoment(s, clock)
	if !ok && len(s) <= 40 {
		t, odd, ok = spokenMoment(s, clock)
	}
	switch {
	case !ok:
		return time.Time{}, "cannot be " + quote(s) + ". " + TimeForms
	case odd != "":
		return time.Time{}, "cannot be " + quote(s) + ": " + odd
	}
	t = t.UTC()
	if whole := t.Truncate(time.Minute); whole.Before(t) {
		t = whole.Add(time.Minute)
	}
	if t.Year() < 1900 || t.Year() > 2199 { // avoids overflow in nanoseconds, and date pickers can show these years
		return time.Time{}, "must be in a year from 1900 to 2199"
	}
	return t, ""
}

// ParseTime parses a time in one of [TimeForms] without words, and truncates it to the minute. If the text is only a
// date, dated is true and t is the beginning of that day, in the zone of the date. If the clocks of the zone skip the
// time or show it twice, t is the earlier of the two times that the text may mean, and odd says so, in words that can
// follow the time and a colon.
func ParseTime(s string, clock Clock) (t time.Time, dated bool, odd string, ok bool) {
	if t, odd, ok = parseMoment(s, clock); !ok || t.Year() < 1900 || t.Year() > 2199 {
		return time.Time{}, false, "", false
	}
	s, zone := cutZone(s, clock)
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return firstMinute(day, zone), true, "", true
	}
	return t.UTC().Truncate(time.Minute), false, odd, true
}

// parseMoment parses a time in one of [TimeForms] without words. If the clocks of the zone skip the time or show it
// twice, t is the earlier of the two times that the text may mean, and odd says so.
func parseMoment(s string, clock Clock) (t time.Time, odd string, ok bool) {
	if len(s) > 40 {
		return time.Time{}, "", false
	}
	if d, ok := parseDuration(s); ok {
		return clock.Now.Add(d), "", d <= MaxDuration
	}
	s, zone := cutZone(s, clock)
	if t, err := time.ParseInLocation(time.DateOnly, s, time.UTC); err == nil {
		return lastMinute(t, zone), "", true
	}
	for i, layout := range layouts {
		t, err := time.ParseInLocation(layout, s, time.UTC)
		switch {
		case err != nil:
		case i < offsetLayouts:
			return t, "", true
		default:
			at, odd := wall(t, t.Hour(), t.Minute(), zone)
			return at.Add(time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())), odd, true
		}
	}
	return time.Time{}, "", false
}

// cutZone cuts " UTC" off the end of a time, and returns the zone of the time.
func cutZone(s string, clock Clock) (rest string, zone *time.Location) {
	if rest, ok := strings.CutSuffix(s, " UTC"); ok {
		return rest, time.UTC
	}
	return s, cmp.Or(clock.Zone, time.UTC)
}

// duration decodes a positive duration of at most [MaxDuration]; 0 means that none was sent.
func duration(raw any) (d time.Duration, problem string) {
	s, problem := str(raw)
	if problem != "" {
		return 0, problem + ". " + DurationForms
	}
	if s = strings.TrimSpace(s); s == "" {
		return 0, ""
	}
	d, ok := parseDuration(s)
	switch {
	case !ok:
		return 0, "cannot be " + quote(s) + ". " + DurationForms
	case d == 0:
		return 0, "must be longer than nothing"
	case d > MaxDuration:
		return 0, fmt.Sprintf("must be at most %d days", MaxDuration/day)
	}
	return d, ""
}

// units are the units of durations. A duration has each at most once, and in this order, so that every duration has one
// meaning.
var units = []struct {
	letter byte
	length time.Duration
}{{'w', week}, {'d', day}, {'h', time.Hour}, {'m', time.Minute}, {'s', time.Second}}

// parseDuration parses whole numbers with units, such as 2h30m, with optional spaces between them. Once the sum is
// above [MaxDuration], it adds no further units.
func parseDuration(s string) (d time.Duration, ok bool) {
	if s == "" {
		return 0, false
	}
	at := 0
	for s != "" {
		n, digits := time.Duration(0), 0
		for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
			n = min(n*10+time.Duration(s[digits]-'0'), MaxDuration/time.Second+1) // more in the smallest unit, and no overflow
			digits++
		}
		if digits == 0 || digits == len(s) {
			return 0, false
		}
		for at < len(units) && units[at].letter != s[digits] {
			at++
		}
		if at == len(units) {
			return 0, false
		}
		if n > MaxDuration/units[at].length {
			d = MaxDuration + 1
		} else if d <= MaxDuration {
			d += n * units[at].length
		}
		at++
		s = strings.TrimLeft(s[digits+1:], " ")
	}
	return d, true
}
