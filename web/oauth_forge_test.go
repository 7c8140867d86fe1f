package web_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"samepage/store"
	"samepage/web/webtest"
)

// forgery makes tokens as ours are, and as they are not.
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

// signingKeys are the keys in the database.
func signingKeys(t *testing.T, w *webtest.World) (list []store.SigningKey) {
	t.Helper()
	if err := w.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		list, err = tx.SigningKeys()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestForgedTokens sends more than forty forged tokens: all are refused with a challenge. The token
// they derive from is accepted.
func TestForgedTokens(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	real := p.tokens("alice", "read write").Access
	oscars := p.tokens("oscar", "read").Access
	kid := signingKeys(t, w)[0]
	parsed, err := x509.ParsePKCS8PrivateKey(kid.Private)
	if err != nil {
		t.Fatal(err)
	}
	ours := parsed.(*ecdsa.PrivateKey)
	point, err := ours.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&ours.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	theirs, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	decode := func(part int) map[string]any {
		data, err := base64.RawURLEncoding.DecodeString(strings.Split(real, ".")[part])
		m := map[string]any{}
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	header, body := decode(0), decode(1)
	if header["typ"] != "at+jwt" || header["alg"] != "ES256" || header["kid"] != kid.ID || len(header) != 3 {
		t.Errorf("header %v", header)
	}
	for name, want := range map[string]string{"iss": webtest.Origin, "aud": mcpResource, "client_id": p.id,
		"scope": "read write"} {
		got := body[name]
		if list, ok := got.([]any); ok && len(list) == 1 {
			got = list[0]
		}
		if got != want {
			t.Errorf("%s is %v", name, body[name])
		}
	}
	now := float64(w.Clock.Now().Unix())
	oscarsGrant := func() any {
		data, _ := base64.RawURLEncoding.DecodeString(strings.Split(oscars, ".")[1])
		m := map[string]any{}
		json.Unmarshal(data, &m)
		return m["grant"]
	}()
	make := func(change func(*forgery)) string {
		f := forgery{t, map[string]any{"typ": "at+jwt", "kid": kid.ID}, jwt.MapClaims(maps.Clone(body)), ours,
			jwt.SigningMethodES256}
		change(&f)
		return f.sign()
	}
	claim := func(name string, v any) string {
		return make(func(f *forgery) {
			if f.claims[name] = v; v == nil {
				delete(f.claims, name)
			}
		})
	}
	head := func(name string, v any) string { return make(func(f *forgery) { f.header[name] = v }) }
	parts := strings.Split(real, ".")
	b64 := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	signed := func(method jwt.SigningMethod, key any) string {
		return make(func(f *forgery) { f.method, f.key = method, key })
	}
	if r := p.reads(make(func(*forgery) {})); r.Status != http.StatusOK {
		t.Fatalf("what forgeries are made from is refused itself: %d", r.Status)
	}
	forged := map[string]string{
		"no algorithm":               signed(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType),
		"no algorithm, in capitals":  b64(`{"alg":"NONE","typ":"at+jwt","kid":"`+kid.ID+`"}`) + "." + parts[1] + ".",
		"no algorithm named":         b64(`{"typ":"at+jwt","kid":"`+kid.ID+`"}`) + "." + parts[1] + "." + parts[2],
		"HMAC with the public point": signed(jwt.SigningMethodHS256, point),
		"HMAC with the public key":   signed(jwt.SigningMethodHS256, der),
		"HMAC with nothing":          signed(jwt.SigningMethodHS256, []byte{}),
		"RSA":                        signed(jwt.SigningMethodRS256, rsaKey),
		"RSA-PSS":                    signed(jwt.SigningMethodPS256, rsaKey),
		"another curve":              signed(jwt.SigningMethodES384, p384),
		"another key":                signed(jwt.SigningMethodES256, theirs),
		"another key, its own kid":   make(func(f *forgery) { f.key, f.header["kid"] = theirs, "theirs" }),
		"its key in the header": make(func(f *forgery) {
			f.key = theirs
			f.header["jwk"] = map[string]string{"kty": "EC"}
		}),
		"a jku":                   head("jku", "https://evil.example/jwks"),
		"an x5u":                  head("x5u", "https://evil.example/cert"),
		"a critical header":       head("crit", []string{"exp"}),
		"an unknown header":       head("x", "y"),
		"no kid":                  head("kid", nil),
		"an empty kid":            head("kid", ""),
		"a kid that is a path":    head("kid", "../../etc/passwd"),
		"a kid that is SQL":       head("kid", "' OR 1=1 --"),
		"a kid that is a number":  head("kid", 1),
		"type JWT":                head("typ", "JWT"),
		"no type":                 head("typ", nil),
		"type id token":           head("typ", "id+jwt"),
		"another issuer":          claim("iss", "https://evil.example"),
		"the issuer with a slash": claim("iss", webtest.Origin+"/"),
		"no issuer":               claim("iss", nil),
		"another audience":        claim("aud", "https://evil.example/mcp"),
		"the origin as audience":  claim("aud", webtest.Origin),
		"no audience":             claim("aud", nil),
		"two audiences":           claim("aud", []string{mcpResource, "https://evil.example/mcp"}),
		"expired":                 claim("exp", now-1),
		"expires now":             claim("exp", now),
		"never expires":           claim("exp", nil),
		"expires at a text":       claim("exp", "tomorrow"),
		"not valid yet":           claim("nbf", now+60),
		"no beginning":            claim("nbf", nil),
		"made in the future":      claim("iat", now+60),
		"no id":                   claim("jti", nil),
		"no subject":              claim("sub", nil),
		"another member":          claim("sub", "somebody"),
		"no client":               claim("client_id", nil),
		"another client":          claim("client_id", newProgram(t, w).id),
		"no grant":                claim("grant", nil),
		"an unknown grant":        claim("grant", "0000000000"),
		"another member's grant":  claim("grant", oscarsGrant),
		"a grant made by hand": make(func(f *forgery) {
			f.claims["grant"], f.claims["client_id"] = tokenID(t, w, "scribe"), ""
		}),
		"no organization":      claim("org", nil),
		"another organization": claim("org", "globex"),
		"changed claims": parts[0] + "." +
			b64(`{"iss":"`+webtest.Origin+`","aud":"`+mcpResource+`","exp":9999999999}`) + "." + parts[2],
		"a changed signature":      parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])),
		"no signature":             parts[0] + "." + parts[1] + ".",
		"a signature of two":       strings.Join(strings.Split(oscars, ".")[:2], ".") + "." + parts[2],
		"a signature with padding": real + "==",
		"a longer signature":       real + "AAAA",
		"only dots":                "..",
		"what is not base64":       "!.!.!",
		"what is not JSON":         b64("x") + "." + b64("x") + "." + parts[2],
		"JSON nested deeply":       b64(strings.Repeat("[", 5000)) + "." + parts[1] + "." + parts[2],
		"four parts":               real + ".x",
		"its refresh token":        "",
	}
	forged["its refresh token"] = p.tokens("alice", "read").Refresh
	for name, token := range forged {
		r := p.reads(token)
		challenge := r.Header.Get("WWW-Authenticate")
		if r.Status != http.StatusUnauthorized || !strings.HasPrefix(challenge,
			`Bearer error="invalid_token", resource_metadata="`) || strings.Contains(r.Body, "alice") {
			t.Errorf("%s: %d %s", name, r.Status, challenge)
		}
		if key, ok := w.Site.Authenticate(bearing(token)); ok {
			t.Errorf("%s is %s at /mcp", name, key)
		}
	}
	// A token with fewer claims keeps the rights of those that it has.
	if r := p.reads(claim("scope", "")); r.Status != http.StatusOK {
		t.Errorf("a token without scopes still reads: %d", r.Status)
	}
	for _, scope := range []string{"", "read", "read governance", "write2"} {
		r := requestBody(w.As("anonymous"), "POST", w.URL("standups")+"/actions/comment", `{"params":{"text":"x"}}`,
			jsonMedia, "Authorization: Bearer "+claim("scope", scope))
		if r.Status != http.StatusForbidden {
			t.Errorf("with the scope %q it writes: %d", scope, r.Status)
		}
	}
	// More than the grant has is not to be had by signing it.
	small := p.tokens("alice", "read").Access
	data, _ := base64.RawURLEncoding.DecodeString(strings.Split(small, ".")[1])
	wide := jwt.MapClaims{}
	json.Unmarshal(data, &wide)
	wide["scope"] = "read write governance"
	r := requestBody(w.As("anonymous"), "POST", w.URL("standups")+"/actions/comment",
		`{"params":{"text":"x"}}`, jsonMedia, "Authorization: Bearer "+make(func(f *forgery) { f.claims = wide }))
	if r.Status != http.StatusForbidden {
		t.Errorf("a token that says more than its grant: %d", r.Status)
	}
	for name, r := range map[string]*webtest.Response{
		"in the address": request(w.As("anonymous"), "GET", "/studios/team?access_token="+real,
			"Accept: text/markdown"),
		"in a cookie": request(w.As("anonymous"), "GET", "/studios/team", "Accept: text/markdown",
			"Cookie: __Host-samepage="+real),
		"under another scheme": request(w.As("anonymous"), "GET", "/studios/team", "Accept: text/markdown",
			"Authorization: DPoP "+real),
		"at another host": request(w.As("anonymous"), "GET", "/studios/team", "Accept: text/markdown",
			"Host: evil.example", "Authorization: Bearer "+real),
		"an hour later": func() *webtest.Response { w.Clock.Advance(time.Hour); return p.reads(real) }(),
	} {
		if r.Status != http.StatusUnauthorized && r.Status != http.StatusForbidden {
			t.Errorf("%s: %d", name, r.Status)
		}
	}
	t.Logf("%d forged tokens", len(forged))
}

// bearing is a request that bears a token.
func bearing(token string) *http.Request {
	r, _ := http.NewRequest("POST", webtest.Origin+"/mcp", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// TestKeysRotate: the clock makes a successor, both count for a while, and the old one then does not.
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
	last := p.tokens("alice", "read write").Access // which no later grant of reading supersedes
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
