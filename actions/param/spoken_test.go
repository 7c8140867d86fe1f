package param_test

import (
	"reflect"
	"testing"
	"time"

	"samepage/actions/param"
)

// TestSpokenTimes decodes times in words on a Thursday afternoon in Berlin, three days before summer time ends there on
// Sunday, 25 October 2026.
func TestSpokenTimes(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	clock := param.Clock{Now: time.Date(2026, 10, 22, 15, 30, 0, 0, zone), Zone: zone}
	type one struct {
		At time.Time `param:"at,time" doc:"When."`
	}
	for in, want := range map[string]string{
		"tomorrow noon": "Fri 2026-10-23 12:00", "tomorrow at noon": "Fri 2026-10-23 12:00",
		"Tomorrow 9:30": "Fri 2026-10-23 09:30", "tomorrow": "Fri 2026-10-23 23:59",
		"today": "Thu 2026-10-22 23:59", "today 18:00": "Thu 2026-10-22 18:00",
		"today 9:00": "Thu 2026-10-22 09:00", // already over; the actions themselves refuse such times
		"Fri 14:00":  "Fri 2026-10-23 14:00", "friday, 2pm": "Fri 2026-10-23 14:00", "on Fri": "Fri 2026-10-23 23:59",
		"thu 14:00": "Thu 2026-10-29 14:00", "thu 16:00": "Thu 2026-10-22 16:00", "Thu": "Thu 2026-10-22 23:59",
		"Mon 08:00": "Mon 2026-10-26 08:00", "next fri": "Fri 2026-10-30 23:59", "this fri noon": "Fri 2026-10-23 12:00",
		"this mon": "Mon 2026-10-19 23:59", "next mon": "Mon 2026-10-26 23:59",
		"next week": "Sun 2026-11-01 23:59", "this week": "Sun 2026-10-25 23:59", "next month": "Mon 2026-11-30 23:59",
		"this month": "Sat 2026-10-31 23:59", "16:00": "Thu 2026-10-22 16:00", "15:00": "Fri 2026-10-23 15:00",
		"noon": "Fri 2026-10-23 12:00", "2:15 pm": "Fri 2026-10-23 14:15",
		"in 2 hours": "Thu 2026-10-22 17:30", "in a week": "Thu 2026-10-29 14:30", "In 3 Days": "Sun 2026-10-25 14:30",
		"in 3d": "Sun 2026-10-25 14:30", "in two weeks": "Thu 2026-11-05 14:30", "an hour from now": "Thu 2026-10-22 16:30",
		"30 minutes": "Thu 2026-10-22 16:00", "in 2h 30m": "Thu 2026-10-22 18:00", "in 10 years": "Sun 2036-10-19 15:30",
	} {
		var got one
		fields := param.Fields(reflect.TypeFor[one]())
		if err := param.Decode(fields, param.Input{"at": in}, clock, &got); err != nil {
			t.Errorf("%q: %v", in, err)
		} else if s := got.At.In(zone).Format("Mon 2006-01-02 15:04"); s != want {
			t.Errorf("%q is %s, want %s", in, s, want)
		}
	}
	for _, in := range []string{"next", "week", "midnight", "tomorrow tomorrow", "next week 12:00", "f", "fr", "fridays",
		"25:00", "13pm", "today noon noon", "at", ",", "in", "from now", "in now",
		"in 0 days", "in 11 years", "in -3 days", "in 3", "in Friday",
		"in 3 days noon", "3 days ago", "in 1.5 hours", "in three", "yesterday", "next next week"} {
		var got one
		if err := param.Decode(param.Fields(reflect.TypeFor[one]()), param.Input{"at": in}, clock, &got); err == nil {
			t.Errorf("%q is %s", in, got.At)
		}
	}
}

// TestPickedValues checks that the value of a changed picker replaces the text beside it.
func TestPickedValues(t *testing.T) {
	for _, c := range []struct {
		form map[string][]string
		want any
	}{
		{map[string][]string{"at": {"3d"}, "_pick.at": {""}}, "3d"},
		{map[string][]string{"at": {""}, "_pick.at": {"2026-11-23T12:00"}}, "2026-11-23T12:00"},
		{map[string][]string{"at": {"3d"}, "_pick.at": {"2026-11-23T12:00"}}, "2026-11-23T12:00"},
		{map[string][]string{"at": {"#112233"}, "_pick.at": {"#000000"}, "_was.at": {"#000000"}}, "#112233"},
		{map[string][]string{"at": {"#112233"}, "_pick.at": {"#445566"}, "_was.at": {"#000000"}}, "#445566"},
		{map[string][]string{"_pick.at": {"2026-11-23T12:00"}}, nil}, // the form has no field named at
	} {
		if got := param.FromForm(c.form, nil)["at"]; got != c.want {
			t.Errorf("%v: %v, want %v", c.form, got, c.want)
		}
	}
	cells := param.FromForm(map[string][]string{"_cell.row.b.c": {""}, "_cell.row.a": {"x: y"},
		"_cell.row": {"z"}}, nil)
	if want := (param.Input{"row": []string{"a: x: y", "b.c: "}}); !reflect.DeepEqual(cells, want) {
		t.Errorf("the lines of the cells are %v, want %v", cells, want)
	}
	for name, of := range map[string]bool{"_pick.at": true, "_was.at": true, "_cell.at.x": true, "at": false, "_why": false,
		"x_pick.at": false} {
		if got := param.OfPart(name); got != of {
			t.Errorf("%s is a part of a field: %v", name, got)
		}
	}
}
