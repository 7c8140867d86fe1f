package web_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// comments returns the number of comments on a decision.
func comments(t *testing.T, w *webtest.World, page string) int {
	t.Helper()
	var p jsonPage
	if err := json.Unmarshal([]byte(w.As("alice").Get(page, "application/json").Body), &p); err != nil {
		t.Fatal(err)
	}
	return strings.Count(p.Markdown, ":\n\n> ")
}

// TestIdempotencyKey repeats calls with a key, in a header or in the body. A repeated call gets the first answer
// again. Another call with the same key is refused, and so is a call with two keys.
func TestIdempotencyKey(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open single")
	send := func(as, key, header, text string) *webtest.Response {
		body := fmt.Sprintf(`{"params":{"text":%q}`, text)
		if key != "" {
			body += fmt.Sprintf(`,"idempotency_key":%q`, key)
		}
		headers := []string{jsonMedia}
		if header != "" {
			headers = append(headers, "Idempotency-Key: "+header)
		}
		return requestBody(w.As(as), "POST", page+"/actions/comment", body+"}", headers...)
	}
	n := comments(t, w, page)
	for i, c := range []struct {
		as, key, header, text string
		status, more          int
	}{
		{"scout", "a", "", "One", 200, 1}, {"scout", "a", "", "One", 200, 0}, {"scout", "", "a", "One", 200, 0},
		{"scout", "a", "a", "One", 200, 0}, {"scout", "a", "other", "One", 400, 0},
		{"scout", "a", "", "Two", 409, 0}, {"scout", "b", "", "Two", 200, 1}, {"scribe", "a", "", "One", 200, 1},
		{"bob", "a", "", "One", 200, 1},
		{"scout", "", "", "One", 200, 1}, {"scout", "", "", "One", 200, 1},
		{"reader", "a", "", "One", 403, 0}, {"scout", "c", "", "", 422, 0}, {"scout", "c", "", "Three", 200, 1},
		{"scout", "c", "", "", 409, 0},
	} {
		r := send(c.as, c.key, c.header, c.text)
		n += c.more
		if got := comments(t, w, page); r.Status != c.status || got != n {
			t.Errorf("%d: %s with %q: %d, %d comments, want %d and %d: %s", i, c.as, c.key+c.header, r.Status, got,
				c.status, n, r.Body)
		}
	}
	if r := w.As("scout").JSON(w.URL("standups"), "comment",
		webtest.Call{Params: param.Input{"text": "One"}, Key: "a"}); r.Status != 409 {
		t.Errorf("the key on another page: %d", r.Status)
	}
	w.Clock.Advance(24*time.Hour + time.Minute)
	if r := send("scout", "a", "", "Two"); r.Status != 200 || comments(t, w, page) != n+1 {
		t.Errorf("the key a day later: %d", r.Status)
	}
}

// TestFormTwice checks that sending a form twice takes its action once. A form that is shown and sent again is
// another call, even if the page has no version or its version has not changed.
func TestFormTwice(t *testing.T) {
	w := webtest.New(t)
	key := func(page, action string) string {
		m := regexp.MustCompile(`name="_idempotency_key" value="([^"]+)"`)
		bodies := [2]string{w.As("bob").Get(page+"/actions/"+action, "text/html").Body,
			w.As("bob").Get(page+"/actions/"+action, "text/html").Body}
		a, b := m.FindStringSubmatch(bodies[0]), m.FindStringSubmatch(bodies[1])
		if a == nil || b == nil || a[1] != b[1] || bodies[0] != bodies[1] {
			t.Fatalf("%s has the keys %q and %q", action, a, b)
		}
		return a[1]
	}
	for _, c := range []struct {
		page, action string
		in           param.Input
	}{
		{w.URL("standups"), "comment", param.Input{"text": "Again"}},
		{w.URL("team"), "create_decision", param.Input{"question": "Lunch?", "options": []any{"Soup", "Salad"}}},
		{"/settings/tokens", "create_token", param.Input{"label": "Twin", "scopes": []any{"read"}}},
	} {
		entries := func() int { return head(t, w, "bob") }
		before := entries()
		first := key(c.page, c.action)
		for range 3 {
			if r := w.As("bob").Form(c.page, c.action, webtest.Call{Params: c.in, Key: first}); r.Status != 303 &&
				r.Status != 200 {
				t.Errorf("%s: %d %s", c.action, r.Status, r.Body)
			}
		}
		if n := entries() - before; n != 1 {
			t.Errorf("%s sent three times made %d entries", c.action, n)
		}
		second := key(c.page, c.action)
		r := w.As("bob").Form(c.page, c.action, webtest.Call{Params: c.in, Key: second})
		if n := entries() - before; second == first || n != 2 {
			t.Errorf("%s shown again and sent again: %d, %d entries", c.action, r.Status, n)
		}
		if c.action == "create_token" && !strings.Contains(r.Body, "sp_") {
			t.Error("the second token is not shown")
		}
	}
	if k := w.As("bob").Get(w.URL("standups"), "text/html").Body; strings.Contains(k,
		key(w.URL("team"), "create_decision")) {
		t.Error("two forms have one key")
	}
}

