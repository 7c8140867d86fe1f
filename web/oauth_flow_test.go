package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web/webtest"
)

// program is an OAuth client on a person's machine. Tests modify its requests to make them faulty.
type program struct {
	t        *testing.T
	w        *webtest.World
	id       string
	redirect string
	verifier string
	cookie   string // the login cookie of a person who signed in during the test; empty: the world's own login
}

// tokens is the answer of the token endpoint.
type tokens struct {
	Access           string `json:"access_token"`
	Type             string `json:"token_type"`
	ExpiresIn        int    `json:"expires_in"`
	Refresh          string `json:"refresh_token"`
	Scope            string `json:"scope"`
	Error            string `json:"error"`
	ErrorDescription string `json:"error_description"`
}

const (
	mcpResource = webtest.Origin + "/mcp"
	callback    = "http://127.0.0.1:7777/callback"
)

// register registers a client as the client itself would, and returns its ID.
func register(t *testing.T, w *webtest.World, metadata string) (*webtest.Response, string) {
	t.Helper()
	r := requestBody(w.As("anonymous"), "POST", "/oauth/register", metadata, jsonMedia)
	var got struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(r.Body), &got); err != nil {
		t.Fatal(err, r.Body)
	}
	return r, got.ID
}

// newProgram registers a client and returns it.
func newProgram(t *testing.T, w *webtest.World) *program {
	t.Helper()
	r, id := register(t, w,
		`{"client_name":"Robot","redirect_uris":["http://127.0.0.1/callback","https://robot.example/back"],
			"token_endpoint_auth_method":"none"}`)
	if r.Status != http.StatusCreated {
		t.Fatal(r.Status, r.Body)
	}
	return &program{t: t, w: w, id: id, redirect: callback, verifier: strings.Repeat("verifier-", 5)}
}

// question returns the parameters of the program's authorization request.
func (p *program) question(scope string) url.Values {
	sum := sha256.Sum256([]byte(p.verifier))
	return url.Values{"response_type": {"code"}, "client_id": {p.id}, "redirect_uri": {p.redirect}, "scope": {scope},
		"state": {"xyz ?&"}, "resource": {mcpResource},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}}
}

// answer sends the person's answer on the consent page. It returns the query that the program receives, and the
// response.
func (p *program) answer(person string, question url.Values, form url.Values) (url.Values, *webtest.Response) {
	p.t.Helper()
	who := p.w.As(person)
	if p.cookie != "" {
		who = p.w.As("anonymous")
		who.Header.Set("Cookie", p.cookie)
	}
	r := requestBody(who, "POST", "/oauth/authorize?"+question.Encode(), form.Encode(), formMedia)
	return saidBy(p.t, r), r
}

// saidBy returns the query of a redirect, or nil if the response is not one.
func saidBy(t *testing.T, r *webtest.Response) url.Values {
	t.Helper()
	to := r.Header.Get("Location")
	if to == "" {
		return nil
	}
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// code lets a person consent to all requested scopes, and returns the authorization code.
func (p *program) code(person, scope string) string {
	p.t.Helper()
	form := url.Values{"label": {"Robbie"}, "lasts": {"7"}}
	for _, s := range strings.Fields(scope) {
		if s != "read" {
			form.Add("it_may", s)
		}
	}
	said, r := p.answer(person, p.question(scope), form)
	if said.Get("code") == "" {
		p.t.Fatalf("no code: %d %v\n%s", r.Status, said, r.Body)
	}
	return said.Get("code")
}

// post sends a form to an endpoint.
func post(w *webtest.World, path string, form url.Values, headers ...string) *webtest.Response {
	return requestBody(w.As("anonymous"), "POST", path, form.Encode(), append(headers, formMedia)...)
}

// ask sends a form to the token endpoint.
func (p *program) ask(form url.Values) (tokens, *webtest.Response) {
	p.t.Helper()
	r := post(p.w, "/oauth/token", form)
	var got tokens
	if err := json.Unmarshal([]byte(r.Body), &got); err != nil {
		p.t.Fatal(err, r.Body)
	}
	if r.Header.Get("Cache-Control") != "no-store" {
		p.t.Errorf("an answer of the token endpoint may be kept: %v", r.Header)
	}
	return got, r
}

func (p *program) redemption(code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "client_id": {p.id}, "redirect_uri": {p.redirect},
		"code": {code}, "code_verifier": {p.verifier}, "resource": {mcpResource}}
}

func (p *program) renewal(refresh string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {p.id}, "refresh_token": {refresh},
		"resource": {mcpResource}}
}

// tokens obtains tokens by the whole flow: consent, code and token endpoint.
func (p *program) tokens(person, scope string) tokens {
	p.t.Helper()
	got, r := p.ask(p.redemption(p.code(person, scope)))
	if r.Status != http.StatusOK || got.Access == "" {
		p.t.Fatal(r.Status, r.Body)
	}
	return got
}

// reads requests a page with a token.
func (p *program) reads(token string) *webtest.Response {
	return request(p.w.As("anonymous"), "GET", "/whoami", "Accept: text/markdown", "Authorization: Bearer "+token)
}

// basic returns a name and a password as they are encoded in an Authorization header of the scheme Basic.
func basic(name, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(name) + ":" + password))
}

// grantOf returns the ID of the active grant to a client.
func grantOf(t *testing.T, w *webtest.World, client string) (id string) {
	t.Helper()
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) error {
		list, err := tx.AllTokens()
		for i := range list {
			if list[i].Client == client && list[i].State() == "active" {
				id = list[i].ID
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return id
}
