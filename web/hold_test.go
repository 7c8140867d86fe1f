package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

// TestHold takes actions that need approval. The actions are not carried out, the answer has the URL of the
// approval, and a repeated call gets the same approval.
func TestHold(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open time")
	vote := param.Input{"yes": []any{"1", "2"}}
	before := w.Digests()
	where := ""
	for _, c := range []struct {
		accept string
		json   bool
		status int
	}{{"", true, 202}, {"application/json", false, 202}, {"text/markdown", false, 202}, {"text/markdown", true, 202},
		{"text/html", false, 303}, {"text/html", true, 303}} {
		call := webtest.Call{Params: vote, Accept: c.accept}
		r := w.As("clerk").Form(page, "cast_vote", call)
		if c.json {
			r = w.As("clerk").JSON(page, "cast_vote", call)
		}
		if r.Status != c.status || !strings.HasPrefix(r.Header.Get("Vary"), "Accept") {
			t.Errorf("accepting %q: %d %v", c.accept, r.Status, r.Header)
		}
		var held struct {
			Held bool
			URL  string
		}
		switch {
		case c.status == 303:
			held.URL = r.Location()
		case strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
			if err := json.Unmarshal([]byte(r.Body), &held); err != nil || !held.Held {
				t.Errorf("%s", r.Body)
			}
		case strings.Contains(r.Body, "Nothing is done yet"):
			held.URL = where
		}
		// A form sends text where JSON sends numbers, so its call counts as another call.
		if c.json && where != "" && held.URL != where {
			t.Errorf("asked again, it waits at %s and not at %s", held.URL, where)
		}
		if c.json {
			where = held.URL
		}
	}
	if !strings.HasPrefix(where, "/approvals/") {
		t.Fatalf("it waits at %q", where)
	}
	if changed := webtest.Changed(before, w.Digests(), "approvals", "journal", "organizations", "notifications",
		"members"); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
	text, isError, _ := use(t, tools(w), w.Token("clerk"), "execute_action",
		map[string]any{"url": page, "action": "cast_vote", "params": vote})
	if isError || !strings.HasPrefix(text, `cast_vote on "`) || !strings.Contains(text, `" (`+page+"): Waiting for approval: "+where+"\n") {
		t.Errorf("over MCP: %s", text)
	}
	if r := w.As("erin").Get("/approvals", "text/markdown"); strings.Count(r.Body, "("+where+")") != 1 &&
		strings.Count(r.Body, where) != 1 {
		t.Errorf("Erin sees\n%s", r.Body)
	}
}

// TestHoldLetsGoOn takes actions that no rule holds, and they are carried out. A call that would fail is refused
// before a person is asked.
func TestHoldLetsGoOn(t *testing.T) {
	w := webtest.New(t)
	if r := w.As("scribe").PostJSON(w.URL("open approval"), "comment", param.Input{"text": "x"}); r.Status != 200 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := w.As("erin").PostJSON(w.URL("open approval"), "comment", param.Input{"text": "x"}); r.Status != 200 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	before := w.Digests()
	for _, c := range []struct {
		page, action string
		call         webtest.Call
		status       int
		says         string
	}{
		{w.URL("result single"), "cast_vote", webtest.Call{}, 409, "Voting closed"},
		{w.URL("open single"), "comment", webtest.Call{Version: "1"}, 409, "has changed"},
		{w.URL("open single"), "comment", webtest.Call{}, 422, "text"}, {w.URL("open single"), "cast_vote",
			webtest.Call{Params: param.Input{"option": "2"}}, 403, "voted in person"},
		{w.URL("open single"), "nothing", webtest.Call{}, 404, "There is no action"},
		{w.URL("lab open"), "comment", webtest.Call{}, 404, ""},
		{w.URL("commitment open"), "join", webtest.Call{}, 403, "does not act on the kind commitment"},
		{w.URL("team"), "create_commitment", webtest.Call{}, 403, "does not act on the kind commitment"},
	} {
		if r := w.As("clerk").JSON(c.page, c.action, c.call); r.Status != c.status ||
			!strings.Contains(r.Body, c.says) {
			t.Errorf("%s %s: %d %s", c.page, c.action, r.Status, r.Body)
		}
	}
	r := w.As("clerk").JSON(w.URL("open dots"), "comment", webtest.Call{Params: param.Input{"text": "x"}, DryRun: true})
	if r.Status != 200 || !strings.Contains(r.Body, "It would say: Nothing is done yet: @erin can approve it.") ||
		strings.Contains(r.Body, `"held"`) {
		t.Errorf("a dry run: %d %s", r.Status, r.Body)
	}
	if changed := webtest.Changed(before, w.Digests(), "calls"); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
}

