package web_test

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"samepage/store/credential"
	"samepage/web"
	"samepage/web/oauth"
	"samepage/web/webtest"
)

// TestRegistration checks that a client is registered as a public client or not at all (RFC 7591).
func TestRegistration(t *testing.T) {
	w := webtest.New(t)
	r, _ := register(t, w,
		`{"client_name":"Robot","redirect_uris":["http://localhost:1/cb"],
			"token_endpoint_auth_method":"client_secret_basic","grant_types":["authorization_code"],"scope":"admin",
			"logo_uri":"https://evil.example/x","application_type":"native"}`)
	var got map[string]any
	if err := json.Unmarshal([]byte(r.Body), &got); err != nil {
		t.Fatal(err)
	}
	if r.Status != 201 || got["token_endpoint_auth_method"] != "none" || got["client_secret"] != nil ||
		got["logo_uri"] != nil || fmt.Sprint(got["redirect_uris"]) != "[http://localhost:1/cb]" ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	eleven := `"https://a.example/1"` + strings.Repeat(`,"https://a.example/1"`, 10)
	for name, c := range map[string]struct{ body, want string }{
		"nothing":          {``, "invalid_client_metadata"},
		"a list":           {`[]`, "invalid_client_metadata"},
		"no redirects":     {`{"client_name":"Robot"}`, "invalid_redirect_uri"},
		"eleven redirects": {`{"redirect_uris":[` + eleven + `]}`, "invalid_redirect_uri"},
		"a script":         {`{"redirect_uris":["javascript:alert(1)"]}`, "invalid_redirect_uri"},
		"one bad of two": {`{"redirect_uris":["https://a.example/1","http://a.example/1"]}`,
			"invalid_redirect_uri"},
		"a host that is a policy": {`{"redirect_uris":["https://a.example;script-src/1"]}`, "invalid_redirect_uri"},
		"a fragment":              {`{"redirect_uris":["https://a.example/1#x"]}`, "invalid_redirect_uri"},
		"a long redirect": {`{"redirect_uris":["https://a.example/` + strings.Repeat("x", 500) + `"]}`,
			"invalid_redirect_uri"},
		"a line break": {`{"redirect_uris":["https://a.example/1\nhttps://b.example/"]}`,
			"invalid_redirect_uri"},
		"a long name": {`{"redirect_uris":["https://a.example/1"],"client_name":"` +
			strings.Repeat("x", 81) + `"}`, "invalid_client_metadata"},
		"a name that hides": {`{"redirect_uris":["https://a.example/1"],"client_name":"Ro\u202ebot"}`,
			"invalid_client_metadata"},
		"a name of lines": {`{"redirect_uris":["https://a.example/1"],"client_name":"Ro\nbot"}`,
			"invalid_client_metadata"},
		"another grant type": {`{"redirect_uris":["https://a.example/1"],"grant_types":["password"]}`,
			"invalid_client_metadata"},
		"another response": {`{"redirect_uris":["https://a.example/1"],"response_types":["token"]}`,
			"invalid_client_metadata"},
		"too much": {`{"redirect_uris":["https://a.example/1"],"x":"` + strings.Repeat("x", 20<<10) +
			`"}`, "invalid_client_metadata"},
	} {
		r := requestBody(w.As("anonymous"), "POST", "/oauth/register", c.body, jsonMedia)
		var e struct{ Error string }
		if json.Unmarshal([]byte(r.Body), &e); r.Status != 400 || e.Error != c.want {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	if r := requestBody(w.As("anonymous"), "POST", "/oauth/register", `{"redirect_uris":["https://a.example/1"]}`,
		jsonMedia, "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"); r.Status != 403 {
		t.Errorf("from a page of another origin: %d", r.Status)
	}
}

// TestRegistrationsAreLimited registers many clients. The number of registrations is limited for each address, and
// unused clients are deleted.
func TestRegistrationsAreLimited(t *testing.T) {
	w := webtest.New(t, limited)
	limited := 0
	for range 1000 {
		switch r := requestBody(w.As("anonymous"), "POST", "/oauth/register",
			`{"redirect_uris":["https://a.example/1"]}`, jsonMedia); r.Status {
		case 201:
		case 429:
			if limited++; r.Header.Get("Retry-After") == "" {
				t.Fatal("it does not say when to try again")
			}
		default:
			t.Fatal(r.Status, r.Body)
		}
	}
	if n := len(w.Rows("oauth_clients")); n > 100 || limited != 1000-n {
		t.Errorf("%d are registered, %d were refused", n, limited)
	}
	v := webtest.New(t)
	used, unused := newProgram(t, v), newProgram(t, v)
	code := used.code("alice", "read")
	v.Clock.Advance(credential.UnusedClientLife + time.Millisecond)
	ask := func(p *program) int {
		return request(v.As("alice"), "GET", "/oauth/authorize?"+p.question("read").Encode(),
			"Accept: text/html").Status
	}
	if ask(used) != 200 || ask(unused) != 400 {
		t.Errorf("used %d, unused %d", ask(used), ask(unused))
	}
	newProgram(t, v)
	if n := len(v.Rows("oauth_clients")); n != 2 {
		t.Errorf("%d clients are left, with the code %.5s", n, code)
	}
}

// TestClientByDocument uses a URL as the client ID. If the operator allows it, the document at the URL describes the
// client.
func TestClientByDocument(t *testing.T) {
	names := map[string]string{"/robot.json": "Robot", "/other.json": "Other"}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w,
			`{"client_id":"https://%s%s","client_name":"%s","redirect_uris":["http://localhost/callback",
				"http://127.0.0.1/callback"],"grant_types":["authorization_code",
				"refresh_token"]}`, r.Host, r.URL.Path, names[r.URL.Path])
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	w := webtest.New(t, func(c *web.Config) {
		c.Documents = oauth.Documents{On: true, Roots: roots,
			Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	})
	if m := w.As("anonymous").Get("/.well-known/oauth-authorization-server", "").Body; !strings.Contains(m,
		`"client_id_metadata_document_supported":true`) {
		t.Errorf("it is not advertised: %s", m)
	}
	p := &program{t: t, w: w, id: server.URL + "/robot.json", redirect: "http://localhost:5555/callback",
		verifier: strings.Repeat("verifier-", 5)}
	ask := func(id string) *webtest.Response {
		q := p.question("read write")
		q.Set("client_id", id)
		return request(w.As("alice"), "GET", "/oauth/authorize?"+q.Encode(), "Accept: text/html")
	}
	first := ask(p.id)
	if first.Status != 200 || !strings.Contains(first.Body, "its address, which it controls") ||
		strings.Contains(first.Body, "Nobody vouches") || strings.Contains(first.Body, "You let it act") {
		t.Errorf("%d\n%s", first.Status, mainOf(first.Body))
	}
	if r := ask(server.URL + "/nameless.json"); r.Status != 400 || !strings.Contains(r.Body, "client_name is missing") {
		t.Errorf("%d\n%s", r.Status, mainOf(r.Body))
	}
	if r := ask("https://10.0.0.1/robot.json"); r.Status != 400 ||
		!strings.Contains(r.Body, "not on the public internet") {
		t.Errorf("%d\n%s", r.Status, mainOf(r.Body))
	}
	said, _ := p.answer("alice", p.question("read write"), url.Values{"label": {"Robbie"}, "lasts": {"1"}})
	got, _ := p.ask(p.redemption(said.Get("code")))
	if r := p.reads(got.Access); r.Status != 200 || !strings.Contains(r.Body, "Robbie, agent of @alice") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if _, r := p.ask(p.renewal(got.Refresh)); r.Status != 200 {
		t.Errorf("refresh: %d", r.Status)
	}
	// The consent page remembers the person's last consent to a client with a document, if the redirect address has
	// the same host.
	again := ask(p.id)
	if !strings.Contains(again.Body, "You let it act for you before") || !strings.Contains(again.Body,
		`value="Robbie"`) || !strings.Contains(again.Body, "Then it could read, and do nothing.") {
		t.Errorf("it is not filled in as it was:\n%s", mainOf(again.Body))
	}
	if r := ask(server.URL + "/other.json"); strings.Contains(r.Body, "You let it act") {
		t.Error("remembered for another client")
	}
	p.redirect = "http://127.0.0.1:5555/callback"
	if r := ask(p.id); strings.Contains(r.Body, "You let it act") {
		t.Error("remembered for another host")
	}
	unknown := newProgram(t, w)
	unknown.tokens("alice", "read")
	if r := request(w.As("alice"), "GET", "/oauth/authorize?"+unknown.question("read").Encode(),
		"Accept: text/html"); strings.Contains(r.Body, "You let it act") {
		t.Error("remembered for whom nobody vouches")
	}
}

// TestRevocation revokes a client's own tokens, which ends the grant. It also tries to revoke the tokens of others,
// which stay valid.
func TestRevocation(t *testing.T) {
	w := webtest.New(t)
	p, other := newProgram(t, w), newProgram(t, w)
	give := func(client, token string) int {
		return post(w, "/oauth/revoke", url.Values{"client_id": {client}, "token": {token}}).Status
	}
	for _, which := range []string{"access", "refresh", "used refresh"} {
		got := p.tokens("alice", "read")
		token := map[string]string{"access": got.Access, "refresh": got.Refresh, "used refresh": got.Refresh}[which]
		if which == "used refresh" {
			p.ask(p.renewal(got.Refresh))
		}
		for name, status := range map[string]int{"another client": give(other.id, token), "rubbish": give(p.id,
			"rubbish"), "an agent's own": give(p.id, w.Token("scribe")), "dots": give(p.id, "a.b.c")} {
			if status != 200 || p.reads(got.Access).Status != 200 {
				t.Errorf("%s: %d", name, status)
			}
		}
		if status := give("", token); status != 401 || p.reads(got.Access).Status != 200 {
			t.Errorf("without a client: %d", status)
		}
		if status := give(p.id, token); status != 200 || p.reads(got.Access).Status != 401 {
			t.Errorf("%s: %d, and it reads: %d", which, status, p.reads(got.Access).Status)
		}
		if _, r := p.ask(p.renewal(got.Refresh)); r.Status != 400 {
			t.Errorf("%s: refresh %d", which, r.Status)
		}
		if status := give(p.id, token); status != 200 {
			t.Errorf("again: %d", status)
		}
	}
	if r := p.reads(w.Token("scribe")); r.Status != 200 {
		t.Error("Scribe's own token was revoked")
	}
	// The member pauses, resumes and ends the grant. Each change takes effect on the next request.
	got := p.tokens("alice", "read write")
	id := grantOf(t, w, p.id)
	if r := w.As("alice").Post("/settings/tokens", "pause_token", map[string]any{"token": id}); r.Status != 303 ||
		p.reads(got.Access).Status != 401 {
		t.Errorf("paused: %d, and it reads: %d", r.Status, p.reads(got.Access).Status)
	}
	if _, r := p.ask(p.renewal(got.Refresh)); r.Status != 503 || r.Header.Get("Retry-After") == "" ||
		!strings.Contains(r.Body, "temporarily_unavailable") || !strings.Contains(r.Body, "It is paused, and not lost") {
		t.Errorf("paused, it is refreshed: %d %s", r.Status, r.Body)
	}
	if r := w.As("alice").Post("/settings/tokens", "resume_token", map[string]any{"token": id}); r.Status != 303 ||
		p.reads(got.Access).Status != 200 {
		t.Errorf("resumed: %d, and it reads: %d", r.Status, p.reads(got.Access).Status)
	}
	if next, r := p.ask(p.renewal(got.Refresh)); r.Status != 200 || p.reads(next.Access).Status != 200 {
		t.Errorf("resumed, it is not refreshed: %d", r.Status)
	}
	if r := w.As("alice").Post("/settings/tokens", "revoke_token", map[string]any{"token": id}); r.Status != 303 {
		t.Fatal(r.Status, r.Body)
	}
	if r := p.reads(got.Access); r.Status != 401 {
		t.Errorf("revoked by hand: %d", r.Status)
	}
}

// TestIntrospection checks that an agent can introspect its own member's tokens and no others (RFC 7662).
func TestIntrospection(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	alices, bobs := p.tokens("alice", "read write"), p.tokens("bob", "read")
	ask := func(bearer, token string) (int, map[string]any) {
		headers := []string{}
		if bearer != "" {
			headers = append(headers, "Authorization: Bearer "+bearer)
		}
		r := post(w, "/oauth/introspect", url.Values{"token": {token}}, headers...)
		var m map[string]any
		if err := json.Unmarshal([]byte(r.Body), &m); err != nil || r.Header.Get("Cache-Control") != "no-store" {
			t.Error(err, r.Body)
		}
		return r.Status, m
	}
	for _, bearer := range []string{"", "rubbish", "a.b.c"} {
		if status, m := ask(bearer, alices.Access); status != 401 || m["active"] != nil {
			t.Errorf("%q: %d %v", bearer, status, m)
		}
	}
	for _, bearer := range []string{alices.Access, w.Token("scribe")} {
		if status, m := ask(bearer, alices.Access); status != 200 || m["active"] != true ||
			m["scope"] != "read write" || m["client_id"] != p.id || m["token_type"] != "Bearer" ||
			m["iss"] != webtest.Origin {
			t.Errorf("%d %v", status, m)
		}
		if status, m := ask(bearer, alices.Refresh); status != 200 || m["active"] != true {
			t.Errorf("%d %v", status, m)
		}
		for _, token := range []string{bobs.Access, bobs.Refresh, "rubbish", "a.b.c", ""} {
			if status, m := ask(bearer, token); status != 200 || fmt.Sprint(m) != "map[active:false]" {
				t.Errorf("%.10s: %d %v", token, status, m)
			}
		}
	}
}
