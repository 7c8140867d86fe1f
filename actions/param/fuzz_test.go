package param_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"samepage/actions/param"
)

// FuzzDecode reads the same bytes as JSON and as a form. It expects no panic, and refusals in valid UTF-8. Accepted
// params must respect every limit and keep their values if they are encoded and decoded again.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"title": "Weekly", "accept": ["1", 2], "score": {"1": 3}, "closes_at": "3d", "lease": "1w2h", "seats": -3.0}`,
		`"{\"title\": \"abc\", \"agenda\": \"a\\nb\", \"open\": \"yes\"}"`,
		`title=Weekly&accept=1&accept=2&score.1=3&closes_at=2026-11-23T12:00&lease=90m&open=on&owner=@alice`,
		`title=Weekly&score=1&score.1=2&agenda=a%0Ab&_why=x&titel=%ff&logo=12345`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if in, err := param.FromJSON(data); err == nil {
			accepted(t, in)
		}
		if values, err := url.ParseQuery(string(data)); err == nil {
			accepted(t, param.FromForm(values, map[string]param.Upload{"logo": {Name: "x", Data: data[:len(data)/2]}}))
		}
	})
}

// FuzzFromJSON compares FromJSON with encoding/json. FromJSON must return the same values or an error in words.
func FuzzFromJSON(f *testing.F) {
	for _, s := range []string{
		`{"a": [1, -2.5e+3, "x\"\\\u00fc\ud834\udd1e", true, false, null], "b": {"c": {}, "d": []}}`,
		` { "\u0061" : "\ud800" , "" : [ [ ] , { } ] } `, "{\"a\":\t\"b\"\r\n,\"c\"\n:0}",
		`[1,2`, `"{}"`, `{"a":"\"}`, `{"a":1,"a":2}`, "{\"a\":\"\u007f\u2028\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := param.FromJSON(data)
		if err != nil {
			if json.Valid(data) && !strings.HasPrefix(err.Error(), "params ") {
				t.Errorf("%q: %v", data, err)
			}
			return
		}
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil && len(bytes.TrimSpace(data)) > 0 {
			t.Fatalf("%q is read as %v: %v", data, got, err)
		}
		if object, ok := want.(map[string]any); ok && !reflect.DeepEqual(map[string]any(got), object) {
			t.Errorf("%q:\n got %v\nwant %v", data, got, want)
		}
	})
}

func accepted(t *testing.T, in param.Input) {
	var e every
	if err := param.Decode(fields, in, clock, &e); err != nil {
		if !utf8.ValidString(err.Error()) || len(err.Error()) > 8000 {
			t.Errorf("message: %q", err)
		}
		return
	}
	one := func(s string, most int) bool {
		return utf8.ValidString(s) && !strings.ContainsAny(s, "\x00\n\r\u2028\u2029") &&
			strings.TrimSpace(s) == s && runes(s) <= most
	}
	for what, ok := range map[string]bool{
		"title": one(e.Title, 20) && runes(e.Title) >= 3,
		"body":  utf8.ValidString(e.Body) && runes(e.Body) <= 40 && !strings.ContainsAny(e.Body, "\r\x00"),
		"agenda": len(e.Agenda) <= 3 && !slices.ContainsFunc(e.Agenda,
			func(s string) bool { return s == "" || !one(s, param.MaxLine) }),
		"seats":  e.Seats >= -5 && e.Seats <= 12,
		"tempo":  e.Tempo == "" || e.Tempo == "daily" || e.Tempo == "weekly",
		"accept": len(e.Accept) <= 3 && len(slices.Compact(slices.Sorted(slices.Values(e.Accept)))) == len(e.Accept),
		"owner":  one(e.Owner, param.MaxRef),
		"closes": e.Closes.Equal(e.Closes.Truncate(time.Minute)) && e.Closes.Location() == time.UTC,
		"lease":  e.Lease >= 0 && e.Lease <= param.MaxDuration,
		"key":    runes(e.Key) <= 12,
		"logo":   len(e.Logo.Data) <= 16,
	} {
		if !ok {
			t.Errorf("%s: %+v from %v", what, e, in)
		}
	}
	for option, n := range e.Score {
		if !slices.Contains([]string{"1", "2", "3"}, option) || n < 0 || n > 9 {
			t.Errorf("score: %v", e.Score)
		}
	}
	frozen := param.Encode(fields, e)
	again, err := param.FromJSON(frozen)
	if err != nil {
		t.Fatalf("%s: %v", frozen, err)
	}
	var thawed every
	if err := param.Decode(fields, again, clock, &thawed); err != nil {
		t.Fatalf("%s: %v", frozen, err)
	}
	e.Key, e.Logo = "", param.Upload{}
	if !reflect.DeepEqual(e, thawed) {
		t.Errorf("%s:\n got %+v\nwant %+v", frozen, thawed, e)
	}
}

func runes(s string) int { return utf8.RuneCountInString(s) }
