package web_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
	"samepage/web/webtest"
)

// browser is a person's browser: requests with one cookie, which lasts as long as it lasts.
type browser struct {
	w      *webtest.World
	t      *testing.T
	cookie *http.Cookie
}

// signedIn signs somebody in anew.
func signedIn(t *testing.T, w *webtest.World, email string, headers ...string) *browser {
	t.Helper()
	_, c := enter(w, "/login", email, webtest.Password, headers...)
	if c == nil {
		t.Fatalf("%s is not signed in", email)
	}
	return &browser{w, t, c}
}

func (b *browser) get(target string, headers ...string) *webtest.Response {
	return request(b.w.As("anonymous"), "GET", target, append(headers, "Cookie: "+b.cookie.Name+"="+b.cookie.Value)...)
}

// post sends a form and follows where it leads if it signs in.
func (b *browser) post(target string, form url.Values) *webtest.Response {
	r := requestBody(b.w.As("anonymous"), "POST", target, form.Encode(), formMedia, "Cookie: "+b.cookie.Name+"="+b.cookie.Value)
	for _, line := range r.Header["Set-Cookie"] {
		if c, err := http.ParseSetCookie(line); err == nil && c.Name == b.cookie.Name && c.MaxAge > 0 {
			b.cookie = c
		}
	}
	return r
}

func (b *browser) in() bool { return known(b.w, b.cookie) != "" }

// TestLoginsEnd: a login is listed to whom it belongs, and ends when it is told to, at once.
func TestLoginsEnd(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	one, two, three := signedIn(t, w, "bob@acme.example", "User-Agent: Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0"),
		signedIn(t, w, "bob@acme.example", "User-Agent: <b>curl/8</b>"), signedIn(t, w, "bob@acme.example")
	body := one.get(store.AccountURL, "Accept: text/markdown").Body
	if !strings.Contains(body, "Edge on Windows, this one") || !strings.Contains(body, "| curl |") || strings.Contains(body, one.cookie.Value) || strings.Contains(body, two.cookie.Value) {
		t.Error(body)
	}
	erin := signedIn(t, w, "erin@acme.example")
	if r := erin.post(store.AccountURL+"/actions/end_login", url.Values{"login": {store.LoginID(two.cookie.Value)}}); r.Status == 303 || !two.in() {
		t.Errorf("another's login: %d", r.Status)
	}
	if r := one.post(store.AccountURL+"/actions/end_login", url.Values{"login": {store.LoginID(one.cookie.Value)}}); r.Status != 422 || !one.in() {
		t.Errorf("this login: %d", r.Status)
	}
	if r := one.post(store.AccountURL+"/actions/end_login", url.Values{"login": {store.LoginID(two.cookie.Value)}}); r.Status != 303 || two.in() || !three.in() || !one.in() {
		t.Errorf("one login: %d, %v %v %v", r.Status, one.in(), two.in(), three.in())
	}
	if r := one.post(store.AccountURL+"/actions/end_other_logins", nil); r.Status != 303 || three.in() || !one.in() || !erin.in() {
		t.Errorf("the others: %d, %v %v %v", r.Status, one.in(), three.in(), erin.in())
	}
	if r := one.get(store.AccountURL+"/actions/end_other_logins", "Accept: text/markdown"); !strings.Contains(r.Body, "log out") {
		t.Errorf("there are no others: %s", r.Body)
	}
}

