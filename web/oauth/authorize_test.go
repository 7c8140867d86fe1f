package oauth

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/credential"
)

// ask reads an authorization request of the client. The pairs of names and values replace parameters of a valid
// request.
func (w *world) ask(client string, pairs ...string) (*Request, error) {
	w.t.Helper()
	return w.askRaw(formOf(append([]string{"client_id", client, "redirect_uri", landing, "response_type", "code", "state", "s t",
		"code_challenge", proofSum, "code_challenge_method", "S256", "scope", "read write"}, pairs...)))
}

func (w *world) askRaw(query string) (*Request, error) {
	return w.Authorization(httptest.NewRequestWithContext(w.t.Context(), http.MethodGet, AuthorizePath+"?"+query, nil))
}

func TestAuthorization(t *testing.T) {
	w := newWorld(t)
	client := w.register(landing, "https://robot.example/back?a=b")
	q, err := w.ask(client, "scope", "write unknown", "response_mode", "query", "resource", origin+"/mcp")
	if err != nil {
		t.Fatal(err)
	}
	if q.Client.Name != "Robot" || q.Redirect != landing || q.Host != "127.0.0.1" || !q.Local || q.Challenge != proofSum ||
		q.Scopes.String() != "read write" {
		t.Errorf("read as %+v", q)
	}
	if got, want := q.Granted("c"), landing+"?code=c&iss=https%3A%2F%2Fpage.example&state=s+t"; got != want {
		t.Errorf("granted at %s, want %s", got, want)
	}
	if got := q.Refused(); !strings.HasPrefix(got, landing+"?error=access_denied&") || !strings.Contains(got, "&state=s+t") {
		t.Errorf("refused at %s", got)
	}
	if c := q.Consent(store.Grant{Label: "Robot"}); c.Client != q.Client || c.Redirect != landing || c.Host != q.Host ||
		c.Challenge != proofSum || c.Grant.Label != "Robot" {
		t.Errorf("consent %+v", c)
	}
	q, err = w.ask(client, "redirect_uri", "https://robot.example/back?a=b", "state", "", "scope", "")
	if err != nil || q.Local || q.Host != "robot.example" || q.Scopes.String() != "read" {
		t.Fatalf("read as %+v: %v", q, err)
	}
	if got, want := q.Granted("c"), "https://robot.example/back?a=b&code=c&iss=https%3A%2F%2Fpage.example"; got != want {
		t.Errorf("granted at %s, want %s", got, want)
	}
	if q, err := w.ask(client, "redirect_uri", "http://127.0.0.1:9/callback"); err != nil || q.Redirect != "http://127.0.0.1:9/callback" {
		t.Errorf("another port of a program on the machine (RFC 8252 §7.3): %v", err)
	}
	one := w.register("com.example.app:/back")
	q, err = w.ask(one, "redirect_uri", "")
	if err != nil || q.Redirect != "com.example.app:/back" || q.Host != "com.example.app:" || !q.Local {
		t.Errorf("the only address may be left out: %+v, %v", q, err)
	}
}

// TestUntrusted checks that only the person is told of a wrong client or redirect address, and that the browser is not
// redirected (RFC 6749 §4.1.2.1).
func TestUntrusted(t *testing.T) {
	w := newWorld(t)
	client := w.register(landing, "https://robot.example/back")
	base := formOf([]string{"client_id", client, "response_type", "code"})
	for name, query := range map[string]string{
		"broken":                  "client_id=%zz",
		"no client":               "redirect_uri=" + url.QueryEscape(landing),
		"two clients":             "client_id=" + client + "&" + base,
		"an unknown client":       "client_id=unknown",
		"a document that is off":  "client_id=https%3A%2F%2Frobot.example%2Fc.json",
		"two addresses":           base + "&redirect_uri=" + url.QueryEscape(landing) + "&redirect_uri=" + url.QueryEscape(landing),
		"no address of two":       base,
		"another address":         base + "&redirect_uri=" + url.QueryEscape("https://evil.example/back"),
		"another path":            base + "&redirect_uri=" + url.QueryEscape(landing+"/more"),
		"another port of a site":  base + "&redirect_uri=" + url.QueryEscape("https://robot.example:444/back"),
		"another machine's name":  base + "&redirect_uri=" + url.QueryEscape("http://localhost:8123/callback"),
		"an address with a user":  base + "&redirect_uri=" + url.QueryEscape("http://127.0.0.1@evil.example/callback"),
		"an address with a field": base + "&redirect_uri=" + url.QueryEscape(landing+"?x"),
		"broken in another part":  base + "&redirect_uri=" + url.QueryEscape(landing) + "&x=%zz",
	} {
		q, err := w.askRaw(query)
		if _, away := errors.AsType[*Away](err); away || q != nil || store.CodeOf(err) != store.Invalid {
			t.Errorf("%s: %+v, %v", name, q, err)
		}
	}
	w.now = w.now.Add(credential.UnusedClientLife + time.Second)
	if _, err := w.ask(client); store.CodeOf(err) != store.Invalid {
		t.Errorf("a client that nobody used for a day: %v", err)
	}
}

