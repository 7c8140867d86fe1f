package page

import (
	"strconv"
	"time"
)

// appendWhen appends a time such as "Mon 23 Nov 2026 12:00 UTC", in the reader's time zone.
func appendWhen(dst []byte, at time.Time, c *Context) []byte {
	if at.IsZero() {
		return append(dst, "no date"...)
	}
	at = c.in(at)
	year, month, day := at.Date()
	hour, minute, _ := at.Clock()
	dst = append(dst, at.Weekday().String()[:3]...)
	dst = strconv.AppendInt(append(dst, ' '), int64(day), 10)
	dst = append(append(dst, ' '), month.String()[:3]...)
	dst = strconv.AppendInt(append(dst, ' '), int64(year), 10)
	dst = append(appendTwo(append(dst, ' '), hour), ':')
	dst = append(appendTwo(dst, minute), ' ')
	if c.Zone == nil {
		return append(dst, "UTC"...)
	}
	return at.AppendFormat(dst, "MST")
}

// appendStamp appends a time in RFC 3339, in UTC and without fractions of a second.
func appendStamp(dst []byte, at time.Time) []byte {
	at = at.UTC()
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	if year < 1000 {
		return at.AppendFormat(dst, time.RFC3339)
	}
	dst = append(strconv.AppendInt(dst, int64(year), 10), '-')
	dst = append(appendTwo(dst, int(month)), '-')
	dst = append(appendTwo(dst, day), 'T')
	dst = append(appendTwo(dst, hour), ':')
	dst = append(appendTwo(dst, minute), ':')
	return append(appendTwo(dst, second), 'Z')
}

func appendTwo(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// zone returns the name of the reader's time zone, or UTC for nil.
func (c *Context) zone() string { return c.Zone.String() }

func (c *Context) in(at time.Time) time.Time {
	if c.Zone == nil {
		return at.UTC()
	}
	return at.In(c.Zone)
}

// appendDistance appends the distance of a time from the present, such as "in 3 days" or "2 hours ago". It is rounded
// towards zero, so that a deadline never seems later than it is.
func appendDistance(dst []byte, at, now time.Time) []byte {
	return appendSpan(dst, at.Sub(now), false)
}

// appendSpan appends the distance d in words. The short form has "min" and "h" for minutes and hours.
func appendSpan(dst []byte, d time.Duration, short bool) []byte {
	past := d < 0
	if past {
		d = -d
	}
	const day = 24 * time.Hour
	var n time.Duration
	var unit string
	switch {
	case d < time.Minute:
		return append(dst, "now"...)
	case d < time.Hour:
		n, unit = d/time.Minute, "minute"
	case d < 2*day:
		n, unit = d/time.Hour, "hour"
	case d < 60*day:
		n, unit = d/day, "day"
	case d < 730*day:
		n, unit = d/(30*day), "month"
	default:
		n, unit = d/(365*day), "year"
	}
	if !past {
		dst = append(dst, "in "...)
	}
	dst = strconv.AppendInt(dst, int64(n), 10)
	switch dst = append(dst, ' '); {
	case short && unit == "minute":
		dst = append(dst, "min"...)
	case short && unit == "hour":
		dst = append(dst, 'h')
	default:
		dst = append(dst, unit...)
	}
	if n != 1 && (!short || d >= 2*day) {
		dst = append(dst, 's')
	}
	if past {
		dst = append(dst, " ago"...)
	}
	return dst
}

// appendMoment appends the time of an inline, with its distance for an inline of [Distance].
func appendMoment(dst []byte, in *Inline, c *Context) []byte {
	dst = appendWhen(dst, in.at, c)
	if in.kind == inlineSpan && !in.at.IsZero() {
		dst = append(dst, " ("...)
		dst = appendDistance(dst, in.at, c.Now)
		dst = append(dst, ')')
	}
	return dst
}

// appendShort appends the distance of a time in the next two weeks or the last 24 hours, or else a date.
func appendShort(dst []byte, at time.Time, c *Context) []byte {
	const day = 24 * time.Hour
	switch d := at.Sub(c.Now); {
	case d >= day && d < 2*day:
		return append(dst, "in 1 day"...)
	case d > -day && d < 14*day:
		return appendSpan(dst, d, true)
	}
	return appendDate(dst, at, c)
}

// appendDate appends a time as a date. A time less than six days away has its weekday and clock time. Any other time
// has its day and month, and its year if that is not the present one.
func appendDate(dst []byte, at time.Time, c *Context) []byte {
	const sixDays = 6 * 24 * time.Hour
	d := at.Sub(c.Now)
	at = c.in(at)
	switch {
	case d > -sixDays && d < sixDays:
		return at.AppendFormat(dst, "Mon 15:04")
	case at.Year() == c.in(c.Now).Year():
		return at.AppendFormat(dst, "2 Jan")
	}
	return at.AppendFormat(dst, "2 Jan 2006")
}
