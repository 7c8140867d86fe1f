package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/credential"
	"samepage/web/webtest"
)

// TestWrongQuestions sends faulty authorization requests. A fault of the client or its redirect address is shown only
// to the person. Any other fault is shown to the person too, and reported to the client only when the person presses a
// button.
func TestWrongQuestions(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	const here = "" // the fault is shown only to the person
	for name, c := range map[string]struct {
		spoil func(url.Values)
		want  string
	}{
		"no client":         {func(q url.Values) { q.Del("client_id") }, here},
		"an unknown client": {func(q url.Values) { q.Set("client_id", "nobody") }, here},
		"two clients":       {func(q url.Values) { q.Add("client_id", p.id) }, here},
		"a client at an address": {func(q url.Values) {
			q.Set("client_id", "https://client.example/metadata.json")
		}, here}, // client metadata documents are switched off here
		"no redirect of two": {func(q url.Values) { q.Del("redirect_uri") }, here},
		"two redirects":      {func(q url.Values) { q.Add("redirect_uri", callback) }, here},
		"another redirect":   {func(q url.Values) { q.Set("redirect_uri", "https://evil.example/back") }, here},
		"a script":           {func(q url.Values) { q.Set("redirect_uri", "javascript:alert(1)") }, here},
		"no response type":   {func(q url.Values) { q.Del("response_type") }, "invalid_request"},
		"a token at once": {func(q url.Values) { q.Set("response_type", "token") },
			"unsupported_response_type"},
		"both": {func(q url.Values) { q.Set("response_type", "code token") },
			"unsupported_response_type"},
		"in a fragment":    {func(q url.Values) { q.Set("response_mode", "fragment") }, "invalid_request"},
		"a request object": {func(q url.Values) { q.Set("request", "e30.e30.") }, "invalid_request"},
		"no challenge":     {func(q url.Values) { q.Del("code_challenge") }, "invalid_request"},
		"no method":        {func(q url.Values) { q.Del("code_challenge_method") }, "invalid_request"},
		"plain":            {func(q url.Values) { q.Set("code_challenge_method", "plain") }, "invalid_request"},
		"s256":             {func(q url.Values) { q.Set("code_challenge_method", "s256") }, "invalid_request"},
		"S512":             {func(q url.Values) { q.Set("code_challenge_method", "S512") }, "invalid_request"},
		"no PKCE at all": {func(q url.Values) { q.Del("code_challenge"); q.Del("code_challenge_method") },
			"invalid_request"},
		"a short challenge": {func(q url.Values) { q.Set("code_challenge", "abc") }, "invalid_request"},
		"a challenge with padding": {func(q url.Values) { q.Set("code_challenge", q.Get("code_challenge")[:42]+"=") },
			"invalid_request"},
		"a challenge in base64": {func(q url.Values) { q.Set("code_challenge", "+"+q.Get("code_challenge")[1:]) },
			"invalid_request"},
		"two challenges": {func(q url.Values) { q.Add("code_challenge", strings.Repeat("x", 43)) },
			"invalid_request"},
		"two scopes":           {func(q url.Values) { q.Add("scope", "write") }, "invalid_request"},
		"two states":           {func(q url.Values) { q.Add("state", "2") }, "invalid_request"},
		"unknown scopes alone": {func(q url.Values) { q.Set("scope", "admin root") }, "invalid_scope"},
		"another resource": {func(q url.Values) { q.Set("resource", "https://elsewhere.example/mcp") },
			"invalid_target"},
		"the origin as resource": {func(q url.Values) { q.Set("resource", webtest.Origin) }, "invalid_target"},
		"a slash behind it":      {func(q url.Values) { q.Set("resource", mcpResource+"/") }, "invalid_target"},
		"two resources": {func(q url.Values) { q.Add("resource", "https://elsewhere.example/mcp") },
			"invalid_target"},
	} {
		q := p.question("read")
		c.spoil(q)
		before := len(w.Rows("tokens"))
		for _, ask := range []func() *webtest.Response{
			func() *webtest.Response {
				return request(w.As("alice"), "GET", "/oauth/authorize?"+q.Encode(), "Accept: text/html")
			},
			func() *webtest.Response {
				_, r := p.answer("alice", q, url.Values{"label": {"Robbie"}, "lasts": {"30"}})
				return r
			},
		} {
			r := ask()
			said := saidBy(t, r)
			if c.want == here {
				if r.Status != http.StatusBadRequest || said != nil || r.Header.Get("Location") != "" {
					t.Errorf("%s: %d to %q\n%s", name, r.Status, r.Header.Get("Location"), mainOf(r.Body))
				}
				continue
			}
			if r.Status != http.StatusBadRequest || r.Header.Get("Location") != "" ||
				!strings.Contains(r.Body, callback) || !strings.Contains(r.Body, "Tell the program") {
				t.Errorf("%s: %d to %q, unasked\n%s", name, r.Status, r.Header.Get("Location"), mainOf(r.Body))
			}
			r = requestBody(w.As("alice"), "POST", "/oauth/authorize/refuse?"+q.Encode(), "", formMedia)
			said = saidBy(t, r)
			if r.Status != http.StatusSeeOther || said.Get("error") != c.want || said.Get("iss") != webtest.Origin ||
				said.Get("code") != "" || !strings.HasPrefix(r.Header.Get("Location"), callback+"?") ||
				said.Get("state") != q.Get("state") && len(q["state"]) == 1 {
				t.Errorf("%s: %d %v", name, r.Status, said)
			}
		}
		if n := len(w.Rows("tokens")); n != before {
			t.Errorf("%s: a grant was made", name)
		}
	}
	// These parameters have defaults.
	q := p.question("")
	for _, name := range []string{"scope", "state", "resource"} {
		q.Del(name)
	}
	said, r := p.answer("alice", q, url.Values{"label": {"Robbie"}, "lasts": {"30"}})
	if _, stated := said["state"]; r.Status != http.StatusSeeOther || said.Get("code") == "" || stated {
		t.Errorf("the least that can be said: %d %v", r.Status, said)
	}
	if got, _ := p.ask(p.redemption(said.Get("code"))); got.Scope != "read" {
		t.Errorf("its scope is %q", got.Scope)
	}
	// Unknown scopes are left out.
	if page := request(w.As("alice"), "GET", "/oauth/authorize?"+p.question("openid offline_access write").Encode(),
		"Accept: text/html"); !strings.Contains(page.Body, "read and take part") {
		t.Error("unknown scopes beside known ones")
	}
}

