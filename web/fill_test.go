package web_test

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/governance"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/actions/work"
	"samepage/web/webtest"
)

// schema describes the parameters of an action, as in its JSON Schema.
type schema struct {
	Required   []string
	Properties map[string]property
}

type property struct {
	Type, Description    string
	Enum                 []string
	OneOf                []struct{ Const string }
	Items                *property
	Properties           map[string]property
	Minimum, Maximum     int
	MinLength, MaxLength int
	MinItems, MaxItems   int
}

func (p *property) options() []string {
	list := p.Enum
	for _, o := range p.OneOf {
		list = append(list, o.Const)
	}
	return list
}

func schemaOf(t *testing.T, listed jsonAction) (s schema) {
	t.Helper()
	if err := json.Unmarshal(listed.Schema, &s); err != nil {
		t.Fatalf("schema of %s: %v", listed.Name, err)
	}
	return s
}

// required returns valid parameters for a listed action, with a value for each required field. A field with options
// gets one of them.
func required(t *testing.T, decl action.Decl, listed jsonAction, v *visit) param.Input {
	t.Helper()
	s, in := schemaOf(t, listed), param.Input{}
	for _, f := range decl.Fields {
		kept := decl.Keeps && !f.Optional // a call may leave the field out, but would then change nothing
		if p, ok := s.Properties[f.Name]; ok && (kept || slices.Contains(s.Required, f.Name)) {
			in[f.Name] = sensible(decl, f, p, v)
		}
	}
	return in
}

// blindly returns parameters for an action that the page does not list, so there are no options to choose from.
func blindly(decl action.Decl) param.Input {
	in := param.Input{}
	for _, f := range decl.Fields {
		if !f.Optional {
			in[f.Name] = sensible(decl, f, property{Enum: []string{"1"}}, &visit{})
		}
	}
	return in
}

// sensible returns a value that a reader of the page might fill in.
func sensible(decl action.Decl, f param.Field, p property, v *visit) any {
	switch f.Kind {
	case param.Text:
		switch f.Name {
		case "email":
			return "somebody.else@acme.example"
		case "handle", "member":
			return "workshop"
		case "address":
			return "https://hooks.example.org/new"
		case "zone":
			return "Europe/Paris"
		case "reaction":
			return "🌿"
		case "accent":
			return "#2b6cb0"
		case "from":
			return "21:30"
		case "to":
			return "06:30"
		case "typed":
			return path.Base(v.url)
		}
		if strings.HasPrefix(p.Description, "A time") {
			return "2027-03-01 18:00"
		}
		if decl.Name == governance.AddChange.Name {
			return actions.UpdateStudio.Name
		}
		if decl.Name == work.AddRepo.Name {
			return map[string]string{"name": "toolshed", "source": "/srv/git/toolshed"}[f.Name]
		}
		if decl.Name == work.CreateWorktree.Name || f.Name == "key" {
			return "hoeing"
		}
		return "A new one"
	case param.Markdown:
		if decl.Name == governance.AddChange.Name {
			return "name: A new name"
		}
		return "Some *words*.\n\n- and a list"
	case param.Lines:
		if f.Name == "cells" {
			return []any{firstColumn(v) + ": A cell"}
		}
		return []any{"One", "Two"}
	case param.Number:
		return max(p.Minimum, 1)
	case param.Flag:
		return true
	case param.Choice:
		return p.options()[0]
	case param.Choices:
		if p.Items == nil {
			return []any{"1"}
		}
		return []any{p.Items.options()[0]}
	case param.Grid:
		cells := map[string]any{}
		for option, cell := range p.Properties {
			cells[option] = min(cell.Minimum+1, cell.Maximum)
		}
		return cells
	case param.Ref:
		return named(decl, v)
	case param.Time:
		return "300d"
	case param.Duration:
		return "7d"
	case param.File:
		return voteFile(v)
	}
	if f.Name == "receipt" {
		return v.receipt
	}
	if f.Name == "current" {
		return webtest.Password
	}
	return "something secret"
}

