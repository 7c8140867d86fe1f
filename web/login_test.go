package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/webtest"
)

// tokenID is the id of an agent's token.
func tokenID(t *testing.T, w *webtest.World, agent string) string {
	t.Helper()
	var id string
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		by, err := tx.ActorByToken(w.Token(agent))
		id = by.Token
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return id
}

// enter sends the login form and returns the answer with the cookie that signs in, if one was set.
func enter(w *webtest.World, target, email, password string, headers ...string) (*webtest.Response, *http.Cookie) {
	form := url.Values{"email": {email}, "password": {password}}
	r := requestBody(w.As("anonymous"), "POST", target, form.Encode(), append(headers, formMedia)...)
	for _, line := range r.Header["Set-Cookie"] {
		if c, err := http.ParseSetCookie(line); err == nil && strings.HasSuffix(c.Name, "samepage") && c.MaxAge > 0 {
			return r, c
		}
	}
	return r, nil
}

// known is whom a cookie signs in.
func known(w *webtest.World, c *http.Cookie) string {
	r := request(w.As("anonymous"), "GET", "/whoami", "Accept: text/markdown", "Cookie: "+c.Name+"="+c.Value)
	_, as, _ := strings.Cut(r.Body, "\nas: \"")
	as, _, _ = strings.Cut(as, "\"")
	if r.Status != 200 || strings.Contains(r.Body, "Nobody is signed in") {
		return ""
	}
	return as
}

func TestLogin(t *testing.T) {
	w := webtest.New(t)
	r, c := enter(w, "/login", "  Alice@Acme.example ", webtest.Password)
	if r.Status != 303 || r.Location() != "/" || c == nil || known(w, c) != "@alice" {
		t.Fatalf("%d to %s, %v", r.Status, r.Location(), c)
	}
	if c.Name != "__Host-samepage" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.MaxAge != int(store.LoginIdle.Seconds()) {
		t.Errorf("cookie %v", c)
	}
	if strings.Contains(r.Body, c.Value) || strings.Contains(strings.Join(rows(t, w, "logins"), ""), c.Value) {
		t.Error("the cookie's value is stored or shown")
	}
	plain := webtest.New(t, func(c *web.Config) { c.Origin = "http://samepage.example" })
	if _, c := enter(plain, "/login", "alice@acme.example", webtest.Password); c == nil || c.Name != "samepage" || c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
		t.Errorf("over HTTP: %v", c)
	}
	for _, form := range []string{"text/html", "text/markdown", "application/json"} {
		if r := request(w.As("anonymous"), "GET", "/login", "Accept: "+form); r.Status != 200 || strings.Contains(r.Body, "acme") {
			t.Errorf("the page as %s: %d", form, r.Status)
		}
	}
}

// TestLoginIsForBrowsers: other forms of the page offer no action, since none can be taken there, and say what to do instead.
func TestLoginIsForBrowsers(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	for media, none := range map[string]string{"text/markdown": "\nactions: []\n", "application/json": `"actions":[],`} {
		read := request(w.As("anonymous"), "GET", "/login?next=/whoami", "Accept: "+media)
		failed, _ := enter(w, "/login", "alice@acme.example", "wrong password", "Accept: "+media)
		for _, r := range []*webtest.Response{read, failed} {
			if !strings.Contains(r.Body, none) || !strings.Contains(r.Body, "in a browser. Agents send a token") || strings.Contains(r.Body, "password of your account") {
				t.Errorf("%s, %d:\n%s", media, r.Status, r.Body)
			}
		}
	}
	if r := request(w.As("anonymous"), "GET", "/login", "Accept: text/html"); !strings.Contains(r.Body, `action="/login"`) || !strings.Contains(r.Body, `name="password"`) {
		t.Errorf("a browser gets no form:\n%s", r.Body)
	}
}

