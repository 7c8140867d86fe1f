package web_test

import (
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestLongFileNames attaches files under short and long names, on a page and in a channel. The answer names the file if
// its name was cut.
func TestLongFileNames(t *testing.T) {
	w := webtest.New(t)
	for name, says := range map[string]string{"notes.txt": "", strings.Repeat("n", 130) + ".txt": "Its name is now “" +
		strings.Repeat("n", 120) + "”."} {
		for url, action := range map[string]string{w.URL("note post"): "attach", "/studios/team/channel": "post_message"} {
			file := param.Upload{Name: name, Data: []byte("Hello.")}
			in := param.Input{"file": file, "text": "Look."}
			if action == "attach" {
				delete(in, "text")
			}
			r := w.As("bob").Form(url, action, webtest.Call{Params: in, Accept: "text/markdown"})
			if renamed := strings.Contains(r.Body, "Its name is now"); r.Status != 200 || renamed != (says != "") ||
				!strings.Contains(r.Body, says) {
				t.Errorf("%s of %s: %d %s", action, name, r.Status, r.Body)
			}
		}
	}
}
