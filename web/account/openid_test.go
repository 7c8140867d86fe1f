package account_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"samepage/store"
	"samepage/store/credential"
	"samepage/web"
	"samepage/web/account"
	"samepage/web/webtest"
)

// idp is a small OpenID provider on loopback. A test can replace the claims that it makes.
type idp struct {
	*httptest.Server
	key    *ecdsa.PrivateKey
	mu     sync.Mutex
	codes  map[string]url.Values // requests for authorization, by code
	claims jwt.MapClaims         // claims to use in place of the correct ones
	sign   *ecdsa.PrivateKey     // key to sign with in place of its own
}

func newIDP(t *testing.T) *idp {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &idp{key: key, sign: key, codes: map[string]url.Values{}, claims: jwt.MapClaims{}}
	m := http.NewServeMux()
	m.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize",
			"token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"ES256"}, "response_types_supported": []string{"code"},
			"subject_types_supported": []string{"public"}})
	})
	m.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		public, err := key.PublicKey.Bytes()
		if err != nil {
			t.Error(err)
		}
		text := base64.RawURLEncoding.EncodeToString
		json.NewEncoder(w).Encode(
			map[string]any{"keys": []any{map[string]string{"kty": "EC", "crv": "P-256", "alg": "ES256",
				"use": "sig", "kid": "k", "x": text(public[1:33]), "y": text(public[33:])}}})
	})
	m.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(m)
	t.Cleanup(p.Close)
	return p
}

// token redeems a code once, if the verifier matches the code's challenge.
func (p *idp) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked, ok := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if !ok || id != "samepage" || secret != "a-secret" ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") ||
		r.FormValue("redirect_uri") != asked.Get("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	claims := jwt.MapClaims{"iss": p.URL, "aud": "samepage", "sub": "bob-1", "email": "Bob@acme.example",
		"email_verified": true, "nonce": asked.Get("nonce"),
		"iat": webtest.Start.Unix(), "exp": webtest.Start.Add(time.Hour).Unix()}
	for k, v := range p.claims {
		claims[k] = v
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	t.Header["kid"] = "k"
	text, _ := t.SignedString(p.sign)
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": text})
}

// traveller is a browser that stores its cookies.
type traveller struct {
	w       *webtest.World
	t       *testing.T
	cookies map[string]string
}

