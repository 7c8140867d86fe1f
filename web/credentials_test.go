package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// tokenID returns the ID of an agent's token.
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

// TestAgentsDoNotLogIn sends a token as a cookie, and a login as a token. Both are refused. If a request has both a
// token and a login, only the token counts.
func TestAgentsDoNotLogIn(t *testing.T) {
	w := webtest.New(t)
	_, c := w.SignIn("/login", "alice@acme.example", webtest.Password)
	for _, headers := range [][]string{{"Cookie: __Host-samepage=" + w.Token("scribe")},
		{"Cookie: samepage=" + c.Value}, {"Authorization: Bearer"}, {"Authorization: Bearer "}} {
		if r := request(w.As("anonymous"), "GET", w.URL("team"),
			append(headers, "Accept: text/markdown")...); r.Status != 401 {
			t.Errorf("%v: %d", headers, r.Status)
		}
	}
	for _, headers := range [][]string{{"Authorization: Bearer " + c.Value}, {"Authorization: Bearer sp_x"},
		{"Authorization: Bearer " + w.Token("revoked")}, {"Authorization: Basic x"},
		{"Authorization: " + w.Token("scribe")}} {
		headers = append(headers, "Cookie: "+c.Name+"="+c.Value)
		if r := request(w.As("anonymous"), "GET", w.URL("team"), headers...); r.Status != 401 {
			t.Errorf("%v beside a cookie: %d", headers[0], r.Status)
		}
	}
	if r := request(w.As("anonymous"), "GET", w.URL("team")+"?token="+w.Token("scribe")+"&access_token="+
		w.Token("scribe"), "Accept: text/markdown"); r.Status != 401 {
		t.Errorf("a token in the address: %d", r.Status)
	}
	if r := request(w.As("anonymous"), "GET", w.URL("team"), "Authorization: bEARER  "+w.Token("scribe"),
		"Accept: text/markdown"); r.Status != 200 {
		t.Errorf("the scheme in another case: %d", r.Status)
	}
}

// TestRevocationCountsAtOnce checks that a token that was revoked or has expired is refused at once, over HTTP and over
// MCP.
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
			return requestBody(w.As("scout"), "POST", w.URL("open single")+"/actions/comment",
				`{"params":{"text":"x"}}`, jsonMedia).Status
		}
		navigate := func() int {
			_, _, status := use(t, h, w.Token("scout"), "navigate", map[string]any{"url": "/"})
			return status
		}
		act := func() int {
			_, _, status := use(t, h, w.Token("scout"), "execute_action", map[string]any{"url": w.URL("open single"),
				"action": "comment", "params": map[string]any{"text": "x"}})
			return status
		}
		if got := [4]int{get(), post(), navigate(), act()}; got != [4]int{200, 200, 200, 200} {
			t.Errorf("%s, before: %v", name, got)
		}
		end(w)
		if got := [4]int{get(), post(), navigate(), act()}; got != [4]int{401, 401, 401, 401} {
			t.Errorf("%s, after: %v", name, got)
		}
		if who, ok, err := w.Site.Authenticate(requestWith(w.Token("scout"))); ok || err != nil {
			t.Errorf("%s: still %q %v", name, who, err)
		}
	}
}

func requestWith(token string) *http.Request {
	return &http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}}
}

// TestSeenIsWrittenSeldom checks that reading pages writes nothing to the database, except the time of a login's last
// use every ten minutes. If that write fails, pages can still be read.
func TestSeenIsWrittenSeldom(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	_, c := w.SignIn("/login", "alice@acme.example", webtest.Password)
	get := func() {
		t.Helper()
		for _, target := range []string{"/", w.URL("standups"), w.URL("due"),
			w.URL("standups") + "/actions/close_decision", "/nowhere"} {
			if r := request(w.As("anonymous"), "GET", target, "Cookie: "+c.Name+"="+c.Value); r.Status != 200 &&
				r.Status != 404 {
				t.Errorf("%s: %d", target, r.Status)
			}
		}
	}
	get() // marks Alice's notifications of the pages as read; opening the pages again writes nothing more
	for i, step := range []struct {
		later   time.Duration
		touched bool
	}{{0, false}, {9 * time.Minute, false}, {time.Minute, false}, {time.Second, true}, {0, false},
		{10 * time.Minute, false}, {time.Second, true}, {11 * time.Hour, true}, {12*time.Hour - time.Second, true}} {
		w.Clock.Advance(step.later)
		before, logins := w.Digests(), w.Rows("logins")
		get()
		if changed := webtest.Changed(before, w.Digests(), "logins"); len(changed) > 0 {
			t.Errorf("step %d: changed %q", i, changed)
		}
		if touched := !slices.Equal(w.Rows("logins"), logins); touched != step.touched {
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
	w.Clock.Advance(credential.LoginIdle)
	if w.SignedIn(c) != "" {
		t.Error("a login outlives its end")
	}
}

// TestUncheckedCredentials checks that credentials are not called wrong while the database cannot be reached. After a
// status of 401 a client would discard its token, and a browser would be sent to the login page.
func TestUncheckedCredentials(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	signed := "Authorization: Bearer " + p.tokens("alice", "read write").Access
	_, c := w.SignIn("/login", "alice@acme.example", webtest.Password)
	w.Clock.Advance(2 * time.Minute) // after two minutes the cached signing keys are too old to use
	h := tools(w)
	w.Store.Close()
	refused := func(name string, r *webtest.Response) {
		t.Helper()
		if r.Status != 503 || r.Header.Get("Retry-After") != "5" || r.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s: %d, Retry-After %q, WWW-Authenticate %q", name, r.Status, r.Header.Get("Retry-After"),
				r.Header.Get("WWW-Authenticate"))
		}
	}
	for name, credentials := range map[string]string{"a token": "Authorization: Bearer " + w.Token("scribe"),
		"a signed token": signed, "a login": "Cookie: " + c.Name + "=" + c.Value} {
		for _, accept := range []string{"text/html", "text/markdown", "application/json"} {
			for _, target := range []string{"GET " + w.URL("team"), "GET /nowhere", "DELETE " + w.URL("team"),
				"POST " + w.URL("standups") + "/actions/comment", "GET /login"} {
				method, path, _ := strings.Cut(target, " ")
				refused(name+" "+accept+" "+target, requestBody(w.As("anonymous"), method, path, "text=x",
					credentials, "Accept: "+accept, formMedia))
			}
		}
		if strings.HasPrefix(credentials, "Cookie") {
			refused("consent", request(w.As("anonymous"), "GET", "/oauth/authorize?"+p.question("read").Encode(),
				credentials))
			continue
		}
		r := httptest.NewRequest("POST", webtest.Origin+"/mcp", strings.NewReader("{}"))
		r.Header.Set("Authorization", strings.TrimPrefix(credentials, "Authorization: "))
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		refused(name+" at /mcp", &webtest.Response{Status: rec.Code, Header: rec.Header()})
	}
	refused("a revocation", post(w, "/oauth/revoke", url.Values{"client_id": {p.id},
		"token": {strings.TrimPrefix(signed, "Authorization: Bearer ")}}))
	refused("an introspection", post(w, "/oauth/introspect", url.Values{"token": {w.Token("scribe")}}, signed))
}
