package param_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"samepage/actions/param"
)

func resolved(t testing.TB, fields []param.Field) *jsonschema.Resolved {
	t.Helper()
	text := param.AppendSchema(nil, fields)
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// TestSchemaAccepts encodes random params and expects them to be valid by the schema.
func TestSchemaAccepts(t *testing.T) {
	schema := resolved(t, fields)
	rapid.Check(t, func(t *rapid.T) {
		text := param.Encode(fields, drawn(t))
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

// TestSchemaAgrees sends valid and invalid values of every kind in the canonical notation. The schema must accept
// exactly the values that Decode accepts. The test leaves out values that a schema cannot describe (see AppendSchema),
// and values that only Decode accepts: numbers, flags and lists as texts, single options, numbers as options, and empty
// values.
func TestSchemaAgrees(t *testing.T) {
	required := make(param.Offers)
	for _, f := range fields {
		required[f.Name] = &param.Offered{Required: true}
	}
	required["accept"] = &param.Offered{Required: true, Min: 2, Max: 2}
	required["agenda"] = &param.Offered{Required: true, Min: 2}
	resolved(t, nil)                                     // no fields
	resolved(t, param.Fields(reflect.TypeFor[ballot]())) // choices without options
	for _, offered := range [][]param.Field{fields, param.Apply(fields, required)} {
		schema := resolved(t, offered)
		rapid.Check(t, func(t *rapid.T) { agrees(t, schema, offered) })
	}
}

func agrees(t *rapid.T, schema *jsonschema.Resolved, offered []param.Field) {
	text := func(most int) *rapid.Generator[any] {
		return rapid.Map(rapid.SampledFrom([]int{1, 2, 3, most - 1, most, most + 1}),
			func(n int) any { return strings.Repeat("é", n) })
	}
	option := rapid.SampledFrom([]string{"1", "2", "3", "4"})
	number := rapid.Map(rapid.SampledFrom([]string{"-6", "-5", "0", "9", "10", "12", "13", "1.5",
		"2.0", "1e1", "1e10"}),
		func(s string) any { return json.Number(s) })
	values := map[string]*rapid.Generator[any]{
		"title":  text(20),
		"body":   text(40),
		"agenda": rapid.Map(rapid.SliceOfN(text(param.MaxLine), 1, 4), func(l []any) any { return l }),
		"seats":  number,
		"open":   rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		"tempo": rapid.Map(rapid.SampledFrom([]string{"daily", "weekly", "Weekly"}),
			func(s string) any { return s }),
		"accept":    rapid.Map(rapid.SliceOfN(option, 1, 4), anyList),
		"score":     rapid.Map(rapid.MapOfN(option, number, 1, 4), func(m map[string]any) any { return m }),
		"owner":     text(param.MaxRef),
		"closes_at": rapid.Map(rapid.SampledFrom([]string{"3d", "2026-11-23T12:00"}), func(s string) any { return s }),
		"lease": rapid.Map(rapid.SampledFrom([]string{"3d", "2h 30m", "3m2h", "1.5h", "-3d", "soon"}),
			func(s string) any { return s }),
		"key":  text(12),
		"logo": rapid.Map(rapid.SampledFrom([]int{1, 16, 17}), func(n int) any { return strings.Repeat("x", n) }),
	}
	// Each field gets a valid value. Then one or two fields get random values, so that valid and invalid objects are
	// about equally frequent.
	object := map[string]any{
		"title": "Weekly", "body": "x", "agenda": []any{"a", "b"}, "seats": 1, "open": true,
		"tempo": "daily", "accept": []any{"1", "2"},
		"score": map[string]any{"1": 1}, "owner": "alice", "closes_at": "3d", "lease": "3d", "key": "k", "logo": "x",
	}
	for _, f := range rapid.SliceOfN(rapid.SampledFrom(offered), 1, 2).Draw(t, "fields") {
		switch rapid.IntRange(0, 9).Draw(t, "what of "+f.Name) {
		case 0:
			delete(object, f.Name)
		case 1:
			object[f.Name] = []any{map[string]any{"a": json.Number("1")}} // a value that no kind accepts
		default:
			object[f.Name] = values[f.Name].Draw(t, f.Name)
		}
	}
	if rapid.IntRange(0, 20).Draw(t, "unknown") == 0 {
		object["unknown"] = "x"
	}
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	in, err := param.FromJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	var instance any
	if err := json.Unmarshal(data, &instance); err != nil {
		t.Fatal(err)
	}
	decoding, validation := param.Decode(offered, in, clock, new(every)), schema.Validate(instance)
	if (decoding == nil) != (validation == nil) {
		t.Fatalf("%s:\nDecode: %v\nschema: %v", data, decoding, validation)
	}
}

func anyList(l []string) any {
	list := make([]any, len(l))
	for i := range l {
		list[i] = l[i]
	}
	return list
}