// TestLoginRefused: a wrong password and an unknown account are the same answer, which keeps the address and not the password.
func TestLoginRefused(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	before := w.Digests()
	var first string
	var took [2]time.Duration
	for i, c := range []struct{ email, password string }{
		{"alice@acme.example", "wrong password"}, {"nobody@acme.example", "wrong password"}, {"alice@acme.example", ""}, {"", ""}, {"alice@acme.example", webtest.Password + " "},
		{"alice@acme.example'--", webtest.Password}, {"alice@acme.example\x00", webtest.Password}, {"alice", webtest.Password}, {"bob@acme.example", w.Token("scout")},
		{"mia@acme.example", strings.Repeat("x", 200_000)},
	} {
		begun := time.Now()
		r, cookie := enter(w, "/login?next=/whoami", c.email, c.password)
		if i < 2 {
			took[i] = time.Since(begun)
		}
		if r.Status != 422 || cookie != nil || !strings.Contains(r.Body, "do not belong together") || c.password != "" && strings.Contains(r.Body, c.password) {
			t.Errorf("%q with %.20q: %d, %v", c.email, c.password, r.Status, cookie)
		}
		body := strings.ReplaceAll(r.Body, ` value="`+strings.NewReplacer("'", "&#39;", "\x00", "").Replace(c.email)+`"`, "")
		if first == "" {
			first = body
		}
		if i < 4 && body != first {
			t.Errorf("%q: the answer differs:\n%s\n%s", c.email, first, body)
		}
		if !strings.Contains(r.Body, `action="/login?next=%2Fwhoami"`) {
			t.Errorf("%q: where to go is lost", c.email)
		}
	}
	t.Logf("a wrong password took %v, an unknown account %v", took[0], took[1])
	if changed := webtest.Changed(before, w.Digests()); len(changed) > 0 {
		t.Errorf("changed: %v", changed)
	}
	for media, body := range map[string]string{"application/json": `{"email":"alice@acme.example","password":"correct horse"}`, "multipart/form-data; boundary=x": "x", "": "email=alice@acme.example"} {
		if r := requestBody(w.As("anonymous"), "POST", "/login", body, "Content-Type: "+media); r.Status < 400 || r.Status > 422 {
			t.Errorf("%s: %d", media, r.Status)
		}
	}
	if r := requestBody(w.As("anonymous"), "POST", "/login", "email="+strings.Repeat("x", 256<<10), formMedia); r.Status != 413 {
		t.Errorf("a long form: %d", r.Status)
	}
}

func TestLoginLimits(t *testing.T) {
	for name, email := range map[string]func(int) string{
		"account": func(int) string { return "alice@acme.example" }, "address": func(i int) string { return fmt.Sprintf("nobody-%d@acme.example", i) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t, limited)
			limit := map[string]int{"account": 10, "address": 30}[name]
			tries, told := 0, (*webtest.Response)(nil)
			for told == nil && tries <= limit {
				r, _ := enter(w, "/login", email(tries), "wrong password", "Accept: application/json")
				if r.Status == 429 {
					told = r
					break
				}
				tries++
			}
			if told == nil || tries != limit {
				t.Fatalf("limited after %d tries", tries)
			}
			if n, err := strconv.Atoi(told.Header.Get("Retry-After")); err != nil || n < 1 || n > 60 || problemOf(t, told).Error.Code != "limited" {
				t.Errorf("Retry-After %q: %s", told.Header.Get("Retry-After"), told.Body)
			}
			if r, c := enter(w, "/login", email(tries), webtest.Password); r.Status != 429 || c != nil || !strings.Contains(r.Body, "Wait 60 seconds") {
				t.Errorf("the right password: %d", r.Status)
			}
			if r, _ := enter(w, "/login", "bob@acme.example", webtest.Password); (r.Status == 303) != (name == "account") {
				t.Errorf("another account: %d", r.Status)
			}
		})
	}
}

