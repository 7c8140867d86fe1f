package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"samepage/actions/param"
	"samepage/web/webtest"
)

// TestStatus checks each failure in the three formats: its status, code, message and links.
func TestStatus(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	standups, team, result := w.URL("standups"), w.URL("team"), w.URL("result single")
	for _, c := range []struct {
		name, as, method, target, body string
		headers                        []string
		status                         int
		code, says                     string
	}{
		{"address in two readings", "bob", "GET", "/studios//team", "", nil, 400, "invalid",
			"cannot be read in one way only"},
		{"a list that cannot go on", "bob", "GET", team + "/decisions?after=x", "", nil, 400, "invalid",
			"Start it again at /studios/team/decisions"},
		{"broken JSON", "bob", "POST", standups + "/actions/comment", `{"params":`, []string{jsonMedia}, 400,
			"invalid", `Send {"params": {…}}`},
		{"JSON that is no object", "bob", "POST", standups + "/actions/comment", `[1]`, []string{jsonMedia}, 400,
			"invalid", "must be an object"},
		{"JSON of a wrong type", "bob", "POST", standups + "/actions/comment", `{"dry_run":"yes"}`,
			[]string{jsonMedia}, 400, "invalid", "dry_run cannot be"},
		{"params twice", "bob", "POST", standups + "/actions/comment", `{"params":{"text":"a","text":"b"}}`,
			[]string{jsonMedia}, 400, "invalid", "send it once"},
		{"broken form", "bob", "POST", standups + "/actions/comment", "text=%zz", []string{formMedia}, 400, "invalid",
			"send it again"},
		{"broken type", "bob", "POST", standups + "/actions/comment", "x", []string{"Content-Type: ;;"}, 400,
			"invalid", "Send a form or application/json"},
		{"long key", "bob", "POST", standups + "/actions/comment", "text=x",
			[]string{formMedia, "Idempotency-Key: " + strings.Repeat("k", 301)}, 400, "invalid", "300 bytes"},
		{"anonymous", "anonymous", "GET", standups, "", nil, 401, "unauthenticated", "Authorization: Bearer sp_"},
		{"anonymous acts", "anonymous", "POST", standups + "/actions/comment", `{"params":{"text":"x"}}`,
			[]string{jsonMedia}, 401, "unauthenticated", "/login"},
		{"revoked", "revoked", "GET", standups, "", nil, 401, "unauthenticated", "unknown, paused, expired or revoked"},
		{"expired", "expired", "GET", standups, "", nil, 401, "unauthenticated", "Ask its member for a new one"},
		{"another scheme", "anonymous", "GET", standups, "", []string{"Authorization: Basic YTpi"}, 401,
			"unauthenticated", "unknown, paused, expired or revoked"},
		{"scope", "reader", "POST", standups + "/actions/comment", `{"params":{"text":"x"}}`, []string{jsonMedia},
			403, "forbidden", "does not carry the scope write. Ask @bob"},
		{"for people", "scribe", "POST", standups + "/actions/close_decision", `{}`, []string{jsonMedia}, 403,
			"forbidden", "Only a person can do this. Ask @alice"},
		{"not a member", "mia", "POST", w.URL("attic open") + "/actions/comment", "text=x", []string{formMedia}, 409,
			"conflict", "archived"},
		{"not their place", "erin", "POST", standups + "/actions/close_decision", "", []string{formMedia}, 403,
			"forbidden", "Only @bob, the studio's leader or secretary"},
		{"missing", "bob", "GET", "/nowhere", "", nil, 404, "not_found", "or you may not see it"},
		{"invisible", "bob", "GET", w.URL("lab"), "", nil, 404, "not_found", "or you may not see it"},
		{"unknown action", "bob", "POST", standups + "/actions/fly", "", []string{formMedia}, 404, "not_found",
			`no action "fly"`},
		{"unknown action's page", "bob", "GET", standups + "/actions/fly", "", nil, 404, "not_found", "cast_vote"},
		{"method", "bob", "DELETE", standups, "", nil, 405, "not_allowed", "done with POST"},
		{"wrong state", "bob", "POST", result + "/actions/cast_vote", `{"params":{"option":"1"}}`,
			[]string{jsonMedia}, 409, "conflict", "Voting closed on"},
		{"stale", "bob", "POST", standups + "/actions/comment", `{"params":{"text":"x"},"if_version":1}`,
			[]string{jsonMedia}, 409, "conflict", "you read version 1"},
		{"too large", "bob", "POST", standups + "/actions/comment", "text=" + strings.Repeat("x", 256<<10),
			[]string{formMedia}, 413, "too_large", "larger than 256 KiB"},
		{"too large JSON", "bob", "POST", standups + "/actions/comment",
			`{"why":"` + strings.Repeat("x", 256<<10) + `"}`, []string{jsonMedia}, 413, "too_large", "256 KiB"},
		{"too large file", "bob", "POST", team + "/actions/import_decisions", `{"params":{"file":"` +
			strings.Repeat("x", 8<<20+64<<10) + `"}}`, []string{jsonMedia}, 413, "too_large", "8256 KiB"},
		{"file in a form of no parts", "bob", "POST", team + "/actions/import_decisions", "file=" +
			strings.Repeat("x", 256<<10), []string{formMedia}, 413, "too_large", "Send a file as multipart/form-data"},
		{"quotation mark in a name", "bob", "POST", standups + "/actions/comment", "--x\r\nContent-Disposition: form-data; " +
			"name=\"te\"xt\"\r\n\r\nhi\r\n--x--", []string{"Content-Type: multipart/form-data; boundary=x"}, 400, "invalid", "as %22"},
		{"quotation mark in the name of a file", "bob", "POST", team + "/actions/import_decisions",
			"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"b.csv\"\r\n\r\nhi\r\n--x--",
			[]string{"Content-Type: multipart/form-data; boundary=x"}, 400, "invalid", "as %22"},
		{"part without a name", "bob", "POST", standups + "/actions/comment",
			"--x\r\nContent-Disposition: form-data\r\n\r\nhi\r\n--x--",
			[]string{"Content-Type: multipart/form-data; boundary=x"}, 400, "invalid", "has no name"},
		{"media type", "bob", "POST", standups + "/actions/comment", "<x/>", []string{"Content-Type: text/xml"}, 415,
			"media_type", "application/json"},
		{"bad params", "bob", "POST", standups + "/actions/cast_vote",
			`{"params":{"accept":["9"],"prefer":7,"raeson":"x"}}`, []string{jsonMedia}, 422, "bad_params", "accept"},
	} {
		for _, accept := range []string{"text/html", "text/markdown", "application/json"} {
			if accept == "text/html" && c.status == 401 && w.As(c.as).Name == "anonymous" && len(c.headers) < 2 &&
				!strings.HasPrefix(strings.Join(c.headers, ""), "Authorization") {
				continue // a browser is redirected to the login page
			}
			r := requestBody(w.As(c.as), c.method, c.target, c.body,
				append([]string{"Accept: " + accept}, c.headers...)...)
			if r.Status != c.status || !strings.HasPrefix(r.Header.Get("Content-Type"), accept) ||
				r.Header.Get("Vary") != "Accept, Accept-Encoding" || r.Header.Get("Etag") != "" {
				t.Errorf("%s as %s: %d %v", c.name, accept, r.Status, r.Header)
				continue
			}
			text := r.Body
			if accept == "application/json" {
				p := problemOf(t, r)
				if p.Error.Code != c.code {
					t.Errorf("%s: code %q, want %q", c.name, p.Error.Code, c.code)
				}
				text = p.Error.Message + strings.Join(p.Error.Actions, " ")
			}
			text = strings.NewReplacer("&#34;", `"`, "&#39;", "'", `\`, "", "&quot;", `"`).Replace(text)
			if c.status != 422 && !strings.Contains(text, c.says) {
				t.Errorf("%s as %s does not say %q:\n%s", c.name, accept, c.says, text)
			}
			if accept == "text/html" && !strings.Contains(r.Body, `href="/`) || accept == "text/markdown" &&
				!strings.Contains(r.Body, "]("+webtest.Origin+"/") {
				t.Errorf("%s as %s leads nowhere", c.name, accept)
			}
			for _, internal := range []string{"json:", "struct {", "sqlite", "SQL", ".go:", "panic", "goroutine",
				"samepage/"} {
				if strings.Contains(r.Body, internal) {
					t.Errorf("%s as %s shows %q:\n%s", c.name, accept, internal, r.Body)
				}
			}
			if challenge := r.Header.Get("WWW-Authenticate"); (challenge != "") != (c.status == 401) ||
				c.status == 401 && !strings.Contains(challenge, `resource_metadata="`) {
				t.Errorf("%s: WWW-Authenticate: %s", c.name, challenge)
			}
		}
	}
}

func TestBrowserIsSentToSignIn(t *testing.T) {
	w := webtest.New(t)
	standups := w.URL("standups")
	for _, c := range []struct{ method, target, location string }{
		{"GET", standups, "/login?next=" + strings.ReplaceAll(standups, "/", "%2F")},
		{"GET", "/nowhere?x=1", "/login?next=%2Fnowhere%3Fx%3D1"},
		{"POST", standups + "/actions/comment", "/login?next=" + strings.ReplaceAll(standups, "/", "%2F")},
		{"POST", "/nowhere", "/login?next=%2Fnowhere"},
		{"DELETE", standups, "/login?next=" + strings.ReplaceAll(standups, "/", "%2F")},
	} {
		r := requestBody(w.As("anonymous"), c.method, c.target, "", formMedia)
		if r.Status != 303 || r.Location() != c.location || r.Header.Get("Vary") != "Accept" {
			t.Errorf("%s %s: %d to %s", c.method, c.target, r.Status, r.Location())
		}
	}
}

func TestMethods(t *testing.T) {
	w := webtest.New(t)
	standups := w.URL("standups")
	for target, allow := range map[string]string{
		"/": "GET, HEAD", standups: "GET, HEAD", standups + "/actions": "GET, HEAD",
		standups + "/actions/comment": "GET, HEAD, POST", "/actions/x": "GET, HEAD, POST",
		"/login": "GET, HEAD, POST", "/setup": "GET, HEAD, POST", "/logout": "POST", "/static/app.css": "GET, HEAD",
		"/healthz": "GET, HEAD", "/studios/nowhere": "GET, HEAD",
	} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY", "BREW"} {
			if strings.Contains(allow, method) {
				continue
			}
			r := request(w.As("bob"), method, target)
			if r.Status != 405 || r.Header.Get("Allow") != allow {
				t.Errorf("%s %s: %d, Allow: %s; want %s", method, target, r.Status, r.Header.Get("Allow"), allow)
			}
		}
	}
}

