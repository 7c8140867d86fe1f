package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// These constants name the ways of calling an action, which this file calls doors.
const (
	byJSON = "JSON"
	byForm = "form"
	byMCP  = "MCP"
)

var doors = []string{byJSON, byForm, byMCP}

// faultyField sends one parameter of an action with faults.
type faultyField struct {
	*offeredForm
	field   param.Field
	offered bool // whether the page offers the parameter
	must    bool // whether a call without the parameter is refused

	*faultWorld
	rights map[string]faultReply // answers to correct calls, by their parameters
}

// faultWorld is the world in which a part of the faulty calls is made.
type faultWorld struct {
	t      *testing.T
	w      *webtest.World
	counts *faultCounts
	agents map[string]string // tokens of agents of people, by the name of the person
	offers map[string]bool   // whether an agent is offered an action, by the path of the page and the action's name
}

// faultyCall is a call with a fault. If the field means is nil, the call must be refused, with the name of the
// parameter and the texts in the field says. Otherwise its outcome must be that of a correct call with the parameters
// in means. If the call is done, the answer must also contain the text in the field note.
type faultyCall struct {
	fault string
	body  string                  // members of a call by JSON or MCP
	form  url.Values              // fields of a call by a form
	files map[string]param.Upload // files of the form
	query string                  // query of the address
	means map[string]any
	note  string
	says  []string
}

// faultReply is the answer to a call.
type faultReply struct {
	status  int
	message string
	fields  []param.Error
	whole   string
}

func (r *faultReply) done() bool { return r.status == http.StatusOK || r.status == http.StatusAccepted }

// send sends the call by JSON, by a form or over MCP.
func (f *faultyField) send(door string, c faultyCall) faultReply {
	switch door {
	case byJSON:
		return f.post(c.body, "application/json", c.query)
	case byForm:
		body, media := c.form.Encode(), "application/x-www-form-urlencoded"
		if len(c.files) > 0 {
			body, media = multipartOf(f.t, c.form, c.files)
		}
		return f.post(body, media, c.query)
	}
	args := strings.TrimSuffix(c.body, "}")
	if args != "{" {
		args += ","
	}
	args += fmt.Sprintf(`"action":%q,"url":%q}`, f.decl.Name, f.path+c.query)
	text, isError, status := use(f.t, tools(f.w), f.token(), "execute_action", json.RawMessage(args))
	r := faultReply{status: http.StatusOK, whole: text}
	if isError || status != http.StatusOK {
		r.status = http.StatusUnprocessableEntity
		if status >= 500 || !strings.Contains(text, "Nothing was changed.") {
			r.status = http.StatusInternalServerError
		}
	}
	r.message, _, _ = strings.Cut(text, "\n\n") // the page follows the message
	if r.done() {
		r.message, _, _ = strings.Cut(r.message, "\n")
		_, r.message, _ = strings.Cut(r.message, f.path+"): ") // the title of the page stands before its path
	}
	return r
}

func (f *faultyField) post(body, media, query string) faultReply {
	r := requestBody(clientOf(f.w, f.actor), "POST", f.path+"/actions/"+f.decl.Name+query, body, "Content-Type: "+media,
		"Accept: application/json")
	var says struct {
		Message string
		Error   struct {
			Message string
			Fields  []param.Error
		}
	}
	json.Unmarshal([]byte(r.Body), &says)
	return faultReply{r.Status, says.Message + says.Error.Message, says.Error.Fields, r.Body}
}

// mayMCP reports whether the actor, or an agent of the actor, is offered the action.
func (f *faultyField) mayMCP() bool {
	if f.decl.HumanOnly {
		return false
	}
	offers, asked := f.offers[f.path+f.decl.Name]
	if !asked {
		var page jsonPage
		json.Unmarshal([]byte(f.w.Bearer(f.token()).Get(f.path, "application/json").Body), &page)
		_, offers = page.action(f.decl.Name)
		f.offers[f.path+f.decl.Name] = offers
	}
	if !offers {
		f.counts.leaveOut(f.decl.Name + " " + f.field.Name)
	}
	return offers
}

// token returns the token with which the actor, or an agent of the actor, acts over MCP.
func (f *faultyField) token() string {
	switch f.actor {
	case "scribe", "clerk":
		return f.w.Token(f.actor)
	case millRunner:
		return f.w.Secret(f.actor)
	}
	return f.agents[f.actor]
}

// newFaultWorld returns a world in which people have agents with all scopes.
func newFaultWorld(t *testing.T, counts *faultCounts) *faultWorld {
	t.Helper()
	at := &faultWorld{t: t, w: webtest.New(t), counts: counts, agents: map[string]string{}, offers: map[string]bool{}}
	for _, person := range []string{"bob", "alice", "erin"} {
		r := at.w.As(person).PostJSON("/settings/tokens", "create_token",
			param.Input{"label": "Faulty", "scopes": []any{"read", "write", "governance"}, "expires_in": "1d"})
		var says struct{ Secret string }
		if json.Unmarshal([]byte(r.Body), &says); says.Secret == "" {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
		at.agents[person] = says.Secret
	}
	return at
}

// multipartOf encodes a form with files.
func multipartOf(t *testing.T, form url.Values, files map[string]param.Upload) (body, media string) {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for name, list := range form {
		for _, v := range list {
			if err := m.WriteField(name, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, file := range files {
		part, err := m.CreateFormFile(name, file.Name)
		if err == nil {
			_, err = part.Write(file.Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), m.FormDataContentType()
}

// check sends a call through a door, and checks the answer against the expectations of the call.
func (f *faultyField) check(door string, c faultyCall) {
	f.t.Helper()
	f.counts.add(c.fault, door)
	got := f.send(door, c)
	what := fmt.Sprintf("%s: %s is %s by %s, by %s on %s\n%s %.300s%s\n", f.decl.Name, f.field.Name, c.fault, door, f.actor,
		f.path, c.query, c.body, c.form.Encode())
	if c.means != nil {
		right := f.rightly(c.means)
		what += fmt.Sprintf("means %v\n", c.means)
		switch {
		case got.status >= 500:
			f.t.Errorf("%s%d %.600s", what, got.status, got.whole)
		case right.done() && !got.done():
			f.t.Errorf("%s%d %.600s\nand the right call is done", what, got.status, got.whole)
		case right.done() && (!strings.HasPrefix(got.message, right.message) || !strings.Contains(got.message, c.note)):
			f.t.Errorf("%ssays %q\n the right one %q, note %q", what, got.message, right.message, c.note)
		case !right.done() && !strings.Contains(got.message, right.message):
			f.t.Errorf("%ssays %q\n the right one %q", what, got.message, right.message)
		}
		return
	}
	if got.status != http.StatusBadRequest && got.status != http.StatusUnprocessableEntity {
		f.t.Errorf("%s%d %.600s", what, got.status, got.whole)
		return
	}
	for _, s := range append([]string{f.field.Name}, c.says...) {
		if !regexp.MustCompile(`(^|[^a-z_])` + regexp.QuoteMeta(s) + `($|[^a-z_])`).MatchString(got.message) {
			f.t.Errorf("%s%d does not say %q: %q", what, got.status, s, got.message)
		}
	}
}

// rightly returns the answer to a correct call with these parameters, in a dry run by JSON.
func (f *faultyField) rightly(params map[string]any) faultReply {
	body := object(map[string]any{"params": params, "dry_run": true})
	r, ok := f.rights[body]
	if !ok {
		r = f.post(body, "application/json", "")
		if f.rights == nil {
			f.rights = map[string]faultReply{}
		}
		f.rights[body] = r
	}
	return r
}