// TestToggleTwice follows and unfollows a page repeatedly, with the form that the page shows each time. These actions
// have no journal entries, so only the member's own changes distinguish the keys of the forms.
func TestToggleTwice(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("plaza open")
	key := regexp.MustCompile(`name="_idempotency_key" value="([^"]+)"`)
	for i, action := range []string{"follow", "unfollow", "follow", "unfollow", "follow"} {
		form := key.FindStringSubmatch(w.As("bob").Get(page+"/actions/"+action, "text/html").Body)
		if form == nil {
			t.Fatalf("step %d: %s is not offered", i, action)
		}
		w.As("bob").Form(page, action, webtest.Call{Key: form[1]})
	}
}

// head returns the number of the last journal entry of a member's organization.
func head(t *testing.T, w *webtest.World, as string) int {
	t.Helper()
	by, err := w.Site.Person(t.Context(), "acme", as)
	if err != nil {
		t.Fatal(err)
	}
	return int(by.Members[0].Head)
}

// TestParallelDuplicates sends a hundred calls with one key at the same time. The action is taken once, and all calls
// get the same answer. Only the call that took the action may leave out descriptions of unchanged actions.
func TestParallelDuplicates(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open single")
	n := comments(t, w, page)
	answers := make([]string, 100)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() {
			r := w.As("scout").JSON(page, "comment", webtest.Call{Params: param.Input{"text": "Once"}, Key: "k"})
			answers[i], _, _ = strings.Cut(fmt.Sprint(r.Status, r.Body), "## Actions")
		})
	}
	wait.Wait()
	if got := comments(t, w, page); got != n+1 {
		t.Errorf("%d comments more", got-n)
	}
	for _, a := range answers {
		if a != answers[0] || !strings.HasPrefix(a, "200") {
			t.Fatalf("answers differ:\n%s\n%s", answers[0], a)
		}
	}
}

// TestCallID checks that a call is not carried out again within two minutes if its ID, parameters and actor are those
// of an earlier call, and that the answer says so.
func TestCallID(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("open single")
	send := func(as, id, key, text string) *webtest.Response {
		return requestBody(w.As(as), "POST", page+"/actions/comment",
			fmt.Sprintf(`{"params":{"text":%q},"idempotency_key":%q}`, text, key), jsonMedia, "Samepage-Call-Id: "+id)
	}
	n := comments(t, w, page)
	for i, c := range []struct {
		as, id, key, text string
		later             time.Duration
		more              int
	}{
		{"scout", "toolu_1", "", "One", 0, 1}, {"scout", "toolu_1", "", "One", 0, 0},
		{"scout", "toolu_1", "", "One", 2 * time.Minute, 0},
		{"scout", "toolu_1", "", "Two", 0, 1}, {"scout", "toolu_2", "", "One", 0, 1},
		{"scribe", "toolu_1", "", "One", 0, 1},
		{"scout", "toolu_1", "", "One", 10 * time.Second, 1}, {"scout", "toolu_1", "", "One", time.Minute, 0},
		{"scout", "toolu_3", "k", "One", 0, 1}, {"scout", "toolu_4", "k", "One", 0, 0},
	} {
		w.Clock.Advance(c.later)
		r := send(c.as, c.id, c.key, c.text)
		n += c.more
		if got := comments(t, w, page); r.Status != 200 || got != n {
			t.Errorf("%d: %d, %d comments, want %d", i, r.Status, got, n)
		}
		const again = "This call came before, so nothing was done again. If you mean it a second time, send an idempotency_key"
		if said := strings.Contains(r.Body, again); said != (c.more == 0 && c.key == "") {
			t.Errorf("%d: says that it came before: %t\n%s", i, said, r.Body)
		}
	}
}

// secretOfToken matches the secret of a token. The three characters of its beginning alone are in many random bytes.
var secretOfToken = regexp.MustCompile(`sp_[0-9A-Za-z]{6}`)

