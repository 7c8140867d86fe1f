package web_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web/webtest"
)

var (
	forPeople  = regexp.MustCompile(`(?m)^\*\*For people\*\*: (.*)\.$`)
	mayDo      = regexp.MustCompile(`@(\S+) may ([^;]*)`)
	handedOver = regexp.MustCompile(`\]\(` + regexp.QuoteMeta(webtest.Origin) + `([^)?]*)/actions/([a-z_]+)[^)]*\)`)
)

// agentsOf lists the agents that [TestForPeople] uses, each with its member and the scopes of its token.
var agentsOf = map[string]struct {
	member string
	scopes []store.Scope // nil: the token is restricted to some kinds, so the test does not derive refusals from its scopes
}{
	"scout":  {"bob", []store.Scope{store.ScopeRead, store.ScopeWrite}},
	"reader": {"bob", []store.Scope{store.ScopeRead}},
	"scribe": {"alice", []store.Scope{store.ScopeRead, store.ScopeWrite, store.ScopeGovernance}},
	"owl":    {"oscar", []store.Scope{store.ScopeRead, store.ScopeWrite, store.ScopeGovernance}},
	"clerk":  {"erin", nil},
}

// TestForPeople reads every page as agents. The line for people lists the actions that only people may take. The
// line also lists actions that the agent's member may take and a guard refuses to the agent, although the agent's
// token has the scope. Each action is listed with a person who may take it.
func TestForPeople(t *testing.T) {
	aboutContent(t)
	listed := map[string]map[string][]string{} // the people to whom an action is listed, by page and action
	w := webtest.New(t)
	// Kim is a member without a login here, so pages are not read as Kim.
	for _, person := range []string{"alice", "bob", "carol", "dave", "erin", "frank", "mia", "oscar"} {
		for _, v := range pages(survey(t, person)) {
			for _, decl := range v.place.Actions {
				if _, ok := v.page.action(decl.Name); ok {
					if listed[v.url] == nil {
						listed[v.url] = map[string][]string{}
					}
					listed[v.url][decl.Name] = append(listed[v.url][decl.Name], person)
				}
			}
		}
	}
	named, plain, guarded, agents := 0, 0, 0, []string{"scout", "clerk"}
	if thorough {
		agents = append(agents, "scribe", "reader", "owl")
	}
	for _, agent := range agents {
		c := w.As(agent)
		for _, v := range pages(survey(t, agent)) {
			if v.place.Readers != "" && strings.HasPrefix(v.url, "/settings") || v.url == "/orgs" || strings.Contains(v.url, "/actions") {
				continue // the page differs for each member
			}
			if agent == "owl" && !strings.Contains(v.page.Audience, "Globex") {
				continue // on a public page, an agent of another organization has no person to ask
			}
			found := map[string]bool{}
			if line := forPeople.FindStringSubmatch(c.Get(v.url, "text/markdown").Body); line != nil {
				for _, who := range mayDo.FindAllStringSubmatch(line[1], -1) {
					for _, decl := range v.place.Actions { // actions without a link of their own
						if slices.Contains(strings.Split(who[2], ", "), decl.Title) {
							found[decl.Name] = true
							plain++
							if who[1] != "kim" && !slices.Contains(listed[v.url][decl.Name], who[1]) {
								t.Errorf("%s: %s says that @%s may %s; it is listed to %v", agent, v.url, who[1], decl.Name,
									listed[v.url][decl.Name])
							}
						}
					}
					for _, link := range handedOver.FindAllStringSubmatch(who[2], -1) {
						found[link[2]] = true
						named++
						if path, _, _ := strings.Cut(v.url, "?"); link[1] != path && path != "/" {
							t.Errorf("%s: %s links to %s", agent, v.url, link[0])
						}
						if who[1] != "kim" && !slices.Contains(listed[v.url][link[2]], who[1]) {
							t.Errorf("%s: %s says that @%s may %s; it is listed to %v", agent, v.url, who[1], link[2],
								listed[v.url][link[2]])
						}
					}
				}
			}
			of := agentsOf[agent]
			for _, decl := range v.place.Actions {
				people := listed[v.url][decl.Name]
				_, offered := v.page.action(decl.Name)
				refused := !offered && slices.Contains(of.scopes, decl.Scope) && slices.Contains(people, of.member)
				if (decl.HumanOnly && people != nil || refused) && !found[decl.Name] {
					t.Errorf("%s: %s does not say that %v may %s", agent, v.url, people, decl.Name)
				}
				if refused && !decl.HumanOnly {
					guarded++
				}
			}
		}
	}
	if guarded == 0 {
		t.Error("no guard refuses an agent what its member may do")
	}
	t.Logf("%d actions for people have a link of their own, %d share one; guards keep %d from agents", named,
		plain, guarded)
}

// TestOnlyTheOwnerMay lets agents take actions that are refused. The refusal names a person who may take the
// action, with a link to a form that has the agent's params. The refusal names the agent's own member only if that
// member may take the action.
func TestOnlyTheOwnerMay(t *testing.T) {
	w := webtest.New(t)
	talk := w.URL("talk")
	for _, c := range []struct {
		agent, page, action string
		params              param.Input
		says                []string
	}{
		{"scout", talk, "redact", param.Input{"comment": 1}, []string{"@bob may not", "Ask @alice, who may.",
			webtest.Origin + talk + "/actions/redact?comment=1"}},
		{"scribe", talk, "redact", param.Input{"comment": 1}, []string{"Ask @alice to do it in a browser.",
			webtest.Origin + talk + "/actions/redact?comment=1"}},
		{"scout", w.URL("acme organization"), "create_studio", param.Input{"name": "Crew"}, []string{"create_studio?name=Crew"}},
		{"scribe", w.URL("review waiting"), "approve_review", nil, []string{"Only people answer this review",
			"Ask @alice to do it in a browser. Give them this link: " + webtest.Origin + w.URL("review waiting") +
				"/actions/approve_review"}},
	} {
		r := w.As(c.agent).PostJSON(c.page, c.action, c.params)
		for _, s := range c.says {
			if r.Status != http.StatusForbidden || !strings.Contains(r.Body, s) {
				t.Errorf("%s, %s: %d, want %q in %.600s", c.agent, c.action, r.Status, s, r.Body)
			}
		}
		if c.agent == "scout" && c.action == "redact" && strings.Contains(r.Body, "Ask @bob") {
			t.Errorf("bob is named, who may not: %.600s", r.Body)
		}
	}
	says := w.As("scout").Get(talk+"/actions/redact?comment=1", "text/markdown").Body
	want := "**For people**: @alice may [Remove from the record](" + webtest.Origin + talk + "/actions/redact?comment=1)."
	if !strings.Contains(says, want) {
		t.Errorf("the action's page does not say %q:\n%s", want, says)
	}
}