// TestNext never leaves the site, and leads to pages only.
func TestNext(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	for next, want := range map[string]string{
		"/studios/team": "/studios/team", "/Studios/Team/?x=1#y": "/studios/team", webtest.Origin + "/whoami": "/whoami", w.URL("standups") + "/actions/comment?text=a%20b": w.URL("standups") + "/actions/comment?text=a+b",
		"": "/", "//evil.example": "/", "https://evil.example/whoami": "/", `/\evil.example`: "/", "javascript:alert(1)": "/", "/logout": "/", "/login?next=/login": "/", "/nowhere": "/",
		"/static/app.css": "/", "/whoami\r\nSet-Cookie: a=b": "/", "https://samepage.example@evil.example/": "/",
	} {
		c := w.As("anonymous")
		page := request(c, "GET", "/login?next="+url.QueryEscape(next))
		action := `action="/login"`
		if want != "/" {
			action = `action="/login?next=` + url.QueryEscape(want) + `"`
		}
		if page.Status != 200 || !strings.Contains(page.Body, action) {
			t.Errorf("next=%q: the form does not have %s", next, action)
		}
	}
	for next, want := range map[string]string{webtest.Origin + "/whoami": "/whoami", "/studios/TEAM?x=1": "/studios/team", "//evil.example": "/", "https://evil.example/whoami": "/", `/\evil.example`: "/"} {
		if r, _ := enter(w, "/login?next="+url.QueryEscape(next), "alice@acme.example", webtest.Password); r.Status != 303 || r.Location() != want {
			t.Errorf("next=%q leads to %q, want %q", next, r.Location(), want)
		}
	}
}

func TestLogout(t *testing.T) {
	w := webtest.New(t)
	_, old := enter(w, "/login", "alice@acme.example", webtest.Password)
	_, other := enter(w, "/login", "alice@acme.example", webtest.Password)
	if old.Value == other.Value || known(w, old) != "@alice" || known(w, other) != "@alice" {
		t.Fatal("two browsers are one")
	}
	// Signing in again on the same browser ends what was before, whoever it was.
	_, rotated := enter(w, "/login", "bob@acme.example", webtest.Password, "Cookie: "+old.Name+"="+old.Value)
	if known(w, old) != "" || known(w, rotated) != "@bob" || known(w, other) != "@alice" {
		t.Errorf("old %q, new %q, other %q", known(w, old), known(w, rotated), known(w, other))
	}
	r := request(w.As("anonymous"), "POST", "/logout", "Cookie: "+rotated.Name+"="+rotated.Value)
	if set := r.Header.Get("Set-Cookie"); r.Status != 303 || r.Location() != "/login" || !strings.HasPrefix(set, "__Host-samepage=;") || !strings.Contains(set, "Max-Age=0") {
		t.Errorf("log out: %d to %s, %s", r.Status, r.Location(), r.Header.Get("Set-Cookie"))
	}
	if known(w, rotated) != "" || known(w, other) != "@alice" {
		t.Error("the cookie still signs in, or the other browser's does not")
	}
	for _, cookie := range []string{"", rotated.Name + "=" + rotated.Value, other.Name + "="} {
		if r := request(w.As("anonymous"), "POST", "/logout", "Cookie: "+cookie); r.Status != 303 {
			t.Errorf("again: %d", r.Status)
		}
	}
	if r := request(w.As("alice"), "GET", "/logout"); r.Status != 405 {
		t.Errorf("a link logs out: %d", r.Status)
	}
}

// TestAgentsDoNotLogIn: a token is no cookie, a cookie no token, and a token beside a cookie is what counts.
func TestAgentsDoNotLogIn(t *testing.T) {
	w := webtest.New(t)
	_, c := enter(w, "/login", "alice@acme.example", webtest.Password)
	for _, headers := range [][]string{{"Cookie: __Host-samepage=" + w.Token("scribe")}, {"Cookie: samepage=" + c.Value}, {"Authorization: Bearer"}, {"Authorization: Bearer "}} {
		if r := request(w.As("anonymous"), "GET", w.URL("team"), append(headers, "Accept: text/markdown")...); r.Status != 401 {
			t.Errorf("%v: %d", headers, r.Status)
		}
	}
	for _, headers := range [][]string{{"Authorization: Bearer " + c.Value}, {"Authorization: Bearer sp_x"}, {"Authorization: Bearer " + w.Token("revoked")}, {"Authorization: Basic x"}, {"Authorization: " + w.Token("scribe")}} {
		headers = append(headers, "Cookie: "+c.Name+"="+c.Value)
		if r := request(w.As("anonymous"), "GET", w.URL("team"), headers...); r.Status != 401 {
			t.Errorf("%v beside a cookie: %d", headers[0], r.Status)
		}
	}
	if r := request(w.As("anonymous"), "GET", w.URL("team")+"?token="+w.Token("scribe")+"&access_token="+w.Token("scribe"), "Accept: text/markdown"); r.Status != 401 {
		t.Errorf("a token in the address: %d", r.Status)
	}
	if r := request(w.As("anonymous"), "GET", w.URL("team"), "Authorization: bEARER  "+w.Token("scribe"), "Accept: text/markdown"); r.Status != 200 {
		t.Errorf("the scheme in another case: %d", r.Status)
	}
}