// TestFaults checks that any fault but those in TestUntrusted can be reported to the client, with the state that
// the client sent.
func TestFaults(t *testing.T) {
	w := newWorld(t)
	client := w.register(landing)
	for name, c := range map[string]struct {
		pairs []string
		code  string
	}{
		"no response type":    {[]string{"response_type", ""}, invalidRequest},
		"a token at once":     {[]string{"response_type", "token"}, unsupportedReply},
		"in the fragment":     {[]string{"response_mode", "fragment"}, invalidRequest},
		"a request object":    {[]string{"request", "x"}, invalidRequest},
		"a pushed request":    {[]string{"request_uri", "x"}, invalidRequest},
		"no challenge":        {[]string{"code_challenge", ""}, invalidRequest},
		"no method":           {[]string{"code_challenge_method", ""}, invalidRequest},
		"plain":               {[]string{"code_challenge_method", "plain"}, invalidRequest},
		"a short challenge":   {[]string{"code_challenge", proofSum[1:]}, invalidRequest},
		"a padded challenge":  {[]string{"code_challenge", proofSum + "="}, invalidRequest},
		"another resource":    {[]string{"resource", "https://other.example/mcp"}, invalidTarget},
		"only unknown scopes": {[]string{"scope", "openid email"}, invalidScope},
		"a long state":        {[]string{"state", strings.Repeat("s", 1001)}, invalidRequest},
	} {
		_, err := w.ask(client, c.pairs...)
		away, ok := errors.AsType[*Away](err)
		if !ok {
			t.Errorf("%s: %v", name, err)
			continue
		}
		u, err := url.Parse(away.URL)
		if err != nil || !strings.HasPrefix(away.URL, landing+"?") || u.Query().Get("error") != c.code ||
			u.Query().Get("iss") != origin || u.Query().Get("state") == "" || away.Error() == "" || away.Reason != away.Error() {
			t.Errorf("%s: %s, want %s", name, away.URL, c.code)
		}
	}
	if _, err := w.ask(client, "state", strings.Repeat("s", 1000)); err != nil {
		t.Errorf("a state of 1000 characters: %v", err)
	}
	_, err := w.askRaw(formOf([]string{"client_id", client, "redirect_uri", landing}) + "&resource=a&resource=b")
	if away, ok := errors.AsType[*Away](err); !ok || !strings.Contains(away.URL, "error="+invalidTarget) {
		t.Errorf("two resources: %v", err)
	}
	_, err = w.askRaw(formOf([]string{"client_id", client, "redirect_uri", landing}) + "&state=a&state=b")
	if away, ok := errors.AsType[*Away](err); !ok || strings.Contains(away.URL, "state=") {
		t.Errorf("of two states neither is sent back: %v", err)
	}
}

func TestFormTarget(t *testing.T) {
	for redirect, want := range map[string]string{"https://a.example:8443/back": "https://a.example:8443", landing: "http://127.0.0.1:8123",
		"http://[::1]:9/back": "http:", "cursor://x/cb": "cursor:", "com.example.app:/back": "com.example.app:", ":": ""} {
		if got := (&Request{Redirect: redirect}).FormTarget(); got != want {
			t.Errorf("%s is allowed as %q, want %q", redirect, got, want)
		}
	}
}

