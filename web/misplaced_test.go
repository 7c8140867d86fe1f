package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// TestMisplacedParams calls every action that has parameters in every wrong form that agents have been seen to use. The
// parameters are outside params, misspelt, of another type, missing, empty or given twice, and are sent by JSON, by a
// form and over MCP. Each call is refused with an explanation of the right form, or means the same as the right call
// and says how it was read. All calls are dry runs, so nothing may change.
func TestMisplacedParams(t *testing.T) {
	slow(t)
	actors := []string{"scribe", "clerk", "bob", "alice", "erin"}
	plan, seen, named := map[string][]*misplacer{}, map[string]bool{}, map[string]bool{}
	for _, actor := range actors {
		for _, v := range survey(t, actor) {
			for _, decl := range v.place.Actions {
				listed, ok := v.page.action(decl.Name)
				if !ok {
					continue
				}
				s := schemaOf(t, listed)
				key := decl.Name + " " + strings.Join(s.Required, ",") + fmt.Sprint(len(s.Properties))
				if len(s.Properties) == 0 || seen[key] {
					continue
				}
				seen[key], named[decl.Name] = true, true
				path, _, _ := strings.Cut(v.url, "?")
				plan[actor] = append(plan[actor], &misplacer{actor: actor, agent: actor == "scribe" || actor == "clerk",
					path: path, decl: decl, visit: v, schema: s, right: required(t, decl, listed, v)})
			}
		}
	}
	for _, place := range webtest.New(t).Site.Places() {
		for _, decl := range place.Actions {
			if len(decl.Fields) > 0 && !named[decl.Name] && !decl.ByClock && decl.AllowedFor != store.Runner {
				t.Errorf("nobody here is offered %s on %s", decl.Name, place.Pattern)
			}
		}
	}
	var calls atomic.Int64
	t.Run("actors", func(t *testing.T) {
		for _, actor := range actors {
			t.Run(actor, func(t *testing.T) {
				t.Parallel()
				w := webtest.New(t)
				before, counts := w.Digests(), map[string]int{}
				for _, m := range plan[actor] {
					m.t, m.w, m.counts = t, w, counts
					m.run()
				}
				if changed := webtest.Changed(before, w.Digests(), "calls", "tokens", "logins"); len(changed) > 0 {
					t.Errorf("changed %v", changed)
				}
				for _, n := range counts {
					calls.Add(int64(n))
				}
				t.Logf("%d forms of actions; calls %v", len(plan[actor]), counts)
			})
		}
	})
	t.Logf("%d actions with parameters in %d forms: %d wrong calls", len(named), len(seen), calls.Load())
}

// misplacer calls one action in wrong forms.
type misplacer struct {
	t           *testing.T
	w           *webtest.World
	actor, path string
	agent       bool
	decl        action.Decl
	visit       *visit
	schema      schema
	right       param.Input // a right call has these parameters
	counts      map[string]int
}

// wrongCall is a call in a wrong form. If means is true, the call may be carried out like the right call. Otherwise it
// must be refused, with a message that contains every text in says.
type wrongCall struct {
	name, body string
	means      bool
	says       []string
}

// value returns a value for a field, as it is sent in JSON.
func (m *misplacer) value(f param.Field) any {
	v, ok := m.right[f.Name]
	if !ok {
		v = sensible(m.decl, f, m.schema.Properties[f.Name], m.visit)
	}
	if u, ok := v.(param.Upload); ok {
		return string(u.Data)
	}
	return v
}

func (m *misplacer) run() {
	params := map[string]any{}
	var fields []param.Field // those that the page offers
	var field param.Field    // the field that is sent in wrong forms
	for _, f := range m.decl.Fields {
		if _, offered := m.schema.Properties[f.Name]; !offered {
			continue
		}
		fields = append(fields, f)
		if _, given := m.right[f.Name]; given {
			params[f.Name] = m.value(f)
		}
		if field.Name == "" || params[field.Name] == nil && params[f.Name] != nil {
			field = f
		}
	}
	if params[field.Name] == nil {
		params[field.Name] = m.value(field)
	}
	right := m.json(object(map[string]any{"params": params, "dry_run": true}))
	for _, f := range fields {
		m.each(params, f)
	}
	for _, c := range m.calls(params, field, m.schema) {
		m.counts[c.name]++
		m.check(c, m.json(c.body), right)
		if !m.agent || m.decl.HumanOnly {
			continue
		}
		m.counts["MCP: "+c.name]++
		args := strings.TrimSuffix(c.body, "}") + `,"action":"` + m.decl.Name + `","url":"` + m.path + `"}`
		text, isError, status := use(m.t, tools(m.w), m.w.Token(m.actor), "execute_action", json.RawMessage(args))
		says := answered{status: http.StatusOK, message: text}
		if isError || status != 200 {
			says.status = http.StatusUnprocessableEntity
		}
		first, _, _ := strings.Cut(text, "\n")
		_, says.message, _ = strings.Cut(first, m.path+"): ") // the title of the page stands before its path
		says.body = text
		m.check(c, says, right)
	}
	m.forms(params, field)
}

