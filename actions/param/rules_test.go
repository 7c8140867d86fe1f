package param_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
)

// TestDescribe expects the values of all fields in words, except that of a secret.
func TestDescribe(t *testing.T) {
	in := fromJSON(t, `{"title":"Hello","body":"","agenda":["one","two"],"seats":3,"open":true,"accept":["1","4"],
		"score":{"2":7},"owner":null,"key":"hunter2","unknown":[]}`)
	in["logo"] = param.Upload{Name: "a.png", Data: []byte("1234")}
	got := map[string]string{}
	var order []string
	param.Describe(fields, in, func(f *param.Field, values []string) {
		got[f.Name], order = strings.Join(values, "; "), append(order, f.Name)
	})
	want := map[string]string{"title": "Hello", "body": "(empty)", "agenda": "one; two", "seats": "3", "open": "yes",
		"accept": "1 (Yes, every Monday); 4", "score": "2 (Yes, async): 7", "owner": "(nothing)", "key": "(a secret)",
		"logo": "a.png (4 bytes)", "unknown": "(none)"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("described as %v, want %v", got, want)
	}
	if last := order[len(order)-1]; order[0] != "title" || last != "unknown" {
		t.Errorf("in the order %v", order)
	}
	same := &param.Field{Name: "a", Options: []param.Option{{Value: "x", Label: "x"}, {Value: "y"}}}
	three := param.Input{"a": []string{"x", "y", "z"}}
	param.Describe([]param.Field{*same}, three, func(_ *param.Field, values []string) {
		if !slices.Equal(values, []string{"x", "y", "z"}) {
			t.Errorf("options without words of their own are %q", values)
		}
	})
}

// TestFillIn expects a form to show the values that were sent, but never a secret or a file.
func TestFillIn(t *testing.T) {
	offered := param.Apply(fields, param.Offers{"title": {Value: "Offered"}, "agenda": {Values: []string{"offered"}}})
	find := func(list []param.Field, name string) param.Field {
		for _, f := range list {
			if f.Name == name {
				return f
			}
		}
		t.Fatal(name)
		return param.Field{}
	}
	in := param.Input{"body": "Text", "agenda": "one", "accept": []any{"1", "2"}, "score": map[string]any{"1": 4},
		"seats": "2", "key": "hunter2", "logo": param.Upload{Name: "a.png"}}
	got := param.FillIn(offered, in, false)
	for name, want := range map[string]string{"title": "Offered []", "body": "Text []", "agenda": "one [one]",
		"accept": " [1 2]", "score": " [1=4]", "seats": "2 []", "key": " []", "logo": " []"} {
		if f := find(got, name); fmt.Sprint(f.Value, " ", f.Values) != want {
			t.Errorf("%s has %q %v, want %s", name, f.Value, f.Values, want)
		}
	}
	if f := find(offered, "body"); f.Value != "" {
		t.Errorf("the offered fields changed: %q", f.Value)
	}
	if f := find(param.FillIn(offered, nil, false), "title"); f.Value != "Offered" {
		t.Errorf("nothing was sent, and the offer %q stays", f.Value)
	}
	for _, in := range []param.Input{{}, {"body": "Text"}} {
		if f := find(param.FillIn(offered, in, true), "title"); f.Value != "" {
			t.Errorf("a whole form left the title empty, and it has %q", f.Value)
		}
	}
}

// TestFreeze expects a thawed input to equal the original, with its files and the mark of a complete form.
func TestFreeze(t *testing.T) {
	in := param.FromForm(map[string][]string{"_if_version": {"3"}, "title": {"Hello"}, "accept": {"1", "2"}},
		map[string]param.Upload{"logo": {Name: "a.png", Data: []byte("1234")}, "none": {}})
	for _, in := range []param.Input{in, nil, fromJSON(t, `{"title":"Hello","seats":12345678901234567}`)} {
		data, err := param.Freeze(in)
		if err != nil {
			t.Fatal(err)
		}
		again, err := param.Thaw(data)
		if err != nil || again == nil {
			t.Fatalf("%s: %v", data, err)
		}
		second, err := param.Freeze(again)
		if err != nil || !bytes.Equal(data, second) {
			t.Errorf("%s became %s: %v", data, second, err)
		}
	}
	data, _ := param.Freeze(in)
	again, err := param.Thaw(data)
	if logo, ok := again["logo"].(param.Upload); err != nil || !ok || logo.Name != "a.png" ||
		string(logo.Data) != "1234" {
		t.Errorf("the file came back as %v: %v", again["logo"], err)
	}
	if len(again) != 4 { // three values and the mark of a complete form
		t.Errorf("%v came back", again)
	}
	if _, err := param.Thaw([]byte("{")); err == nil {
		t.Error("half an input was read")
	}
	closed, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	lost := param.Upload{Temp: &param.Temp{File: closed, Size: 4}}
	if _, err := param.Freeze(param.Input{"logo": lost}); err == nil {
		t.Error("a file that cannot be read was stored")
	}
}

