package store

import (
	"fmt"
	"time"
)

// Span is a day, an ISO week or a month in the calendar of a time zone. It contains the times from Start until just
// before End. The spans of one tempo cover all time without overlap. A day that the zone has skipped has no span.
type Span struct {
	Tempo      string // daily, weekly or monthly
	Name       string // such as 2026-11-20, 2026-w47 or 2026-11
	Start, End time.Time

	date time.Time // the first day, at midnight in UTC
	zone *time.Location
}

// [ReadSpan], [Span.Next] and [Span.Previous] find spans only in the years from firstYear to lastYear.
const (
	firstYear = 2000
	lastYear  = 2100
)

// SpanAt returns the span that contains a time.
func SpanAt(tempo string, at time.Time, zone *time.Location) Span {
	y, m, d := at.In(zone).Date()
	date := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	switch tempo {
	case "weekly":
		date = date.AddDate(0, 0, -(int(date.Weekday())+6)%7)
	case "monthly":
		date = time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
	}
	s := spanOf(tempo, date, zone)
	// If the clocks went back across midnight, the hour before midnight occurs twice. Its second occurrence counts as
	// a part of the next day.
	for !at.Before(s.End) {
		s = spanOf(tempo, s.step(1), zone)
	}
	return s
}

// ReadSpan returns the span with a name such as 2026-11-20, 2026-w47 or 2026-11. It returns false for an
// unknown name, a year before 2000 or after 2100, and a day that the zone has skipped.
func ReadSpan(name string, zone *time.Location) (Span, bool) {
	tempo, date := "", time.Time{}
	var year, week int
	if t, err := time.Parse("2006-01-02", name); err == nil {
		tempo, date = "daily", t
	} else if t, err := time.Parse("2006-01", name); err == nil {
		tempo, date = "monthly", t
	} else if n, err := fmt.Sscanf(name, "%4d-w%2d", &year, &week); n == 2 && err == nil {
		fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // 4 January is always in week 1 (ISO 8601)
		tempo, date = "weekly", fourth.AddDate(0, 0, 7*(week-1)-(int(fourth.Weekday())+6)%7)
	} else {
		return Span{}, false
	}
	s := spanOf(tempo, date, zone)
	return s, s.Name == name && s.exists()
}

func spanOf(tempo string, date time.Time, zone *time.Location) Span {
	s := Span{Tempo: tempo, Name: date.Format("2006-01-02"), date: date, zone: zone}
	switch tempo {
	case "weekly":
		year, week := date.ISOWeek()
		s.Name = fmt.Sprintf("%04d-w%02d", year, week)
	case "monthly":
		s.Name = date.Format("2006-01")
	}
	s.Start, s.End = startOfDay(date, zone), startOfDay(s.step(1), zone)
	return s
}

// step returns the first day of the n-th span after this one.
func (s Span) step(n int) time.Time {
	switch s.Tempo {
	case "weekly":
		return s.date.AddDate(0, 0, 7*n)
	case "monthly":
		return s.date.AddDate(0, n, 0)
	}
	return s.date.AddDate(0, 0, n)
}

// exists reports whether the span is not empty and lies in a year that has spans.
func (s Span) exists() bool {
	year := s.date.Year()
	if s.Tempo == "weekly" {
		year, _ = s.date.ISOWeek()
	}
	return year >= firstYear && year <= lastYear && s.Start.Before(s.End)
}

// Next returns the span after this one, and false if there is none.
func (s Span) Next() (Span, bool) { return s.beside(1) }

// Previous returns the span before this one, and false if there is none.
func (s Span) Previous() (Span, bool) { return s.beside(-1) }

func (s Span) beside(n int) (Span, bool) {
	next := spanOf(s.Tempo, s.step(n), s.zone)
	if next.Start.Equal(next.End) {
		next = spanOf(s.Tempo, next.step(n), s.zone)
	}
	return next, next.exists()
}

// Has reports whether the span contains a time.
func (s Span) Has(at time.Time) bool { return !at.Before(s.Start) && at.Before(s.End) }

// Days returns the first and the last day of the span, each as midnight in UTC.
func (s Span) Days() (first, last time.Time) { return s.date, s.step(1).AddDate(0, 0, -1) }

// startOfDay returns the first moment of a day in a zone. If the zone has skipped the day, it returns the first
// moment of the next day.
func startOfDay(date time.Time, zone *time.Location) time.Time {
	first, _ := Moments(date, zone)
	return first
}

// Moments returns the first and the last moment at which clocks in the zone show a date and time of day. The parameter
// wall has this date and time in UTC. The moments differ if the clocks went back. If the clocks skipped that time, both
// are the moment of the change. Time.ZoneBounds is not used, because its result is wrong on the last day of a leap
// year.
func Moments(wall time.Time, zone *time.Location) (first, last time.Time) {
	offset := func(at time.Time) time.Duration {
		_, seconds := at.In(zone).Zone()
		return time.Duration(seconds) * time.Second
	}
	from, to := wall.Add(-26*time.Hour), wall.Add(26*time.Hour) // in every zone, the moment is in this interval
	old, now := offset(from), offset(to)
	if old == now {
		return wall.Add(-old), wall.Add(-old)
	}
	for to.Sub(from) > time.Second {
		if mid := from.Add(to.Sub(from) / 2).Truncate(time.Second); offset(mid) == old {
			from = mid
		} else {
			to = mid
		}
	}
	before, after := wall.Add(-old), wall.Add(-now)
	switch earlier, later := before.Before(to), !after.Before(to); {
	case earlier && later:
		return before, after
	case earlier:
		return before, before
	case later:
		return after, after
	}
	return to, to
}
