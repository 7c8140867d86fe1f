package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"samepage/actions/param"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// TestMisplacedParams makes wrong calls of every action that has parameters: with wrong members beside params, as some
// agents send them by JSON and over MCP, and with wrong control fields in a form. TestFaultyParams tests faults of
// single parameters. Each call is refused with an explanation of the correct call, or is done like the correct call,
// with a note on how it was read. All calls are dry runs, so nothing may change.
func TestMisplacedParams(t *testing.T) {
	slow(t)
	pgtest.Folder(t, "calls are understood or refused before the database is asked")
	plan := map[string][]*misplacer{}
	forms, names := offeredForms(t), map[string]bool{}
	for _, f := range forms {
		if f.actor != millRunner {
			plan[f.actor] = append(plan[f.actor], &misplacer{offeredForm: f})
			names[f.decl.Name] = true
		}
	}
	var calls atomic.Int64
	t.Run("actors", func(t *testing.T) {
		for actor := range plan {
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
	t.Logf("%d actions with parameters in %d forms: %d wrong calls", len(names), len(forms), calls.Load())
}

// misplacer calls one action in wrong forms.
type misplacer struct {
	*offeredForm
	t      *testing.T
	w      *webtest.World
	counts map[string]int
}

// isAgent reports whether the actor is an agent, which can call over MCP.
func (m *misplacer) isAgent() bool { return m.actor == "scribe" || m.actor == "clerk" }

// wrongCall is a call in a wrong form. If the field means is true and the correct call succeeds, this call must succeed
// like it, with a note. Any other wrong call must be refused. If means is false, the message must contain every text in
// the field says.
type wrongCall struct {
	name, body string
	means      bool
	says       []string
}

func (m *misplacer) run() {
	params := map[string]any{}
	var field param.Field // the field to send in wrong forms
	for _, f := range m.decl.Fields {
		if _, offered := m.schema.Properties[f.Name]; !offered {
			continue
		}
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
	for _, c := range m.calls(params, field, m.schema) {
		m.counts[c.name]++
		m.check(c, m.json(c.body), right)
		if !m.isAgent() || m.decl.HumanOnly {
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
		_, says.message, _ = strings.Cut(first, m.path+"): ") // the title of the page precedes its path
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
	calls := []wrongCall{
		{"beside", object(beside), true, nil},
		{"beside empty params", object(with(beside, "params", map[string]any{})), false, []string{"inside params", field.Name}},
		{"misspelt envelope", object(map[string]any{"parameters": params, "dry_run": true}), true, nil},
		{"two envelopes", object(map[string]any{"parameters": params, "params": map[string]any{}, "dry_run": true}), false,
			[]string{"has params and parameters", "Send params alone"}},
		{"two other envelopes", object(map[string]any{"parameters": params, "args": params, "dry_run": true}), false,
			[]string{"has args and parameters", "Send params alone"}},
		{"misspelt beside", object(besideRenamed), false, []string{typo}},
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
	form := dry(formOf(params))
	send := func(name string, values url.Values, says ...string) {
		m.counts["form: "+name]++
		r := requestBody(m.w.As(m.actor), "POST", m.path+"/actions/"+m.decl.Name, values.Encode(),
			"Content-Type: application/x-www-form-urlencoded", "Accept: text/markdown")
		m.check(wrongCall{"form: " + name, values.Encode(), false, says}, answered{status: r.Status,
			body: r.Body}, answered{})
	}
	another := func(name, value string) url.Values {
		all := url.Values{}
		for k, v := range form {
			all[k] = slices.Clone(v)
		}
		all.Add(name, value)
		return all
	}
	send("misspelt", another(misspelling(field.Name), "1"), field.Name)
	send("unknown control", another("_dryrun", "1"), "_dry_run")
	send("doubled control", another("_dry_run", "0"), "more than once")
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
		done, _, _ := strings.Cut(right.message, " Next: ") // the note precedes the sentence about the next step
		if note, ok := strings.CutPrefix(got.message, done); !ok || !strings.Contains(note, "ead as params") {
			m.t.Errorf("%s, %s by %s on %s: %q, the right call says %q", m.decl.Name, c.name, m.actor, m.path,
				got.message, right.message)
		}
	case got.status < 400 || got.status >= 500:
		m.t.Errorf("%s, %s by %s on %s: %d\n%s\n%.300s", m.decl.Name, c.name, m.actor, m.path, got.status, c.body,
			got.body)
	case c.means && right.status == http.StatusOK:
		m.t.Errorf("%s, %s by %s on %s: %d, and the right call is done\n%.300s", m.decl.Name, c.name, m.actor,
			m.path, got.status, got.body)
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