// TestUpload expects the reader of an upload to return the bytes of the temporary file if there is one, and otherwise
// those in memory.
func TestUpload(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("on disk"); err != nil {
		t.Fatal(err)
	}
	for want, u := range map[string]param.Upload{
		"on disk":   {Data: []byte("other"), Temp: &param.Temp{File: file, Size: 7, Sum: []byte("sum")}},
		"in memory": {Data: []byte("in memory")},
	} {
		got, err := io.ReadAll(u.Reader())
		if err != nil || string(got) != want || u.Size() != int64(len(want)) {
			t.Errorf("%q of %d bytes, want %q: %v", got, u.Size(), want, err)
		}
		if sum := u.Sum(); (string(sum) == "sum") != (u.Temp != nil) || u.Temp == nil && len(sum) != 32 {
			t.Errorf("%s has the sum %x", want, sum)
		}
	}
}

// TestMergeErrors expects one error for each field, in the order of the fields. Errors without a field come last.
func TestMergeErrors(t *testing.T) {
	first := param.Errors{{Field: "seats", Message: "1"}, {Field: "params", Message: "2"}}
	got := first.Merge(fields, param.Errors{{Field: "seats", Message: "3"}, {Field: "body", Message: "4"},
		{Field: "title", Message: "5"}})
	if got.Error() != "title: 5; body: 4; seats: 1; params: 2" {
		t.Error(got)
	}
	if !got.Has("body") || got.Has("key") {
		t.Errorf("%v has the wrong fields", got)
	}
}

func TestMembers(t *testing.T) {
	got, err := param.Members([]byte(` {"a" : {"x":[1,"}",{}],"y":2} , "b":-1.5e3,"c":"q\"},","d":true }`))
	want := map[string]string{"a": `{"x":[1,"}",{}],"y":2}`, "b": "-1.5e3", "c": `"q\"},"`, "d": "true"}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%s: %v", got, err)
	}
	for name, raw := range want {
		if string(got[name]) != raw {
			t.Errorf("%s is %s, want %s", name, got[name], raw)
		}
	}
	for _, empty := range []string{"", " ", "null"} {
		if got, err := param.Members([]byte(empty)); got != nil || err != nil {
			t.Errorf("%q was read as %v: %v", empty, got, err)
		}
	}
	many := func(n int) []byte {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"%d":0`, i)
		}
		return []byte("{" + strings.Join(list, ",") + "}")
	}
	if got, err := param.Members(many(10_000)); err != nil || len(got) != 10_000 {
		t.Errorf("%d members: %v", len(got), err)
	}
	for text, want := range map[string]string{"[1]": "must be an object", `"a"`: "must be an object", `{"a":1,"a":2}`: "twice",
		`{"a":`: "unexpected end", `{"\ud800`: "unexpected end", string(many(10_001)): "more than 10000 members"} {
		if got, err := param.Members([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s was read as %d members: %v, want %q", text, len(got), err, want)
		}
	}
}

// TestParseTime refuses years that a page cannot show, and parses a date as the beginning of that day.
func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-23T12:00:40": "2026-11-23T11:00:00Z false", "2026-11-23": "2026-11-22T23:00:00Z true",
		"1900-01-01": "1899-12-31T23:00:00Z true", "2199-12-31": "2199-12-30T23:00:00Z true",
		"3h":             "2026-11-20T12:30:00Z false",
		"2026-11-23 UTC": "2026-11-23T00:00:00Z true", "2026-11-23 12:00 UTC": "2026-11-23T12:00:00Z false",
	} {
		got, dated, _, ok := param.ParseTime(text, clock)
		if !ok || fmt.Sprint(got.UTC().Format(time.RFC3339), " ", dated) != want {
			t.Errorf("%s was read as %s, %v, %v; want %s", text, got, dated, ok, want)
		}
	}
	for _, text := range []string{"1899-12-31", "2200-01-01", "soon", "", strings.Repeat(" ", 41)} {
		if got, dated, _, ok := param.ParseTime(text, clock); ok || dated || !got.IsZero() {
			t.Errorf("%q was read as %s", text, got)
		}
	}
}

