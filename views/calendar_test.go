package views

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-ical"
	"pgregory.net/rapid"

	"samepage/store"
	"samepage/store/governance"
)

// parsed reads a calendar with a parser of another project and returns its only event.
func parsed(t interface{ Fatal(...any) }, data []byte) *ical.Event {
	cal, err := ical.NewDecoder(bytes.NewReader(data)).Decode()
	if err != nil {
		t.Fatal(err, string(data))
	}
	if err := ical.NewEncoder(&bytes.Buffer{}).Encode(cal); err != nil { // checks the rules of RFC 5545
		t.Fatal(err, string(data))
	}
	events := cal.Events()
	if len(events) != 1 {
		t.Fatal(len(events), "events")
	}
	return &events[0]
}

// TestCalendarKeepsTexts checks that another program's parser returns every text of a member
// unchanged, except for characters that a calendar cannot hold. It also checks that all lines
// follow the rules of RFC 5545, §3.1.
func TestCalendarKeepsTexts(t *testing.T) {
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\\;,:\n\r\t\"nN é日🎉"))))
	kept := func(s string) string {
		s = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"), "\r", "\n")
		return strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
				return -1
			}
			return r
		}, s)
	}
	rapid.Check(t, func(rt *rapid.T) {
		start := time.Unix(rapid.Int64Range(0, 4e9).Draw(rt, "start"), 0)
		c := &governance.Commitment{
			Item: store.Item{
				ID:      "k3v9x0a2mq",
				OrgID:   "b3v9x0a2mq",
				Kind:    "commitment",
				Title:   text.Draw(rt, "title"),
				Body:    text.Draw(rt, "body"),
				Version: rapid.Int64Range(1, 1<<31-1).Draw(rt, "version"),
				Studio:  &store.Studio{Handle: "team"},
			},
			Place:     text.Draw(rt, "place"),
			StartsAt:  store.At(start),
			EndsAt:    store.At(start.Add(time.Hour)),
			RevisedAt: store.At(start.Add(-time.Hour)),
		}
		data, err := Calendar([]byte("x")[:0], c, "https://samepage.example")
		if err != nil {
			rt.Fatal(err)
		}
		for line := range bytes.SplitSeq(bytes.TrimSuffix(data, []byte("\r\n")), []byte("\r\n")) {
			if len(line) > 75 || !utf8.Valid(line) || bytes.ContainsAny(line, "\r\n") || len(line) == 0 {
				rt.Fatalf("the line %q of %d octets", line, len(line))
			}
		}
		e := parsed(rt, data)
		for name, want := range map[string]string{
			ical.PropSummary: c.Title, ical.PropLocation: c.Place, ical.PropDescription: c.Body,
		} {
			got, err := e.Props.Text(name)
			if err != nil || got != kept(want) {
				rt.Fatalf("%s: %q, want %q, %v\n%s", name, got, kept(want), err, data)
			}
		}
		if got, err := e.DateTimeStart(time.UTC); err != nil || !got.Equal(start) {
			rt.Fatalf("starts %s, want %s, %v", got, start, err)
		}
		if n, err := e.Props.Get(ical.PropSequence).Int(); err != nil || int64(n) != c.Version {
			rt.Fatalf("sequence %d, %v", n, err)
		}
	})
}

// TestCalendar compares the calendar file of one event byte for byte.
func TestCalendar(t *testing.T) {
	at := func(s string) store.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return store.At(v)
	}
	c := &governance.Commitment{
		Item: store.Item{
			ID:       "k3v9x0a2mq",
			OrgID:    "b3v9x0a2mq",
			Kind:     "commitment",
			Title:    "Dinner; bring, share",
			Version:  4,
			OpenedAt: at("2026-11-20T09:00:00Z"),
			Body: "A *long* line of text, which is folded in the middle of Grüße since it has more than " +
				"75 octets.\r\nAnd \\ a second.",
			Studio: &store.Studio{Handle: "team"},
		},
		Place:        "Hill Road 7",
		CriticalMass: 2,
		StartsAt:     at("2026-12-04T19:00:00+01:00"),
		EndsAt:       at("2026-12-04T23:30:00+01:00"),
		RevisedAt:    at("2026-11-19T09:00:00Z"),
	}
	want := strings.ReplaceAll(`BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Samepage//EN
BEGIN:VEVENT
UID:k3v9x0a2mq@samepage
DTSTAMP:20261120T090000Z
SEQUENCE:4
DTSTART:20261204T180000Z
DTEND:20261204T223000Z
SUMMARY:Dinner\; bring\, share
LOCATION:Hill Road 7
DESCRIPTION:A *long* line of text\, which is folded in the middle of Grüß
 e since it has more than 75 octets.\nAnd \\ a second.
URL:https://samepage.example/studios/team/c/k3v9x0a2mq
STATUS:TENTATIVE
END:VEVENT
END:VCALENDAR
`, "\n", "\r\n")
	got, err := Calendar(nil, c, "https://samepage.example")
	if err != nil || string(got) != want {
		t.Errorf("%v\n%q\n%q", err, got, want)
	}
	parsed(t, got)
	for status, change := range map[string]func(*governance.Commitment){
		"CONFIRMED": func(c *governance.Commitment) { c.BoundAt = at("2026-11-21T09:00:00Z") },
		"CANCELLED": func(c *governance.Commitment) { c.ClosedAt = at("2026-11-21T09:00:00Z") },
	} {
		other := *c
		change(&other)
		got, _ := Calendar(nil, &other, "")
		if !bytes.Contains(got, []byte("STATUS:"+status)) || !bytes.Contains(got, []byte("DTSTAMP:20261121T090000Z")) {
			t.Errorf("%s: %s", status, got)
		}
	}
	if _, err := Calendar(nil, &governance.Commitment{Item: c.Item}, ""); store.CodeOf(err) != store.NotFound {
		t.Errorf("what is no event: %v", err)
	}
}