// TestSecretIsShownOnce checks that a new token is in one answer, and in no other answer and no table.
func TestSecretIsShownOnce(t *testing.T) {
	w := webtest.New(t)
	call := webtest.Call{Params: param.Input{"label": "Once", "scopes": []any{"read", "write"}}, Key: "k"}
	first := w.As("bob").JSON("/settings/tokens", "create_token", call)
	secret := regexp.MustCompile(`"secret":"(sp_[^"]+)"`).FindStringSubmatch(first.Body)
	if first.Status != 200 || secret == nil || !secretOfToken.MatchString(secret[1]) || first.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v\n%s", first.Status, first.Header, first.Body)
	}
	for _, r := range []*webtest.Response{w.As("bob").JSON("/settings/tokens", "create_token", call),
		w.As("bob").Form("/settings/tokens", "create_token", webtest.Call{Params: call.Params, Key: "f"}),
		w.As("bob").Form("/settings/tokens", "create_token", webtest.Call{Params: call.Params, Key: "f"}),
		w.As("bob").Get("/settings/tokens", "text/html"), w.As("bob").Get("/orgs/acme/journal", "text/html")} {
		if strings.Contains(r.Body, secret[1]) || strings.Contains(fmt.Sprint(r.Header), "sp_") {
			t.Errorf("the token is shown again: %d", r.Status)
		}
		if strings.Contains(r.Body, "sp_") && r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("a token may be kept by the browser: %v", r.Header)
		}
	}
	w.Store.Close()
	for _, dump := range w.Rows("answers", "tokens", "journal", "calls") {
		if strings.Contains(dump, secret[1]) || secretOfToken.MatchString(dump) {
			t.Errorf("the database has it: %s", dump)
		}
	}
}

// TestAnonymousBallotTwice repeats a call with its key, before and after a restart of the server. The ballot counts
// once, and the answer says that the receipt was shown before. A call with other values is refused, except after the
// restart, when the server cannot compare them.
func TestAnonymousBallotTwice(t *testing.T) {
	w := webtest.New(t)
	made := w.As("alice").PostJSON("/studios/acme", "create_decision", param.Input{"question": "Again?", "method": "approval",
		"options": []any{"One", "Two"}, "anonymous": true})
	var decision struct{ URL string }
	if err := json.Unmarshal([]byte(made.Body), &decision); err != nil || made.Status != 200 {
		t.Fatalf("%d %s", made.Status, made.Body)
	}
	cast := func(w *webtest.World, option, key string) *webtest.Response {
		return w.As("bob").JSON(decision.URL, "cast_vote", webtest.Call{Params: param.Input{"accept": []any{option}}, Key: key})
	}
	says := func(r *webtest.Response, status int, words ...string) {
		t.Helper()
		for _, part := range words {
			if r.Status != status || !strings.Contains(r.Body, part) {
				t.Errorf("%d does not say %q\n%.300s", r.Status, part, r.Body)
			}
		}
	}
	first := cast(w, "1", "k")
	var answer struct{ Message string }
	if err := json.Unmarshal([]byte(first.Body), &answer); err != nil || first.Status != 200 {
		t.Fatalf("%d %s", first.Status, first.Body)
	}
	// The stored answer leaves out the part about the ballot.
	stored, _, _ := strings.Cut(answer.Message, " Your ballot:")
	says(cast(w, "1", "k"), 200, stored, "secret that its answer showed once is stored nowhere")
	says(cast(w, "2", "k"), 409, "another call within 24 hours")
	restarted := w.Beside() // a new server has another seal, and cannot compare the values
	for _, option := range []string{"1", "2"} {
		says(cast(restarted, option, "k"), 200, stored, "showed once is stored nowhere",
			"cannot be told whether this call has the same values. Those of the first count")
	}
	says(restarted.As("bob").JSON(decision.URL, "comment", webtest.Call{Params: param.Input{"text": "x"}, Key: "k"}), 409,
		"another call within 24 hours")
	if r := w.As("bob").Get(decision.URL, "text/markdown"); !strings.Contains(r.Body, "1 of ") {
		t.Errorf("it does not count once:\n%s", r.Body)
	}
}