// each sends one field in wrong forms, as JSON.
func (m *misplacer) each(params map[string]any, f param.Field) {
	without, value := map[string]any{}, object(m.value(f))
	for name, v := range params {
		if name != f.Name {
			without[name] = v
		}
	}
	rest := strings.TrimPrefix(object(without), "{")
	if rest != "}" {
		rest = "," + rest
	}
	typo := misspelling(f.Name)
	calls := []wrongCall{
		{"a field misspelt", object(map[string]any{"params": with(without, typo, m.value(f)), "dry_run": true}), false, []string{typo}},
		{"a field of another type", object(map[string]any{"params": with(without, f.Name, map[string]any{"a": []int{1}}),
			"dry_run": true}), false, []string{f.Name}},
		{"a field twice", `{"dry_run":true,"params":{"` + f.Name + `":` + value + `,"` + f.Name + `":` + value + rest + `}`, false,
			[]string{"twice"}},
	}
	if slices.Contains(m.schema.Required, f.Name) {
		calls = append(calls,
			wrongCall{"a field missing", object(map[string]any{"params": without, "dry_run": true}), false, []string{f.Name}},
			wrongCall{"a field empty",
				object(map[string]any{"params": with(without, f.Name, ""), "dry_run": true}), false, []string{f.Name}},
			wrongCall{"a field null",
				object(map[string]any{"params": with(without, f.Name, nil), "dry_run": true}), false, []string{f.Name}})
	}
	for _, c := range calls {
		m.counts[c.name]++
		m.check(c, m.json(c.body), answered{})
	}
}

// calls returns wrong calls in JSON.
func (m *misplacer) calls(params map[string]any, field param.Field, s schema) []wrongCall {
	beside := map[string]any{"dry_run": true}
	for name, v := range params {
		beside[name] = v
	}
	typo := misspelling(field.Name)
	renamed := map[string]any{}
	for name, v := range params {
		renamed[name] = v
	}
	renamed[typo] = renamed[field.Name]
	delete(renamed, field.Name)
	besideRenamed := map[string]any{"dry_run": true}
	for name, v := range renamed {
		besideRenamed[name] = v
	}
	value := object(params[field.Name])
	calls := []wrongCall{
		{"beside", object(beside), true, nil},
		{"beside empty params", object(with(beside, "params", map[string]any{})), false, []string{"inside params", field.Name}},
		{"misspelt envelope", object(map[string]any{"parameters": params, "dry_run": true}), true, nil},
		{"two envelopes", object(map[string]any{"parameters": params, "params": map[string]any{}, "dry_run": true}), false,
			[]string{"Send params alone"}},
		{"misspelt beside", object(besideRenamed), false, []string{typo}},
		{"misspelt", object(map[string]any{"params": renamed, "dry_run": true}), false, []string{typo}},
		{"another type", object(map[string]any{"params": with(params, field.Name, map[string]any{"a": []int{1}}), "dry_run": true}),
			false, []string{field.Name}},
		{"doubled", `{"dry_run":true,"params":{"` + field.Name + `":` + value + `,"` + field.Name + `":` + value + `}}`, false,
			[]string{"twice"}},
		{"doubled params", `{"dry_run":true,"params":` + object(params) + `,"params":` + object(params) + `}`, false,
			[]string{"twice"}},
		{"misspelt dry run", object(map[string]any{"params": params, "dryRun": true}), false, []string{"dry_run"}},
	}
	if len(s.Required) > 0 {
		calls = append(calls, wrongCall{"missing", object(map[string]any{"dry_run": true}), false, []string{s.Required[0]}},
			wrongCall{"empty", object(map[string]any{"params": map[string]any{}, "dry_run": true}), false, []string{s.Required[0]}},
			wrongCall{"null", object(map[string]any{"params": nil, "dry_run": true}), false, []string{s.Required[0]}})
	}
	return calls
}