// named returns the name of a member, role, page or studio for an action that takes one. Among Acme's members, Carol
// is in few studios, and Bob and Alice are in most.
func named(decl action.Decl, v *visit) string {
	globex := strings.HasPrefix(v.url, "/studios/lab") || strings.HasPrefix(v.url, "/studios/globex")
	switch {
	case decl.Name == actions.TransferOwnership.Name:
		return "@mia" // Mia is in both organizations
	case decl.Name == actions.AddMember.Name && globex:
		return "@mia"
	case decl.Name == actions.AddMember.Name:
		return "@carol"
	case decl.Name == actions.AssignRole.Name:
		return v.page.As
	case decl.Name == governance.Nominate.Name || decl.Name == governance.ChangeNomination.Name:
		return v.page.As[strings.LastIndex(v.page.As, "@")+1:]
	case decl.Name == governance.AddChange.Name:
		return strings.Join(strings.Split(v.url, "/")[:min(3, strings.Count(v.url, "/")+1)], "/")
	case decl.Name == governance.CreateElection.Name && strings.HasPrefix(v.url, "/studios/plaza"):
		return "Sweeper" // other roles of the plaza mirror a role of its parent
	case decl.Name == governance.CreateElection.Name:
		return "Leader"
	case decl.Name == actions.RemoveFromStudio.Name && v.page.As == "@bob":
		return "@alice"
	case decl.Name == actions.RemoveFromStudio.Name:
		return "@bob"
	}
	return "team"
}

// firstColumn returns the title of a table's first column, which holds text in every fixture.
func firstColumn(v *visit) string {
	var data struct{ Columns []struct{ Title string } }
	if json.Unmarshal(v.page.Data, &data) != nil || len(data.Columns) == 0 {
		return "x"
	}
	return data.Columns[0].Title
}

// voteFile returns a file with a vote. On the page of a decision the file has that decision's options and kind of
// ballot.
func voteFile(v *visit) param.Upload {
	data := struct {
		Method  string
		Options []string
	}{string(tally.Schulze), []string{"One", "Two"}}
	json.Unmarshal(v.page.Data, &data) // for a page without options, data keeps its first values
	vote := map[string]any{"id": "somewhere-else", "options": data.Options}
	if tally.Method(data.Method).Scale() == tally.Points {
		marks := make([]int, len(data.Options))
		marks[0] = 5
		vote["ballots"] = []any{[]any{3, marks}}
	} else {
		vote["ballots"] = strings.Join(data.Options, " > ") + " * 3"
	}
	text, err := json.Marshal([]any{vote})
	if err != nil {
		panic(err)
	}
	return param.Upload{Name: "votes.json", Data: text}
}

// submitted returns the fields that a browser sends from the form on an action's own page: the form's values and, for
// fields that the form leaves empty, the given values.
func submitted(t *testing.T, body string, decl action.Decl, in param.Input) param.Input {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "form" ||
			!strings.HasSuffix(attr(n, "action"), "/actions/"+decl.Name) {
			continue
		}
		sent := filledIn(n)
		for name, v := range in {
			if _, ok := sent[name]; !ok && !hasCell(sent, name) {
				sent[name] = v
			}
		}
		return sent
	}
	t.Errorf("the page of %s has no form\n%s", decl.Name, mainOf(body))
	return in
}

func hasCell(sent param.Input, name string) bool {
	for k := range sent {
		if strings.HasPrefix(k, name+".") {
			return true
		}
	}
	return false
}

// filledIn returns the non-empty values of a form's controls. It leaves out the idempotency key, because a dry run
// has none, and because each call of a test must count as a new call.
func filledIn(form *html.Node) param.Input {
	sent := param.Input{}
	add := func(name, value string) {
		if name == "" || value == "" || name == "_idempotency_key" {
			return
		}
		old, _ := sent[name].([]any)
		sent[name] = append(old, value)
	}
	for n := range form.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		name := attr(n, "name")
		switch n.Data {
		case "textarea":
			if n.FirstChild != nil {
				add(name, n.FirstChild.Data)
			}
		case "option":
			if has(n, "selected") {
				add(attr(parent(n, "select"), "name"), attr(n, "value"))
			}
		case "input":
			switch attr(n, "type") {
			case "file":
			case "radio", "checkbox":
				if has(n, "checked") {
					add(name, attr(n, "value"))
				}
			default:
				add(name, attr(n, "value"))
			}
		}
	}
	return sent
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func parent(n *html.Node, tag string) *html.Node {
	for ; n.Parent != nil; n = n.Parent {
		if n.Data == tag {
			return n
		}
	}
	return n
}
