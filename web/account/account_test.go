package account_test

import (
	"bytes"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"samepage/actions/param"
	"samepage/store/credential"
	"samepage/web"
	"samepage/web/webtest"
)

// TestLoginsEnd checks that a person sees their own logins and can end one, which takes effect at once.
func TestLoginsEnd(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	edge := "User-Agent: Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 " +
		"Safari/537.36 Edg/142.0"
	one, two := w.Browser(t, "bob@acme.example", edge), w.Browser(t, "bob@acme.example", "User-Agent: <b>curl/8</b>")
	three := w.Browser(t, "bob@acme.example")
	body := one.Get(credential.AccountURL, "Accept: text/markdown").Body
	if !strings.Contains(body, "Edge on Windows, this one") || !strings.Contains(body, "| curl |") ||
		strings.Contains(body, one.Cookie.Value) || strings.Contains(body, two.Cookie.Value) {
		t.Error(body)
	}
	erin := w.Browser(t, "erin@acme.example")
	if r := erin.Post(credential.AccountURL+"/actions/end_login",
		url.Values{"login": {credential.LoginID(two.Cookie.Value)}}); r.Status == 303 ||
		!two.In() {
		t.Errorf("another's login: %d", r.Status)
	}
	if r := one.Post(credential.AccountURL+"/actions/end_login",
		url.Values{"login": {credential.LoginID(one.Cookie.Value)}}); r.Status != 422 ||
		!one.In() {
		t.Errorf("this login: %d", r.Status)
	}
	if r := one.Post(credential.AccountURL+"/actions/end_login",
		url.Values{"login": {credential.LoginID(two.Cookie.Value)}}); r.Status != 303 ||
		two.In() || !three.In() || !one.In() {
		t.Errorf("one login: %d, %v %v %v", r.Status, one.In(), two.In(), three.In())
	}
	if r := one.Post(credential.AccountURL+"/actions/end_other_logins", nil); r.Status != 303 || three.In() ||
		!one.In() || !erin.In() {
		t.Errorf("the others: %d, %v %v %v", r.Status, one.In(), three.In(), erin.In())
	}
	if r := one.Get(credential.AccountURL+"/actions/end_other_logins",
		"Accept: text/markdown"); !strings.Contains(r.Body, "log out") {
		t.Errorf("there are no others: %s", r.Body)
	}
}

// TestLoginsRunOut checks that a login ends after twelve hours without use, and after fourteen days in any case.
func TestLoginsRunOut(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	idle, busy := w.Browser(t, "bob@acme.example"), w.Browser(t, "erin@acme.example")
	w.Clock.Advance(credential.LoginIdle - time.Second)
	busy.Get("/whoami")
	if !busy.In() {
		t.Fatal("a login ended early")
	}
	w.Clock.Advance(time.Second)
	if idle.In() || !busy.In() {
		t.Errorf("idle: %v, busy: %v", idle.In(), busy.In())
	}
	for w.Clock.Now().Before(webtest.Start.Add(credential.LoginLife - time.Hour)) {
		w.Clock.Advance(time.Hour)
		if busy.Get("/whoami"); !busy.In() {
			t.Fatalf("a login that is used ended after %v", w.Clock.Now().Sub(webtest.Start))
		}
	}
	w.Clock.Advance(time.Hour)
	if busy.In() {
		t.Error("a login lasts for ever if it is used")
	}
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	one, two := w.Browser(t, "bob@acme.example"), w.Browser(t, "bob@acme.example")
	change := func(current, next string) *webtest.Response {
		return one.Post(credential.AccountURL+"/actions/change_password",
			url.Values{"current": {current}, "password": {next}, "_idempotency_key": {"k" + next}})
	}
	for _, c := range []struct{ current, next, says string }{
		{"wrong password", "four little green fishes", "That is not your password"},
		{"", "four little green fishes", "is required"}, {webtest.Password, "short", "8 to 200"},
		{webtest.Password, "Password123!", "tried first"}, {webtest.Password, "bob@acme.example", "guess of you"},
		{webtest.Password, "aaaaaaaaaa", "repeats itself"}, {"wrong password", "qwertyuiop", "tried first"},
	} {
		r := change(c.current, c.next)
		if r.Status != 422 || !strings.Contains(r.Body, c.says) || c.current != "" &&
			strings.Contains(webtest.Main(r.Body), c.current+`"`) ||
			strings.Contains(webtest.Main(r.Body), `"`+c.next+`"`) {
			t.Errorf("%q to %q: %d %s", c.current, c.next, r.Status, webtest.Main(r.Body))
		}
	}
	long := strings.Repeat("long", 60)
	if r := change(webtest.Password, long); r.Status != 422 || strings.Contains(r.Body, "That is not your password") ||
		!strings.Contains(r.Body, "at most 200") {
		t.Errorf("too long: %d %s", r.Status, webtest.Main(r.Body))
	}
	if r := change("wrong password", long); r.Status != 422 || !strings.Contains(r.Body, "That is not your password") ||
		!strings.Contains(r.Body, "at most 200") {
		t.Errorf("too long, and the other wrong: %d %s", r.Status, webtest.Main(r.Body))
	}
	if form := one.Get(credential.AccountURL + "/actions/change_password").Body; strings.Count(form,
		`autocomplete="current-password"`) != 1 || strings.Count(form, `autocomplete="new-password"`) != 1 {
		t.Error("a browser that keeps passwords cannot tell the old one from the new one")
	}
	before := w.Digests()
	if r := change(webtest.Password, "four little green fishes"); r.Status != 303 || !one.In() || two.In() {
		t.Fatalf("%d: this login %v, the other %v", r.Status, one.In(), two.In())
	}
	for _, table := range webtest.Changed(before, w.Digests()) {
		if table != "users" && table != "logins" && table != "members" {
			t.Errorf("the table %s keeps something of it", table)
		}
	}
	if _, c := w.SignIn("/login", "bob@acme.example", webtest.Password); c != nil {
		t.Error("the old password still signs in")
	}
	if _, c := w.SignIn("/login", "bob@acme.example", "four little green fishes"); c == nil {
		t.Error("the new one does not")
	}
}