func TestNotAcceptable(t *testing.T) {
	w := webtest.New(t)
	for _, as := range []string{"bob", "anonymous"} {
		for _, target := range []string{"/help", "/login", w.URL("plaza"), w.URL("plaza") + "/actions"} {
			r := request(w.As(as), "GET", target, "Accept: image/png, text/html;q=0")
			if r.Status != 406 || r.Header.Get("Vary") != "Accept" ||
				!strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
				t.Errorf("%s %s: %d %v", as, target, r.Status, r.Header)
			}
			for _, media := range []string{"text/html", "text/markdown", "application/json"} {
				if !strings.Contains(r.Body, media) {
					t.Errorf("%s: 406 does not name %s: %s", target, media, r.Body)
				}
			}
		}
	}
}

// TestNearestAreNamed checks that a link to a list names the owner of the list, as in "Roles of Team".
func TestNearestAreNamed(t *testing.T) {
	bob := webtest.New(t).As("bob")
	for path, want := range map[string]string{"/studios/team/roles/x": "Roles of Team", "/studios/team/d/x": "Team",
		"/orgs/acme/members/x": "Members of Acme", "/studios/nothing/here": "Studios"} {
		if p := problemOf(t, bob.Get(path, "application/json")); len(p.Error.Next) == 0 || p.Error.Next[0].Title != want {
			t.Errorf("near %s are %v, want %s first", path, p.Error.Next, want)
		}
	}
}

