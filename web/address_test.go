package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestOddAddresses requests pages with unknown parts in the query. The page names each part that it ignores.
func TestOddAddresses(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	for url, says := range map[string]string{
		"/approvals?show=closed":     "In the address show=closed means nothing here: show is one of answered.",
		"/inbox?shw=read":            "In the address shw means nothing here: it takes show, after.",
		"/search?q=a&q=b":            "In the address q is there 2 times: the first counts, and the rest means nothing here.",
		w.URL("standups") + "?day=1": "In the address day means nothing here: it takes no such part.",
		"/inbox?show=read":           "",
		"/?wait=0&full=1":            "",
	} {
		for _, form := range []string{"text/markdown", "text/html"} {
			text := w.As("scribe").Get(url, form).Body
			if says == "" == strings.Contains(text, "means nothing") || !strings.Contains(text, says) {
				t.Errorf("%s as %s does not say %q:\n%.600s", url, form, says, text)
			}
		}
	}
}

// TestRefusalsLink asks for lists at a place that they do not have. The refusal links the list.
func TestRefusalsLink(t *testing.T) {
	w := webtest.New(t)
	for _, at := range []string{"/orgs/acme/open?after=x", "/orgs/acme/roles?after=x"} {
		path, _, _ := strings.Cut(at, "?")
		r := w.As("scribe").Get(at, "text/markdown")
		if r.Status != 400 || !strings.Contains(r.Body, " at ["+path+"]("+webtest.Origin+path+").") {
			t.Errorf("%s: %d\n%s", at, r.Status, r.Body)
		}
	}
}

// TestHomeSearches navigates to the home page with the parameter q, which opens the search.
func TestHomeSearches(t *testing.T) {
	w := webtest.New(t)
	text, isError, _ := use(t, tools(w), w.Token("scribe"), "navigate", map[string]any{"url": "/?q=stand-ups"})
	if isError || !strings.Contains(text, `url: "/search?q=stand-ups"`) {
		t.Errorf("/?q=stand-ups: %.300s", text)
	}
}

// TestPendingIsShown lets an agent's comment wait for approval. The answer, the page of the comment and the home
// page tell the agent where to wait, and its member where to approve. The agent of another member sees nothing of
// the comment.
func TestPendingIsShown(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open single")
	r := w.As("clerk").PostJSON(page, "comment", param.Input{"text": "May I?"})
	var held struct{ URL, Message string }
	if json.Unmarshal([]byte(r.Body), &held); !strings.HasPrefix(held.URL, "/approvals/") {
		t.Fatal(r.Body)
	}
	wait := held.URL + "?wait=30&since=1"
	for _, s := range []string{"Nothing is done yet", "@erin can approve it", webtest.Origin + held.URL, "Wait for the answer at " + wait} {
		if !strings.Contains(held.Message, s) {
			t.Errorf("the answer does not say %q: %s", s, held.Message)
		}
	}
	for url, actors := range map[string]map[string]string{
		page: {"clerk": "Wait for the answer at `" + wait + "`", "erin": "which waits for approval](" + webtest.Origin + held.URL + ")"},
		"/":  {"clerk": wait, "erin": held.URL},
	} {
		for actor, says := range actors {
			if text := w.As(actor).Get(url, "text/markdown").Body; !strings.Contains(text, says) {
				t.Errorf("%s on %s reads no %q:\n%s", actor, url, says, text)
			}
		}
	}
	if text := w.As("scout").Get(page, "text/markdown").Body; strings.Contains(text, held.URL) {
		t.Errorf("an agent of another member is told of the request:\n%s", text)
	}
}

// TestPendingOfASibling lets an agent's comment wait for its member. Another agent of the same member reads on the
// page that something waits, but not the address of the request, which it may not open.
func TestPendingOfASibling(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open single")
	asks := param.Input{"agent_asks": []any{"comment"}}
	if r := w.As("alice").PostJSON("/orgs/acme/settings", "update_settings", asks); r.Status != 200 {
		t.Fatal(r.Body)
	}
	request := held(t, w, "scout", page, "comment", webtest.Call{Params: param.Input{"text": "May I?"}})
	if r := w.As("reader").Get(request, "text/markdown"); r.Status != 404 {
		t.Fatalf("the other agent opens the request: %d", r.Status)
	}
	for actor, reads := range map[string]bool{"scout": true, "reader": false} {
		text := w.As(actor).Get(page, "text/markdown").Body
		if !strings.Contains(text, "Not done yet: Scout, agent of @bob asks for `comment` here") ||
			strings.Contains(text, request) != reads {
			t.Errorf("%s reads, with a link %t:\n%s", actor, reads, text)
		}
	}
}
