package runner

import (
	"strings"
	"testing"
)

// TestProgramsMustBeAllowed checks which runners start the programs of repositories.
func TestProgramsMustBeAllowed(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{}, "starts no programs"},
		{Config{Agents: true}, ""},
		{Config{Agents: true, Scripts: "/srv/scripts"}, "no other programs than its own scripts"},
		{Config{Scripts: "/srv/scripts"}, "starts no programs"},
	} {
		err := (&Runner{Config: c.config}).mustStart()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.config, err, c.want)
		}
	}
}
