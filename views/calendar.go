package views

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"samepage/store"
	"samepage/store/governance"
)

// Calendar appends an event in the iCalendar format (RFC 5545) to dst. The link to the commitment begins with origin,
// which is a scheme and a host. If the commitment is not an event, Calendar returns [store.Missing].
func Calendar(dst []byte, c *governance.Commitment, origin string) ([]byte, error) {
	if !c.Event() {
		return dst, store.Missing()
	}
	status := "TENTATIVE"
	switch {
	case c.Bound():
		status = "CONFIRMED"
	case c.Over():
		status = "CANCELLED"
	}
	f := calendar{dst}
	f.line("BEGIN", "VCALENDAR")
	f.line("VERSION", "2.0")
	f.line("PRODID", "-//Samepage//EN")
	f.line("BEGIN", "VEVENT")
	f.line("UID", c.ID+"@samepage")
	f.line("DTSTAMP", calendarTime(revised(c)))
	f.line("SEQUENCE", strconv.FormatInt(c.Version, 10))
	f.line("DTSTART", calendarTime(c.StartsAt.Time))
	if !c.EndsAt.IsZero() {
		f.line("DTEND", calendarTime(c.EndsAt.Time))
	}
	f.line("SUMMARY", calendarText(c.Title))
	if c.Place != "" {
		f.line("LOCATION", calendarText(c.Place))
	}
	if c.Body != "" {
		f.line("DESCRIPTION", calendarText(c.Body))
	}
	f.line("URL", origin+c.URL())
	f.line("STATUS", status)
	f.line("END", "VEVENT")
	f.line("END", "VCALENDAR")
	return f.dst, nil
}

// revised returns the time of the last change of the fields or of the state, which is the meaning of DTSTAMP in a file
// without a METHOD (RFC 5545, §3.8.7.2).
func revised(c *governance.Commitment) time.Time {
	at := c.RevisedAt.Time
	for _, t := range []store.Time{c.OpenedAt, c.BoundAt, c.EndedAt()} {
		if t.After(at) {
			at = t.Time
		}
	}
	return at
}

func calendarTime(t time.Time) string { return t.UTC().Format("20060102T150405Z") }

var calendarEscapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)

// calendarText escapes a value of the type TEXT, and drops control characters, of which TEXT allows only the tab (RFC
// 5545, §3.3.11).
func calendarText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, calendarEscapes.Replace(strings.ToValidUTF8(s, "\uFFFD")))
}

type calendar struct{ dst []byte }

// line appends a content line, folded so that no line has more than 75 octets (RFC 5545, §3.1). No fold splits a
// character.
func (f *calendar) line(name, value string) {
	rest, room := name+":"+value, 75
	for len(rest) > room {
		n := room
		for !utf8.RuneStart(rest[n]) {
			n--
		}
		f.dst = append(append(f.dst, rest[:n]...), "\r\n "...)
		rest, room = rest[n:], 74
	}
	f.dst = append(append(f.dst, rest...), "\r\n"...)
}