// TestOwnScheme uses a redirect address in a private-use URI scheme. The answer goes only to that address, and the
// consent page warns that the program is not verified.
func TestOwnScheme(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	const own = "cursor://anysphere.cursor-retrieval/oauth/callback"
	_, id := register(t, w, `{"client_name":"Cursor","redirect_uris":["`+own+`","http://localhost:8787/callback"]}`)
	p := &program{t: t, w: w, id: id, verifier: strings.Repeat("verifier-", 5), redirect: own}
	page := request(w.As("alice"), "GET", "/oauth/authorize?"+p.question("read").Encode(), "Accept: text/html")
	for _, says := range []string{"Nobody vouches", "opens cursor: links", "Nobody can say which that is",
		"<dd><code>cursor:</code></dd>"} {
		if !strings.Contains(page.Body, says) {
			t.Errorf("the consent page does not say %q:\n%s", says, mainOf(page.Body))
		}
	}
	if csp := page.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "form-action 'self' cursor:;") {
		t.Errorf("its policy is %s", csp)
	}
	said, r := p.answer("alice", p.question("read"), url.Values{"label": {"Robbie"}, "lasts": {"30"}})
	if !strings.HasPrefix(r.Header.Get("Location"), own+"?") || said.Get("iss") != webtest.Origin {
		t.Fatalf("%d to %q", r.Status, r.Header.Get("Location"))
	}
	if got, r := p.ask(p.redemption(said.Get("code"))); got.Access == "" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if tokens := w.As("alice").Get("/settings/tokens", "text/markdown").Body; !strings.Contains(tokens,
		"granted to Cursor at `cursor:`") {
		t.Error(tokens)
	}
	for _, to := range []string{own + "/", own + "?x", "cursor://evil.example/oauth/callback",
		"vscode://anysphere.cursor-retrieval/oauth/callback", "javascript:alert(1)"} {
		p.redirect = to
		if _, r := p.answer("alice", p.question("read"), url.Values{"label": {"Robbie"},
			"lasts": {"30"}}); r.Status != http.StatusBadRequest || r.Header.Get("Location") != "" {
			t.Errorf("%s: %d to %q", to, r.Status, r.Header.Get("Location"))
		}
	}
}