// TestAgentsAreRefused lets agents take actions that only people may take, and actions whose scope the token lacks. All
// are refused with a reason, and each refusal is logged.
func TestAgentsAreRefused(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	before := w.Digests()
	var want []string
	for _, p := range w.Site.Places() {
		if p.Readers == web.ForPerson || p.Readers == web.ForOwner || p.Readers == web.ForPeople {
			continue // the page does not exist for an agent
		}
		page := w.Example(p.Pattern)
		if p.Pattern == "/approvals/{id}" {
			continue // the approval belongs to another agent
		}
		for _, a := range p.Actions {
			for agent, says := range map[string]string{"scribe": "Only a person can do this", "reader": "does not carry the scope"} {
				if agent == "scribe" && !a.HumanOnly || agent == "reader" &&
					(a.HumanOnly || strings.HasPrefix(page, "/orgs/")) {
					continue
				}
				r := w.As(agent).PostJSON(page, a.Name, nil)
				if p := problemOf(t, r); r.Status != 403 || p.Error.Code != "forbidden" ||
					!strings.Contains(p.Error.Message, says) || slices.Contains(p.Error.Actions, a.Name) {
					t.Errorf("%s %s on %s: %d %+v", agent, a.Name, page, r.Status, p.Error)
				}
				if agent == "scribe" {
					want = append([]string{fmt.Sprint(page, " ", a.Name, " forbidden")}, want...)
				}
				form := w.As(agent).Get(page+"/actions/"+a.Name+"?text=x", "text/markdown")
				if form.Status != 200 || !strings.Contains(form.Body, "Not possible now: ") ||
					!strings.Contains(form.Body, says) || strings.Contains(form.Body, "## Actions") {
					t.Errorf("%s reads the form of %s: %d\n%s", agent, a.Name, form.Status, form.Body)
				}
			}
		}
	}
	if changed := webtest.Changed(before, w.Digests(), "calls"); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
	for _, c := range []struct{ page, action, body, code string }{
		{w.URL("standups"), "cast_vote", `{"params":{"accept":["9"]}}`, "bad_params"}, {w.URL("result single"),
			"cast_vote", `{}`, "conflict"}, {w.URL("lab open"), "cast_vote", `{}`, "not_found"},
		{w.URL("standups"), "fly", `{}`, "not_found"},
		{w.URL("standups"), "comment", `{"params":{"text":"x"},"if_version":1}`, "conflict"},
	} {
		requestBody(w.As("scribe"), "POST", c.page+"/actions/"+c.action, c.body, jsonMedia)
		want = append([]string{c.page + " " + c.action + " " + c.code}, want...)
	}
	var got []string
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		by, err := tx.ActorByToken(w.Token("scribe"))
		if err != nil {
			return err
		}
		o, err := tx.FindOrganization(by, "acme")
		for after, more := "", true; more && err == nil; {
			var p *store.ActivityPage
			if p, err = tx.ShowActivity(by, o, after); err != nil {
				return err
			}
			for _, r := range p.Refusals {
				got, after = append(got, r.URL+" "+r.Action+" "+r.Code), r.Cursor().String()
				if r.Message == "" || !r.At.Equal(webtest.Start) || r.Label != "Scribe" || r.Member != "alice" {
					t.Errorf("kept %+v", r)
				}
			}
			more = len(p.Refusals) == p.Limit
		}
		return err
	}); err != nil || !slices.Equal(got, want) {
		t.Errorf("kept are %q, want %q (%v)", got, want, err)
	}
	if len(want) < 10 {
		t.Errorf("only %d calls", len(want))
	}
}

// TestPrefilledForm opens forms with values in the URL. Opening a form does not take the action. An actor who may not
// take the action sees the reason.
func TestPrefilledForm(t *testing.T) {
	w := webtest.New(t)
	before := w.Digests()
	link := w.URL("open approval") + "/actions/cast_vote?accept=1&accept=3&reason=Because+%3Cb%3E&_dry_run=&nothing=x"
	html := w.As("bob").Get(link, "text/html")
	if html.Status != 200 || strings.Count(html.Body, " checked") != 2 ||
		!strings.Contains(html.Body, "Because &lt;b&gt;</textarea>") {
		t.Errorf("%d\n%s", html.Status, html.Body)
	}
	md := w.As("scribe").Get(link, "text/markdown")
	if md.Status != 200 || !strings.Contains(md.Body, "Because <b>") || !strings.Contains(md.Body, "**cast_vote**") {
		t.Errorf("%d\n%s", md.Status, md.Body)
	}
	for as, says := range map[string]string{"reader": "does not carry the scope write", "dave": "before you joined"} {
		if r := w.As(as).Get(link, "text/markdown"); r.Status != 200 ||
			!strings.Contains(r.Body, "Not possible now: ") || !strings.Contains(r.Body, says) {
			t.Errorf("%s: %d\n%s", as, r.Status, r.Body)
		}
	}
	public := w.URL("plaza open") + "/actions/comment?text=x"
	for as, says := range map[string]string{"anonymous": "Sign in to do this.",
		"oscar": "Only members of this organization", "owl": "Only members of this organization", "carol": "Join it"} {
		if r := w.As(as).Get(public, "text/markdown"); r.Status != 200 || !strings.Contains(r.Body, says) ||
			strings.Contains(r.Body, "## Actions") {
			t.Errorf("%s: %d\n%s", as, r.Status, r.Body)
		}
	}
	for _, target := range []string{w.URL("lab open") + "/actions/cast_vote?option=1",
		"/studios/nowhere/actions/join"} {
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
