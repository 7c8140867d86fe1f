package param_test

import (
	"reflect"
	"strings"
	"testing"

	"samepage/actions/param"
)

func TestApply(t *testing.T) {
	declared := param.Fields(reflect.TypeFor[every]())
	if got := param.Apply(declared, nil); &got[0] != &declared[0] || len(got) != len(declared) {
		t.Error("nothing offered differently: want the same slice")
	}
	before := append([]param.Field(nil), declared...)
	got := param.Apply(declared, param.Offers{
		"title":  {Max: 10, Min: 5, Value: "Weekly"},
		"body":   {Max: 1 << 20, Required: true}, // the offer is wider than the declaration, so the declared limit stays
		"seats":  {Omit: true},
		"accept": {Options: options, Values: []string{"1"}, Max: 2},
		"tempo":  {Options: []param.Option{{Value: "daily"}}},
		"agenda": {Cells: []param.Cell{{Title: "Room"}}},
		"key":    {Value: "never prefilled"},
		"owner":  {Explicit: true, Max: param.MaxRef}, // Max is the limit of every ref
		"logo":   {Value: "never prefilled"},
	})
	if !reflect.DeepEqual(declared, before) {
		t.Error("the declared fields changed")
	}
	by := map[string]param.Field{}
	for _, f := range got {
		by[f.Name] = f
	}
	if _, ok := by["seats"]; ok || len(got) != len(declared)-1 {
		t.Error("seats is still offered")
	}
	if f := by["title"]; f.Max != 10 || f.Min != 5 || f.Value != "Weekly" || f.Optional {
		t.Errorf("title: %+v", f)
	}
	if f := by["body"]; f.Limit() != 40 || f.Optional {
		t.Errorf("body: %+v", f)
	}
	if f := by["accept"]; !reflect.DeepEqual(f.Options, options) || f.Values[0] != "1" || f.Limit() != 2 {
		t.Errorf("accept: %+v", f)
	}
	if f := by["tempo"]; len(f.Options) != 1 {
		t.Errorf("tempo: %+v", f)
	}
	if f := by["agenda"]; len(f.Cells) != 1 {
		t.Errorf("agenda: %+v", f)
	}
	if f := by["key"]; f.Value != "" {
		t.Errorf("key: %+v", f)
	}
	if f := by["logo"]; f.Value != "" {
		t.Errorf("logo: %+v", f)
	}
	if f := by["owner"]; f.Max != 0 || !f.Explicit || f.MayBeLeftOut() || by["key"].Explicit {
		t.Errorf("owner: %+v", f)
	}
}

// TestLongTitles expects the title of an option to be cut after thirty characters.
func TestLongTitles(t *testing.T) {
	title := strings.Repeat("é", 30)
	for label, want := range map[string]string{title: "a (" + title + ")", title + "é": "a (" + title + "…)"} {
		offered := param.Apply(fields, param.Offers{"tempo": {Options: []param.Option{{Value: "a", Label: label}}}})
		err := param.Decode(offered, param.Input{"title": "Weekly", "tempo": "b"}, clock, new(every))
		if err == nil || err.Error() != `tempo: cannot be "b"; the options are `+want {
			t.Error(err)
		}
	}
}

// TestOffered decodes by the fields as offered to one actor, and not as declared.
func TestOffered(t *testing.T) {
	type join struct {
		Sure  bool     `param:"sure,flag" doc:"You read the rules."`
		Role  string   `param:"role,choice" doc:"As what."`
		Days  []string `param:"days,choices,optional" doc:"When."`
		Seats int      `param:"seats,number,optional" doc:"How many."`
	}
	offered := param.Apply(param.Fields(reflect.TypeFor[join]()), param.Offers{
		"days": {Options: options, Min: 2, Max: 2}, "seats": {Omit: true},
	})
	for _, c := range []struct{ json, want string }{
		{`{}`, "sure: is required; role: is required; there is nothing to choose here now"},
		{`{"sure": false, "role": "leader"}`, `sure: must be true to go on; role: cannot be "leader"; there is nothing to choose here now`},
		{`{"sure": true, "role": "x", "days": ["1"]}`,
			`role: cannot be "x"; there is nothing to choose here now; days: has 1 options; at least 2 are needed`},
		{`{"sure": true, "role": "x", "days": ["1", "2", "3"]}`,
			`role: cannot be "x"; there is nothing to choose here now; days: has 3 options; at most 2 fit`},
		{`{"sure": true, "role": "x", "seats": 3}`,
			`role: cannot be "x"; there is nothing to choose here now; seats: does not apply here; leave it out`},
		{`{"sure": true, "role": "x", "seats": null}`, `role: cannot be "x"; there is nothing to choose here now`},
	} {
		var got join
		if err := param.Decode(offered, fromJSON(t, c.json), clock, &got); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.json, err, c.want)
		}
	}
}
