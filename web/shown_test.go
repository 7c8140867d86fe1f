package web_test

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/web/webtest"
)

// choices are the buttons with which a person answers an agent. These buttons are not actions of their own.
var choices = []string{"Allow once", "Deny"}

// TestTheWalkNamesButtons checks that each button that README and the help name on the way to a pull request is the
// title or the button of an action, or the button of a form outside of pages.
func TestTheWalkNamesButtons(t *testing.T) {
	known := append([]string{"Set up"}, choices...)
	for _, place := range webtest.New(t).Site.Places() {
		for i := range place.Actions {
			d := &place.Actions[i]
			known = append(known, d.Title, cmp.Or(d.Button, d.Title))
		}
	}
	readme := part(t, "../README.md", "## Let agents work in your repositories", "\n## ")
	help := part(t, "../views/help/work.md", "# ", "\x00")
	for file, text := range map[string]string{"README.md": readme, "work.md": help} {
		found := regexp.MustCompile(`\*\*([^*]+)\*\*`).FindAllStringSubmatch(text, -1)
		if len(found) < 10 {
			t.Errorf("%s names %d buttons", file, len(found))
		}
		for _, m := range found {
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s names the button %q, and no action has it", file, m[1])
			}
		}
	}
}

// part returns the text of a file from one mark up to another one, or up to its end.
func part(t *testing.T, file, from, to string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), from)
	if !ok {
		t.Fatalf("%s has no %q", file, from)
	}
	text, _, _ = strings.Cut(text, to)
	return text
}
