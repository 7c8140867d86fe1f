package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestMisplacedParams calls every action with parameters in every wrong form that agents have been seen to use. The
// parameters are outside params, misspelt, of another type, missing, empty or given twice, and are sent by JSON, by a
// form and over MCP. Each call is refused with an explanation of the right form, or means the same as the right call
// and says how it was read. All calls are dry runs, so nothing may change.
func TestMisplacedParams(t *testing.T) {
	slow(t)
	seen, counts := map[string]bool{}, map[string]int{}
	for _, actor := range []string{"scribe", "clerk", "bob", "alice", "erin"} {
		w := webtest.New(t)
		before := w.Digests()
		for _, v := range survey(t, actor) {
			path, _, _ := strings.Cut(v.url, "?")
			for _, decl := range v.place.Actions {
				listed, ok := v.page.action(decl.Name)
				if s := schemaOf(t, listed0(listed, ok)); ok && len(s.Properties) > 0 {
					key := decl.Name + " " + strings.Join(s.Required, ",") + fmt.Sprint(len(s.Properties))
					if isAgent := actor == "scribe" || actor == "clerk"; !seen[key] {
						seen[key] = true
						m := misplacer{t: t, w: w, actor: actor, agent: isAgent, path: path, decl: decl, counts: counts}
						m.run(required(t, decl, listed, v), s)
					}
				}
			}
		}
		if changed := webtest.Changed(before, w.Digests(), "calls", "tokens", "logins"); len(changed) > 0 {
			t.Errorf("%s changed %v", actor, changed)
		}
	}
	t.Logf("%d actions with params; calls %v", len(seen), counts)
	if len(seen) < 40 {
		t.Errorf("only %d actions", len(seen))
	}
}

// listed0 returns the listed action, or one without parameters if the action is not listed.
func listed0(listed jsonAction, ok bool) jsonAction {
	if !ok {
		listed.Schema = json.RawMessage(`{}`)
	}
	return listed
}

// misplacer calls one action in wrong forms.
type misplacer struct {
	t           *testing.T
	w           *webtest.World
	actor, path string
	agent       bool
	decl        action.Decl
	counts      map[string]int
}

// wrongCall is a call in a wrong form. If means is true, the call may be carried out like the right call. Otherwise it
// must be refused, with a message that contains every text in says.
type wrongCall struct {
	name, body string
	means      bool
	says       []string
}

func (m *misplacer) run(in param.Input, s schema) {
	params := map[string]any{}
	for name, v := range in {
		if u, ok := v.(param.Upload); ok {
			v = string(u.Data)
		}
		params[name] = v
	}
	var field param.Field // the field that is sent in wrong forms
	for _, f := range m.decl.Fields {
		if _, offered := s.Properties[f.Name]; offered && (field.Name == "" || params[field.Name] == nil && params[f.Name] != nil) {
			field = f
		}
	}
	if params[field.Name] == nil {
		params[field.Name] = sensible(m.decl, field, s.Properties[field.Name], &visit{})
		if u, ok := params[field.Name].(param.Upload); ok {
			params[field.Name] = string(u.Data)
		}
	}
	right := m.json(object(map[string]any{"params": params, "dry_run": true}))
	for _, c := range m.calls(params, field, s) {
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
		says.message = strings.TrimPrefix(first, m.decl.Name+" on "+m.path+": ")
		says.body = text
		m.check(c, says, right)
	}
	m.forms(params, field)
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
