package web_test

import (
	"fmt"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/views/page/pagetest"
	"samepage/web/webtest"
)

// TestWholeTexts checks that two long texts of the program are whole in both forms: the sentence in an empty inbox,
// and a ballot that marks many options.
func TestWholeTexts(t *testing.T) {
	w := webtest.New(t)
	alice, bob := w.As("alice"), w.As("bob")
	header, row := "count", "1"
	for i := range 12 {
		header += fmt.Sprintf(",rank%d", i+1)
		row += fmt.Sprintf(",A rather long option %d", i+1)
	}
	vote := alice.Post("/studios/commons", "import_decisions", param.Input{"file": param.Upload{Name: "long.csv",
		Data: []byte(header + "\n" + row + "\n")}}).Location()
	for url, end := range map[string]string{"/inbox?show=dismissed": "when a cycle of your studios is over.",
		vote + "/ballots": "A rather long option 12: rank 12"} {
		for _, text := range []string{bob.Get(url, "text/markdown").Body,
			strings.Join(pagetest.HTMLWords(bob.Get(url, "text/html").Body), " ")} {
			if !strings.Contains(text, end) {
				t.Errorf("%s does not say %q:\n%s", url, end, text)
			}
		}
	}
}
