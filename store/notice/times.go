package notice

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"samepage/store"
)

const day = 24 * time.Hour

// Days returns the stored names of the days of the week, from Monday on.
func Days() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

// DayName returns the stored name of a day, such as "mon".
func DayName(d time.Weekday) string { return strings.ToLower(d.String()[:3]) }

// DayOf returns the day with this stored name, and Sunday for an unknown name.
func DayOf(name string) time.Weekday { return time.Weekday((slices.Index(Days(), name) + 1) % 7) }

// Clock formats minutes after midnight as a time of day, such as "22:00".
func Clock(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// ReadClock parses a time of day such as "22:00" to minutes after midnight. It returns [store.Invalid] for other text.
func ReadClock(text string) (minutes int, err error) {
	t, err := time.Parse("15:04", strings.TrimSpace(text))
	if err != nil {
		return 0, store.Errorf(store.Invalid, "Write a time of day from 00:00 to 23:59, such as 22:00.")
	}
	return t.Hour()*60 + t.Minute(), nil
}

// midnight returns the date of a time in the settings' time zone, as midnight of that date in UTC.
func (s *Notifications) midnight(at time.Time) time.Time {
	y, m, d := at.In(store.Location(s.Zone)).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// QuietUntil returns the end of the quiet hours that contain the given time, or zero if the time is not in quiet hours.
// When the clocks go back, both copies of the repeated hour are quiet.
func (s *Notifications) QuietUntil(at time.Time) (end time.Time) {
	if !s.HasQuiet() {
		return end
	}
	zone, today := store.Location(s.Zone), s.midnight(at)
	for _, date := range []time.Time{today.Add(-day), today, today.Add(day)} {
		if s.QuietDays != nil && !slices.Contains(s.QuietDays, DayName(date.Weekday())) {
			continue
		}
		from, _ := store.Moments(date.Add(time.Duration(s.QuietFrom)*time.Minute), zone)
		if s.QuietTo < s.QuietFrom {
			date = date.Add(day)
		}
		_, to := store.Moments(date.Add(time.Duration(s.QuietTo)*time.Minute), zone)
		if !at.Before(from) && at.Before(to) && to.After(end) {
			end = to
		}
	}
	return end
}

// NextDigest returns the time of the first digest after the given time, or zero if there is none. If the clocks skip
// its time of day, the digest comes at the change. If that time repeats, the digest comes the first time.
func (s *Notifications) NextDigest(after time.Time) time.Time {
	if s.Digest == NoDigest {
		return time.Time{}
	}
	date := s.midnight(after).Add(-day)
	for {
		at, _ := store.Moments(date.Add(time.Duration(s.DigestAt)*time.Minute), store.Location(s.Zone))
		if at.After(after) && (s.Digest == Daily || date.Weekday() == s.DigestDay) {
			return at
		}
		date = date.Add(day)
	}
}