func (b *traveller) get(target string) *webtest.Response {
	b.t.Helper()
	var list []string
	for name, value := range b.cookies {
		list = append(list, name+"="+value)
	}
	r := webtest.Request(b.w.As("anonymous"), "GET", target, "Cookie: "+strings.Join(list, "; "))
	for _, line := range r.Header["Set-Cookie"] {
		c, err := http.ParseSetCookie(line)
		if err != nil {
			b.t.Fatal(err)
		}
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return r
}

// begin follows the redirect from the target to the provider. It returns the URL to which the provider would
// redirect the browser, with a code, and the parameters of the request to the provider.
func (b *traveller) begin(p *idp, target string) (back string, asked url.Values) {
	b.t.Helper()
	r := b.get(target)
	to, err := url.Parse(r.Header.Get("Location"))
	if r.Status != http.StatusSeeOther || err != nil || !strings.HasPrefix(to.String(), p.URL+"/authorize?") {
		b.t.Fatalf("%d to %s %s", r.Status, r.Header.Get("Location"), r.Body)
	}
	asked = to.Query()
	p.mu.Lock()
	defer p.mu.Unlock()
	code := rand.Text()
	p.codes[code] = asked
	return strings.TrimPrefix(asked.Get("redirect_uri"), webtest.Origin) + "?" + url.Values{"code": {code},
		"state": {asked.Get("state")}}.Encode(), asked
}

func (b *traveller) in() string {
	return b.w.SignedIn(&http.Cookie{Name: "__Host-samepage", Value: b.cookies["__Host-samepage"]})
}

func withProvider(t *testing.T) (*webtest.World, *idp) {
	p := newIDP(t)
	return webtest.New(t, func(c *web.Config) {
		c.OpenID = &account.OpenID{Issuer: p.URL, ClientID: "samepage", Secret: "a-secret", Name: "Acme ID"}
	}), p
}

func TestOpenID(t *testing.T) {
	t.Parallel()
	w, p := withProvider(t)
	if r := webtest.Request(w.As("anonymous"), "GET", "/login?next=/whoami"); !strings.Contains(r.Body,
		"Sign in with Acme ID") || !strings.Contains(r.Body, `href="/login/openid?next=%2Fwhoami"`) {
		t.Errorf("the page to sign in: %s", webtest.Main(r.Body))
	}
	b := &traveller{w, t, map[string]string{}}
	before := w.Digests()
	back, asked := b.begin(p, "/login/openid?next=/whoami")
	if changed := webtest.Changed(before, w.Digests()); changed != nil {
		t.Errorf("going there changed %v", changed)
	}
	if asked.Get("code_challenge_method") != "S256" || len(asked.Get("state")) < 20 || len(asked.Get("nonce")) < 20 ||
		asked.Get("scope") != "openid email" || asked.Get("prompt") != "" {
		t.Errorf("asked for %v", asked)
	}
	if r := b.get(back); r.Status != 303 || r.Location() != "/whoami" || b.in() != "@bob" ||
		len(b.cookies) != 2 { // the login, and the mark that the browser is known
		t.Fatalf("%d to %s as %q with %d cookies", r.Status, r.Location(), b.in(), len(b.cookies))
	}
	// A connected account can also sign in if its address at the provider changes, even to one that is not verified.
	p.claims = jwt.MapClaims{"email": "robert@elsewhere.example", "email_verified": false}
	again := &traveller{w, t, map[string]string{}}
	back, _ = again.begin(p, "/login/openid")
	if r := again.get(back); r.Status != 303 || again.in() != "@bob" {
		t.Errorf("again: %d as %q", r.Status, again.in())
	}
	if r := again.get("/settings/tokens/actions/create_token"); r.Status != 303 {
		t.Errorf("a provider that does not say when it asked is no proof: %d", r.Status)
	}
	// The site asks the provider to have the person prove their identity again, and checks the time of the proof.
	p.claims["auth_time"] = webtest.Start.Add(-time.Hour).Unix()
	back, asked = again.begin(p, "/login/openid?again=1&next=/settings/tokens/actions/create_token")
	if asked.Get("prompt") != "login" || asked.Get("max_age") != "0" {
		t.Errorf("asked for %v", asked)
	}
	if r := again.get(back); r.Status != 403 {
		t.Errorf("it did not ask: %d", r.Status)
	}
	p.claims["auth_time"] = webtest.Start.Add(-time.Minute).Unix()
	back, _ = again.begin(p, "/login/openid?again=1&next=/settings/tokens/actions/create_token")
	if r := again.get(back); r.Status != 303 || again.get(r.Location()).Status != 200 {
		t.Errorf("it did: %d", r.Status)
	}
}

// TestOpenIDRefused checks that any answer of the provider which differs from the expected one is refused, whether the
// provider or an attacker has changed it.
func TestOpenIDRefused(t *testing.T) {
	t.Parallel()
	other, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	past := webtest.Start.Add(-2 * time.Hour).Unix()
	for name, bend := range map[string]func(w *webtest.World, p *idp, b *traveller, back string) string{
		"another nonce": func(_ *webtest.World, p *idp, _ *traveller, back string) string {
			p.claims["nonce"] = "x"
			return back
		},
		"no nonce": func(_ *webtest.World, p *idp, _ *traveller, back string) string {
			p.claims["nonce"] = nil
			return back
		},
		"another audience": func(_ *webtest.World, p *idp, _ *traveller, back string) string {
			p.claims["aud"] = "other"
			return back
		},
		"another issuer": func(_ *webtest.World, p *idp, _ *traveller, back string) string {
			p.claims["iss"] = "https://id.example"
			return back
		},
		"an expired token": func(_ *webtest.World, p *idp, _ *traveller, back string) string {
			p.claims["exp"] = past
			return back
		},
		"another key": func(_ *webtest.World, p *idp, _ *traveller, back string) string {
			p.sign = other
			return back
		},
		"another state": func(_ *webtest.World, _ *idp, _ *traveller, back string) string { return back + "x" },
		"no state": func(_ *webtest.World, _ *idp, _ *traveller, back string) string {
			return strings.Replace(back, "state=", "x=", 1)
		},
		"no code": func(_ *webtest.World, _ *idp, _ *traveller, back string) string {
			return strings.Replace(back, "code=", "x=", 1)
		},
		"another code": func(_ *webtest.World, _ *idp, _ *traveller, back string) string {
			return strings.Replace(back, "code=", "code=x", 1)
		},
		"an issuer mixed up": func(_ *webtest.World, _ *idp, _ *traveller, back string) string {
			return back + "&iss=https%3A%2F%2Fid.example"
		},
		"an error": func(_ *webtest.World, _ *idp, _ *traveller, back string) string {
			return back + "&error=access_denied"
		},
		"a journey never begun": func(_ *webtest.World, _ *idp, b *traveller, back string) string {
			clear(b.cookies)
			return back
		},
		"a journey too long": func(w *webtest.World, _ *idp, _ *traveller, back string) string {
			w.Clock.Advance(11 * time.Minute)
			return back
		},
		"a journey made up": func(_ *webtest.World, _ *idp, b *traveller, back string) string {
			b.cookies["__Host-samepage-openid"] += "x"
			return back
		},
		"an unverified address": func(_ *webtest.World, p *idp, _ *traveller, back string) string {
			p.claims["email_verified"] = false
			return back
		},
		"an unknown address": func(_ *webtest.World, p *idp, _ *traveller, back string) string {
			p.claims["email"] = "eve@acme.example"
			return back
		},
		"no address": func(_ *webtest.World, p *idp, _ *traveller, back string) string {
			p.claims["email"] = ""
			return back
		},
		"somebody else's journey": func(_ *webtest.World, p *idp, b *traveller, back string) string {
			b.begin(p, "/login/openid") // the victim's own journey, with another state
			return back
		},
		"an account without a password": func(w *webtest.World, _ *idp, _ *traveller, back string) string {
			if err := w.Store.Write(context.Background(), func(tx *store.Tx) error {
				u, err := tx.UserByEmail("bob@acme.example")
				if err != nil {
					return err
				}
				return credential.SetPassword(tx, u.ID, "")
			}); err != nil {
				panic(err)
			}
			return back
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := withProvider(t)
			b := &traveller{w, t, map[string]string{}}
			back, _ := b.begin(p, "/login/openid")
			back = bend(w, p, b, back)
			before := w.Digests()
			r := b.get(back)
			if r.Status != 403 || b.in() != "" || strings.Contains(r.Body, "nonce") || strings.Contains(r.Body, "bob") {
				t.Errorf("%d as %q: %s", r.Status, b.in(), webtest.Main(r.Body))
			}
			if changed := webtest.Changed(before, w.Digests()); changed != nil {
				t.Errorf("changed %v", changed)
			}
		})
	}
	w, p := withProvider(t)
	b := &traveller{w, t, map[string]string{}}
	back, _ := b.begin(p, "/login/openid")
	journey := b.cookies["__Host-samepage-openid"]
	b.get(back)
	// This provider redeems a code twice.
	p.codes[back[strings.Index(back, "code=")+5:strings.Index(back, "&")]] = url.Values{}
	b.cookies = map[string]string{"__Host-samepage-openid": journey}
	if r := b.get(back); r.Status == 303 || b.in() != "" {
		t.Errorf("twice: %d as %q", r.Status, b.in())
	}
	p.Close()
	away := webtest.New(t, func(c *web.Config) { c.OpenID = &account.OpenID{Issuer: p.URL, ClientID: "samepage"} })
	if r := webtest.Request(away.As("anonymous"), "GET", "/login/openid"); r.Status != 503 {
		t.Errorf("a provider that is not there: %d", r.Status)
	}
	if r := webtest.Request(webtest.New(t).As("anonymous"), "GET", "/login/openid",
		"Accept: text/markdown"); r.Status != 401 {
		t.Errorf("no provider: %d", r.Status)
	}
}

