package web_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/keyfile"
	"samepage/web/webtest"
)

// forgery is a token in parts, before it is signed.
type forgery struct {
	t      *testing.T
	header map[string]any
	claims jwt.MapClaims
	key    any
	method jwt.SigningMethod
}

func (f forgery) sign() string {
	f.t.Helper()
	token := jwt.NewWithClaims(f.method, f.claims)
	maps.Copy(token.Header, f.header)
	for name, v := range f.header {
		if v == nil {
			delete(token.Header, name)
		}
	}
	text, err := token.SignedString(f.key)
	if err != nil {
		f.t.Fatal(err)
	}
	return text
}

// signingKeys returns the signing keys in the database.
func signingKeys(t *testing.T, w *webtest.World) (list []credential.SigningKey) {
	t.Helper()
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		list, err = credential.SigningKeys(tx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// tokenForger derives faulty tokens from a valid one.
type tokenForger struct {
	t      *testing.T
	w      *webtest.World
	p      *program
	real   string // an access token of Alice
	claims map[string]any
	kid    string
	key    *ecdsa.PrivateKey
}

func newTokenForger(t *testing.T) *tokenForger {
	t.Helper()
	w := webtest.New(t)
	p := newProgram(t, w)
	f := &tokenForger{t: t, w: w, p: p, real: p.tokens("alice", "read write").Access}
	signing := signingKeys(t, w)[0]
	keys, err := keyfile.Read(w.Store.KeysFile())
	if err != nil {
		t.Fatal(err)
	}
	der, err := keys.Open("signing keys", signing.ID, signing.Sealed)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		t.Fatal(err)
	}
	f.kid, f.key, f.claims = signing.ID, parsed.(*ecdsa.PrivateKey), partOf(t, f.real, 1)
	return f
}

// partOf returns a part of a token: its header for 0, its claims for 1.
func partOf(t *testing.T, token string, part int) map[string]any {
	t.Helper()
	data, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[part])
	m := map[string]any{}
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// make returns the valid token with a change, signed with the right key unless the change replaces it.
func (f *tokenForger) make(change func(*forgery)) string {
	fake := forgery{f.t, map[string]any{"typ": "at+jwt", "kid": f.kid}, jwt.MapClaims(maps.Clone(f.claims)), f.key,
		jwt.SigningMethodES256}
	change(&fake)
	return fake.sign()
}

// claim returns the valid token with another value of a claim, or without the claim if v is nil.
func (f *tokenForger) claim(name string, v any) string {
	return f.make(func(fake *forgery) {
		if fake.claims[name] = v; v == nil {
			delete(fake.claims, name)
		}
	})
}

func (f *tokenForger) head(name string, v any) string {
	return f.make(func(fake *forgery) { fake.header[name] = v })
}

func (f *tokenForger) signed(method jwt.SigningMethod, key any) string {
	return f.make(func(fake *forgery) { fake.method, fake.key = method, key })
}

// comment sends a comment with a token.
func (f *tokenForger) comment(token string) *webtest.Response {
	return requestBody(f.w.As("anonymous"), "POST", f.w.URL("standups")+"/actions/comment", `{"params":{"text":"x"}}`,
		jsonMedia, "Authorization: Bearer "+token)
}

// TestAccessToken checks the header and the claims of a valid token.
func TestAccessToken(t *testing.T) {
	f := newTokenForger(t)
	header := partOf(t, f.real, 0)
	if header["typ"] != "at+jwt" || header["alg"] != "ES256" || header["kid"] != f.kid || len(header) != 3 {
		t.Errorf("header %v", header)
	}
	for name, want := range map[string]string{"iss": webtest.Origin, "aud": mcpResource, "client_id": f.p.id,
		"scope": "read write"} {
		got := f.claims[name]
		if list, ok := got.([]any); ok && len(list) == 1 {
			got = list[0]
		}
		if got != want {
			t.Errorf("%s is %v", name, f.claims[name])
		}
	}
	var org string
	if f.w.Query(&org, `SELECT id FROM organizations WHERE handle = 'acme'`); strings.Contains(fmt.Sprint(header, f.claims), org) {
		t.Errorf("the token tells the id of the organization: %v", f.claims)
	}
}

// TestForgedTokens sends more than forty forged tokens. Each is refused with a challenge, and the valid token from
// which they are derived is accepted.
func TestForgedTokens(t *testing.T) {
	f := newTokenForger(t)
	if r := f.p.reads(f.make(func(*forgery) {})); r.Status != http.StatusOK {
		t.Fatalf("the token that forgeries derive from is refused: %d", r.Status)
	}
	forged := f.forgeries()
	for name, token := range forged {
		r := f.p.reads(token)
		challenge := r.Header.Get("WWW-Authenticate")
		if r.Status != http.StatusUnauthorized || !strings.HasPrefix(challenge,
			`Bearer error="invalid_token", resource_metadata="`) || strings.Contains(r.Body, "alice") {
			t.Errorf("%s: %d %s", name, r.Status, challenge)
		}
		if key, ok, err := f.w.Site.Authenticate(bearing(token)); ok || err != nil {
			t.Errorf("%s is %s at /mcp: %v", name, key, err)
		}
	}
	t.Logf("%d forged tokens", len(forged))
}

// forgeries returns tokens that must be refused, by the name of their fault.
func (f *tokenForger) forgeries() map[string]string {
	oscars := f.p.tokens("oscar", "read").Access
	point, err := f.key.PublicKey.Bytes()
	if err != nil {
		f.t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&f.key.PublicKey)
	if err != nil {
		f.t.Fatal(err)
	}
	theirs, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	now := float64(f.w.Clock.Now().Unix())
	parts := strings.Split(f.real, ".")
	b64 := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return map[string]string{
		"no algorithm":               f.signed(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType),
		"no algorithm, in capitals":  b64(`{"alg":"NONE","typ":"at+jwt","kid":"`+f.kid+`"}`) + "." + parts[1] + ".",
		"no algorithm named":         b64(`{"typ":"at+jwt","kid":"`+f.kid+`"}`) + "." + parts[1] + "." + parts[2],
		"HMAC with the public point": f.signed(jwt.SigningMethodHS256, point),
		"HMAC with the public key":   f.signed(jwt.SigningMethodHS256, der),
		"HMAC with nothing":          f.signed(jwt.SigningMethodHS256, []byte{}),
		"RSA":                        f.signed(jwt.SigningMethodRS256, rsaKey),
		"RSA-PSS":                    f.signed(jwt.SigningMethodPS256, rsaKey),
		"another curve":              f.signed(jwt.SigningMethodES384, p384),
		"another key":                f.signed(jwt.SigningMethodES256, theirs),
		"another key, its own kid":   f.make(func(fake *forgery) { fake.key, fake.header["kid"] = theirs, "theirs" }),
		"its key in the header": f.make(func(fake *forgery) {
			fake.key = theirs
			fake.header["jwk"] = map[string]string{"kty": "EC"}
		}),
		"a jku":                   f.head("jku", "https://evil.example/jwks"),
		"an x5u":                  f.head("x5u", "https://evil.example/cert"),
		"a critical header":       f.head("crit", []string{"exp"}),
		"an unknown header":       f.head("x", "y"),
		"no kid":                  f.head("kid", nil),
		"an empty kid":            f.head("kid", ""),
		"a kid that is a path":    f.head("kid", "../../etc/passwd"),
		"a kid that is SQL":       f.head("kid", "' OR 1=1 --"),
		"a kid that is a number":  f.head("kid", 1),
		"type JWT":                f.head("typ", "JWT"),
		"no type":                 f.head("typ", nil),
		"type id token":           f.head("typ", "id+jwt"),
		"another issuer":          f.claim("iss", "https://evil.example"),
		"the issuer with a slash": f.claim("iss", webtest.Origin+"/"),
		"no issuer":               f.claim("iss", nil),
		"another audience":        f.claim("aud", "https://evil.example/mcp"),
		"the origin as audience":  f.claim("aud", webtest.Origin),
		"no audience":             f.claim("aud", nil),
		"two audiences":           f.claim("aud", []string{mcpResource, "https://evil.example/mcp"}),
		"expired":                 f.claim("exp", now-1),
		"expires now":             f.claim("exp", now),
		"never expires":           f.claim("exp", nil),
		"expires at a text":       f.claim("exp", "tomorrow"),
		"not valid yet":           f.claim("nbf", now+60),
		"no beginning":            f.claim("nbf", nil),
		"made in the future":      f.claim("iat", now+60),
		"no id":                   f.claim("jti", nil),
		"no subject":              f.claim("sub", nil),
		"another member":          f.claim("sub", "somebody"),
		"no client":               f.claim("client_id", nil),
		"another client":          f.claim("client_id", newProgram(f.t, f.w).id),
		"no grant":                f.claim("grant", nil),
		"an unknown grant":        f.claim("grant", "0000000000"),
		"another member's grant":  f.claim("grant", partOf(f.t, oscars, 1)["grant"]),
		"a grant made by hand": f.make(func(fake *forgery) {
			fake.claims["grant"], fake.claims["client_id"] = tokenID(f.t, f.w, "scribe"), ""
		}),
		"changed claims": parts[0] + "." +
			b64(`{"iss":"`+webtest.Origin+`","aud":"`+mcpResource+`","exp":9999999999}`) + "." + parts[2],
		"a changed signature":      parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])),
		"no signature":             parts[0] + "." + parts[1] + ".",
		"a signature of two":       strings.Join(strings.Split(oscars, ".")[:2], ".") + "." + parts[2],
		"a signature with padding": f.real + "==",
		"a longer signature":       f.real + "AAAA",
		"only dots":                "..",
		"what is not base64":       "!.!.!",
		"what is not JSON":         b64("x") + "." + b64("x") + "." + parts[2],
		"JSON nested deeply":       b64(strings.Repeat("[", 5000)) + "." + parts[1] + "." + parts[2],
		"four parts":               f.real + ".x",
		"its refresh token":        f.p.tokens("alice", "read").Refresh,
	}
}

