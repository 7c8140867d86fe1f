package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

// holding is a world where a person must approve every vote, and every comment that says so.
func holding(t *testing.T, asked *[]string) *webtest.World {
	return webtest.New(t, func(c *web.Config) {
		c.Policy = policy(func(by store.Actor, a action.Decl, s action.Subject, call web.Call) (string, error) {
			*asked = append(*asked, by.Name()+" "+a.Name+" "+s.Ref().URL)
			if a.Name == "cast_vote" {
				return "/approvals/k3v9x0a2mq", nil
			}
			return "", nil
		})
	})
}

// TestHold: what must be approved is not done; whoever asked is told where it waits.
func TestHold(t *testing.T) {
	var asked []string
	w := holding(t, &asked)
	page := w.URL("open approval")
	vote := param.Input{"accept": []any{"1"}}
	before := w.Digests()
	for _, c := range []struct {
		as, accept string
		json       bool
		status     int
	}{
		{"scribe", "", true, 202}, {"scribe", "application/json", false, 202}, {"scribe", "text/markdown", false, 202}, {"scribe", "text/markdown", true, 202},
		{"bob", "text/html", false, 303}, {"bob", "text/html", true, 303}, {"bob", "", true, 202},
	} {
		call := webtest.Call{Params: vote, Accept: c.accept}
		r := w.As(c.as).Form(page, "cast_vote", call)
		if c.json {
			r = w.As(c.as).JSON(page, "cast_vote", call)
		}
		if r.Status != c.status || r.Header.Get("Vary") != "Accept" {
			t.Errorf("%s accepting %q: %d %v", c.as, c.accept, r.Status, r.Header)
		}
		switch {
		case c.status == 303:
			if r.Location() != "/approvals/k3v9x0a2mq" {
				t.Errorf("%s is sent to %s", c.as, r.Location())
			}
		case strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
			var held struct {
				Held bool
				URL  string
				Page *string
			}
			if err := json.Unmarshal([]byte(r.Body), &held); err != nil || !held.Held || held.URL != "/approvals/k3v9x0a2mq" {
				t.Errorf("%s: %s", c.as, r.Body)
			}
		case !strings.Contains(r.Body, "/approvals/k3v9x0a2mq") || !strings.Contains(r.Body, "Waiting for approval"):
			t.Errorf("%s: %s", c.as, r.Body)
		}
	}
	if changed := webtest.Changed(before, w.Digests()); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
	text, isError, _ := use(t, tools(w), w.Token("scribe"), "execute_action", map[string]any{"url": page, "action": "cast_vote", "params": vote})
	if isError || !strings.HasPrefix(text, "cast_vote on "+page+": Waiting for approval: /approvals/k3v9x0a2mq") {
		t.Errorf("over MCP: %s", text)
	}
	// With a key the same call waits once.
	asked = nil
	for range 2 {
		if r := w.As("scribe").JSON(page, "cast_vote", webtest.Call{Params: vote, Key: "k"}); r.Status != 202 || !strings.Contains(r.Body, "/approvals/k3v9x0a2mq") {
			t.Errorf("with a key: %d %s", r.Status, r.Body)
		}
	}
	if len(asked) != 1 {
		t.Errorf("asked %v", asked)
	}
	if got := votesOf(t, w, page); got != 2 {
		t.Errorf("%d have voted", got)
	}
}

