package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"samepage/web/webtest"
)

// TestOAuth follows the whole flow of a client: metadata, registration, consent, code, token, page and refresh.
func TestOAuth(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	q := p.question("read write")

	// An anonymous caller is redirected to the login form, and back after signing in.
	r := request(w.As("anonymous"), "GET", "/oauth/authorize?"+q.Encode(), "Accept: text/html")
	login, err := url.Parse(r.Location())
	if err != nil || r.Status != http.StatusSeeOther || login.Path != "/login" {
		t.Fatalf("%d to %q", r.Status, r.Location())
	}
	r, _ = w.SignIn(r.Location(), "alice@acme.example", webtest.Password)
	if want := "/oauth/authorize?" + q.Encode(); r.Location() != want {
		t.Fatalf("after signing in: %s\nwant %s", r.Location(), want)
	}

	page := request(w.As("alice"), "GET", "/oauth/authorize?"+q.Encode(), "Accept: text/html")
	for _, says := range []string{"Robot", "127.0.0.1", "Acme", "Nobody vouches", "machine that you sit at",
		"read and take part", "What it can never do", `value="Robot"`} {
		if !strings.Contains(page.Body, says) {
			t.Errorf("the consent page does not say %q", says)
		}
	}
	if csp := page.Header.Get("Content-Security-Policy"); !strings.Contains(csp,
		"form-action 'self' http://127.0.0.1:7777;") || !strings.Contains(csp, "frame-ancestors 'none'") ||
		page.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers: %v", page.Header)
	}

	said, r := p.answer("alice", q, url.Values{"it_may": {"write"}, "label": {"Robbie"}, "lasts": {"30"}})
	if r.Status != http.StatusSeeOther || !strings.HasPrefix(r.Header.Get("Location"), callback+"?") ||
		said.Get("state") != "xyz ?&" || said.Get("iss") != webtest.Origin ||
		!strings.HasPrefix(said.Get("code"), "sp_c_") {
		t.Fatalf("%d %v", r.Status, said)
	}
	got, r := p.ask(p.redemption(said.Get("code")))
	if r.Status != http.StatusOK || got.Type != "Bearer" || got.ExpiresIn != 3600 || got.Scope != "read write" ||
		!strings.HasPrefix(got.Refresh, "sp_r_") {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	if r := p.reads(got.Access); r.Status != http.StatusOK ||
		!strings.Contains(r.Body, `as: "Robbie, agent of @alice"`) {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	// The client acts like any agent, and the journal has its name.
	r = requestBody(w.As("anonymous"), "POST", w.URL("standups")+"/actions/comment",
		`{"params":{"text":"Hello from Robbie"}}`, jsonMedia, "Authorization: Bearer "+got.Access)
	if r.Status != http.StatusOK {
		t.Errorf("acting: %d %s", r.Status, r.Body)
	}
	next, r := p.ask(p.renewal(got.Refresh))
	if r.Status != http.StatusOK || next.Refresh == got.Refresh || next.Access == got.Access ||
		next.Scope != "read write" {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	if r := p.reads(next.Access); r.Status != http.StatusOK {
		t.Errorf("the next token: %d", r.Status)
	}
	if r := p.reads(got.Access); r.Status != http.StatusOK {
		t.Errorf("the token before, which has not expired: %d", r.Status)
	}
	journal := w.As("alice").Get("/orgs/acme/journal", "text/markdown").Body
	if !strings.Contains(journal, "Robbie, agent of @alice") || !strings.Contains(journal, "Token of Robbie") {
		t.Error("the journal names neither the agent nor its token")
	}
	// No secret of the flow is stored in plain text.
	for _, table := range []string{"oauth_grants", "oauth_refreshes", "tokens", "answers", "journal"} {
		text := strings.Join(w.Rows(table), "\n")
		for _, secret := range []string{said.Get("code"), got.Refresh, next.Refresh, got.Access, next.Access} {
			if strings.Contains(text, secret) || strings.Contains(text, secret[5:]) {
				t.Errorf("%s holds a secret", table)
			}
		}
	}
}

// TestMetadata reads the metadata at all well-known URLs that clients try.
func TestMetadata(t *testing.T) {
	w := webtest.New(t)
	anyone := w.As("anonymous")
	for _, path := range []string{"/.well-known/oauth-protected-resource",
		"/.well-known/oauth-protected-resource/mcp"} {
		r := anyone.Get(path, "application/json")
		var m struct {
			Resource string
			Servers  []string `json:"authorization_servers"`
			Scopes   []string `json:"scopes_supported"`
		}
		if err := json.Unmarshal([]byte(r.Body), &m); err != nil || r.Status != 200 || m.Resource != mcpResource ||
			len(m.Servers) != 1 || m.Servers[0] != webtest.Origin ||
			strings.Join(m.Scopes, " ") != "read" || r.Header.Get("Access-Control-Allow-Origin") != "*" ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v %d %s", path, err, r.Status, r.Body)
		}
	}
	for _, path := range []string{"/.well-known/oauth-authorization-server",
		"/.well-known/oauth-authorization-server/mcp", "/.well-known/openid-configuration",
		"/.well-known/openid-configuration/mcp",
		"/mcp/.well-known/oauth-authorization-server", "/mcp/.well-known/openid-configuration"} {
		r := anyone.Get(path, "application/json")
		var m map[string]any
		if err := json.Unmarshal([]byte(r.Body), &m); err != nil || r.Status != 200 ||
			r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v %d %s", path, err, r.Status, r.Body)
		}
		for name, want := range map[string]string{"issuer": webtest.Origin, "authorization_endpoint": webtest.Origin +
			"/oauth/authorize", "token_endpoint": webtest.Origin + "/oauth/token",
			"registration_endpoint": webtest.Origin + "/oauth/register", "jwks_uri": webtest.Origin + "/oauth/jwks",
			"code_challenge_methods_supported": "[S256]",
			"response_types_supported":         "[code]", "grant_types_supported": "[authorization_code refresh_token]",
			"token_endpoint_auth_methods_supported":          "[none]",
			"authorization_response_iss_parameter_supported": "true",
			"client_id_metadata_document_supported":          "<nil>", "scopes_supported": "[read write governance]"} {
			if got := fmt.Sprint(m[name]); got != want {
				t.Errorf("%s: %s is %s, not %s", path, name, got, want)
			}
		}
	}
	// Scripts of other origins may read only the public endpoints.
	for _, path := range []string{"/", "/oauth/authorize", "/oauth/token", "/oauth/register", "/login"} {
		if r := request(anyone, "GET", path,
			"Origin: https://elsewhere.example"); r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s may be read by other origins", path)
		}
	}
	if r := request(anyone, "OPTIONS", "/.well-known/oauth-authorization-server", "Origin: https://elsewhere.example",
		"Access-Control-Request-Method: GET", "Access-Control-Request-Headers: "+
			"mcp-protocol-version"); r.Status != 204 || r.Header.Get("Access-Control-Allow-Headers") != "*" {
		t.Errorf("preflight: %d %v", r.Status, r.Header)
	}
	newProgram(t, w).tokens("alice", "read")
	for _, path := range []string{"/oauth/jwks", "/.well-known/jwks.json"} {
		r := anyone.Get(path, "application/json")
		var set struct{ Keys []map[string]string }
		if err := json.Unmarshal([]byte(r.Body), &set); err != nil || len(set.Keys) != 1 ||
			set.Keys[0]["kty"] != "EC" || set.Keys[0]["crv"] != "P-256" || set.Keys[0]["d"] != "" ||
			len(set.Keys[0]["x"]) != 43 || len(set.Keys[0]["y"]) != 43 {
			t.Errorf("%s: %v %s", path, err, r.Body)
		}
	}
}

// TestChallenges checks the WWW-Authenticate headers of refusals.
func TestChallenges(t *testing.T) {
	w := webtest.New(t)
	pointer := `resource_metadata="` + webtest.Origin + `/.well-known/oauth-protected-resource/mcp", scope="read"`
	for _, c := range []struct{ token, want string }{
		{"", "Bearer " + pointer},
		{"Authorization: Bearer sp_rubbish", `Bearer error="invalid_token", ` + pointer},
		{"Authorization: Bearer a.b.c", `Bearer error="invalid_token", ` + pointer},
		{"Authorization: Basic YTpi", `Bearer error="invalid_token", ` + pointer},
	} {
		for _, path := range []string{"/", "/studios/team", "/nowhere"} {
			headers := []string{"Accept: text/markdown"}
			if c.token != "" {
				headers = append(headers, c.token)
			}
			r := request(w.As("anonymous"), "GET", path, headers...)
			if got := r.Header.Get("WWW-Authenticate"); r.Status != 401 || got != c.want {
				t.Errorf("%s with %q: %d %s", path, c.token, r.Status, got)
			}
		}
	}
}