// forms sends wrong calls as forms.
func (m *misplacer) forms(params map[string]any, field param.Field) {
	form := url.Values{"_dry_run": {"1"}}
	for name, v := range params {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				form.Add(name, fmt.Sprint(x))
			}
		case map[string]any:
			for k, x := range v {
				form.Set(name+"."+k, fmt.Sprint(x))
			}
		default:
			form.Set(name, fmt.Sprint(v))
		}
	}
	send := func(name, query string, values url.Values, says ...string) {
		m.counts["form: "+name]++
		r := requestBody(m.w.As(m.actor), "POST", m.path+"/actions/"+m.decl.Name+query, values.Encode(),
			"Content-Type: application/x-www-form-urlencoded", "Accept: text/markdown")
		m.check(wrongCall{"form: " + name, values.Encode(), false, says}, answered{status: r.Status, body: r.Body}, answered{})
	}
	another := func(name, value string) url.Values {
		all := url.Values{}
		for k, v := range form {
			all[k] = slices.Clone(v)
		}
		all.Add(name, value)
		return all
	}
	send("misspelt", "", another(misspelling(field.Name), "1"), field.Name)
	send("unknown control", "", another("_dryrun", "1"), "_dry_run")
	send("doubled control", "", another("_dry_run", "0"), "more than once")
	send("in the address", "?"+field.Name+"=1", form, "body")
	switch field.Kind {
	case param.Lines, param.Choices, param.Grid, param.File:
	default:
		send("doubled", "", another(field.Name, "another"), field.Name)
	}
}

// answered is the answer to a call.
type answered struct {
	status        int
	message, body string
}

func (m *misplacer) json(body string) answered {
	r := requestBody(m.w.As(m.actor), "POST", m.path+"/actions/"+m.decl.Name, body, "Content-Type: application/json",
		"Accept: application/json")
	var says struct{ Message string }
	json.Unmarshal([]byte(r.Body), &says)
	return answered{r.Status, says.Message, r.Body}
}

func (m *misplacer) check(c wrongCall, got, right answered) {
	m.t.Helper()
	plain := strings.ReplaceAll(got.body, `\`, "")
	switch {
	case got.status == http.StatusOK && c.means:
		done, _, _ := strings.Cut(right.message, " Next: ") // the note comes before the sentence about what waits
		if note, ok := strings.CutPrefix(got.message, done); !ok || !strings.Contains(note, "ead as params") {
			m.t.Errorf("%s, %s by %s on %s: %q, the right call says %q", m.decl.Name, c.name, m.actor, m.path, got.message, right.message)
		}
	case got.status < 400 || got.status >= 500:
		m.t.Errorf("%s, %s by %s on %s: %d\n%s\n%.300s", m.decl.Name, c.name, m.actor, m.path, got.status, c.body, got.body)
	case c.means && right.status == http.StatusOK:
		m.t.Errorf("%s, %s by %s on %s: %d, and the right call is done\n%.300s", m.decl.Name, c.name, m.actor, m.path, got.status, got.body)
	case !c.means:
		for _, s := range c.says {
			if !strings.Contains(plain, s) {
				m.t.Errorf("%s, %s by %s on %s does not say %q: %.600s", m.decl.Name, c.name, m.actor, m.path, s, plain)
			}
		}
	}
}

func object(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func with(m map[string]any, name string, v any) map[string]any {
	all := map[string]any{name: v}
	for k, v := range m {
		if k != name {
			all[k] = v
		}
	}
	return all
}

// misspelling returns the name without its second letter.
func misspelling(name string) string { return name[:1] + name[2:] }

// TestEmptyBallot checks that a ballot that rejects everything is cast only if the caller says so explicitly.
func TestEmptyBallot(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	for name, field := range map[string]string{"standups": "accept", "open approval": "accept"} {
		page := w.URL(name)
		for _, in := range []param.Input{{}, {"reason": "So."}, {field: nil}, {field: ""}} {
			if r := w.As("bob").PostJSON(page, "cast_vote", in); r.Status != 422 || !strings.Contains(r.Body, "[]") {
				t.Errorf("%s: %v is answered %d %s", name, in, r.Status, r.Body)
			}
		}
		if r := w.As("bob").PostJSON(page, "cast_vote", param.Input{field: []any{}}); r.Status != 200 {
			t.Errorf("%s: an empty list is answered %d %s", name, r.Status, r.Body)
		}
		if r := w.As("alice").Post(page, "cast_vote", param.Input{"_none": field}); r.Status != 303 {
			t.Errorf("%s: a form with nothing ticked is answered %d %s", name, r.Status, mainOf(r.Body))
		}
	}
}