// TestRedirects sends redirect addresses. Exactly the registered addresses are allowed, but with any port if their
// host is a loopback host (RFC 8252, section 7.3).
func TestRedirects(t *testing.T) {
	w := webtest.New(t)
	redirects := []string{"http://127.0.0.1/callback", "http://localhost:8080/cb?x=1", "http://[::1]/callback",
		"https://robot.example/back", "https://robot.example/back?a=b"}
	_, id := register(t, w, fmt.Sprintf(`{"client_name":"Robot","redirect_uris":["%s"]}`,
		strings.Join(redirects, `","`)))
	p := &program{t: t, w: w, id: id, verifier: strings.Repeat("verifier-", 5)}
	allowed := append(redirects, "http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback",
		"http://localhost/cb?x=1", "http://localhost:9/cb?x=1", "http://[::1]:5000/callback")
	for _, to := range allowed {
		p.redirect = to
		said, r := p.answer("alice", p.question("read"), url.Values{"label": {"Robbie"}, "lasts": {"30"}})
		if said.Get("code") == "" || !strings.HasPrefix(r.Header.Get("Location"), to) {
			t.Errorf("%s: %d to %q", to, r.Status, r.Header.Get("Location"))
		}
	}
	refused := []string{
		"", " ", "/callback", "//robot.example/back", "http://robot.example/back", "HTTPS://robot.example/back",
		"https://ROBOT.example/back", "https://robot.example/back/",
		"https://robot.example/Back", "https://robot.example/back?", "https://robot.example/back#",
		"https://robot.example/back#x", "https://robot.example/back?a=b&c=d", "https://robot.example/back/../back",
		"https://robot.example//back", "https://robot.example/%62ack", "https://robot.example:443/back",
		"https://robot.example:8443/back", "https://evil@robot.example/back", "https://robot.example@evil.example/back",
		"https://robot.example.evil.example/back", "https://evil.example/back",
		"https://robot.example\\@evil.example/back", "https://robot.example%2eevil.example/back",
		"https://robot.example./back",
		"https://robot.example/back\r\nX: y", "https://robot.example/back%0d%0aX:y", " https://robot.example/back",
		"https://robot.example/back ", "https://robot.example/ba\x00ck",
		"http://127.0.0.1:0/callback", "http://127.0.0.1:65536/callback", "http://127.0.0.1:99999/callback",
		"http://127.0.0.1:x/callback", "http://127.0.0.1:/callback", "http://127.0.0.1:80:80/callback",
		"http://127.0.0.1/callback/", "http://127.0.0.1/callback?x", "http://127.0.0.1/other",
		"http://127.0.0.1:80@evil.example/callback", "http://127.0.0.1.evil.example/callback",
		"http://127.0.0.2/callback",
		"http://127.1/callback", "http://2130706433/callback", "http://0x7f000001/callback",
		"http://0.0.0.0/callback", "https://127.0.0.1/callback", "http://localhost/callback",
		"http://localhost:8080/cb",
		"http://localhost:8080/cb?x=2", "http://localhost.evil.example/cb?x=1", "http://LOCALHOST/cb?x=1",
		"http://[::1%25eth0]/callback", "http://[::ffff:127.0.0.1]/callback", "http://[0:0:0:0:0:0:0:1]/callback",
		"http://user@127.0.0.1/callback", "http://127.0.0.1:1/callback#", "javascript:alert(1)", "data:text/html,x",
		"robot://callback", "https:/robot.example/back", "https:robot.example/back",
		"https://robot.example;sandbox/back", "https://robot.example'/back",
		"https://robot.example,evil.example/back", "https://robot.example:0/back", "https://robot.example:/back",
		"https://robot.example/back" + strings.Repeat("x", 600), "https://robot.example/bаck", // a Cyrillic а
	}
	for _, to := range refused {
		p.redirect = to
		for _, r := range []*webtest.Response{
			request(w.As("alice"), "GET", "/oauth/authorize?"+p.question("read").Encode(), "Accept: text/html"),
			requestBody(w.As("alice"), "POST", "/oauth/authorize?"+p.question("read").Encode(),
				"label=x&lasts=1", formMedia),
			requestBody(w.As("alice"), "POST", "/oauth/authorize/refuse?"+p.question("read").Encode(), "", formMedia),
		} {
			if r.Status != http.StatusBadRequest || r.Header.Get("Location") != "" ||
				strings.Contains(r.Header.Get("Content-Security-Policy"), "evil") {
				t.Errorf("%q: %d to %q", to, r.Status, r.Header.Get("Location"))
			}
		}
	}
	t.Logf("%d redirects allowed, %d refused", len(allowed), len(refused))
}