// TestNearest checks that a 404 links to similar pages, and only to those that the actor can see.
func TestNearest(t *testing.T) {
	w := webtest.New(t)
	id := w.URL("standups")[len("/studios/team/d/"):]
	for _, c := range []struct{ as, target, near, never string }{
		{"bob", "/studios/taem", "/studios/team", "lab"},
		{"bob", "/studios/commns/decisions", "/studios/commons", ""},
		{"bob", "/studios/labs", "/studios", "/studios/lab"},
		{"oscar", "/studios/labs", "/studios/lab", "/studios/team"},
		{"carol", "/studios/taem", "/studios", "/studios/team"},
		{"bob", "/studios/team/d/0000000000", "/studios/team", ""},
		{"bob", "/studios/team/d/" + id + "/nowhere", "/studios/team/d/" + id, ""},
		{"bob", "/orgs/acme/members/nobody", "/orgs/acme/members", ""},
		{"bob", "/orgs/globex/members", "/", "/orgs/globex"},
		{"owl", "/studios/taem", "/studios", "/studios/team"},
	} {
		r := w.As(c.as).Get(c.target, "application/json")
		p := problemOf(t, r)
		found := c.near == "/"
		for _, l := range p.Error.Next {
			found = found || l.URL == webtest.Origin+c.near
			if c.never != "" && (l.URL == webtest.Origin+c.never ||
				strings.HasPrefix(l.URL, webtest.Origin+c.never+"/")) {
				t.Errorf("%s at %s is told of %s", c.as, c.target, l.URL)
			}
		}
		if r.Status != 404 || !found {
			t.Errorf("%s at %s: %d, near are %v", c.as, c.target, r.Status, p.Error.Next)
		}
		for _, accept := range []string{"text/html", "text/markdown"} {
			if r := w.As(c.as).Get(c.target, accept); r.Status != 404 ||
				c.near != "/" && !strings.Contains(r.Body, c.near) {
				t.Errorf("%s at %s as %s: %d\n%s", c.as, c.target, accept, r.Status, r.Body)
			}
		}
	}
}

