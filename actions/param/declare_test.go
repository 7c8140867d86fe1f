package param_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
)

func TestFields(t *testing.T) {
	type reason struct {
		Reason string `param:"reason,markdown,optional" max:"2000" doc:"Why, in a sentence or two."`
	}
	type vote struct {
		Accept []string `param:"accept,choices" doc:"The options you can live with."`
		Tempo  tempo    `param:"tempo,choice" doc:"How often." options:"daily,once_a_week,never=Not at all"`
		reason
		Until  string   `param:"until,choice" options:"day=A day,week=A week"`
		_      struct{} `options:"month=A month" doc:"When it ends."`
		_      struct{} `doc:"It may end before."`
		Parsed int      `param:"-"`
		Once   bool     `param:"once,flag,shown" doc:"Only once."`
		Late   bool     `param:"late,flag,more" doc:"It is late."`
		Never  string   `param:"never,text,optional" needed:"tempo=never" doc:"Why never."`
	}
	want := []param.Field{
		{Name: "accept", Kind: param.Choices, Doc: "The options you can live with."},
		{Name: "tempo", Kind: param.Choice, Doc: "How often.", Options: []param.Option{
			{Value: "daily", Label: "Daily"}, {Value: "once_a_week", Label: "Once a week"}, {Value: "never", Label: "Not at all"}}},
		{Name: "reason", Kind: param.Markdown, Doc: "Why, in a sentence or two.", Optional: true, Max: 2000},
		{Name: "until", Kind: param.Choice, Doc: "When it ends. It may end before.", Options: []param.Option{
			{Value: "day", Label: "A day"}, {Value: "week", Label: "A week"}, {Value: "month", Label: "A month"}}},
		{Name: "once", Kind: param.Flag, Doc: "Only once.", Optional: true, Shown: true},
		{Name: "late", Kind: param.Flag, Doc: "It is late.", Optional: true, More: true},
		{Name: "never", Kind: param.Text, Doc: "Why never.", Optional: true, Needed: "tempo=never"},
	}
	if got := param.Fields(reflect.TypeFor[vote]()); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := param.Fields(reflect.TypeFor[struct{}]()); len(got) != 0 {
		t.Errorf("no fields: got %v", got)
	}
	// A field of an embedded struct is set like any other.
	var v vote
	in := fromJSON(t, `{"accept": "1", "tempo": "never", "until": "day", "reason": "so"}`)
	accept := param.Apply(want, param.Offers{"accept": {Options: options}})
	if err := param.Decode(accept, in, clock, &v); err != nil || v.Reason != "so" || v.Tempo != "never" {
		t.Errorf("got %+v, %v", v, err)
	}
}

// TestLeast declares fields with a minimum length of 0, and with a minimum length equal to the maximum. It checks that
// an optional field may still be left out.
func TestLeast(t *testing.T) {
	type least struct {
		Code  string       `param:"code,text" doc:"Four digits." min:"4" max:"4"`
		Any   string       `param:"any,text,optional" doc:"Anything." min:"0"`
		Steps []string     `param:"steps,lines,optional" doc:"Two or more." min:"2"`
		Logo  param.Upload `param:"logo,file,optional" doc:"A picture." min:"2"`
	}
	var got least
	in := param.Input{"code": "1234", "steps": "", "logo": param.Upload{}}
	if err := param.Decode(param.Fields(reflect.TypeFor[least]()), in, clock, &got); err != nil || got.Code != "1234" {
		t.Errorf("got %+v: %v", got, err)
	}
}