// TestConsent checks that only a person can consent, in an organization of their choice and on the site's own page.
// The program also learns of a refusal.
func TestConsent(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	q := p.question("read write")
	at := "/oauth/authorize?" + q.Encode()
	before := len(w.Rows("tokens"))
	for name, c := range map[string]struct {
		r    *webtest.Response
		want int
	}{
		"an agent asks":     {request(w.As("scribe"), "GET", at, "Accept: text/markdown"), 403},
		"an agent says yes": {requestBody(w.As("scribe"), "POST", at, "label=x&lasts=1", formMedia), 403},
		"an agent says no": {requestBody(w.As("scribe"), "POST", "/oauth/authorize/refuse?"+q.Encode(), "",
			formMedia), 403},
		"nobody says yes": {requestBody(w.As("anonymous"), "POST", at, "label=x&lasts=1", formMedia,
			"Accept: text/html"), 303},
		"from elsewhere": {requestBody(w.As("alice"), "POST", at, "label=x&lasts=1", formMedia,
			"Sec-Fetch-Site: cross-site", "Origin: https://evil.example"), 403},
		"from a sibling": {requestBody(w.As("alice"), "POST", at, "label=x&lasts=1", formMedia,
			"Sec-Fetch-Site: same-site", "Origin: https://evil.samepage.example"), 403},
		"no label":   {requestBody(w.As("alice"), "POST", at, "label=&lasts=1", formMedia), 422},
		"for a year": {requestBody(w.As("alice"), "POST", at, "label=x&lasts=365", formMedia), 422},
		"what is not offered": {requestBody(w.As("alice"), "POST", at, "label=x&lasts=1&it_may=governance",
			formMedia), 422},
		"what does not exist":    {requestBody(w.As("alice"), "POST", at, "label=x&lasts=1&it_may=root", formMedia), 422},
		"no organization of two": {requestBody(w.As("mia"), "POST", at, "label=x&lasts=1", formMedia), 400},
		"another's organization": {requestBody(w.As("mia"), "POST", at+"&org=initech", "label=x&lasts=1", formMedia),
			400},
	} {
		if c.r.Status != c.want {
			t.Errorf("%s: %d, not %d\n%s", name, c.r.Status, c.want, mainOf(c.r.Body))
		}
	}
	if n := len(w.Rows("tokens")); n != before {
		t.Errorf("%d grants were made", n-before)
	}
	r := requestBody(w.As("alice"), "POST", "/oauth/authorize/refuse?"+q.Encode(), "", formMedia)
	if said := saidBy(t, r); r.Status != 303 || said.Get("error") != "access_denied" ||
		said.Get("iss") != webtest.Origin || said.Get("state") != q.Get("state") {
		t.Errorf("no: %d %v", r.Status, said)
	}
	// Mia is in two organizations.
	which := request(w.As("mia"), "GET", at, "Accept: text/html")
	if which.Status != 200 || !strings.Contains(which.Body, "org=globex") ||
		strings.Contains(which.Body, `action="/oauth`) {
		t.Errorf("which organization: %d\n%s", which.Status, mainOf(which.Body))
	}
	said, r := p.answer("mia", url.Values(mustQuery(t, q.Encode()+"&org=globex")),
		url.Values{"label": {"Robbie"}, "lasts": {"30"}})
	got, _ := p.ask(p.redemption(said.Get("code")))
	if page := p.reads(got.Access); !strings.Contains(page.Body, "Globex") || strings.Contains(page.Body, "Acme") {
		t.Errorf("in Globex: %d\n%s", r.Status, page.Body)
	}
	// A program may read the page as Markdown, but only the HTML has the forms.
	if md := request(w.As("alice"), "GET", at, "Accept: text/markdown"); md.Status != 200 ||
		strings.Contains(md.Body, "## Actions") || !strings.Contains(md.Body, "What it can never do") {
		t.Errorf("markdown: %d\n%s", md.Status, md.Body)
	}
}

