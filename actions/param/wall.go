package param

import (
	"fmt"
	"time"
)

// wall returns the time at which the clocks of a zone show the hour and the minute on the day of t. If the clocks skip
// that time or show it twice, the result is the earlier of two possible times, and odd says so and names both, in words
// that can follow the time and a colon.
func wall(t time.Time, hour, minute int, zone *time.Location) (at time.Time, odd string) {
	at, late, odd := walls(t, hour, minute, zone)
	if odd == "" {
		return at, ""
	}
	const form = "2006-01-02T15:04Z07:00"
	return at, fmt.Sprintf("the clocks of %s %s, because they are changed. Send %s or %s", zone, odd,
		at.Format(form), late.Format(form))
}

// lastMinute returns the last minute of the day of t, the later one if the clocks show 23:59 twice.
func lastMinute(t time.Time, zone *time.Location) time.Time {
	_, late, _ := walls(t, 23, 59, zone)
	return late
}

// firstMinute returns the beginning of the day of t in a zone, also if the clocks skip 0:00 or show it twice.
func firstMinute(t time.Time, zone *time.Location) time.Time {
	early, late, _ := walls(t, 0, 0, zone)
	if early.Day() == t.Day() {
		return early
	}
	return late
}

// walls returns the times at which the clocks of a zone show a time on the day of t. The two are the same if odd is
// empty. Otherwise, odd says that the clocks show the time twice or skip it. For a skipped time, early has the offset
// after the change of the clocks, and late the offset before it.
func walls(t time.Time, hour, minute int, zone *time.Location) (early, late time.Time, odd string) {
	utc := time.Date(t.Year(), t.Month(), t.Day(), hour, minute, 0, 0, time.UTC)
	with := func(offsetAt time.Time) (time.Time, bool) {
		_, offset := offsetAt.In(zone).Zone()
		at := utc.Add(-time.Duration(offset) * time.Second).In(zone)
		_, there := at.Zone()
		return at, there == offset
	}
	before, shownBefore := with(utc.Add(-day))
	after, shownAfter := with(utc.Add(day))
	switch {
	case before.Equal(after), shownBefore && !shownAfter:
		return before, before, ""
	case shownAfter && !shownBefore:
		return after, after, ""
	case shownBefore:
		return before, after, "show that time twice"
	}
	return after, before, "skip that time"
}
