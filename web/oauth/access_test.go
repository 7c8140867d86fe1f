package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"samepage/store"
	"samepage/store/keyfile"
)

// fields are fields of the header or claims of a token. A field that is nil is left out.
type fields map[string]any

// change sets fields in a header or in claims.
func (f fields) change(in map[string]any) {
	for name, v := range f {
		if in[name] = v; v == nil {
			delete(in, name)
		}
	}
}

// forger has the signing key of a server, and a token of the server with its claims.
type forger struct {
	*world
	key
	real   string
	claims jwt.MapClaims
}

func newForger(t *testing.T) *forger {
	t.Helper()
	f := &forger{world: newWorld(t), claims: jwt.MapClaims{}}
	client := f.register(landing)
	f.real = f.redeem(client, f.grant(client, store.ScopeRead)).str("access_token")
	if err := f.Store.Write(t.Context(), func(tx *store.Tx) (err error) {
		f.key, err = signingKey(tx, f.Keys)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := jwt.NewParser().ParseUnverified(f.real, f.claims); err != nil {
		t.Fatal(err)
	}
	return f
}

// forge signs a token with changed fields.
func (f *forger) forge(head, body fields, method jwt.SigningMethod, with any) string {
	f.t.Helper()
	claims := maps.Clone(f.claims)
	body.change(claims)
	token := jwt.NewWithClaims(method, claims)
	token.Header["typ"], token.Header["kid"] = accessType, f.ID
	head.change(token.Header)
	text, err := token.SignedString(with)
	if err != nil {
		f.t.Fatal(err)
	}
	return text
}

// TestForged checks that an access token is refused if any of its claims or header fields differs from what this server
// writes (RFC 9068 §4, RFC 8725). The forger has the signing key, so the signature is always right.
func TestForged(t *testing.T) {
	w := newForger(t)
	at := func(d time.Duration) float64 { return float64(w.now.Add(d).Unix()) }
	if _, ok := w.works(w.forge(nil, nil, signing, w.private)); !ok {
		t.Fatal("a token as the server writes it is refused")
	}
	for name, c := range map[string]struct{ head, body fields }{
		"another type":         {fields{"typ": "JWT"}, nil},
		"no type":              {fields{"typ": nil}, nil},
		"one more field":       {fields{"jku": "https://evil.example"}, nil},
		"another key":          {fields{"kid": "other"}, nil},
		"no key":               {fields{"kid": nil, "x5u": "x"}, nil},
		"another issuer":       {nil, fields{"iss": "https://evil.example"}},
		"another audience":     {nil, fields{"aud": []string{origin}}},
		"two audiences":        {nil, fields{"aud": []string{origin + "/mcp", origin}}},
		"no audience":          {nil, fields{"aud": nil}},
		"ended":                {nil, fields{"exp": at(0)}},
		"never ends":           {nil, fields{"exp": nil}},
		"not yet valid":        {nil, fields{"nbf": at(time.Second)}},
		"valid since never":    {nil, fields{"nbf": nil}},
		"issued in the future": {nil, fields{"iat": at(time.Second)}},
		"no grant":             {nil, fields{"grant": ""}},
		"another grant":        {nil, fields{"grant": "other"}},
		"no client":            {nil, fields{"client_id": ""}},
		"another client":       {nil, fields{"client_id": "other"}},
		"no member":            {nil, fields{"sub": ""}},
		"another member":       {nil, fields{"sub": "other"}},
		"no ID":                {nil, fields{"jti": ""}},
	} {
		for range 2 { // twice, because valid signatures are remembered
			if by, ok := w.works(w.forge(c.head, c.body, signing, w.private)); ok {
				t.Errorf("%s: accepted as %s", name, by.Name())
			}
		}
	}
}

// TestForgedSignature checks that a token is refused unless it is signed with the key and the algorithm of this server.
func TestForgedSignature(t *testing.T) {
	w := newForger(t)
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	part := strings.Split(w.real, ".")
	changed := map[bool]string{true: "B", false: "A"}[part[2][0] == 'A'] + part[2][1:]
	public, err := w.private.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for name, token := range map[string]string{
		"another key's signature": w.forge(nil, nil, signing, stranger),
		"no signature":            w.forge(nil, nil, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType),
		"the public key as HMAC":  w.forge(nil, nil, jwt.SigningMethodHS256, public),
		"cut off":                 part[0] + "." + part[1] + ".", "changed": part[0] + "." + part[1] + "." + changed,
		"padded": w.real + "=", "empty": "..", "two parts": part[0] + "." + part[1],
	} {
		if _, ok := w.works(token); ok {
			t.Errorf("%s: accepted", name)
		}
	}
	for token, is := range map[string]bool{"a.b.c": true, "a.b": false, "a.b.c.d": false, "": false} {
		if IsAccess(token) != is {
			t.Errorf("%q has the form of a token: %v", token, !is)
		}
	}
}

// TestScopes checks that an agent has only the scopes that are both in its token and in its grant.
func TestScopes(t *testing.T) {
	w := newForger(t)
	by, ok := w.works(w.forge(nil, fields{"scope": "read write admin read"}, signing, w.private))
	if !ok || by.Grant.Scopes.String() != "read" {
		t.Errorf("a token for more than its grant has the scopes %s, %v", by.Grant.Scopes, ok)
	}
}

// TestRemembered checks that the signature of a valid token is remembered, and that of an invalid token is not.
func TestRemembered(t *testing.T) {
	w := newForger(t)
	for token, n := range map[string]int{w.forge(nil, fields{"aud": origin}, signing, w.private): 0, w.real: 1} {
		w.signatures.known = nil
		w.works(token)
		if got := len(w.signatures.known); got != n {
			t.Errorf("%d signatures are remembered, want %d", got, n)
		}
	}
}

// TestAccessLife checks that a token ends after an hour or with its grant, even if its signature is remembered.
func TestAccessLife(t *testing.T) {
	w := newWorld(t)
	client := w.register(landing)
	tokens := w.redeem(client, w.grant(client, store.ScopeRead))
	w.now = w.now.Add(AccessLife - time.Second)
	if _, ok := w.works(tokens.str("access_token")); !ok {
		t.Error("ended too early")
	}
	w.now = w.now.Add(time.Second)
	if _, ok := w.works(tokens.str("access_token")); ok {
		t.Error("goes on after an hour")
	}
	w.now = w.now.Add(22*time.Hour + 30*time.Minute)
	last := w.refresh(client, tokens.str("refresh_token"))
	if last.status != 200 || last.body["expires_in"] != 1800.0 {
		t.Errorf("half an hour before the grant ends: %v", last.body)
	}
	w.now = w.now.Add(30 * time.Minute)
	w.refused(w.refresh(client, last.str("refresh_token")), 400, invalidGrant)
}

// TestSignatures checks that the number of remembered tokens is bounded, and that the latest token is always among
// them.
func TestSignatures(t *testing.T) {
	var m signatures
	for i := range maxSignatures + 1 {
		sum := [32]byte{byte(i), byte(i >> 8), byte(i >> 16)}
		m.add(sum, &Access{})
		if _, ok := m.get(sum); !ok || len(m.known) > maxSignatures {
			t.Fatalf("%d tokens, and the last is known: %v", len(m.known), ok)
		}
		if i == maxSignatures-1 && len(m.known) != maxSignatures {
			t.Fatalf("%d tokens are remembered, not %d", len(m.known), maxSignatures)
		}
	}
	if len(m.known) != 1 {
		t.Errorf("%d tokens are remembered after all were forgotten", len(m.known))
	}
}

// TestKeys checks that a key signs for 90 days, and that the next key is published a day before it signs. The old key
// verifies tokens until the last of them has expired.
func TestKeys(t *testing.T) {
	w := newWorld(t)
	client := w.register(landing)
	token := func() string { return w.redeem(client, w.grant(client, store.ScopeRead)).str("access_token") }
	keyID := func(token string) string {
		parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
		if err != nil {
			t.Fatal(err)
		}
		return parsed.Header["kid"].(string)
	}
	published := func() (ids []string) {
		a := w.send(http.MethodGet, jwksPath, "", "")
		for _, k := range a.body["keys"].([]any) {
			k := k.(map[string]any)
			ids = append(ids, k["kid"].(string))
			x, _ := base64.RawURLEncoding.DecodeString(k["x"].(string))
			y, _ := base64.RawURLEncoding.DecodeString(k["y"].(string))
			if len(x) != 32 || len(y) != 32 || slices.Equal(x, y) || k["crv"] != "P-256" || k["alg"] != "ES256" || k["d"] != nil {
				t.Errorf("published %v", k)
			}
		}
		return ids
	}
	begin := w.now
	first := keyID(token())
	if got := published(); !slices.Equal(got, []string{first}) {
		t.Fatalf("published %v, want %s", got, first)
	}
	w.now = begin.Add(KeyLife - keyNotice - time.Second)
	if token(); len(published()) != 1 {
		t.Error("the next key is made too early")
	}
	w.now = begin.Add(KeyLife - keyNotice)
	if id := keyID(token()); id != first || len(published()) != 2 {
		t.Errorf("a day before it signs, the next key is published: %v", published())
	}
	w.now = begin.Add(KeyLife - time.Second)
	last := token()
	if keyID(last) != first || len(published()) != 2 {
		t.Errorf("%s signs", keyID(last))
	}
	w.now = begin.Add(KeyLife)
	if keyID(token()) == first {
		t.Error("the old key goes on signing")
	}
	w.now = begin.Add(KeyLife + AccessLife - 2*time.Second)
	if _, err := w.Verify(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), last); err != nil {
		t.Errorf("the last token of the old key ended with it: %v", err)
	}
	w.now = begin.Add(KeyLife + keyOverlap)
	if _, err := w.verifyingKey(t.Context(), first); err == nil {
		t.Error("the old key checks tokens after its end")
	}
}

// TestReplacedKeys checks that a node refuses tokens of replaced signing keys after at most a minute. A node that
// cannot decrypt the signing keys answers that it cannot check tokens.
func TestReplacedKeys(t *testing.T) {
	w := newWorld(t)
	client := w.register(landing)
	token := w.redeem(client, w.grant(client, store.ScopeRead)).str("access_token")
	w.works(token)
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error { return ReplaceKeys(tx, w.Keys) }); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(keysFresh - time.Second)
	if _, ok := w.works(token); !ok {
		t.Error("the keys are read again within the minute")
	}
	w.now = w.now.Add(time.Second)
	if _, ok := w.works(token); ok {
		t.Error("a token of a key that is gone is accepted")
	}
	if keys, err := w.readKeys(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("%d keys in place of one: %v", len(keys), err)
	}
	if now := w.redeem(client, w.grant(client, store.ScopeRead)).str("access_token"); now != "" {
		if _, ok := w.works(now); !ok {
			t.Error("the new key does not check its own token")
		}
	}
	w.Keys = keyfile.New()
	w.now = w.now.Add(keysFresh)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if _, err := w.Verify(r, token); !errors.Is(err, ErrUnchecked) {
		t.Errorf("with other keys: %v", err)
	}
	for _, path := range []string{revokePath, introspectPath} {
		w.caller.Token = "x"
		a := w.send(http.MethodPost, path, formMedia, formOf([]string{"client_id", client, "token", token}),
			"Authorization", "Bearer x")
		if a.status == 200 {
			t.Errorf("%s says %v although nothing could be checked", path, a.body)
		}
	}
	if a := w.send(http.MethodGet, jwksPath, "", ""); a.status != 500 || a.str("error") != "server_error" ||
		strings.Contains(a.str("error_description"), "sealed") || !strings.Contains(w.log.String(), "sealed with other keys") {
		t.Errorf("%d %v, and the log has %s", a.status, a.body, w.log.String())
	}
}