// TestDryRun checks that a dry run reports the effect and changes nothing, not even the answers that are stored for
// idempotency keys.
func TestDryRun(t *testing.T) {
	w := webtest.New(t)
	before := w.Digests()
	for _, as := range []string{"scout", "bob"} {
		for _, c := range []struct {
			page, action string
			in           param.Input
		}{{w.URL("standups"), "comment", param.Input{"text": "x"}}, {w.URL("team"), "create_decision",
			param.Input{"question": "New?", "options": []any{"A", "B"}}}, {w.URL("plaza"), "leave", nil}} {
			for _, form := range []bool{true, false} {
				call := webtest.Call{Params: c.in, DryRun: true, Key: "dry", Accept: "application/json"}
				r := w.As(as).JSON(c.page, c.action, call)
				if form {
					r = w.As(as).Form(c.page, c.action, call)
				}
				if r.Status != 200 || !strings.Contains(r.Body, "Dry run, nothing was changed. It would say: ") ||
					!strings.Contains(r.Body, `"url":"`+c.page+`"`) {
					t.Errorf("%s %s: %d %s", as, c.action, r.Status, r.Body)
				}
			}
		}
	}
	if r := w.As("bob").JSON("/settings/tokens", "create_token", webtest.Call{Params: param.Input{"label": "X",
		"scopes": []any{"read"}}, DryRun: true}); r.Status != 200 || strings.Contains(r.Body, "sp_") {
		t.Errorf("a token that is not made is shown: %d %s", r.Status, r.Body)
	}
	if changed := webtest.Changed(before, w.Digests()); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
	if r := w.As("scout").JSON(w.URL("standups"), "comment",
		webtest.Call{Params: param.Input{"text": "other"}, Key: "dry"}); r.Status != 200 {
		t.Errorf("the key of a dry run is taken: %d %s", r.Status, r.Body)
	}
}

// TestIfVersion checks that a call succeeds with the page's current version, as text or as a number, and is refused
// with an earlier version.
func TestIfVersion(t *testing.T) {
	w := webtest.New(t)
	page := w.URL("standups")
	send := func(version string) *webtest.Response {
		return requestBody(w.As("scout"), "POST", page+"/actions/comment",
			`{"params":{"text":"x"},"if_version":`+version+`}`, jsonMedia)
	}
	version := func() string {
		var p jsonPage
		json.Unmarshal([]byte(w.As("scout").Get(page, "application/json").Body), &p)
		return p.Version
	}
	for _, form := range []string{"%s", `"%s"`} {
		v := version()
		if r := send(fmt.Sprintf(form, v)); r.Status != 200 {
			t.Errorf("%s: %d %s", form, r.Status, r.Body)
		}
		r := send(fmt.Sprintf(form, v))
		p := problemOf(t, r)
		if r.Status != 409 || !strings.Contains(p.Page, fmt.Sprintf("version: %q", version())) ||
			!strings.Contains(p.Page, "> x") {
			t.Errorf("stale %s: %d, page %.300s", form, r.Status, p.Page)
		}
	}
	for _, nothing := range []string{"null", `""`} {
		if r := send(nothing); r.Status != 200 {
			t.Errorf("%s: %d %s", nothing, r.Status, r.Body)
		}
	}
	for _, wrong := range []string{"0", "-1", `"x"`, "[]", "{}", "true", "1.5"} {
		if r := send(wrong); r.Status != 409 {
			t.Errorf("%s: %d %s", wrong, r.Status, r.Body)
		}
	}
	r := w.As("bob").Form(page, "comment", webtest.Call{Params: param.Input{"text": "y"}, Version: "1"})
	if r.Status != 409 || !strings.Contains(r.Body, "This page has changed") ||
		!strings.Contains(r.Body, "Should we adopt weekly stand-ups?") {
		t.Errorf("a stale form: %d", r.Status)
	}
}

// TestPressedTwice presses twice on a button that answers an agent's question, as a double click does. Both
// requests succeed. Afterwards the button for the other answer is refused.
func TestPressedTwice(t *testing.T) {
	w := webtest.Of(t, "work")
	bob, session := w.As("bob"), w.URL("session asking")
	button := regexp.MustCompile(`(?s)<form method="post" action="([^"]*)/actions/answer_permission">\s*` +
		`<input type="hidden" name="_idempotency_key" value="([^"]+)">\s*<input type="hidden" name="choice" value="([^"]+)">`)
	buttons := button.FindAllStringSubmatch(bob.Get(session, "text/html").Body, -1)
	if len(buttons) < 2 || buttons[0][2] == buttons[1][2] {
		t.Fatalf("the page has no buttons with keys of their own: %q", buttons)
	}
	press := func(i int) *webtest.Response {
		return bob.Form(buttons[i][1], "answer_permission", webtest.Call{Params: param.Input{"choice": buttons[i][3]}, Key: buttons[i][2]})
	}
	for _, c := range []struct{ button, status int }{{0, 303}, {0, 303}, {1, 409}} {
		if r := press(c.button); r.Status != c.status {
			t.Errorf("button %d: %d, want %d", c.button, r.Status, c.status)
		}
	}
}