// TestShortenedID checks that a shortened ID redirects to the only page with that prefix, or lists all such pages.
func TestShortenedID(t *testing.T) {
	w := webtest.New(t)
	bob, standups := w.As("bob"), w.URL("standups")
	short := standups[:len("/studios/team/d/")+6]
	for target, want := range map[string]string{
		short: standups, short + "?x=1": standups, short + "/comments?before=3": standups + "/comments?before=3",
		short + ".md":                     standups + ".md",
		short + "/actions/comment?text=x": standups + "/actions/comment?text=x",
		short + "/actions":                standups + "/actions",
	} {
		if r := bob.Get(target, ""); r.Status != 302 || r.Location() != want || r.Header.Get("Vary") != "Accept" {
			t.Errorf("%s: %d to %s, want %s", target, r.Status, r.Location(), want)
		}
	}
	if r := bob.Get(standups[:len("/studios/team/d/")+3], ""); r.Status != 404 {
		t.Errorf("three letters: %d", r.Status)
	}
	for _, as := range []string{"carol", "oscar", "owl"} {
		if r := w.As(as).Get(short, "text/markdown"); r.Status != 404 || strings.Contains(r.Body, standups) {
			t.Errorf("%s: %d\n%s", as, r.Status, r.Body)
		}
	}
	if r := w.As("anonymous").Get(short, ""); r.Status != 303 || !strings.HasPrefix(r.Location(), "/login?") {
		t.Errorf("anonymous: %d to %s", r.Status, r.Location())
	}
	if r := w.As("bob").Post(short, "comment", param.Input{"text": "x"}); r.Status != 404 {
		t.Errorf("acting on a shortened id: %d", r.Status)
	}
}

