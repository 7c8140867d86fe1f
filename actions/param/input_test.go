package param_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
)

func TestFromJSON(t *testing.T) {
	for _, c := range []struct {
		json string
		want param.Input
		err  string
	}{
		{"", param.Input{}, ""},
		{" null ", param.Input{}, ""},
		{`{"n": 12345678901234567890, "l": [1, [true]], "o": {"a": null}}`, param.Input{
			"n": json.Number("12345678901234567890"),
			"l": []any{json.Number("1"), []any{true}},
			"o": map[string]any{"a": nil},
		}, ""},
		{`"{\"title\": \"Weekly\"}"`, param.Input{"title": "Weekly"}, ""},
		{`""`, param.Input{}, ""},
		{`"\"{}\""`, nil, "params must be a JSON object, not a text"},
		{`[]`, nil, "params must be a JSON object, not a list"},
		{`7`, nil, "params must be a JSON object, not a number"},
		{`{"a": 1, "b": 2, "\u0061": 3}`, nil, `params name "a" twice; send it once`},
		{`{"a": {"b": 1, "b": 1}}`, nil, `params name "b" twice; send it once`},
		{`{} {}`, nil, "params are not valid JSON: invalid character '{' after top-level value"},
		{`{"a": 1,}`, nil, "params are not valid JSON: invalid character '}' looking for beginning of object key string"},
		{`{"a": 01}`, nil, "params are not valid JSON: invalid character '1' after object key:value pair"},
		{`{"a":`, nil, "params are not valid JSON: unexpected end of JSON input"},
		{"{\"a\": \"\xff\"}", nil, "params are not valid UTF-8"},
		{`{"a": ` + strings.Repeat("[", 16) + strings.Repeat("]", 16) + `}`, nil, "params nest deeper than 16 levels"},
		{strings.Repeat(`{"a": `, 17) + "1" + strings.Repeat("}", 17), nil, "params nest deeper than 16 levels"},
		{`{"a": [[]` + strings.Repeat(",[]", 9998) + `]}`, nil, "params have more than 10000 values"},
	} {
		got, err := param.FromJSON([]byte(c.json))
		if fmt.Sprint(err) != c.err && (err != nil || c.err != "") || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %v, %v\nwant %v, %s", c.json, got, err, c.want, c.err)
		}
	}
	for _, within := range []string{
		`{"a": ` + strings.Repeat("[", 15) + strings.Repeat("]", 15) + `}`,
		strings.Repeat(`{"a": `, 16) + "1" + strings.Repeat("}", 16),
		`{"a": [[]` + strings.Repeat(",[]", 9997) + `]}`,
	} {
		if _, err := param.FromJSON([]byte(within)); err != nil {
			t.Errorf("%.20s…: %v", within, err)
		}
	}
}

func TestFromForm(t *testing.T) {
	logo := param.Upload{Name: "a.png", Data: []byte("png")}
	got := param.FromForm(url.Values{
		"title": {"Weekly"}, "body": {""}, "accept": {"1", "", "2"}, "score.1": {"3"}, "score.a.b": {"4"}, "score.2": {""},
		"after": {"", "3"},
		"_csrf": {"x"}, "_why.x": {"y"}, "both": {"1"}, "both.a": {"2"},
	}, map[string]param.Upload{"logo": logo, "none": {}, "_file": logo})
	want := param.Input{
		"title": "Weekly", "body": "", "accept": []string{"1", "2"}, "score": map[string]any{"1": "3", "a.b": "4"},
		"both": "1", "both.a": "2", "logo": logo, "after": "3",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	files := map[string]param.Upload{"logo": logo, "agenda": logo}
	if got := param.FromForm(url.Values{"logo": {""}}, files)["logo"]; !reflect.DeepEqual(got, logo) {
		t.Errorf("a file and an empty text under one name are %v, want the file", got)
	}
	both := param.FromForm(url.Values{"logo": {"text"}, "agenda": {"text"}}, files)
	errs, _ := param.Decode(fields, both, clock, new(every)).(param.Errors)
	for _, name := range []string{"logo", "agenda"} { // agenda takes several values
		if i := slices.IndexFunc(errs, func(e param.Error) bool { return e.Field == name }); i < 0 ||
			!strings.Contains(errs[i].Message, "more than once") {
			t.Errorf("a file and a text under the name %s are not refused: %v", name, errs)
		}
	}
}

// TestEveryBadField sends only bad fields and expects all errors at once, in the order of the fields.
func TestEveryBadField(t *testing.T) {
	in := fromJSON(t,
		`{"body": 1, "agenda": 2, "seats": 99, "open": "x", "tempo": "x", "accept": ["9"], "score": {"9": 1},
		"owner": [], "closes_at": "x", "lease": "x", "key": "xxxxxxxxxxxxx", "logo": 5, "sets": 1, "_why": "x"}`)
	var names []string
	errs, _ := param.Decode(fields, in, clock, new(every)).(param.Errors)
	for _, e := range errs {
		names = append(names, e.Field)
	}
	want := "title body agenda seats open tempo accept score owner closes_at lease key logo _why sets"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got  %s\nwant %s\n%v", got, want, errs)
	}
}