// TestLoginsRunOut: unused for twelve hours, and after fourteen days however much it is used.
func TestLoginsRunOut(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	idle, busy := signedIn(t, w, "bob@acme.example"), signedIn(t, w, "erin@acme.example")
	w.Clock.Advance(store.LoginIdle - time.Second)
	busy.get("/whoami")
	if !busy.in() {
		t.Fatal("a login ended early")
	}
	w.Clock.Advance(time.Second)
	if idle.in() || !busy.in() {
		t.Errorf("idle: %v, busy: %v", idle.in(), busy.in())
	}
	for w.Clock.Now().Before(webtest.Start.Add(store.LoginLife - time.Hour)) {
		w.Clock.Advance(time.Hour)
		if busy.get("/whoami"); !busy.in() {
			t.Fatalf("a login that is used ended after %v", w.Clock.Now().Sub(webtest.Start))
		}
	}
	w.Clock.Advance(time.Hour)
	if busy.in() {
		t.Error("a login lasts for ever if it is used")
	}
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	one, two := signedIn(t, w, "bob@acme.example"), signedIn(t, w, "bob@acme.example")
	change := func(current, next string) *webtest.Response {
		return one.post(store.AccountURL+"/actions/change_password", url.Values{"current": {current}, "password": {next}, "_idempotency_key": {"k" + next}})
	}
	for _, c := range []struct{ current, next, says string }{
		{"wrong password", "four little green fishes", "That is not your password"}, {"", "four little green fishes", "is required"}, {webtest.Password, "short", "8 to 200"},
		{webtest.Password, "Password123!", "tried first"}, {webtest.Password, "bob@acme.example", "guess of you"}, {webtest.Password, "aaaaaaaaaa", "repeats itself"}, {"wrong password", "qwertyuiop", "tried first"},
	} {
		r := change(c.current, c.next)
		if r.Status != 422 || !strings.Contains(r.Body, c.says) || c.current != "" && strings.Contains(mainOf(r.Body), c.current+`"`) || strings.Contains(mainOf(r.Body), `"`+c.next+`"`) {
			t.Errorf("%q to %q: %d %s", c.current, c.next, r.Status, mainOf(r.Body))
		}
	}
	long := strings.Repeat("long", 60)
	if r := change(webtest.Password, long); r.Status != 422 || strings.Contains(r.Body, "That is not your password") || !strings.Contains(r.Body, "at most 200") {
		t.Errorf("too long: %d %s", r.Status, mainOf(r.Body))
	}
	if r := change("wrong password", long); r.Status != 422 || !strings.Contains(r.Body, "That is not your password") || !strings.Contains(r.Body, "at most 200") {
		t.Errorf("too long, and the other wrong: %d %s", r.Status, mainOf(r.Body))
	}
	if form := one.get(store.AccountURL + "/actions/change_password").Body; strings.Count(form, `autocomplete="current-password"`) != 1 || strings.Count(form, `autocomplete="new-password"`) != 1 {
		t.Error("a browser that keeps passwords cannot tell the old one from the new one")
	}
	before := w.Digests()
	if r := change(webtest.Password, "four little green fishes"); r.Status != 303 || !one.in() || two.in() {
		t.Fatalf("%d: this login %v, the other %v", r.Status, one.in(), two.in())
	}
	for _, table := range webtest.Changed(before, w.Digests()) {
		if table != "users" && table != "logins" && table != "members" {
			t.Errorf("the table %s keeps something of it", table)
		}
	}
	if _, c := enter(w, "/login", "bob@acme.example", webtest.Password); c != nil {
		t.Error("the old password still signs in")
	}
	if _, c := enter(w, "/login", "bob@acme.example", "four little green fishes"); c == nil {
		t.Error("the new one does not")
	}
}

func TestChangeEmail(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	bob := signedIn(t, w, "bob@acme.example")
	change := func(email string) *webtest.Response {
		return bob.post(store.AccountURL+"/actions/change_email", url.Values{"email": {email}})
	}
	for email, status := range map[string]int{"nobody": 422, "Erin@acme.example": 409, "Robert@Acme.Example ": 303} {
		if r := change(email); r.Status != status {
			t.Errorf("%q: %d, want %d", email, r.Status, status)
		}
	}
	if _, c := enter(w, "/login", "robert@acme.example", webtest.Password); c == nil {
		t.Error("the new address does not sign in")
	}
	if _, c := enter(w, "/login", "bob@acme.example", webtest.Password); c != nil {
		t.Error("the old one still does")
	}
}

// TestSettingsAskForProof: who may join an organization is changed by its owner, and not by whoever finds their browser open.
func TestSettingsAskForProof(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	alice := signedIn(t, w, "alice@acme.example")
	changing, form := "/orgs/acme/settings/actions/update_settings", url.Values{"name": {"Acme"}, "email_domains": {"elsewhere.example"}}
	w.Clock.Advance(store.ProofLife + time.Second)
	if r := alice.post(changing, form); r.Status != 303 || !strings.HasPrefix(r.Location(), "/login?again=1&next=") {
		t.Errorf("too late: %d to %s", r.Status, r.Location())
	}
	alice = signedIn(t, w, "alice@acme.example")
	if r := alice.post(changing, form); r.Status != 303 || strings.HasPrefix(r.Location(), "/login") {
		t.Errorf("proved: %d to %s %s", r.Status, r.Location(), mainOf(r.Body))
	}
}

