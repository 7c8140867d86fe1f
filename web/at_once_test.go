package web_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/web/webtest"
)

var (
	wholeForm    = regexp.MustCompile(`(?s)<form method="post"[^>]* action="([^"]*)".*?</form>`)
	atOnceButton = regexp.MustCompile(`<button class="small soft now"[^>]* name="([a-z]+)" value="([a-z_]+)"`)
)

// TestButtonsWorkAlone presses each button of a single option, without filling in anything else, on pages that ask for a
// response and on the pages of the action. No answer may be refused. An objection needs a reason: its option is in the
// same form as the reason, without a button of its own.
func TestButtonsWorkAlone(t *testing.T) {
	aboutContent(t)
	for chapter, action := range map[string]string{"topic": governance.Respond.Name, "election": governance.RespondToElection.Name} {
		w := webtest.Of(t, chapter)
		erin, at := w.As("erin"), w.URL(chapter+" consent")
		for _, page := range []string{at, at + "/actions/" + action} {
			pressed := map[string]bool{}
			for _, form := range wholeForm.FindAllStringSubmatch(erin.Get(page, "text/html").Body, -1) {
				if !strings.HasSuffix(form[1], "/actions/"+action) {
					continue
				}
				if !strings.Contains(form[0], `value="objection" required`) ||
					!strings.Contains(form[0], `<textarea id="f-`+action+`-reason"`) {
					t.Errorf("%s: the form has no objection with its reason:\n%s", page, form[0])
				}
				for _, button := range atOnceButton.FindAllStringSubmatch(form[0], -1) {
					name, value := button[1], url.QueryEscape(button[2])
					pressed[value] = true
					r := webtest.Of(t, chapter).As("erin").Form(at, action, webtest.Call{Params: param.Input{name: value, "reason": ""}})
					if r.Status >= 400 {
						t.Errorf("%s: %s alone is refused with %d:\n%s", page, value, r.Status, r.Body)
					}
				}
			}
			if len(pressed) != 2 || !pressed["consent"] || !pressed["stand_aside"] {
				t.Errorf("%s: the options %v have buttons", page, pressed)
			}
		}
		r := erin.Form(at, action, webtest.Call{Params: param.Input{"position": "objection", "reason": ""}})
		if r.Status != 422 || !strings.Contains(r.Body, `aria-invalid="true"`) {
			t.Errorf("an objection without a reason has the answer %d:\n%s", r.Status, r.Body)
		}
	}
}