// TestBounded sends far too many bad values and expects a short error message.
func TestBounded(t *testing.T) {
	many := make([]param.Option, 100)
	for i := range many {
		many[i].Value = fmt.Sprintf("option%d", i)
	}
	offered := param.Apply(fields, param.Offers{"accept": {Options: many}, "score": {Options: many}})
	in := param.Input{}
	cells := map[string]any{}
	for i := range 1000 {
		in[fmt.Sprintf("x%d%s", i, strings.Repeat("y", 100))] = i
		cells[strings.Repeat("z", i)] = 1
	}
	in["accept"], in["score"] = []string{strings.Repeat("z", 1000)}, cells
	err := param.Decode(offered, in, clock, new(every))
	if err == nil || len(err.Error()) > 4000 {
		t.Errorf("%d bytes: %v", len(err.Error()), err)
	}
	if errs := err.(param.Errors); errs[len(errs)-1] != (param.Error{
		Field:   "params",
		Message: "have 990 more unknown names",
	}) {
		t.Errorf("last: %v", errs[len(errs)-1])
	}
}

// TestBadStays expects a field that is bad or was not sent to keep its value.
func TestBadStays(t *testing.T) {
	before := every{
		Title: "Weekly", Body: "Long", Agenda: []string{"one"}, Seats: 3, Open: true, Tempo: "daily", Accept: []string{"2"},
		Score: map[string]int{"1": 9}, Owner: "alice", Closes: clock.Now, Lease: time.Hour, Key: "s3cret", Logo: param.Upload{Name: "a"},
	}
	capped := param.Apply(fields, param.Offers{"accept": {Options: options, Max: 1}})
	bad := fromJSON(t, `{"title": "x", "body": 1, "agenda": ["1", "2", "3", "4"], "seats": 99, "open": "x", "tempo": "x",
		"accept": ["1", "2"], "score": {"1": 10}, "owner": [], "closes_at": "x", "lease": "0m", "key": "xxxxxxxxxxxxx",
		"logo": "12345678901234567"}`)
	for in, wrong := range map[*param.Input]int{&bad: len(fields), {"title": "Weekly"}: 0} {
		got := before
		errs := param.ErrorsOf(param.Decode(capped, *in, clock, &got))
		if len(errs) != wrong || !reflect.DeepEqual(got, before) {
			t.Errorf("%v: %v\n got %+v\nwant %+v", *in, errs, got, before)
		}
	}
}

