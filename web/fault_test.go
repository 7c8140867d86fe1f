package web_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

// TestFaultyParams sends every parameter of every action with every fault as JSON, as a form and over MCP. A faulty
// call is refused with the name of the parameter and how to send it, or it is done like the correct call. In that case,
// the answer says which part was read differently. A refused call changes nothing.
func TestFaultyParams(t *testing.T) {
	aboutContent(t)
	plan := faultyFields(t)
	total := &faultCounts{calls: map[[2]string]int{}, apart: map[string]bool{}}
	t.Run("parts", func(t *testing.T) {
		const part = 30
		for i := 0; i < len(plan); i += part {
			fields := plan[i:min(i+part, len(plan))]
			t.Run(fmt.Sprint(i/part), func(t *testing.T) {
				t.Parallel()
				at := newFaultWorld(t, total)
				before := at.w.Digests()
				for _, f := range fields {
					f.faultWorld = at
					f.try()
				}
				// An upload is stored before the call is checked, and is deleted later if nothing needs it.
				if changed := webtest.Changed(before, at.w.Digests(), "calls", "tokens", "logins", "blobs"); len(changed) > 0 {
					t.Errorf("changed %v", changed)
				}
			})
		}
	})
	total.print(t, plan)
}

// faultCounts counts the faulty calls, by fault and door.
type faultCounts struct {
	mu    sync.Mutex
	calls map[[2]string]int
	apart map[string]bool // parameters of actions that agents may take, but that no page here offers to an agent
}

func (c *faultCounts) add(fault, door string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[[2]string{fault, door}]++
}

func (c *faultCounts) leaveOut(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.apart[name] = true
}

// peopleHere lists the parameters that are not sent over MCP, although agents may take the action. An agent answers a
// review only in the turn in which the review was requested. Only people give a reason for a merge without a review,
// and archive a worktree whose work would be lost.
var peopleHere = []string{"approve_review text", "archive_worktree typed", "merge_pull_request reason", "send_feedback items",
	"send_feedback priority", "send_feedback text", "send_feedback type"}

// print writes the counts as a table. A pair of a fault and a door without a call is an error.
func (c *faultCounts) print(t *testing.T, plan []*faultyField) {
	names, all := map[string]bool{}, 0
	for _, f := range plan {
		names[f.decl.Name] = true
	}
	table := fmt.Sprintf("%-16s", "")
	for _, door := range doors {
		table += fmt.Sprintf("%8s", door)
	}
	for _, fault := range faults {
		table += fmt.Sprintf("\n%-16s", fault)
		for _, door := range doors {
			n := c.calls[[2]string{fault, door}]
			all += n
			table += fmt.Sprintf("%8d", n)
			if n == 0 && !(fault == isNull && door == byForm) { // a form has no null
				t.Errorf("no parameter is %s by %s", fault, door)
			}
		}
	}
	apart := slices.Sorted(maps.Keys(c.apart))
	if !slices.Equal(apart, peopleHere) {
		t.Errorf("not over MCP: %q, want %q", apart, peopleHere)
	}
	t.Logf("%d actions with %d parameters: %d faulty calls\n%s", len(names), len(plan), all, table)
}

// offeredForm is an action as a page offers it to an actor.
type offeredForm struct {
	actor, path string
	decl        action.Decl
	visit       *visit
	schema      schema
	right       param.Input // the parameters of a correct call
}

// offeredForms returns each action with parameters, once for each set of parameters that pages offer. Together,
// the actors of these forms are offered every action that has parameters. The forms offered to agents come first.
func offeredForms(t *testing.T) (forms []*offeredForm) {
	t.Helper()
	seen, named := map[string]bool{}, map[string]bool{}
	add := func(actor string, v *visit) {
		for _, decl := range v.place.Actions {
			listed, ok := v.page.action(decl.Name)
			if !ok {
				continue
			}
			s := schemaOf(t, listed)
			key := decl.Name + " " + strings.Join(s.Required, ",") + fmt.Sprint(slices.Sorted(maps.Keys(s.Properties)))
			if len(s.Properties) == 0 || seen[key] {
				continue
			}
			seen[key], named[decl.Name] = true, true
			path, _, _ := strings.Cut(v.url, "?")
			forms = append(forms, &offeredForm{actor: actor, path: path, decl: decl, visit: v, schema: s,
				right: required(t, decl, listed, v)})
		}
	}
	for _, actor := range []string{"scribe", "clerk", "bob", "alice", "erin"} {
		for _, v := range survey(t, actor) {
			add(actor, v)
		}
	}
	w := webtest.New(t)
	v := &visit{url: w.URL(millRunner)}
	v.place, _ = w.Site.PlaceOf(v.url)
	r := clientOf(w, millRunner).Get(v.url, "application/json")
	if err := json.Unmarshal([]byte(r.Body), &v.page); err != nil {
		t.Fatal(err)
	}
	add(millRunner, v)
	for _, place := range w.Site.Places() {
		for _, decl := range place.Actions {
			if len(decl.Fields) > 0 && !named[decl.Name] && decl.AllowedFor != store.Clock {
				t.Errorf("nobody here is offered %s on %s", decl.Name, place.Pattern)
			}
		}
	}
	return forms
}

// millRunner is the actor that is offered the actions of runners.
const millRunner = "runner mill"

// clientOf returns a client of an actor of the world or of a runner.
func clientOf(w *webtest.World, actor string) *webtest.Client {
	if actor == millRunner {
		return w.Bearer(w.Secret(actor))
	}
	return w.As(actor)
}

// faultyFields returns every parameter of every action once, and twice if one page requires it and another does not.
// The parameters of one page follow one another.
func faultyFields(t *testing.T) (plan []*faultyField) {
	t.Helper()
	seen := map[string]bool{}
	for _, form := range offeredForms(t) {
		for _, f := range form.decl.Fields {
			_, offered := form.schema.Properties[f.Name]
			must := slices.Contains(form.schema.Required, f.Name)
			key := fmt.Sprint(form.decl.Name, " ", f.Name, " ", offered, " ", must)
			if seen[key] || !offered && seen[fmt.Sprint(form.decl.Name, " ", f.Name, " true false")] {
				continue
			}
			seen[key] = true
			plan = append(plan, &faultyField{offeredForm: form, field: f, offered: offered, must: must})
		}
	}
	slices.SortStableFunc(plan, func(a, b *faultyField) int { return cmp.Compare(a.path, b.path) })
	return plan
}