// TestMissingIsForbidden checks that the answers for a missing and for a forbidden page differ only in the URL.
func TestMissingIsForbidden(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	clean := func(r *webtest.Response, target string) string {
		text := fmt.Sprint(r.Status, r.Header, r.Body)
		for _, form := range []string{target, strings.ReplaceAll(target, "/", "%2F"),
			strings.ReplaceAll(target, "/", `\/`)} {
			text = strings.ReplaceAll(text, form, "ADDRESS")
		}
		return regexp.MustCompile(`X-Markdown-Tokens:\[\d+\]|Content-Length:\[\d+\]`).ReplaceAllString(text, "")
	}
	draft, private := w.URL("draft"), privateEntry(t, w)
	for _, c := range []struct{ as, invisible, missing string }{
		{"bob", "/studios/lab", "/studios/zqx"},
		{"bob", "/studios/lab/members", "/studios/zqx/members"},
		{"bob", w.URL("lab open"), "/studios/zqx/d/0000000000"},
		{"bob", draft, "/studios/team/d/0000000000"},
		{"bob", draft[:len(draft)-4], "/studios/team/d/000000"},
		{"bob", "/orgs/globex", "/orgs/zqx"},
		{"bob", "/orgs/globex/journal/1", "/orgs/zqx/journal/1"},
		{"bob", "/orgs/acme/journal/" + private, "/orgs/acme/journal/99999"},
		{"bob", "/orgs/globex/members/oscar", "/orgs/globex/members/zqx"},
		{"carol", w.URL("standups"), "/studios/team/d/0000000000"},
		{"scout", draft, "/studios/team/d/0000000000"},
		{"owl", w.URL("team"), "/studios/zqx"},
		{"anonymous", "/studios/team", "/studios/zqx"},
		{"anonymous", w.URL("standups"), "/studios/zqx/d/0000000000"},
		{"anonymous", "/orgs/acme", "/nowhere"},
		{"revoked", w.URL("team"), "/nowhere"},
	} {
		for _, accept := range []string{"text/html", "text/markdown", "application/json", "image/png"} {
			for _, suffix := range []string{"", "/actions", "/actions/join?x=1", ".md"} {
				a := w.As(c.as).Get(c.invisible+suffix, accept)
				b := w.As(c.as).Get(c.missing+suffix, accept)
				if accept == "image/png" && c.missing == "/nowhere" {
					continue // no page has such a URL
				}
				if x, y := clean(a, c.invisible), clean(b, c.missing); x != y {
					t.Errorf("%s tells %s from %s as %s:\n%s\n%s", c.as, c.invisible+suffix, c.missing+suffix,
						accept, x, y)
				}
			}
			a := requestBody(w.As(c.as), "POST", c.invisible+"/actions/comment", "text=x", formMedia, "Accept: "+accept)
			b := requestBody(w.As(c.as), "POST", c.missing+"/actions/comment", "text=x", formMedia, "Accept: "+accept)
			if a.Status != b.Status && !strings.HasPrefix(c.missing, "/nowhere") {
				t.Errorf("%s tells %s from %s by acting: %d, %d", c.as, c.invisible, c.missing, a.Status, b.Status)
			}
		}
	}
}

// privateEntry returns the number of a journal entry that only Alice may see.
func privateEntry(t *testing.T, w *webtest.World) string {
	t.Helper()
	list := regexp.MustCompile(`/orgs/acme/journal/(\d+)`).FindAllStringSubmatch(
		w.As("alice").Get("/orgs/acme/journal?action=create_token", "text/markdown").Body, -1)
	if len(list) == 0 {
		t.Fatal("Alice has no private entry")
	}
	return list[0][1]
}

// TestAddressesInRefusalsAreLinks refuses a comment of a person outside the studio. The refusal says where to join:
// with a link in HTML and Markdown, and with a complete address for programs and over MCP.
func TestAddressesInRefusalsAreLinks(t *testing.T) {
	w := webtest.New(t)
	page, in, team := w.URL("plaza result"), param.Input{"text": "Hello."}, w.URL("plaza")
	erin := w.As("erin")
	says := func(form, body, want string) {
		t.Helper()
		if !strings.Contains(body, want) {
			t.Errorf("%s does not say %s:\n%.2000s", form, want, body)
		}
	}
	says("HTML", erin.Post(page, "comment", in).Body, `Join it at <a href="`+team+`">`+team+`</a>.`)
	says("markdown", erin.Form(page, "comment", webtest.Call{Params: in, Accept: "text/markdown"}).Body,
		"Join it at ["+team+"]("+webtest.Origin+team+").")
	says("JSON", erin.PostJSON(page, "comment", in).Body, "Join it at "+webtest.Origin+team+".")
	week := w.URL("team") + "/cycles"
	says("an error page", w.As("bob").Get(week+"?from=x", "text/html").Body, `Start again at <a href="`+week+`">`)
}