func TestChangeEmail(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	bob := w.Browser(t, "bob@acme.example")
	change := func(email string) *webtest.Response {
		return bob.Post(credential.AccountURL+"/actions/change_email", url.Values{"email": {email}})
	}
	for email, status := range map[string]int{"nobody": 422, "Erin@acme.example": 409, "Robert@Acme.Example ": 303} {
		if r := change(email); r.Status != status {
			t.Errorf("%q: %d, want %d", email, r.Status, status)
		}
	}
	if _, c := w.SignIn("/login", "robert@acme.example", webtest.Password); c == nil {
		t.Error("the new address does not sign in")
	}
	if _, c := w.SignIn("/login", "bob@acme.example", webtest.Password); c != nil {
		t.Error("the old one still does")
	}
}

// TestSettingsAskForProof checks that changing the rules for joining an organization asks for a proof of identity.
// Otherwise, anybody could change them in a browser that the owner has left open.
func TestSettingsAskForProof(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	alice := w.Browser(t, "alice@acme.example")
	changing, form := "/orgs/acme/settings/actions/update_settings",
		url.Values{"name": {"Acme"}, "email_domains": {"elsewhere.example"}}
	w.Clock.Advance(credential.ProofLife + time.Second)
	if r := alice.Post(changing, form); r.Status != 303 || !strings.HasPrefix(r.Location(), "/login?again=1&next=") {
		t.Errorf("too late: %d to %s", r.Status, r.Location())
	}
	alice = w.Browser(t, "alice@acme.example")
	if r := alice.Post(changing, form); r.Status != 303 || strings.HasPrefix(r.Location(), "/login") {
		t.Errorf("proved: %d to %s %s", r.Status, r.Location(), webtest.Main(r.Body))
	}
}

