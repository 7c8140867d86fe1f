package param

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

var weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// spokenMoment parses a time in words, in the zone of the clock. The words are a distance from now ("in 3 days", "a
// week from now"), a day ("today", "Fri", "next Friday"), an hour ("noon", "14:00", "2pm"), a day and an hour, or a
// period ("this week", "next month"). A day or a period without an hour means its last minute. A weekday or an hour
// alone means the next one. "this Friday" means the Friday of this week, even if it is past, and "next Friday" that of
// next week. If the clocks of the zone skip the time or show it twice, odd says so.
func spokenMoment(s string, clock Clock) (at time.Time, odd string, ok bool) {
	zone := cmp.Or(clock.Zone, time.UTC)
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(s, ",", " ")))
	words = slices.DeleteFunc(words, func(w string) bool { return w == "at" || w == "on" })
	if len(words) == 0 {
		return time.Time{}, "", false
	}
	distance := words
	if n := len(words); n > 2 && words[n-2] == "from" && words[n-1] == "now" {
		distance = words[:n-2]
	} else if words[0] == "in" {
		distance = words[1:]
	}
	if d, ok := spokenDistance(distance); ok {
		return clock.Now.Add(d), "", d > 0 && d <= MaxDuration
	}
	now := clock.Now.In(zone)
	first, again, words := spokenDay(words, now)
	day := now
	if first != nil {
		day = *first
	} else {
		again = 1
	}
	if len(words) == 0 {
		if at = lastMinute(day, zone); again > 0 && !at.After(now) {
			at = lastMinute(day.AddDate(0, 0, again), zone)
		}
		return at, "", true
	}
	hour, ok := spokenHour(strings.Join(words, ""))
	if !ok || again == never {
		return time.Time{}, "", false
	}
	at, odd = wall(day, hour.Hour(), hour.Minute(), zone)
	if again > 0 && odd == "" && !at.After(now) {
		at, odd = wall(day.AddDate(0, 0, again), hour.Hour(), hour.Minute(), zone)
	}
	return at, odd, true
}

// never is the second result of [spokenDay] for a period, which cannot be combined with an hour.
const never = -1

// spokenDay returns the day or the last day of the period at the beginning of words, and the words after it. The result
// again is the number of days to add if the time is past: 7 for a weekday alone, such as "fri", 0 for other days, and
// [never] for a period. Without a day or a period, it returns nil and all words.
func spokenDay(words []string, now time.Time) (day *time.Time, again int, rest []string) {
	on := func(days int) *time.Time {
		t := time.Date(now.Year(), now.Month(), now.Day()+days, 12, 0, 0, 0, now.Location())
		return &t
	}
	weekday := (int(now.Weekday()) + 6) % 7 // 0 is Monday
	rest = words[1:]
	switch words[0] {
	case "today":
		return on(0), 0, rest
	case "tomorrow":
		return on(1), 0, rest
	case "this", "next":
		if len(rest) == 0 {
			return nil, 0, words
		}
		later := 0
		if words[0] == "next" {
			later = 1
		}
		switch i := weekdayIndex(rest[0]); {
		case i >= 0:
			return on(7*later + i - weekday), 0, rest[1:]
		case rest[0] == "week":
			return on(7*later + 6 - weekday), never, rest[1:]
		case rest[0] == "month":
			t := time.Date(now.Year(), now.Month()+time.Month(later)+1, 0, 12, 0, 0, 0, now.Location())
			return &t, never, rest[1:]
		}
		return nil, 0, words
	}
	if i := weekdayIndex(words[0]); i >= 0 {
		return on(i - weekday), 7, rest
	}
	return nil, 0, words
}

// weekdayIndex returns 0 for Monday to 6 for Sunday, or -1 if the word is no weekday. The word is in lower case, and
// may be cut to three letters.
func weekdayIndex(word string) int {
	for i, short := range weekdays {
		full := strings.ToLower(time.Weekday((i + 1) % 7).String())
		if strings.HasPrefix(word, short) && strings.HasPrefix(full, word) {
			return i
		}
	}
	return -1
}

// spokenHour parses an hour of the day. It does not accept "midnight", which may mean the beginning or the end of a
// day.
func spokenHour(s string) (time.Time, bool) {
	if s == "noon" {
		s = "12:00"
	}
	for _, layout := range []string{"15:04", "3:04pm", "3pm"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