// TestScopesOfTokens takes actions with tokens that lack the scope, or that claim more scopes than their grant has.
// All are refused.
func TestScopesOfTokens(t *testing.T) {
	f := newTokenForger(t)
	if r := f.p.reads(f.claim("scope", "")); r.Status != http.StatusOK {
		t.Errorf("a token without scopes still reads: %d", r.Status)
	}
	for _, scope := range []string{"", "read", "read governance", "write2"} {
		if r := f.comment(f.claim("scope", scope)); r.Status != http.StatusForbidden {
			t.Errorf("with the scope %q it writes: %d", scope, r.Status)
		}
	}
	wide := jwt.MapClaims(partOf(t, f.p.tokens("alice", "read").Access, 1))
	wide["scope"] = "read write governance"
	if r := f.comment(f.make(func(fake *forgery) { fake.claims = wide })); r.Status != http.StatusForbidden {
		t.Errorf("a token with more scopes than its grant: %d", r.Status)
	}
}

// TestTokensElsewhere sends a token in the wrong place, to another host, and after it has expired. All are refused.
func TestTokensElsewhere(t *testing.T) {
	f := newTokenForger(t)
	read := func(target string, headers ...string) *webtest.Response {
		return request(f.w.As("anonymous"), "GET", target, append(headers, "Accept: text/markdown")...)
	}
	for name, r := range map[string]*webtest.Response{
		"in the address":       read("/studios/team?access_token=" + f.real),
		"in a cookie":          read("/studios/team", "Cookie: __Host-samepage="+f.real),
		"under another scheme": read("/studios/team", "Authorization: DPoP "+f.real),
		"at another host":      read("/studios/team", "Host: evil.example", "Authorization: Bearer "+f.real),
		"an hour later": func() *webtest.Response {
			f.w.Clock.Advance(time.Hour)
			return f.p.reads(f.real)
		}(),
	} {
		if r.Status != http.StatusUnauthorized && r.Status != http.StatusForbidden {
			t.Errorf("%s: %d", name, r.Status)
		}
	}
}

