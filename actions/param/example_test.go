package param_test

import (
	"reflect"
	"strings"
	"testing"

	"samepage/actions/param"
)

type meantParams struct {
	One  string         `param:"one,choice,optional" doc:"One."`
	Some []string       `param:"some,choices,optional" doc:"Some."`
	Rank map[string]int `param:"rank,grid,optional" max:"5" doc:"Points."`
	File param.Upload   `param:"file,file,optional" doc:"A file."`
}

// TestTitlesAreMeant selects options by their exact titles, which works if no other option has the title.
func TestTitlesAreMeant(t *testing.T) {
	options := []param.Option{{Value: "1", Label: "Cargo"}, {Value: "2", Label: "Wagon"}, {Value: "3", Label: "Wagon"},
		{Value: "4", Label: "1"}}
	offers := param.Offers{}
	for _, name := range []string{"one", "some", "rank"} {
		offers[name] = &param.Offered{Options: options}
	}
	fields := param.Apply(param.Fields(reflect.TypeFor[meantParams]()), offers)
	for _, c := range []struct {
		in   param.Input
		want meantParams
		says string
	}{
		{param.Input{"one": "Cargo"}, meantParams{One: "1"}, ""},
		{param.Input{"one": "1"}, meantParams{One: "1"}, ""},
		{param.Input{"one": "cargo"}, meantParams{}, "the options are"},
		{param.Input{"one": "Wagon"}, meantParams{}, "several options have that title"},
		{param.Input{"some": []any{"Cargo", "2"}}, meantParams{Some: []string{"1", "2"}}, ""},
		{param.Input{"some": []any{"Cargo", "1"}}, meantParams{}, "twice"},
		{param.Input{"rank": map[string]any{"Cargo": 3, "3": 1}}, meantParams{Rank: map[string]int{"1": 3, "3": 1}}, ""},
		{param.Input{"rank": map[string]any{"Cargo": 3, "1": 1}}, meantParams{}, "twice"},
	} {
		var got meantParams
		err := param.Decode(fields, c.in, param.Clock{}, &got)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) ||
			err == nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %+v, %v, want %+v, %q", c.in, got, err, c.want, c.says)
		}
	}
}

// TestExample expects examples only for files and for grids with options.
func TestExample(t *testing.T) {
	one := []param.Option{{Value: "a"}}
	two := append(one, param.Option{Value: "b"}, param.Option{Value: "c"})
	for _, c := range []struct {
		name string
		f    param.Field
		want string
	}{
		{"a file", param.Field{Kind: param.File}, `"data:text/plain;base64,SGVsbG8="`},
		{"a text", param.Field{Kind: param.Text}, ""},
		{"a choice", param.Field{Kind: param.Choice, Options: two}, ""},
		{"nothing to mark", param.Field{Kind: param.Grid, Max: 5}, ""},
		{"one option", param.Field{Kind: param.Grid, Options: one, Max: 5}, `{"a": 1}`},
		{"one option from three on", param.Field{Kind: param.Grid, Options: one, Min: 3, Max: 5}, `{"a": 3}`},
		{"points", param.Field{Kind: param.Grid, Options: two, Max: 5}, `{"a": 4, "b": 1}`},
		{"one point", param.Field{Kind: param.Grid, Options: two, Max: 1}, `{"a": 1}`},
		{"ranks", param.Field{Kind: param.Grid, Options: two, Min: 1, Max: 5}, `{"b": 1, "a": 2}`},
		{"without a limit", param.Field{Kind: param.Grid, Options: two}, `{"b": 1, "a": 2}`},
	} {
		if got := c.f.Example(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestFilesFromText sends texts as files. A data URL is decoded, another text is the contents, and a path is refused.
func TestFilesFromText(t *testing.T) {
	long := func(n int) string { return "/" + strings.Repeat("a", n-1) }
	for text, want := range map[string]string{
		"Hello there":                        "file.txt Hello there",
		"data:text/plain;base64,SGVsbG8=":    "file.txt Hello",
		"data:image/png;base64,iVBORw0KGgo=": "file.png \x89PNG\r\n\x1a\n",
		"data:text/plain;base64,SGVs bG8=\n": "file.txt Hello",
		"data:text/csv,a%2Cb":                "file.csv a,b",
		"/etc is a folder":                   "file.txt /etc is a folder",
		"data:text/plain;base64,???":         "refused",
		"/etc/passwd":                        "refused",
		"./notes.md":                         "refused",
		`C:\Users\a\x.png`:                   "refused",
		`C:\my letters\to a friend`:          "refused",
		"d:/my letters/to a friend":          "refused",
		"c:":                                 "file.txt c:",
		"a: one, b: two":                     "file.txt a: one, b: two",
		"https://example.org/x.png":          "refused",
		"out/report.pdf":                     "refused",
		"and/or":                             "file.txt and/or",
		"report.pdf":                         "refused",
		`[{"text":"src/main.go"}]`:           `file.txt [{"text":"src/main.go"}]`,
		`{"branch":"release/v1.2"}`:          `file.txt {"branch":"release/v1.2"}`,
		"[slug]/page.tsx":                    "refused",
		long(400):                            "refused",
		long(401):                            "file.txt " + long(401),
		"a/b.txt\nc/d.txt":                   "file.txt a/b.txt\nc/d.txt",
		"":                                   "file.txt ",
		"data:image/png;what,a":              "file.bin a",
		"See node.js":                        "file.txt See node.js",
		"3.5":                                "file.txt 3.5",
		"Done.":                              "file.txt Done.",
		"It rained.\nWe stayed.":             "file.txt It rained.\nWe stayed.",
	} {
		got := "refused"
		if u, problem := param.FromText("file", text); problem == "" {
			got = u.Name + " " + string(u.Data)
		} else if !strings.Contains(problem, "data") {
			t.Errorf("%q: %s", text, problem)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