// TestRevocationCountsAtOnce over HTTP and MCP, as does the end of a token's life.
func TestRevocationCountsAtOnce(t *testing.T) {
	for name, end := range map[string]func(*webtest.World){
		"revoked": func(w *webtest.World) {
			if err := w.Site.RevokeToken(t.Context(), tokenID(t, w, "scout")); err != nil {
				t.Error(err)
			}
		},
		"expired": func(w *webtest.World) { w.Clock.Advance(90 * 24 * time.Hour) },
	} {
		w := webtest.New(t)
		h := tools(w)
		get := func() int { return w.As("scout").Get(w.URL("team"), "text/markdown").Status }
		post := func() int {
			return requestBody(w.As("scout"), "POST", w.URL("open single")+"/actions/comment", `{"params":{"text":"x"}}`, jsonMedia).Status
		}
		navigate := func() int {
			_, _, status := use(t, h, w.Token("scout"), "navigate", map[string]any{"url": "/"})
			return status
		}
		act := func() int {
			_, _, status := use(t, h, w.Token("scout"), "execute_action", map[string]any{"url": w.URL("open single"), "action": "comment", "params": map[string]any{"text": "x"}})
			return status
		}
		if got := [4]int{get(), post(), navigate(), act()}; got != [4]int{200, 200, 200, 200} {
			t.Errorf("%s, before: %v", name, got)
		}
		end(w)
		if got := [4]int{get(), post(), navigate(), act()}; got != [4]int{401, 401, 401, 401} {
			t.Errorf("%s, after: %v", name, got)
		}
		if who, ok := w.Site.Authenticate(requestWith(w.Token("scout"))); ok {
			t.Errorf("%s: still %q", name, who)
		}
	}
}

func requestWith(token string) *http.Request {
	return &http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}}
}

// TestSeenIsWrittenSeldom: reading writes nothing but, every ten minutes, that a login was used. If that cannot be written,
// one can still read.
func TestSeenIsWrittenSeldom(t *testing.T) {
	w := webtest.New(t)
	_, c := enter(w, "/login", "alice@acme.example", webtest.Password)
	get := func() {
		t.Helper()
		for _, target := range []string{"/", w.URL("standups"), w.URL("due"), w.URL("standups") + "/actions/close_decision", "/nowhere"} {
			if r := request(w.As("anonymous"), "GET", target, "Cookie: "+c.Name+"="+c.Value); r.Status != 200 && r.Status != 404 {
				t.Errorf("%s: %d", target, r.Status)
			}
		}
	}
	for i, step := range []struct {
		later   time.Duration
		touched bool
	}{{0, false}, {9 * time.Minute, false}, {time.Minute, false}, {time.Second, true}, {0, false}, {10 * time.Minute, false}, {time.Second, true}, {11 * time.Hour, true}, {12*time.Hour - time.Second, true}} {
		w.Clock.Advance(step.later)
		before, logins := w.Digests(), rows(t, w, "logins")
		get()
		if changed := webtest.Changed(before, w.Digests(), "logins"); len(changed) > 0 {
			t.Errorf("step %d: changed %q", i, changed)
		}
		if touched := !slices.Equal(rows(t, w, "logins"), logins); touched != step.touched {
			t.Errorf("step %d: touched %v", i, touched)
		}
	}
	db := w.Database()
	refuse := `CREATE TRIGGER full BEFORE UPDATE ON logins BEGIN SELECT RAISE(ABORT, 'no space'); END`
	if pgtest.Given() != "" {
		refuse = `ALTER TABLE logins ADD CHECK (false) NOT VALID`
	}
	if _, err := db.Exec(refuse); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	get()
	w.Clock.Advance(store.LoginIdle)
	if known(w, c) != "" {
		t.Error("a login outlives its end")
	}
}