// bearing returns a request with a token.
func bearing(token string) *http.Request {
	r, _ := http.NewRequest("POST", webtest.Origin+"/mcp", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// TestKeysRotate rotates signing keys by the clock. A successor is created, both keys are valid for a while, and then
// only the new one is.
func TestKeysRotate(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	kidOf := func(token string) string {
		data, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[0])
		var h struct{ Kid string }
		if err != nil || json.Unmarshal(data, &h) != nil {
			t.Fatal(token)
		}
		return h.Kid
	}
	published := func() int {
		var set struct{ Keys []any }
		if err := json.Unmarshal([]byte(w.As("anonymous").Get("/oauth/jwks", "").Body), &set); err != nil {
			t.Fatal(err)
		}
		return len(set.Keys)
	}
	later := func(d time.Duration) {
		w.Clock.Advance(d)
		_, c := w.SignIn("/login", "alice@acme.example", webtest.Password)
		p.cookie = c.Name + "=" + c.Value
	}
	first := kidOf(p.tokens("alice", "read").Access)
	later(89*24*time.Hour - time.Second)
	if again := kidOf(p.tokens("alice", "read").Access); again != first || published() != 1 {
		t.Error("it changed too early")
	}
	later(time.Second)
	if again := kidOf(p.tokens("alice", "read").Access); again != first || published() != 2 {
		t.Errorf("a day before, %d keys are published", published())
	}
	later(24*time.Hour - time.Second)
	last := p.tokens("alice", "read write").Access // the next grant allows less, so this grant stays in force
	later(time.Second)
	next := p.tokens("alice", "read").Access
	if kidOf(last) != first || kidOf(next) == first || p.reads(last).Status != http.StatusOK ||
		p.reads(next).Status != http.StatusOK {
		t.Error("both keys count")
	}
	later(time.Hour + time.Minute)
	if fresh := p.tokens("alice", "read").Access; kidOf(fresh) != kidOf(next) || published() != 1 {
		t.Errorf("%d keys are left", published())
	}
}