// TestRegister checks that a client can register itself, but only with valid metadata and safe redirect addresses (RFC
// 7591 §3.2).
func TestRegister(t *testing.T) {
	w := newWorld(t)
	list := func(n int) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = landing
		}
		return all
	}
	send := func(v any) answered {
		text, _ := json.Marshal(v)
		return w.send(http.MethodPost, RegisterPath, "application/json", string(text))
	}
	type client = map[string]any
	for name, c := range map[string]struct {
		of   any
		code string
	}{
		"no object":            {[]int{1}, invalidMetadata},
		"too large":            {client{"redirect_uris": list(1), "x": strings.Repeat("x", maxBody)}, invalidMetadata},
		"no address":           {client{}, invalidRedirect},
		"eleven addresses":     {client{"redirect_uris": list(11)}, invalidRedirect},
		"plain HTTP":           {client{"redirect_uris": []string{landing, "http://robot.example/"}}, invalidRedirect},
		"a fragment":           {client{"redirect_uris": []string{landing + "#x"}}, invalidRedirect},
		"a long name":          {client{"redirect_uris": list(1), "client_name": strings.Repeat("é", 81)}, invalidMetadata},
		"a hidden name":        {client{"redirect_uris": list(1), "client_name": "Bank\u202e"}, invalidMetadata},
		"a name of two lines":  {client{"redirect_uris": list(1), "client_name": "A\nB"}, invalidMetadata},
		"other grants":         {client{"redirect_uris": list(1), "grant_types": []string{"password"}}, invalidMetadata},
		"other response types": {client{"redirect_uris": list(1), "response_types": []string{"token"}}, invalidMetadata},
	} {
		t.Run(name, func(t *testing.T) { w.refused(send(c.of), 400, c.code) })
	}
	a := send(client{"redirect_uris": list(10), "client_name": strings.Repeat("é", 80), "grant_types": []string{refreshGrant, codeGrant},
		"response_types": []string{"code"}, "logo_uri": "https://evil.example/logo.png"})
	if a.status != 201 || a.str("token_endpoint_auth_method") != "none" || a.body["client_secret"] != nil || a.body["logo_uri"] != nil ||
		a.body["client_id_issued_at"] != float64(w.now.Unix()) || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("registered: %d %v", a.status, a.body)
	}
	if a := send(client{"redirect_uris": list(1), "client_name": "  "}); a.str("client_name") != "A program without a name" {
		t.Errorf("without a name: %v", a.body)
	}
}

// TestRedirects checks which redirect addresses are accepted, and which addresses count as equal.
func TestRedirects(t *testing.T) {
	for to, good := range map[string]bool{
		"https://a.example/" + strings.Repeat("a", maxRedirect-18): true, "https://a.example/" + strings.Repeat("a", maxRedirect-17): false,
		"http://localhost:1/": true, "http://localhost:0/": false, "https://a.example:65535/": true, "https://a.example:65536/": false,
		"http://127.0.0.1": true, "http://127.0.0.1.evil.example/": false, "http://127.0.0.2/": false, "http://[::1]/": true,
		"https://": false, "https://a.example/a b": false, "https://a.example/\n": false, "https://user@a.example/": false,
	} {
		if goodRedirect(to) != good {
			t.Errorf("%.60s is taken: %v", to, !good)
		}
	}
	for pair, same := range map[[2]string]bool{
		{"http://127.0.0.1/a", "http://127.0.0.1:9/a"}: true, {"http://127.0.0.1:1/a", "http://127.0.0.1/a"}: true,
		{"http://127.0.0.1/a", "http://localhost/a"}: false, {"http://127.0.0.1/a", "http://127.0.0.1/b"}: false,
		{"https://a.example/", "https://a.example:443/"}: false, {"http://[::1]:1/", "http://[::1]:2/"}: true,
		{"http://127.0.0.1/a", "https://a.example/a"}: false,
	} {
		if sameRedirect(pair[0], pair[1]) != same {
			t.Errorf("%v are the same: %v", pair, !same)
		}
	}
	if got := withParams(":", url.Values{"a": {"b"}}); got != ":" {
		t.Errorf("an address that cannot be read became %s", got)
	}
}