func TestFieldsPanics(t *testing.T) {
	for _, c := range []struct {
		t    reflect.Type
		want string
	}{
		{reflect.TypeFor[int](), "int is not a struct"},
		{reflect.TypeFor[struct{ A string }](), "A has no param tag"},
		{reflect.TypeFor[struct {
			_ struct{} `doc:"A."`
		}](), "continues the tags of the field above it"},
		{reflect.TypeFor[struct {
			A string `param:"a,text" doc:"A."`
			_ string `doc:"B."`
		}](), "continues the tags of the field above it"},
		{reflect.TypeFor[struct {
			a string `param:"a,text" doc:"A."`
		}](), "a is not exported"},
		{reflect.TypeFor[struct {
			A string `param:"a" doc:"A."`
		}](), `is not "name,kind"`},
		{reflect.TypeFor[struct {
			A string `param:"a,text,maybe" doc:"A."`
		}](), `is not "name,kind"`},
		{reflect.TypeFor[struct {
			A string `param:"a,texts" doc:"A."`
		}](), `there is no kind "texts"`},
		{reflect.TypeFor[struct {
			A string `param:"Ab,text" doc:"A."`
		}](), `the name "Ab" is not`},
		{reflect.TypeFor[struct {
			A string `param:"_a,text" doc:"A."`
		}](), `the name "_a" is not`},
		{reflect.TypeFor[struct {
			A []string `param:"a,text" doc:"A."`
		}](), "a text is a Go string, not a []string"},
		{reflect.TypeFor[struct {
			A int64 `param:"a,number" doc:"A."`
		}](), "a number is a Go int, not a int64"},
		{reflect.TypeFor[struct {
			A int64 `param:"a,duration" doc:"A."`
		}](), "a duration is a Go time.Duration, not a int64"},
		{reflect.TypeFor[struct {
			A *time.Time `param:"a,time" doc:"A."`
		}](), "not a *time.Time"},
		{reflect.TypeFor[struct {
			A string `param:"a,text" doc:" "`
		}](), "the doc tag is missing"},
		{reflect.TypeFor[struct {
			A string `param:"a,text" doc:"A."`
			B string `param:"a,text" doc:"B."`
		}](), `B: the name "a" is taken`},
		{reflect.TypeFor[struct {
			A string `param:"a,text" doc:"A." max:"many"`
		}](), `max:"many" is not a number`},
		{reflect.TypeFor[struct {
			A string `param:"a,text" doc:"A." min:"few"`
		}](), `min:"few" is not a number`},
		{reflect.TypeFor[struct {
			A string `param:"a,text" doc:"A." max:"0"`
		}](), `max:"0" is not a number`},
		{reflect.TypeFor[struct {
			A struct {
				B string `param:"b,text" doc:"B."`
			}
		}](), "A has no param tag"},
		{reflect.TypeFor[struct {
			A string `param:"a,text" doc:"A." min:"-1"`
		}](), `min:"-1" is not a number`},
		{reflect.TypeFor[struct {
			A string `param:"a,text" doc:"A." min:"201"`
		}](), "the least, 201, is more than the most, 200"},
		{reflect.TypeFor[struct {
			A bool `param:"a,flag" doc:"A." max:"1"`
		}](), "a flag has no max"},
		{reflect.TypeFor[struct {
			A string `param:"a,text" doc:"A." options:"b"`
		}](), "a text has no options"},
		{reflect.TypeFor[struct {
			A string `param:"a,choice" doc:"A." options:"b,b"`
		}](), "a repeated option"},
		{reflect.TypeFor[struct {
			A string `param:"a,choice" doc:"A." options:"b,c"`
			D string `param:"d,text,optional" doc:"D." needed:"a=e"`
		}](), `needed:"a=e" is no option`},
		{reflect.TypeFor[struct {
			A string `param:"a,choice" doc:"A." options:"b,c"`
			D string `param:"d,text" doc:"D." needed:"a=b"`
		}](), `needed:"a=b" is no option of a choice above it, or the field is not optional`},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "param: ") || !strings.Contains(got, c.want) {
					t.Errorf("%s:\n got %s\nwant %s", c.t, got, c.want)
				}
			}()
			param.Fields(c.t)
		}()
	}
}

func TestLabel(t *testing.T) {
	for name, want := range map[string]string{"closes_at": "Closes at", "title": "Title", "a_b_c": "A b c", "": ""} {
		if got := (param.Field{Name: name}).Label(); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
