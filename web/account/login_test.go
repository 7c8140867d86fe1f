package account_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/credential"
	"samepage/web"
	"samepage/web/webtest"
)

func TestLogin(t *testing.T) {
	w := webtest.New(t)
	r, c := w.SignIn("/login", "  Alice@Acme.example ", webtest.Password)
	if r.Status != 303 || r.Location() != "/" || c == nil || w.SignedIn(c) != "@alice" {
		t.Fatalf("%d to %s, %v", r.Status, r.Location(), c)
	}
	if c.Name != "__Host-samepage" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode ||
		c.Path != "/" || c.Domain != "" || c.MaxAge != int(credential.LoginIdle.Seconds()) {
		t.Errorf("cookie %v", c)
	}
	if strings.Contains(r.Body, c.Value) || strings.Contains(strings.Join(w.Rows("logins"), ""), c.Value) {
		t.Error("the cookie's value is stored or shown")
	}
	plain := webtest.New(t, func(c *web.Config) { c.Origin = "http://samepage.example" })
	if _, c := plain.SignIn("/login", "alice@acme.example", webtest.Password); c == nil ||
		c.Name != "samepage" || c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
		t.Errorf("over HTTP: %v", c)
	}
	for _, form := range []string{"text/html", "text/markdown", "application/json"} {
		if r := webtest.Request(w.As("anonymous"), "GET", "/login", "Accept: "+form); r.Status != 200 ||
			strings.Contains(r.Body, "acme") {
			t.Errorf("the page as %s: %d", form, r.Status)
		}
	}
}

// TestLoginIsForBrowsers checks that the login page as Markdown and as JSON offers no action, and says how agents sign
// in.
func TestLoginIsForBrowsers(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	for media, none := range map[string]string{"text/markdown": "\nactions: []\n",
		"application/json": `"actions":[],`} {
		read := webtest.Request(w.As("anonymous"), "GET", "/login?next=/whoami", "Accept: "+media)
		failed, _ := w.SignIn("/login", "alice@acme.example", "wrong password", "Accept: "+media)
		for _, r := range []*webtest.Response{read, failed} {
			if !strings.Contains(r.Body, none) || !strings.Contains(r.Body, "in a browser. Agents send a token") ||
				strings.Contains(r.Body, "Password") {
				t.Errorf("%s, %d:\n%s", media, r.Status, r.Body)
			}
		}
	}
	if r := webtest.Request(w.As("anonymous"), "GET", "/login", "Accept: text/html"); !strings.Contains(r.Body,
		`action="/login"`) || !strings.Contains(r.Body, `name="password"`) || strings.Contains(r.Body, `class="doc"`) {
		t.Errorf("a browser gets no form, or sentences that repeat its fields:\n%s", r.Body)
	}
}

// TestLoginRefused checks that a wrong password and an unknown account give the same answer. The form in it has the
// address filled in, but not the password.
func TestLoginRefused(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	before := w.Digests()
	var first string
	var took [2]time.Duration
	for i, c := range []struct{ email, password string }{
		{"alice@acme.example", "wrong password"}, {"nobody@acme.example", "wrong password"},
		{"alice@acme.example", ""}, {"", ""},
		{"alice@acme.example", webtest.Password + " "},
		{"alice@acme.example'--", webtest.Password}, {"alice@acme.example\x00", webtest.Password},
		{"alice", webtest.Password},
		{"bob@acme.example", w.Token("scout")},
		{"mia@acme.example", strings.Repeat("x", 200_000)},
	} {
		begun := time.Now()
		r, cookie := w.SignIn("/login?next=/whoami", c.email, c.password)
		if i < 2 {
			took[i] = time.Since(begun)
		}
		if r.Status != 422 || cookie != nil || !strings.Contains(r.Body, "do not belong together") ||
			c.password != "" &&
				strings.Contains(r.Body, c.password) {
			t.Errorf("%q with %.20q: %d, %v", c.email, c.password, r.Status, cookie)
		}
		body := strings.ReplaceAll(r.Body,
			` value="`+strings.NewReplacer("'", "&#39;", "\x00", "").Replace(c.email)+`"`, "")
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
	for media, body := range map[string]string{"application/json": `{"email":"alice@acme.example","password":"correct horse"}`,
		"multipart/form-data; boundary=x": "x", "": "email=alice@acme.example"} {
		if r := webtest.RequestBody(w.As("anonymous"), "POST", "/login", body,
			"Content-Type: "+media); r.Status < 400 || r.Status > 422 {
			t.Errorf("%s: %d", media, r.Status)
		}
	}
	if r := webtest.RequestBody(w.As("anonymous"), "POST", "/login", "email="+strings.Repeat("x", 256<<10),
		webtest.FormMedia); r.Status != 413 {
		t.Errorf("a long form: %d", r.Status)
	}
}

func TestLoginLimits(t *testing.T) {
	for name, email := range map[string]func(int) string{
		"account": func(int) string { return "alice@acme.example" },
		"address": func(i int) string { return fmt.Sprintf("nobody-%d@acme.example", i) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := webtest.New(t, limited, func(c *web.Config) { c.Pause = func(context.Context, time.Duration) {} })
			limit := map[string]int{"account": 11, "address": 30}[name] // the last try at the account is a slow one
			tries, told := 0, (*webtest.Response)(nil)
			for told == nil && tries <= limit {
				r, _ := w.SignIn("/login", email(tries), "wrong password", "Accept: application/json")
				if r.Status == 429 {
					told = r
					break
				}
				tries++
			}
			if told == nil || tries != limit {
				t.Fatalf("limited after %d tries", tries)
			}
			if n, err := strconv.Atoi(told.Header.Get("Retry-After")); err != nil || n < 1 || n > 60 ||
				webtest.ProblemOf(t, told).Error.Code != "limited" {
				t.Errorf("Retry-After %q: %s", told.Header.Get("Retry-After"), told.Body)
			}
			if r, c := w.SignIn("/login", email(tries), webtest.Password); r.Status != 429 || c != nil ||
				!strings.Contains(r.Body, "Wait 60 seconds") {
				t.Errorf("the right password: %d", r.Status)
			}
			if r, _ := w.SignIn("/login", "bob@acme.example",
				webtest.Password); (r.Status == 303) != (name == "account") {
				t.Errorf("another account: %d", r.Status)
			}
		})
	}
}