// TestSensitive checks that a sensitive action asks for a proof of identity if the login is older than fifteen minutes,
// and that the filled-in form comes back afterwards.
func TestSensitive(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	bob := w.Browser(t, "bob@acme.example")
	making := "/settings/tokens/actions/create_token"
	form := url.Values{"label": {"Third agent"}, "scopes": {"read", "write"}, "expires_in": {"7d"}}
	w.Clock.Advance(credential.ProofLife)
	if r := bob.Get(making); r.Status != 200 {
		t.Errorf("the form, in time: %d", r.Status)
	}
	w.Clock.Advance(time.Second)
	before := w.Rows("tokens")
	r := bob.Post(making, form)
	want := "/login?again=1&next=" + url.QueryEscape(making+"?expires_in=7d&label=Third+agent&scopes=read&scopes=write")
	if r.Status != 303 || r.Location() != want || len(w.Rows("tokens")) != len(before) {
		t.Fatalf("too late: %d to %s, want %s", r.Status, r.Location(), want)
	}
	if r := webtest.RequestBody(w.As("anonymous"), "POST", making, `{"params":{"label":"X","scopes":["read"]}}`,
		webtest.JSONMedia, "Cookie: "+bob.Cookie.Name+"="+bob.Cookie.Value); r.Status != 403 ||
		webtest.ProblemOf(t, r).Error.Code != "unproved" {
		t.Errorf("as JSON: %d %s", r.Status, r.Body)
	}
	if r := bob.Get(making + "?label=X"); r.Status != 303 || !strings.HasPrefix(r.Location(), "/login?again=1&next=") {
		t.Errorf("the form: %d to %s", r.Status, r.Location())
	}
	for _, calm := range []string{"/settings/tokens", credential.AccountURL, credential.AccountURL + "/actions/end_other_logins",
		w.URL("team") + "/actions/create_note"} {
		if r := bob.Get(calm); r.Status != 200 {
			t.Errorf("%s: %d", calm, r.Status)
		}
	}
	page := bob.Get(r.Location())
	if page.Status != 200 || !strings.Contains(page.Body, "Show that it is you") ||
		!strings.Contains(page.Body, `value="bob@acme.example"`) {
		t.Errorf("%d %s", page.Status, webtest.Main(page.Body))
	}
	old := bob.Cookie
	if again := bob.Post(r.Location(), url.Values{"email": {"bob@acme.example"},
		"password": {"wrong"}}); again.Status != 422 || !strings.Contains(again.Body, "again=1") || !bob.In() {
		t.Errorf("a wrong password: %d", again.Status)
	}
	again := bob.Post(r.Location(), url.Values{"email": {"bob@acme.example"}, "password": {webtest.Password}})
	if again.Status != 303 || !strings.HasPrefix(again.Location(), making+"?") || bob.Cookie.Value == old.Value ||
		w.SignedIn(old) != "" {
		t.Fatalf("%d to %s; the old login is %q", again.Status, again.Location(), w.SignedIn(old))
	}
	if filled := bob.Get(again.Location()); filled.Status != 200 ||
		!strings.Contains(filled.Body, `value="Third agent"`) || strings.Count(filled.Body, " checked") != 2 {
		t.Errorf("%d %s", filled.Status, webtest.Main(filled.Body))
	}
	if r := bob.Post(making, form); r.Status != 200 || len(w.Rows("tokens")) != len(before)+1 {
		t.Errorf("proved: %d", r.Status)
	}
	w.Clock.Advance(credential.ProofLife + time.Second)
	secret := bob.Post(credential.AccountURL+"/actions/change_password",
		url.Values{"current": {webtest.Password}, "password": {"four little green fishes"}})
	if secret.Status != 303 || strings.Contains(secret.Location(), "horse") ||
		strings.Contains(secret.Location(), "fish") {
		t.Errorf("a secret is in the address: %s", secret.Location())
	}
}

// TestSecurityEvents checks that the log has the users, their changes and their addresses, and no secrets.
func TestSecurityEvents(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := webtest.New(t, func(c *web.Config) { c.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	bob := w.Browser(t, "bob@acme.example")
	w.SignIn("/login", "bob@acme.example", "wrong password\n")
	bob.Post(credential.AccountURL+"/actions/change_password", url.Values{"current": {webtest.Password},
		"password": {"four little green fishes"}})
	bob.Post(credential.AccountURL+"/actions/end_other_logins", nil)
	bob.Post("/settings/tokens/actions/create_token", url.Values{"label": {"X"}, "scopes": {"read"}})
	bob.Post("/logout", nil)
	for _, want := range []string{`"security: signed in"`,
		`"security: sign-in refused","account":"bob@acme.example","address":"192.0.2.1"`,
		`"security: change_password","by":"user:`, `"security: create_token"`, `"security: signed out"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, log.String())
		}
	}
	for _, secret := range []string{webtest.Password, "wrong password", "fishes", bob.Cookie.Value, "sp_"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// TestAccountIsForItsPerson checks that no agent can read or change an account with any kind of token.
func TestAccountIsForItsPerson(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	for _, agent := range []string{"scribe", "scout", "reader", "owl"} {
		if r := w.As(agent).Get(credential.AccountURL, "text/markdown"); r.Status != 404 {
			t.Errorf("%s reads it: %d", agent, r.Status)
		}
		if r := w.As(agent).PostJSON(credential.AccountURL, "change_email",
			param.Input{"email": "agent@acme.example"}); r.Status != 404 {
			t.Errorf("%s changes it: %d", agent, r.Status)
		}
	}
}
