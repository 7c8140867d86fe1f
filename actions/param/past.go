package param

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// PastForms describes the forms that [ParsePast] accepts.
const PastForms = "a time such as 2026-11-20 or 2026-11-20 14:00, a distance back: 30m, 3h, 3d, 1w, 2 days ago, or words: today, " +
	"yesterday, yesterday noon, Monday, last week"

// ParsePast parses an absolute time, a date, a distance back from now, or words for a past time (see [PastForms]). A
// date, day, week or month without an hour means its beginning. The name of a weekday means the last such day that has
// begun, and a weekday or an hour means the last time that has come. Other days are as named, even if their hour is
// still to come. If the clocks of the zone skip the time or show it twice, the result is the earlier of the two times
// that the text may mean. The present time has no influence on whether a text is valid.
func ParsePast(s string, clock Clock) (time.Time, bool) {
	zone := cmp.Or(clock.Zone, time.UTC)
	if len(s) > 40 {
		return time.Time{}, false
	}
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(s, ",", " ")))
	words = slices.DeleteFunc(words, func(w string) bool {
		return w == "at" || w == "on" || w == "since" || w == "the"
	})
	if d, ok := distanceBack(words); ok {
		return clock.Now.Add(-d).UTC().Truncate(time.Minute), d <= MaxDuration
	}
	if t, _, _, ok := ParseTime(strings.TrimSpace(s), Clock{Now: clock.Now, Zone: zone}); ok {
		return t.UTC(), true
	}
	if len(words) == 0 {
		return time.Time{}, false
	}
	now := clock.Now.In(zone)
	day, before, words := pastDay(words, now)
	if len(words) == 0 {
		return firstMinute(day, zone).UTC(), true
	}
	hour, ok := spokenHour(strings.Join(words, ""))
	if !ok {
		return time.Time{}, false
	}
	at, _ := wall(day, hour.Hour(), hour.Minute(), zone)
	if at.After(now) {
		at, _ = wall(day.AddDate(0, 0, -before), hour.Hour(), hour.Minute(), zone)
	}
	return at.UTC(), true
}

// pastDay returns the day or the first day of the period at the beginning of words, as a date in UTC, and the words
// after it. Without a day or a period, it returns today and all words. The result before is the number of days to go
// back if the hour of the day is still to come: 7 for a weekday, 1 without a day, and 0 for others.
func pastDay(words []string, now time.Time) (day time.Time, before int, rest []string) {
	back := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()-days, 0, 0, 0, 0, time.UTC)
	}
	weekday := (int(now.Weekday()) + 6) % 7 // 0 is Monday
	rest = words[1:]
	switch words[0] {
	case "today":
		return back(0), 0, rest
	case "yesterday":
		return back(1), 0, rest
	case "this", "last":
		if len(rest) == 0 {
			return back(0), 1, words
		}
		earlier := 0
		if words[0] == "last" {
			earlier = 1
		}
		switch {
		case rest[0] == "week":
			return back(weekday + 7*earlier), 0, rest[1:]
		case rest[0] == "month":
			return time.Date(now.Year(), now.Month()-time.Month(earlier), 1, 0, 0, 0, 0, time.UTC), 0, rest[1:]
		case weekdayIndex(rest[0]) >= 0:
			words, rest = rest, rest[1:]
		default:
			return back(0), 1, words
		}
	}
	if i := weekdayIndex(words[0]); i >= 0 {
		return back((weekday - i + 7) % 7), 7, rest
	}
	return back(0), 1, words
}

// spokenUnits maps units without the plural s to their lengths.
var spokenUnits = map[string]time.Duration{"minute": time.Minute, "min": time.Minute, "hour": time.Hour, "day": day,
	"week": week, "month": 30 * day, "year": 365 * day}

var spokenNumbers = map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
	"seven": 7,
	"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}

// distanceBack parses a distance such as 3d, 3 days, 2 weeks ago, an hour ago or last 7 days.
func distanceBack(words []string) (time.Duration, bool) {
	n := len(words)
	if n > 0 && words[n-1] == "ago" {
		words = words[:n-1]
	}
	if len(words) == 3 && (words[0] == "last" || words[0] == "past") {
		words = words[1:]
	}
	return spokenDistance(words)
}

// spokenDistance parses a distance such as 3d, 3 days, two weeks or an hour. A month counts 30 days.
func spokenDistance(words []string) (time.Duration, bool) {
	if d, ok := parseDuration(strings.Join(words, " ")); ok {
		return d, true
	}
	if len(words) != 2 {
		return 0, false
	}
	unit := spokenUnits[strings.TrimSuffix(words[1], "s")]
	count, err := strconv.Atoi(words[0])
	if n := spokenNumbers[words[0]]; n > 0 {
		count, err = n, nil
	}
	if unit == 0 || err != nil || count < 0 || count > int(MaxDuration/time.Minute) {
		return 0, false
	}
	if time.Duration(count) > MaxDuration/unit {
		return MaxDuration + 1, true
	}
	return time.Duration(count) * unit, true
}