// votesOf is how many ballots a decision's page speaks of.
func votesOf(t *testing.T, w *webtest.World, page string) int {
	t.Helper()
	n := 0
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		d, err := tx.FindDecision(store.System(), "team", page[strings.LastIndexByte(page, '/')+1:])
		n = d.Ballots
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestHoldLetsGoOn: without an address the call goes on; what cannot be done anyway is refused before anybody is asked.
func TestHoldLetsGoOn(t *testing.T) {
	var asked []string
	w := holding(t, &asked)
	if r := w.As("scribe").PostJSON(w.URL("open approval"), "comment", param.Input{"text": "x"}); r.Status != 200 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if want := []string{"Scribe, agent of @alice comment " + w.URL("open approval")}; !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
	asked = nil
	for _, c := range []struct {
		as, page, action string
		call             webtest.Call
		status           int
	}{
		{"scribe", w.URL("result single"), "cast_vote", webtest.Call{}, 409}, {"reader", w.URL("open approval"), "cast_vote", webtest.Call{}, 403},
		{"scribe", w.URL("open approval"), "cast_vote", webtest.Call{Version: "1"}, 409}, {"carol", w.URL("open approval"), "cast_vote", webtest.Call{}, 404},
		{"scribe", w.URL("open approval"), "nothing", webtest.Call{}, 404},
	} {
		if r := w.As(c.as).JSON(c.page, c.action, c.call); r.Status != c.status {
			t.Errorf("%s %s: %d", c.as, c.action, r.Status)
		}
	}
	if len(asked) > 0 {
		t.Errorf("asked about what cannot be: %v", asked)
	}
	before := w.Digests()
	r := w.As("scribe").JSON(w.URL("open approval"), "cast_vote", webtest.Call{Params: param.Input{"accept": []any{"1"}}, DryRun: true})
	if changed := webtest.Changed(before, w.Digests()); r.Status != 200 || !strings.Contains(r.Body, "It would say: Waiting for approval.") || strings.Contains(r.Body, `"held"`) || len(changed) > 0 {
		t.Errorf("a dry run: %d, changed %v: %s", r.Status, changed, r.Body)
	}
}

// TestAgentsAreRefused what is for people, and what their scopes do not cover, with the reason; each refused call is kept.
func TestAgentsAreRefused(t *testing.T) {
	w := webtest.New(t)
	before := w.Digests()
	var want []string
	for _, p := range w.Site.Places() {
		page := w.Example(p.Pattern)
		for _, a := range p.Actions {
			for agent, says := range map[string]string{"scribe": "Only a person can do this. Ask @alice to do it in a browser.", "reader": "does not carry the scope"} {
				if agent == "scribe" && !a.HumanOnly || agent == "reader" && (a.HumanOnly || strings.HasPrefix(page, "/orgs/")) {
					continue
				}
				r := w.As(agent).PostJSON(page, a.Name, nil)
				if p := problemOf(t, r); r.Status != 403 || p.Error.Code != "forbidden" || !strings.Contains(p.Error.Message, says) || slices.Contains(p.Error.Actions, a.Name) {
					t.Errorf("%s %s on %s: %d %+v", agent, a.Name, page, r.Status, p.Error)
				}
				if agent == "scribe" {
					want = append([]string{fmt.Sprint(page, " ", a.Name, " forbidden")}, want...)
				}
				form := w.As(agent).Get(page+"/actions/"+a.Name+"?text=x", "text/markdown")
				if form.Status != 200 || !strings.Contains(form.Body, "Not possible now: ") || !strings.Contains(form.Body, says) || strings.Contains(form.Body, "## Actions") {
					t.Errorf("%s reads the form of %s: %d\n%s", agent, a.Name, form.Status, form.Body)
				}
			}
		}
	}
	if changed := webtest.Changed(before, w.Digests(), "calls"); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
	for _, c := range []struct{ page, action, body, code string }{
		{w.URL("standups"), "cast_vote", `{"params":{"accept":["9"]}}`, "bad_params"}, {w.URL("result single"), "cast_vote", `{}`, "conflict"}, {w.URL("lab open"), "cast_vote", `{}`, "not_found"},
		{w.URL("standups"), "fly", `{}`, "not_found"}, {w.URL("standups"), "comment", `{"params":{"text":"x"},"if_version":1}`, "conflict"},
	} {
		requestBody(w.As("scribe"), "POST", c.page+"/actions/"+c.action, c.body, jsonMedia)
		want = append([]string{c.page + " " + c.action + " " + c.code}, want...)
	}
	var got []string
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		list, err := tx.Refusals(tokenID(t, w, "scribe"), 1000)
		for _, r := range list {
			got = append(got, r.URL+" "+r.Action+" "+r.Code)
			if r.Message == "" || !r.At.Equal(webtest.Start) {
				t.Errorf("kept %+v", r)
			}
		}
		return err
	}); err != nil || !slices.Equal(got, want) {
		t.Errorf("kept are %q, want %q (%v)", got, want, err)
	}
	if len(want) < 10 {
		t.Errorf("only %d calls", len(want))
	}
}

// TestPrefilledForm: the page of an action carries values and never acts; whoever may not act sees why not.
func TestPrefilledForm(t *testing.T) {
	w := webtest.New(t)
	before := w.Digests()
	link := w.URL("open approval") + "/actions/cast_vote?accept=1&accept=3&reason=Because+%3Cb%3E&_dry_run=&nothing=x"
	html := w.As("bob").Get(link, "text/html")
	if html.Status != 200 || strings.Count(html.Body, " checked") != 2 || !strings.Contains(html.Body, "Because &lt;b&gt;</textarea>") {
		t.Errorf("%d\n%s", html.Status, html.Body)
	}
	md := w.As("scribe").Get(link, "text/markdown")
	if md.Status != 200 || !strings.Contains(md.Body, "Because <b>") || !strings.Contains(md.Body, "**cast_vote**") {
		t.Errorf("%d\n%s", md.Status, md.Body)
	}
	for as, says := range map[string]string{"reader": "does not carry the scope write", "dave": "before you joined"} {
		if r := w.As(as).Get(link, "text/markdown"); r.Status != 200 || !strings.Contains(r.Body, "Not possible now: ") || !strings.Contains(r.Body, says) {
			t.Errorf("%s: %d\n%s", as, r.Status, r.Body)
		}
	}
	public := w.URL("plaza open") + "/actions/comment?text=x"
	for as, says := range map[string]string{"anonymous": "Sign in to do this.", "oscar": "Only members of this organization", "owl": "Only members of this organization", "carol": "Join it"} {
		if r := w.As(as).Get(public, "text/markdown"); r.Status != 200 || !strings.Contains(r.Body, says) || strings.Contains(r.Body, "## Actions") {
			t.Errorf("%s: %d\n%s", as, r.Status, r.Body)
		}
	}
	for _, target := range []string{w.URL("lab open") + "/actions/cast_vote?option=1", "/studios/nowhere/actions/join"} {
		if r := w.As("bob").Get(target, "text/html"); r.Status != 404 {
			t.Errorf("%s: %d", target, r.Status)
		}
	}
	secret := w.As("bob").Get("/settings/tokens/actions/create_token?label=X&token=sp_abc&scopes=read", "text/html")
	if secret.Status != 200 || !strings.Contains(secret.Body, `value="X"`) {
		t.Errorf("%d", secret.Status)
	}
	if changed := webtest.Changed(before, w.Digests()); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
}