// TestConsentLimits checks that the person's choices limit the client's tokens: scopes, restrictions and approvals.
func TestConsentLimits(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	comment := func(limits url.Values, at string) int {
		t.Helper()
		form := url.Values{"it_may": {"write"}, "label": {"Robbie"}, "lasts": {"1"}}
		for name, v := range limits {
			form[name] = v
		}
		said, r := p.answer("alice", p.question("read write"), form)
		if r.Status != http.StatusSeeOther {
			return r.Status
		}
		got, _ := p.ask(p.redemption(said.Get("code")))
		return requestBody(w.As("anonymous"), "POST", w.URL(at)+"/actions/comment", `{"params":{"text":"Hello"}}`,
			jsonMedia, "Authorization: Bearer "+got.Access).Status
	}
	for _, c := range []struct {
		limits url.Values
		at     string
		want   int
	}{
		{nil, "standups", 200},
		{url.Values{"kinds": {"decision"}}, "standups", 200},
		{url.Values{"kinds": {"note"}}, "standups", 403},
		{url.Values{"kinds": {"note"}}, "note post", 200},
		{url.Values{"kinds": {"everything"}}, "standups", 422},
		{url.Values{"asks": {"comment"}}, "standups", 202},
		{url.Values{"asks": {"cast_vote"}}, "standups", 200},
		{url.Values{"asks": {"explode"}}, "standups", 422},
		{nil, "note plaza", 403},
		{url.Values{"public": {"true"}}, "note plaza", 200},
		{url.Values{"it_may": nil}, "standups", 403},
	} {
		if got := comment(c.limits, c.at); got != c.want {
			t.Errorf("with %v, commenting on %s is answered %d, not %d", c.limits, c.at, got, c.want)
		}
	}
}

// TestConsentRoles checks that a client can act in all roles of the person, or only in those that the person chooses.
func TestConsentRoles(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	var mine []store.Role
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		alice, err := tx.FindMember(store.System(), "acme", "alice")
		if err != nil {
			return err
		}
		mine, err = tx.MyRoles(store.Actor{UserID: alice.UserID, Members: []store.Member{*alice}, Member: alice})
		return err
	}); err != nil || len(mine) < 2 {
		t.Fatalf("%d roles, %v", len(mine), err)
	}
	granted := func(roles ...string) (store.Set[string], int) {
		t.Helper()
		said, r := p.answer("alice", p.question("read write"),
			url.Values{"it_may": {"write"}, "label": {"Robbie"}, "lasts": {"1"}, "roles": roles})
		if r.Status != http.StatusSeeOther {
			return nil, r.Status
		}
		got, _ := p.ask(p.redemption(said.Get("code")))
		var by store.Actor
		if err := w.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
			access, err := credential.FindGrant(tx, said.Get("code"))
			if err == nil {
				by, err = tx.ActorByGrant(access.TokenID)
			}
			return err
		}); err != nil || p.reads(got.Access).Status != http.StatusOK {
			t.Fatal(err)
		}
		return by.Grant.Roles, r.Status
	}
	if roles, _ := granted(); roles != nil {
		t.Errorf("without a choice it may use %q", roles)
	}
	if roles, _ := granted(mine[0].ID); len(roles) != 1 || roles[0] != mine[0].ID {
		t.Errorf("it may use %q, not %q", roles, mine[0].ID)
	}
	if _, status := granted("0000000000"); status != http.StatusUnprocessableEntity {
		t.Errorf("a role that is not Alice's: %d", status)
	}
}

func mustQuery(t *testing.T, raw string) url.Values {
	t.Helper()
	q, err := url.ParseQuery(raw)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
