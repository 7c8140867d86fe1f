package web_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestEmptiedParams sends each optional parameter empty, for every action whose form shows present values. The other
// parameters keep their values. The answer says that the empty parameter was cleared, or which value it has, and the
// form then shows the same.
func TestEmptiedParams(t *testing.T) {
	aboutContent(t)
	shown := shownFields(t)
	groups := map[string][]*shownField{}
	for _, f := range shown {
		groups[f.actor+" "+f.decl.Name+f.path] = append(groups[f.actor+" "+f.decl.Name+f.path], f)
	}
	counts := &faultCounts{calls: map[[2]string]int{}}
	t.Run("actions", func(t *testing.T) {
		for _, fields := range groups {
			for door, empty := range map[string]any{byJSON: "", "null": nil, byForm: ""} {
				t.Run(fields[0].decl.Name+" "+door, func(t *testing.T) {
					t.Parallel()
					w := webtest.New(t)
					for _, f := range fields {
						if formValues(t, w, f.actor, f.path, f.decl.Name)[f.field.Name] == nil { // an earlier round cleared it
							w = webtest.New(t)
						}
						counts.add(f.empty(t, w, door, empty), door)
					}
				})
			}
		}
	})
	t.Logf("%d parameters of %d forms: %v", len(shown), len(groups), counts.calls)
}

// shownField is an optional parameter whose present value the form shows.
type shownField struct {
	actor, path string
	decl        action.Decl
	field       param.Field
	needed      param.Input // the parameters that every call of the action needs
}

// shownFields returns every optional parameter that a form shows with its present value, of actions that keep their
// values. It fails the test for an action that changes something and shows such a value but does not keep it.
func shownFields(t *testing.T) (list []*shownField) {
	t.Helper()
	const pages = 12 // the most pages to look at per action and pattern, because some pages show no value
	w, seen, looked := webtest.New(t), map[string]bool{}, map[string]int{}
	for _, actor := range []string{"scribe", "bob", "alice", "erin"} {
		for _, v := range survey(t, actor) {
			path, _, _ := strings.Cut(v.url, "?")
			for _, decl := range v.place.Actions {
				page := actor + v.place.Pattern + decl.Name
				listed, ok := v.page.action(decl.Name)
				if !ok || !updates(decl) || looked[page] == pages || looked[path+page] > 0 {
					continue
				}
				looked[page]++
				looked[path+page]++
				values, needed, s := formValues(t, w, actor, path, decl.Name), param.Input{}, schemaOf(t, listed)
				for _, f := range decl.Fields {
					if slices.Contains(s.Required, f.Name) {
						needed[f.Name] = sensible(decl, f, s.Properties[f.Name], v)
					}
				}
				for _, f := range decl.Fields {
					key := decl.Name + " " + f.Name
					if !f.Optional || f.Kind == param.Secret || values[f.Name] == nil || seen[key] {
						continue
					}
					seen[key] = true
					if !decl.Keeps {
						t.Errorf("%s on %s shows %s and does not keep it", decl.Name, path, f.Name)
					}
					list = append(list, &shownField{actor, path, decl, f, needed})
				}
			}
		}
	}
	return list
}

// updates reports whether an action keeps values, or has a verb in its name that suggests it.
func updates(d action.Decl) bool {
	verb, _, _ := strings.Cut(d.Name, "_")
	return len(d.Fields) > 0 && (d.Keeps || slices.Contains([]string{"update", "revise", "edit", "amend",
		"change", "set", "choose"}, verb))
}

// formValues returns the values that the form of an action shows.
func formValues(t *testing.T, w *webtest.World, actor, path, name string) param.Input {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(w.As(actor).Get(path+"/actions/"+name, "text/html").Body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "form" && strings.HasSuffix(attr(n, "action"), "/actions/"+name) {
			sent := filledIn(n)
			maps.DeleteFunc(sent, func(name string, _ any) bool { return name[0] == '_' })
			return sent
		}
	}
	return nil
}

// empty sends the parameter empty and checks the answer. It returns the outcome: "refused", "cleared", "another
// value" or "unchanged".
func (f *shownField) empty(t *testing.T, w *webtest.World, door string, empty any) string {
	t.Helper()
	before := formValues(t, w, f.actor, f.path, f.decl.Name)
	in := maps.Clone(f.needed)
	in[f.field.Name] = empty
	send := w.As(f.actor).JSON
	if door == byForm {
		send = w.As(f.actor).Form
	}
	r := send(f.path, f.decl.Name, webtest.Call{Params: in, Accept: "application/json"})
	if r.Status == http.StatusUnprocessableEntity && strings.Contains(r.Body, f.field.Name+": is required") {
		return "refused"
	}
	var says struct{ Message string }
	if json.Unmarshal([]byte(r.Body), &says); r.Status != http.StatusOK {
		t.Fatalf("%s by %s on %s: %d %s", door, f.actor, f.path, r.Status, r.Body)
	}
	after := formValues(t, w, f.actor, f.path, f.decl.Name)
	now, name := after[f.field.Name], f.field.Name
	became, want := "another value", fmt.Sprintf("%s was sent empty and is %s now.", name, inWords(now))
	switch {
	case now == nil && f.field.Kind == param.Flag:
		became, want = "cleared", name+" was sent empty and is false now."
		if !strings.Contains(says.Message, want) { // the value of this flag is empty now, and not "false"
			want = "Cleared: " + name + "."
		}
	case now == nil:
		became, want = "cleared", "Cleared: "+name+"."
	case reflect.DeepEqual(now, before[name]):
		became, want = "unchanged", name+" was sent empty and stays as it was."
	}
	if !strings.Contains(says.Message, want) {
		t.Errorf("%s by %s on %s: says %q, want %q", door, f.actor, f.path, says.Message, want)
	}
	for changed := range in {
		delete(before, changed)
		delete(after, changed)
	}
	if len(after) == 0 && len(before) > 0 || !reflect.DeepEqual(before, after) {
		t.Errorf("%s by %s on %s changes others: before %v\nafter %v", door, f.actor, f.path, before, after)
	}
	return became
}

// inWords joins the values of a form's field with commas, as messages do.
func inWords(values any) string {
	list, _ := values.([]any)
	var texts []string
	for _, v := range list {
		texts = append(texts, fmt.Sprint(v))
	}
	return strings.Join(texts, ", ")
}

// TestUntickedBoxStaysUnticked sends the form of an action that keeps its values and has no version, as a browser
// does after a person unticks a box.
func TestUntickedBoxStaysUnticked(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	page, name := w.URL("manifest mason"), "revise_manifest"
	doc, err := html.Parse(strings.NewReader(w.As("alice").Get(page+"/actions/"+name, "text/html").Body))
	if err != nil {
		t.Fatal(err)
	}
	sent := param.Input{}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "form" && strings.HasSuffix(attr(n, "action"), name) {
			sent = filledIn(n)
		}
	}
	if sent["asks"] == nil || sent["mode"] == nil {
		t.Fatalf("the form has %v", sent)
	}
	delete(sent, "asks")
	if r := w.As("alice").Post(page, name, sent); r.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", r.Status, mainOf(r.Body))
	}
	after := formValues(t, w, "alice", page, name)
	if after["asks"] != nil || !reflect.DeepEqual(after["mode"], sent["mode"]) {
		t.Errorf("the form has %v", after)
	}
}
