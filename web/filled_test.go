package web_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/web/webtest"
)

var (
	filledLine  = regexp.MustCompile("^  - `([a-z_]+)` .* Filled in: (`.+`)\\.$")
	filledValue = regexp.MustCompile("`([^`]+)`")
)

// TestFilledInIsWhatACallGets takes each listed action that says of a field that it is filled in, once without the field
// and once with its value, in two equal worlds. The answers and the pages afterwards are equal. Actions that keep what a
// call leaves out are not among them.
func TestFilledInIsWhatACallGets(t *testing.T) {
	aboutContent(t)
	w := webtest.New(t)
	checked := map[string]bool{}
	for _, actor := range []string{"alice", "bob", "erin", "scribe"} {
		c := w.As(actor)
		for _, v := range pages(survey(t, actor)) {
			path, _, _ := strings.Cut(v.url, "?")
			for _, a := range v.page.Actions {
				decl := v.place.Actions[slices.IndexFunc(v.place.Actions,
					func(d action.Decl) bool { return d.Name == a.Name })]
				if decl.Keeps || checked[a.Name] {
					continue
				}
				checked[a.Name] = true
				in := required(t, decl, a, v)
				for line := range strings.Lines(c.Get(path+"/actions/"+a.Name, "text/markdown").Body) {
					m := filledLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
					if m == nil || in[m[1]] != nil {
						continue
					}
					var values []any
					for _, value := range filledValue.FindAllStringSubmatch(m[2], -1) {
						values = append(values, value[1])
					}
					with := param.Input{m[1]: values[0]}
					if len(values) > 1 {
						with[m[1]] = values
					}
					for name, value := range in {
						with[name] = value
					}
					if a, b := after(t, actor, path, a.Name, in), after(t, actor, path, a.Name, with); a != b {
						t.Errorf("%s on %s: without %s\n%s\nwith it\n%s", decl.Name, path, m[1], a, b)
					}
					checked[a.Name+" "+m[1]] = true
				}
			}
		}
	}
	for _, name := range []string{"create_decision method", "create_note kind", "request_review reviewer"} {
		if !checked[name] {
			t.Errorf("%s is not among the checked fields %v", name, checked)
		}
	}
}

// roleID matches the random part of the address of a role.
var roleID = regexp.MustCompile("/roles/[0-9a-z]{10}")

// after takes an action in a new world, and returns the answer and the page that it names. The random ids of that page
// and of roles are replaced.
func after(t *testing.T, actor, path, action string, in param.Input) string {
	w := webtest.New(t)
	r := w.As(actor).PostJSON(path, action, in)
	var out struct{ URL string }
	if err := json.Unmarshal([]byte(r.Body), &out); err != nil {
		t.Fatal(err)
	}
	if out.URL == "" {
		return r.Body
	}
	page := w.As(actor).Get(strings.TrimPrefix(out.URL, webtest.Origin), "application/json").Body
	return roleID.ReplaceAllString(strings.ReplaceAll(r.Body+"\n"+page, out.URL[strings.LastIndex(out.URL, "/")+1:], "ID"),
		"/roles/ID")
}