// TestDecodeAtTheLimit expects values exactly at the limits to be accepted, and larger ones to be refused.
func TestDecodeAtTheLimit(t *testing.T) {
	for name, value := range map[string]string{
		"closes_at": `"1900-01-01T12:00"`, "lease": `"3650d"`, "seats": `"1` + strings.Repeat(" ", 50) + `"`,
		"agenda": `["a","b","` + strings.Repeat("c", param.MaxLine) + `"]`,
	} {
		var dst every
		in := fromJSON(t, `{"title":"Hello","`+name+`":`+value+`}`)
		if err := param.Decode(fields, in, clock, &dst); err != nil {
			t.Errorf("%s: %v", value, err)
		}
	}
	for name, value := range map[string]string{"last year": `"2199-12-31T12:00"`, "farthest": `"3650d"`} {
		var dst every
		if err := param.Decode(fields, fromJSON(t, `{"title":"Hello","closes_at":`+value+`}`), clock, &dst); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for field, values := range map[string]map[string]string{
		"closes_at": {`"1899-06-01T12:00"`: "from 1900 to 2199", `"2200-01-01T12:00"`: "from 1900 to 2199", `"3651d"`: "cannot be"},
		"lease":     {`"3651d"`: "at most 3650 days", `"3"`: "cannot be", `"99999999999999999999d"`: "at most 3650 days"},
		"body":      {`"\u0000a"`: "contains a NUL"},
		"agenda": {`"\u0000a"`: "contains a NUL",
			`["` + strings.Repeat("x", 9000) + `","` + strings.Repeat("y", 9001) + `"]`: "9000 characters"},
		"seats":  {`9007199254740994.0`: "whole number"},
		"titel":  {`"Hello"`: "did you mean title?"},
		"closes": {`"3d"`: "it takes title"},
		"t":      {`"x"`: "; it takes title, body"},
	} {
		for value, want := range values {
			var dst every
			err := param.Decode(fields, fromJSON(t, `{"title":"Hello","`+field+`":`+value+`}`), clock, &dst)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %.40s: error %v, want %q", field, value, err, want)
			}
		}
	}
	for field, value := range map[string]any{"title": "", "accept": []any{}, "logo": param.Upload{}} {
		required := param.Apply(fields, param.Offers{field: {Required: true}})
		var dst every
		err := param.Decode(required, param.Input{"title": "Hello", field: value}, clock, &dst)
		if got := param.ErrorsOf(err); len(got) != 1 || got[0].Field != field {
			t.Errorf("%s is required, and %v is %v", field, value, err)
		}
	}
}

// TestOmitted sends values for fields that do not apply here. Only empty values are accepted.
func TestOmitted(t *testing.T) {
	offered := param.Apply(fields, param.Offers{"body": {Omit: true}, "agenda": {Omit: true},
		"score": {Omit: true}, "open": nil})
	if len(offered) != len(fields)-3 {
		t.Fatalf("%d fields", len(offered))
	}
	for value, applies := range map[string]bool{`""`: true, `" "`: true, `[]`: true, `{}`: true, `null`: true, `false`: true,
		`"x"`: false, `["x"]`: false, `{"1":1}`: false, `true`: false, `0`: false} {
		for _, name := range []string{"body", "agenda", "score"} {
			var dst every
			err := param.Decode(offered, fromJSON(t, `{"title":"Hello","`+name+`":`+value+`}`), clock, &dst)
			if (err == nil) != applies {
				t.Errorf("%s %s: %v", name, value, err)
			}
		}
	}
	var dst every
	in := param.FromForm(map[string][]string{"title": {"Hello"}, "_none": {"agenda"}}, nil)
	if err := param.Decode(offered, in, clock, &dst); err != nil {
		t.Error(err)
	}
}

func TestDistance(t *testing.T) {
	long := strings.Repeat("a", 64)
	for pair, want := range map[[2]string]int{{"", ""}: 0, {"", "abc"}: 3, {"abc", ""}: 3, {"kitten", "sitting"}: 3,
		{"ab", "ba"}: 2,
		{long, long}: 0, {long + "a", long}: 65, {long, long + "a"}: 65, {"xxx", "yyy"}: 3} {
		if got := param.Distance(pair[0], pair[1]); got != want {
			t.Errorf("%.9q and %.9q: %d, want %d", pair[0], pair[1], got, want)
		}
	}
}

// TestNames checks the syntax of field names: small letters, and after the first one also digits and underscores.
func TestNames(t *testing.T) {
	for name, good := range map[string]bool{"az": true, "a0": true, "a9_z": true, "z": true, "": false,
		"0a": false, "_a": false, "a-b": false, "aB": false, "a{": false, "a:": false, "a/": false, "a`": false} {
		type field = reflect.StructField
		made := reflect.StructOf([]field{{Name: "A", Type: reflect.TypeFor[string](),
			Tag: reflect.StructTag(`param:"` + name + `,text" doc:"A."`)}})
		func() {
			defer func() {
				if refused := recover() != nil; refused == good {
					t.Errorf("%q is refused: %v", name, refused)
				}
			}()
			param.Fields(made)
		}()
	}
}

// TestSchemaOfSecrets expects that only a secret is write-only in the schema. A file has an example there, and a text
// has none.
func TestSchemaOfSecrets(t *testing.T) {
	for i := range fields {
		f := &fields[i]
		schema := string(param.AppendSchema(nil, fields[i:i+1]))
		if strings.Contains(schema, "writeOnly") != (f.Kind == param.Secret) {
			t.Errorf("the schema of a %s is %s", f.Kind, schema)
		}
		if f.Kind == param.Text || f.Kind == param.File {
			if strings.Contains(schema, "examples") != (f.Kind == param.File) {
				t.Errorf("the schema of a %s is %s", f.Kind, schema)
			}
		}
	}
}