// TestKeysThatStay checks that no key is added if the old keys cannot be removed, because those may have leaked.
func TestKeysThatStay(t *testing.T) {
	w := newForger(t)
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.Exec("CREATE TABLE held (id TEXT REFERENCES oauth_keys (id))"); err != nil {
			return err
		}
		return tx.Exec("INSERT INTO held (id) VALUES (?)", w.key.ID)
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error { return ReplaceKeys(tx, w.Keys) }); err == nil {
		t.Error("the keys are replaced, and the old ones stay")
	}
}

// TestBusy checks that an unavailable database is answered with the status 503 and Retry-After, not as a fault of the
// client.
func TestBusy(t *testing.T) {
	w := newWorld(t)
	rec := httptest.NewRecorder()
	w.fail(rec, store.Errorf(store.Unavailable, "The disk is full."))
	if rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") != "5" ||
		!strings.Contains(rec.Body.String(), temporarilyUnavailable) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

// TestMetadata checks that the published metadata agrees with the endpoints (RFC 8414, RFC 9728).
func TestMetadata(t *testing.T) {
	w := newWorld(t)
	server := w.send(http.MethodGet, "/.well-known/oauth-authorization-server", "", "")
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint",
		"introspection_endpoint", "jwks_uri"} {
		path, own := strings.CutPrefix(server.str(name), origin)
		if !own || path != AuthorizePath && w.send(http.MethodGet, path, "", "").status == 404 {
			t.Errorf("%s is %s", name, server.str(name))
		}
	}
	if server.str("issuer") != origin || server.body["client_id_metadata_document_supported"] != nil ||
		server.header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(server.header.Get("Cache-Control"), "max-age") {
		t.Errorf("%v with %v", server.body, server.header)
	}
	if r := w.send(http.MethodGet, metadataPath+resourcePath, "", ""); r.str("resource") != origin+"/mcp" {
		t.Errorf("the resource is %v", r.body)
	}
	if o := w.send(http.MethodOptions, jwksPath, "", ""); o.status != 204 || o.header.Get("Access-Control-Allow-Methods") != "GET, HEAD" {
		t.Errorf("OPTIONS: %d %v", o.status, o.header)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	pointer := `resource_metadata="` + origin + metadataPath + `/mcp"`
	want := `Bearer error="insufficient_scope", scope="read write", ` + pointer
	if got := w.StepUp(r, store.Set[store.Scope]{store.ScopeWrite}); got != want {
		t.Errorf("stepping up: %s, want %s", got, want)
	}
	with := New(Config{Store: w.Store, Origin: w.Origin, Documents: Documents{On: true}})
	rec := httptest.NewRecorder()
	with.serverMetadata(rec, r)
	if !strings.Contains(rec.Body.String(), `"client_id_metadata_document_supported":true`) {
		t.Error("documents are read, and it is not said")
	}
}
