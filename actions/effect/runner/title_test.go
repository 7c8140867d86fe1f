package runner

import (
	"reflect"
	"testing"

	"samepage/actions/effect/runner/acp"
	"samepage/actions/param"
)

// TestTitlesCanBeSeen checks that a request always has a title that the site accepts.
func TestTitlesCanBeSeen(t *testing.T) {
	type asked struct {
		Title string `param:"title,text" max:"500" doc:"What it wants to do."`
	}
	for _, c := range []struct{ title, kind, want string }{
		{"rm -r\n  build", "execute", "rm -r build"},
		{" \n", "execute", "execute"},
		{"\u200b\u2060", "execute", "execute"},
		{"\u3164\u2800", "\ufe0f\u200d", "something that it does not name"},
		{"", "", "something that it does not name"},
		{"👍", "", "👍"},
	} {
		got := title(acp.Tool{Title: c.title, Kind: c.kind})
		if got != c.want {
			t.Errorf("%q of kind %q: %q", c.title, c.kind, got)
		}
		err := param.Decode(param.Fields(reflect.TypeFor[asked]()), param.Input{"title": got}, param.Clock{}, &asked{})
		if err != nil {
			t.Errorf("%q: %v", got, err)
		}
	}
}
