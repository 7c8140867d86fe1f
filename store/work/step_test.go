package work

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestStepOfACall checks the line that tells a call of a tool, and whether the line is a command.
func TestStepOfACall(t *testing.T) {
	for _, c := range []struct {
		call call
		want string
		runs bool
	}{
		{call{CallHead: CallHead{Title: "Edit beds.csv", Kind: "edit"}}, "Edit beds.csv", false},
		{call{CallHead: CallHead{Title: "Test it", Kind: "execute"},
			Input: json.RawMessage(`{"command":"make\n test"}`)}, "make test", true},
		{call{CallHead: CallHead{Title: "Test it", Kind: "execute"}, Input: json.RawMessage(`{"command":["make"]}`)}, "Test it", false},
		{call{CallHead: CallHead{Title: "`make test`", Kind: "execute"}}, "make test", true},
		{call{CallHead: CallHead{Title: "Commit", Kind: "execute"}, Input: json.RawMessage(`null`)}, "Commit", false},
		{call{CallHead: CallHead{Title: " \n", Kind: "read"}}, "", false},
		{call{CallHead: CallHead{Title: strings.Repeat("ö", 200)}}, strings.Repeat("ö", maxStep-1) + "…", false},
	} {
		if line, runs := c.call.step(); line != c.want || runs != c.runs {
			t.Errorf("%+v: %q, %v, want %q, %v", c.call, line, runs, c.want, c.runs)
		}
	}
}
