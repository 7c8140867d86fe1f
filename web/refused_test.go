package web_test

import (
	"net/http"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestRefusedCallsKeepNoWords refuses calls whose answers have words of the page or of the call. The log of refused
// calls has only the path of the page, the action, and the names of fields.
func TestRefusedCallsKeepNoWords(t *testing.T) {
	w := webtest.New(t)
	agent, page := w.As("scribe"), w.URL("note post")
	const secret = "Qwyzzle"
	agent.Get(page, "text/markdown")
	if r := w.As("alice").PostJSON(page, "update_note", param.Input{"title": secret}); r.Status != http.StatusOK {
		t.Fatal(r.Body)
	}
	if r := agent.PostJSON(page, "update_note", param.Input{"text": "x"}); !strings.Contains(r.Body, secret) {
		t.Errorf("the refusal does not quote the change: %s", r.Body)
	}
	for _, c := range []struct {
		url    string
		call   webtest.Call
		action string
		status int
	}{
		{page, webtest.Call{Params: param.Input{"text": "x", "reply_to": secret}}, "comment", http.StatusUnprocessableEntity},
		{page, webtest.Call{Params: param.Input{"title": strings.Repeat(secret, 100)}}, "update_note", http.StatusUnprocessableEntity},
	} {
		if r := agent.JSON(c.url, c.action, c.call); r.Status != c.status {
			t.Errorf("%s: %d %s", c.action, r.Status, r.Body)
		}
	}
	if rows := w.Rows("calls"); strings.Contains(strings.Join(rows, ""), secret) {
		t.Errorf("the log has words of a refused call: %q", rows)
	}
	activity := w.As("alice").Get(w.URL("acme organization")+"/activity", "text/markdown").Body
	for _, says := range []string{page, "Not in this state.", "Not accepted: title."} {
		if !strings.Contains(activity, says) {
			t.Errorf("the activity does not say %q", says)
		}
	}
}