// TestOpenIDConnect checks that a person can connect an account at the provider, with any address, to their account
// here, and can disconnect it.
func TestOpenIDConnect(t *testing.T) {
	t.Parallel()
	w, p := withProvider(t)
	p.claims = jwt.MapClaims{"sub": "erin-at-home", "email": "erin@home.example"}
	erin := w.Browser(t, "erin@acme.example")
	b := &traveller{w, t, map[string]string{erin.Cookie.Name: erin.Cookie.Value}}
	if body := b.get(credential.AccountURL).Body; !strings.Contains(body, "Connect your account at Acme ID") {
		t.Error(webtest.Main(body))
	}
	back, _ := b.begin(p, "/login/openid?connect=1")
	bob := w.Browser(t, "bob@acme.example")
	stranger := &traveller{w, t, map[string]string{erin.Cookie.Name: bob.Cookie.Value,
		"__Host-samepage-openid": b.cookies["__Host-samepage-openid"]}}
	if r := stranger.get(back); r.Status != 409 {
		t.Errorf("somebody else's journey connects: %d", r.Status)
	}
	back, _ = b.begin(p, "/login/openid?connect=1")
	if r := b.get(back); r.Status != 303 || r.Location() != credential.AccountURL ||
		!strings.Contains(b.get(credential.AccountURL).Body, "erin@home.example at "+p.URL) {
		t.Fatalf("%d to %s %s", r.Status, r.Location(), r.Body)
	}
	fresh := &traveller{w, t, map[string]string{}}
	back, _ = fresh.begin(p, "/login/openid")
	if fresh.get(back); fresh.in() != "@erin" {
		t.Errorf("signed in as %q", fresh.in())
	}
	taken := &traveller{w, t, map[string]string{bob.Cookie.Name: bob.Cookie.Value}}
	back, _ = taken.begin(p, "/login/openid?connect=1")
	if r := taken.get(back); r.Status != 409 {
		t.Errorf("an account elsewhere that is Erin's connects to Bob: %d", r.Status)
	}
	if r := erin.Post(credential.AccountURL+"/actions/remove_provider", url.Values{"provider": {p.URL}}); r.Status != 303 {
		t.Errorf("disconnect: %d", r.Status)
	}
	gone := &traveller{w, t, map[string]string{}}
	back, _ = gone.begin(p, "/login/openid")
	if r := gone.get(back); r.Status != 403 || gone.in() != "" {
		t.Errorf("disconnected: %d as %q", r.Status, gone.in())
	}
	w.Clock.Advance(credential.ProofLife + time.Second)
	if r := erin.Get("/login/openid?connect=1"); r.Status != 303 || !strings.HasPrefix(r.Location(), "/login?again=1") {
		t.Errorf("connecting without proof: %d to %s", r.Status, r.Location())
	}
}