// TestSensitive: what is sensitive asks for proof when the login is older than fifteen minutes, and goes on where it was.
func TestSensitive(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	bob := signedIn(t, w, "bob@acme.example")
	making := "/settings/tokens/actions/create_token"
	form := url.Values{"label": {"Third agent"}, "scopes": {"read", "write"}, "expires_in": {"7d"}}
	w.Clock.Advance(store.ProofLife)
	if r := bob.get(making); r.Status != 200 {
		t.Errorf("the form, in time: %d", r.Status)
	}
	w.Clock.Advance(time.Second)
	before := rows(t, w, "tokens")
	r := bob.post(making, form)
	want := "/login?again=1&next=" + url.QueryEscape(making+"?expires_in=7d&label=Third+agent&scopes=read&scopes=write")
	if r.Status != 303 || r.Location() != want || len(rows(t, w, "tokens")) != len(before) {
		t.Fatalf("too late: %d to %s, want %s", r.Status, r.Location(), want)
	}
	if r := requestBody(w.As("anonymous"), "POST", making, `{"params":{"label":"X","scopes":["read"]}}`, jsonMedia, "Cookie: "+bob.cookie.Name+"="+bob.cookie.Value); r.Status != 403 || problemOf(t, r).Error.Code != "unproved" {
		t.Errorf("as JSON: %d %s", r.Status, r.Body)
	}
	if r := bob.get(making + "?label=X"); r.Status != 303 || !strings.HasPrefix(r.Location(), "/login?again=1&next=") {
		t.Errorf("the form: %d to %s", r.Status, r.Location())
	}
	for _, calm := range []string{"/settings/tokens", store.AccountURL, store.AccountURL + "/actions/end_other_logins", w.URL("team") + "/actions/create_note"} {
		if r := bob.get(calm); r.Status != 200 {
			t.Errorf("%s: %d", calm, r.Status)
		}
	}
	page := bob.get(r.Location())
	if page.Status != 200 || !strings.Contains(page.Body, "Show that it is you") || !strings.Contains(page.Body, `value="bob@acme.example"`) {
		t.Errorf("%d %s", page.Status, mainOf(page.Body))
	}
	old := bob.cookie
	if again := bob.post(r.Location(), url.Values{"email": {"bob@acme.example"}, "password": {"wrong"}}); again.Status != 422 || !strings.Contains(again.Body, "again=1") || !bob.in() {
		t.Errorf("a wrong password: %d", again.Status)
	}
	again := bob.post(r.Location(), url.Values{"email": {"bob@acme.example"}, "password": {webtest.Password}})
	if again.Status != 303 || !strings.HasPrefix(again.Location(), making+"?") || bob.cookie.Value == old.Value || known(w, old) != "" {
		t.Fatalf("%d to %s; the old login is %q", again.Status, again.Location(), known(w, old))
	}
	if filled := bob.get(again.Location()); filled.Status != 200 || !strings.Contains(filled.Body, `value="Third agent"`) || strings.Count(filled.Body, " checked") != 2 {
		t.Errorf("%d %s", filled.Status, mainOf(filled.Body))
	}
	if r := bob.post(making, form); r.Status != 200 || len(rows(t, w, "tokens")) != len(before)+1 {
		t.Errorf("proved: %d", r.Status)
	}
	w.Clock.Advance(store.ProofLife + time.Second)
	secret := bob.post(store.AccountURL+"/actions/change_password", url.Values{"current": {webtest.Password}, "password": {"four little green fishes"}})
	if secret.Status != 303 || strings.Contains(secret.Location(), "horse") || strings.Contains(secret.Location(), "fish") {
		t.Errorf("a secret is in the address: %s", secret.Location())
	}
}

// TestSecurityEvents: the log has who signed in and what was changed, from where, and nothing that is secret.
func TestSecurityEvents(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := webtest.New(t, func(c *web.Config) { c.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	bob := signedIn(t, w, "bob@acme.example")
	enter(w, "/login", "bob@acme.example", "wrong password\n")
	bob.post(store.AccountURL+"/actions/change_password", url.Values{"current": {webtest.Password}, "password": {"four little green fishes"}})
	bob.post(store.AccountURL+"/actions/end_other_logins", nil)
	bob.post("/settings/tokens/actions/create_token", url.Values{"label": {"X"}, "scopes": {"read"}})
	bob.post("/logout", nil)
	for _, want := range []string{`"security: signed in"`, `"security: sign-in refused","account":"bob@acme.example","address":"192.0.2.1"`, `"security: change_password","by":"user:`, `"security: create_token"`, `"security: signed out"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, log.String())
		}
	}
	for _, secret := range []string{webtest.Password, "wrong password", "fishes", bob.cookie.Value, "sp_"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// TestAccountIsForItsPerson: no agent reads or changes it, whatever it carries.
func TestAccountIsForItsPerson(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	for _, agent := range []string{"scribe", "scout", "reader", "owl"} {
		if r := w.As(agent).Get(store.AccountURL, "text/markdown"); r.Status != 404 {
			t.Errorf("%s reads it: %d", agent, r.Status)
		}
		if r := w.As(agent).PostJSON(store.AccountURL, "change_email", param.Input{"email": "agent@acme.example"}); r.Status != 404 {
			t.Errorf("%s changes it: %d", agent, r.Status)
		}
	}
}