// TestRequired expects the message about a missing value to say which values are accepted.
func TestRequired(t *testing.T) {
	titles := "the options are 1 (Yes, every Monday), 2 (Yes, async), 3 (No change)"
	for _, c := range []struct{ field, want string }{
		{"seats", ""}, {"closes_at", ". " + param.TimeForms}, {"lease", ". " + param.DurationForms},
		{"tempo", "; the options are daily, weekly (Once a week)"}, {"accept", "; " + titles},
		{"score", "; " + titles + `; send {"1": 8, "2": 1}`},
	} {
		required := param.Apply(fields, param.Offers{c.field: {Required: true}})
		err := param.Decode(required, param.Input{"title": "Weekly"}, clock, new(every))
		if want := c.field + ": is required" + c.want; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	none := param.Apply(fields, param.Offers{"score": {Required: true, Options: []param.Option{}}})
	err := param.Decode(none, param.Input{"title": "Weekly"}, clock, new(every))
	if err == nil || err.Error() != "score: is required; there is nothing to choose here now" {
		t.Error(err)
	}
}

// TestNoParams sends a parameter to an action that takes none.
func TestNoParams(t *testing.T) {
	err := param.Decode(nil, param.Input{"title": "Weekly"}, clock, new(struct{}))
	if err == nil || err.Error() != "title: is not a parameter here; it takes none" {
		t.Error(err)
	}
}

// TestKeep expects absent fields to keep the value that the form showed. Empty fields do not keep it, and unticked
// boxes of a complete form do not either.
func TestKeep(t *testing.T) {
	shown := param.Apply(fields, param.Offers{
		"title":  {Value: "Weekly"},
		"body":   {Value: "Long"},
		"agenda": {Values: []string{"one", "two"}},
		"open":   {Value: "true"},
		"accept": {Options: options, Values: []string{"2"}},
		"score":  {Options: options, Values: []string{"1=9"}},
	})
	all := every{
		Title:  "Weekly",
		Body:   "Long",
		Agenda: []string{"one", "two"},
		Open:   true,
		Accept: []string{"2"},
		Score:  map[string]int{"1": 9},
	}
	cleared, unticked := all, all
	cleared.Body, cleared.Agenda, cleared.Score, cleared.Open = "", nil, nil, false
	unticked.Open, unticked.Accept = false, nil
	for _, c := range []struct {
		name string
		in   param.Input
		want every
	}{
		{"nothing", fromJSON(t, `{}`), all},
		{"null and empty", fromJSON(t, `{"body": null, "agenda": [], "score": {}, "open": null}`), cleared},
		{"a form's fields", param.FromForm(url.Values{
			"body": {""}, "agenda": {""}, "score.1": {""}, "score.2": {""}, "open": {""},
		}, nil), cleared},
		{"a whole form", param.FromForm(url.Values{"_if_version": {"7"}, "body": {"Long"}}, nil), unticked},
	} {
		var got every
		if err := param.Decode(shown, param.Keep(shown, c.in), clock, &got); err != nil ||
			!reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v\n got %+v\nwant %+v", c.name, err, got, c.want)
		}
	}
	if err := param.Decode(fields, fromJSON(t, `{"title": "Weekly", "_form": {}}`), clock, new(every)); err == nil {
		t.Error("JSON can pass for a form")
	}
}

// TestEmptied sends fields that have a present value as empty. Choosing no option and unticking a box do not count as
// empty.
func TestEmptied(t *testing.T) {
	shown := param.Apply(fields, param.Offers{"title": {Value: "Weekly"}, "agenda": {Values: []string{"one"}},
		"open": {Value: "true"}, "accept": {Options: options, Values: []string{"2"}}, "score": {Options: options, Values: []string{"1=9"}}})
	for json, want := range map[string]string{
		`{}`: "", `{"title": "x", "body": "", "agenda": ["x"]}`: "", `{"open": false, "accept": []}`: "",
		`{"title": " ", "agenda": [], "open": null, "accept": "", "score": {}}`: "title agenda open accept score",
	} {
		got := ""
		for _, f := range param.Emptied(shown, fromJSON(t, json)) {
			got += f.Name + " "
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s: %q, want %q", json, got, want)
		}
	}
	if got := param.Emptied(shown, param.FromForm(url.Values{"_none": {"accept open"}}, nil)); got != nil {
		t.Errorf("unticked boxes: %v", got)
	}
}