// TestNext checks that signing in redirects only to pages of the site.
func TestNext(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	for next, want := range map[string]string{
		"/studios/team": "/studios/team", "/Studios/Team/?x=1#y": "/studios/team",
		webtest.Origin + "/whoami":                        "/whoami",
		w.URL("standups") + "/actions/comment?text=a%20b": w.URL("standups") + "/actions/comment?text=a+b",
		"": "/", "//evil.example": "/", "https://evil.example/whoami": "/", `/\evil.example`: "/",
		"javascript:alert(1)": "/", "/logout": "/", "/login?next=/login": "/", "/nowhere": "/",
		"/static/app.css": "/", "/whoami\r\nSet-Cookie: a=b": "/", "https://samepage.example@evil.example/": "/",
	} {
		c := w.As("anonymous")
		page := webtest.Request(c, "GET", "/login?next="+url.QueryEscape(next))
		action := `action="/login"`
		if want != "/" {
			action = `action="/login?next=` + url.QueryEscape(want) + `"`
		}
		if page.Status != 200 || !strings.Contains(page.Body, action) {
			t.Errorf("next=%q: the form does not have %s", next, action)
		}
	}
	for next, want := range map[string]string{webtest.Origin + "/whoami": "/whoami",
		"/studios/TEAM?x=1": "/studios/team",
		"//evil.example":    "/", "https://evil.example/whoami": "/", `/\evil.example`: "/"} {
		if r, _ := w.SignIn("/login?next="+url.QueryEscape(next), "alice@acme.example",
			webtest.Password); r.Status != 303 || r.Location() != want {
			t.Errorf("next=%q leads to %q, want %q", next, r.Location(), want)
		}
	}
}

func TestLogout(t *testing.T) {
	w := webtest.New(t)
	_, old := w.SignIn("/login", "alice@acme.example", webtest.Password)
	_, other := w.SignIn("/login", "alice@acme.example", webtest.Password)
	if old.Value == other.Value || w.SignedIn(old) != "@alice" || w.SignedIn(other) != "@alice" {
		t.Fatal("two browsers are one")
	}
	// Signing in again on the same browser ends the browser's previous login.
	_, rotated := w.SignIn("/login", "bob@acme.example", webtest.Password, "Cookie: "+old.Name+"="+old.Value)
	if w.SignedIn(old) != "" || w.SignedIn(rotated) != "@bob" || w.SignedIn(other) != "@alice" {
		t.Errorf("old %q, new %q, other %q", w.SignedIn(old), w.SignedIn(rotated), w.SignedIn(other))
	}
	r := webtest.Request(w.As("anonymous"), "POST", "/logout", "Cookie: "+rotated.Name+"="+rotated.Value)
	if set := r.Header.Get("Set-Cookie"); r.Status != 303 || r.Location() != "/login" ||
		!strings.HasPrefix(set, "__Host-samepage=;") || !strings.Contains(set, "Max-Age=0") {
		t.Errorf("log out: %d to %s, %s", r.Status, r.Location(), r.Header.Get("Set-Cookie"))
	}
	if w.SignedIn(rotated) != "" || w.SignedIn(other) != "@alice" {
		t.Error("the cookie still signs in, or the other browser's does not")
	}
	for _, cookie := range []string{"", rotated.Name + "=" + rotated.Value, other.Name + "="} {
		if r := webtest.Request(w.As("anonymous"), "POST", "/logout", "Cookie: "+cookie); r.Status != 303 {
			t.Errorf("again: %d", r.Status)
		}
	}
	if r := webtest.Request(w.As("alice"), "GET", "/logout"); r.Status != 405 {
		t.Errorf("a link logs out: %d", r.Status)
	}
}

// TestPasswordChangesDuringLogin changes the password, and thereby ends all logins, between the check of the old
// password and the start of the login. The login must not begin.
func TestPasswordChangesDuringLogin(t *testing.T) {
	w := webtest.New(t)
	for i := 1; i <= 10; i++ {
		held, ended := make(chan bool), make(chan error, 1)
		var old string
		w.Query(&old, `SELECT password FROM users WHERE email = 'bob@acme.example'`)
		go func() {
			ended <- w.Store.Write(context.Background(), func(tx *store.Tx) error {
				err := credential.ResetPassword(tx, "bob@acme.example", "-")
				close(held)
				time.Sleep(time.Duration(i) * 200 * time.Millisecond) // in this time the password is checked
				return err
			})
		}()
		<-held
		r, c := w.SignIn("/login", "bob@acme.example", webtest.Password)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		logins := 0
		w.Query(&logins, `SELECT count(*) FROM logins WHERE user_id = (SELECT id FROM users WHERE email = 'bob@acme.example')`)
		if c != nil || logins > 0 {
			t.Fatalf("the old password has signed in: %d, %d logins", r.Status, logins)
		}
		if r.Status == http.StatusConflict && strings.Contains(r.Body, "The password was changed in this moment") {
			return
		}
		if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
			return credential.ResetPassword(tx, "bob@acme.example", old)
		}); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("the password was never changed in time")
}
