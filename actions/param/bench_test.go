package param_test

import (
	"net/url"
	"reflect"
	"testing"

	"samepage/actions/param"
)

type ballot struct {
	Accept []string `param:"accept,choices" doc:"The options you can live with."`
	Prefer []string `param:"prefer,choices,optional" doc:"Those you like best; each is accepted too."`
	Reason string   `param:"reason,markdown,optional" max:"2000" doc:"Why, in a sentence or two."`
}

var (
	ballotFields = param.Fields(reflect.TypeFor[ballot]())
	ballotOffers = param.Offers{"accept": {Options: options}, "prefer": {Options: options}}
)

func BenchmarkApply(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		param.Apply(ballotFields, ballotOffers)
	}
}

func BenchmarkDecode(b *testing.B) {
	offered := param.Apply(ballotFields, ballotOffers)
	text := []byte(`{"accept": ["1", "3"], "prefer": ["3"], "reason": "It is the least change."}`)
	values := url.Values{"accept": {"1", "3"}, "prefer": {"3"}, "reason": {"It is the least change."}, "_csrf": {"x"}}
	in := fromJSON(b, string(text))
	for name, run := range map[string]func() error{
		"decoded": func() error { return param.Decode(offered, in, clock, new(ballot)) },
		"form":    func() error { return param.Decode(offered, param.FromForm(values, nil), clock, new(ballot)) },
		"json": func() error {
			in, err := param.FromJSON(text)
			if err != nil {
				return err
			}
			return param.Decode(offered, in, clock, new(ballot))
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSchema(b *testing.B) {
	offered := param.Apply(ballotFields, ballotOffers)
	b.ReportAllocs()
	dst := make([]byte, 0, 4096)
	for b.Loop() {
		dst = param.AppendSchema(dst[:0], offered)
	}
}

func BenchmarkEncode(b *testing.B) {
	v := ballot{Accept: []string{"1", "3"}, Prefer: []string{"3"}, Reason: "It is the least change."}
	b.ReportAllocs()
	for b.Loop() {
		param.Encode(ballotFields, &v)
	}
}
