package param_test

import (
	"reflect"
	"testing"

	"samepage/actions/param"
)

func TestSchema(t *testing.T) {
	type join struct {
		Sure  bool           `param:"sure,flag" doc:"You read the \"rules\"."`
		Role  string         `param:"role,choice" doc:"As what."`
		Days  []string       `param:"days,choices" doc:"When."`
		Marks map[string]int `param:"marks,grid" doc:"How much." max:"5"`
	}
	offered := param.Apply(param.Fields(reflect.TypeFor[join]()), param.Offers{
		"days":  {Options: []param.Option{{Value: "1", Label: "Mo"}}},
		"marks": {Options: []param.Option{{Value: "1", Label: "Mo"}, {Value: "2"}}},
		"role":  {Options: []param.Option{{Value: "1", Label: "a€\xff\x80\ufffd\u2028b"}}},
	})
	want := `{"type":"object","properties":{` +
		`"sure":{"title":"Sure","description":"You read the \"rules\".","type":"boolean","const":true},` +
		`"role":{"title":"Role","description":"As what.","type":"string",` +
		`"oneOf":[{"const":"1","title":"a€\ufffd\ufffd` + "\ufffd" + `\u2028b"}]},` +
		`"days":{"title":"Days","description":"When.","type":"array","uniqueItems":true,"minItems":1,` +
		`"items":{"type":"string","oneOf":[{"const":"1","title":"Mo"}]}},` +
		`"marks":{"title":"Marks","description":"How much.","type":"object","minProperties":1,"properties":{` +
		`"1":{"title":"Mo","type":"integer","minimum":0,"maximum":5},` +
		`"2":{"type":"integer","minimum":0,"maximum":5}},"additionalProperties":false,"examples":[{"1": 4, "2": 1}]}},` +
		`"required":["sure","role","days","marks"],"additionalProperties":false}`
	if got := string(param.AppendSchema(nil, offered)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	type none struct {
		Role  string         `param:"role,choice" doc:"As what."`
		Marks map[string]int `param:"marks,grid" doc:"How much." max:"5"`
	}
	want = `{"type":"object","properties":{"role":{"title":"Role","description":"As what.","type":"string","enum":[]},` +
		`"marks":{"title":"Marks","description":"How much.","type":"object","minProperties":1,"properties":{},` +
		`"additionalProperties":false}},"required":["role","marks"],"additionalProperties":false}`
	if got := string(param.AppendSchema(nil, param.Fields(reflect.TypeFor[none]()))); got != want {
		t.Errorf("without options\ngot  %s\nwant %s", got, want)
	}
	same := param.Apply(param.Fields(reflect.TypeFor[none]()), param.Offers{
		"role": {Options: []param.Option{{Value: "a"}, {Value: "b", Label: "b"}}}, "marks": {Omit: true}})
	want = `{"type":"object","properties":{"role":{"title":"Role","description":"As what.","type":"string","enum":["a","b"]}},` +
		`"required":["role"],"additionalProperties":false}`
	if got := string(param.AppendSchema(nil, same)); got != want {
		t.Errorf("options without titles of their own\ngot  %s\nwant %s", got, want)
	}
	if got := string(param.AppendSchema([]byte("x"),
		nil)); got != `x{"type":"object","properties":{},"additionalProperties":false}` {
		t.Errorf("no fields: %s", got)
	}
}
