package oauth

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/credential"
)

// TestRedeem checks that a code gives tokens once, and only to its client, with its verifier and its redirect address
// (RFC 6749 §4.1.3, RFC 7636 §4.6).
func TestRedeem(t *testing.T) {
	w := newWorld(t)
	client, other := w.register(landing), w.register(landing)
	code := w.grant(client, store.ScopeRead, store.ScopeWrite)
	for name, c := range map[string]struct {
		pairs  []string
		status int
		code   string
	}{
		"another client":       {[]string{"client_id", other}, 400, invalidGrant},
		"another verifier":     {[]string{"code_verifier", strings.Repeat("a", 43)}, 400, invalidGrant},
		"no verifier":          {[]string{"code_verifier", ""}, 400, invalidRequest},
		"42 characters":        {[]string{"code_verifier", strings.Repeat("a", 42)}, 400, invalidRequest},
		"129 characters":       {[]string{"code_verifier", strings.Repeat("a", 129)}, 400, invalidRequest},
		"another address":      {[]string{"redirect_uri", landing + "2"}, 400, invalidGrant},
		"another code":         {[]string{"code", code + "x"}, 400, invalidGrant},
		"no code":              {[]string{"code", ""}, 400, invalidGrant},
		"another resource":     {[]string{"resource", origin}, 400, invalidTarget},
		"no grant type":        {[]string{"grant_type", ""}, 400, invalidRequest},
		"a password":           {[]string{"grant_type", "password"}, 400, unsupportedGrant},
		"no client":            {[]string{"client_id", ""}, 401, invalidClient},
		"a client's secret":    {[]string{"client_secret", "x"}, 401, invalidClient},
		"a client's assertion": {[]string{"client_assertion", "x"}, 401, invalidClient},
		"more than granted":    {[]string{"scope", "read admin"}, 400, invalidScope},
	} {
		t.Run(name, func(t *testing.T) { w.refused(w.redeem(client, code, c.pairs...), c.status, c.code) })
	}
	a := w.redeem(client, code, "resource", origin+"/mcp")
	if a.status != 200 || a.str("token_type") != "Bearer" || a.body["expires_in"] != 3600.0 || a.str("scope") != "read write" ||
		a.header.Get("Cache-Control") != "no-store" || a.header.Get("Pragma") != "no-cache" {
		t.Fatalf("redeemed: %d %v", a.status, a.body)
	}
	by, ok := w.works(a.str("access_token"))
	if !ok || by.MemberID() != w.alice.ID || !by.IsAgent() {
		t.Errorf("the token is of %+v, %v", by, ok)
	}
	w.refused(w.redeem(client, code), 400, invalidGrant)
	if _, ok := w.works(a.str("access_token")); ok {
		t.Error("the grant goes on after its code was redeemed twice (RFC 6749 §4.1.2)")
	}
	w.refused(w.refresh(client, a.str("refresh_token")), 400, invalidGrant)
	if !strings.Contains(w.log.String(), "redeemed twice") {
		t.Errorf("the log says %s", w.log.String())
	}
}

// TestCodeLife checks that a code can be redeemed until just before its end. The redirect address may be left out
// (OAuth 2.1).
func TestCodeLife(t *testing.T) {
	w := newWorld(t)
	client := w.register(landing)
	late, right := w.grant(client, store.ScopeRead), w.grant(client, store.ScopeRead)
	w.now = w.now.Add(credential.CodeLife - time.Second)
	if a := w.redeem(client, right, "redirect_uri", ""); a.status != 200 {
		t.Errorf("a second before the end: %d %v", a.status, a.body)
	}
	w.now = w.now.Add(time.Second)
	w.refused(w.redeem(client, late), 400, invalidGrant)
}

// TestRefresh checks that a refresh token gives a successor, and the same successor again within a minute. A later use
// ends the grant (RFC 9700 §2.2.2).
func TestRefresh(t *testing.T) {
	w := newWorld(t)
	client, other := w.register(landing), w.register(landing)
	first := w.redeem(client, w.grant(client, store.ScopeRead, store.ScopeWrite))
	old := first.str("refresh_token")
	w.refused(w.refresh(other, old), 400, invalidGrant)
	w.refused(w.refresh(client, old+"x"), 400, invalidGrant)
	w.refused(w.refresh(client, ""), 400, invalidGrant)
	w.refused(w.refresh(client, old, "scope", "read admin"), 400, invalidScope)
	second := w.refresh(client, old, "scope", "read")
	if second.status != 200 || second.str("scope") != "read" || second.str("refresh_token") == old ||
		!strings.HasPrefix(second.str("refresh_token"), credential.RefreshPrefix) {
		t.Fatalf("refreshed: %d %v", second.status, second.body)
	}
	if by, ok := w.works(second.str("access_token")); !ok || by.Grant.Scopes.String() != "read" {
		t.Errorf("a token for reading has the scopes %s, %v", by.Grant.Scopes, ok)
	}
	w.now = w.now.Add(credential.RefreshGrace)
	if again := w.refresh(client, old); again.status != 200 || again.str("refresh_token") != second.str("refresh_token") ||
		again.str("scope") != "read write" {
		t.Errorf("the lost answer again: %d %v", again.status, again.body)
	}
	w.now = w.now.Add(time.Second)
	w.refused(w.refresh(client, old), 400, invalidGrant)
	w.refused(w.refresh(client, second.str("refresh_token")), 400, invalidGrant)
	if _, ok := w.works(first.str("access_token")); ok || !strings.Contains(w.log.String(), "used twice") {
		t.Errorf("the grant goes on after a thief came: %s", w.log.String())
	}
}

// TestSupersede checks that a new grant ends those earlier grants of its client that allow no more, and no other
// grants.
func TestSupersede(t *testing.T) {
	w := newWorld(t)
	client, other := w.register(landing), w.register(landing)
	read := w.redeem(client, w.grant(client, store.ScopeRead)).str("access_token")
	foreign := w.redeem(other, w.grant(other, store.ScopeRead)).str("access_token")
	write := w.redeem(client, w.grant(client, store.ScopeRead, store.ScopeWrite)).str("access_token")
	if _, ok := w.works(read); ok {
		t.Error("the earlier grant stays")
	}
	w.redeem(client, w.grant(client, store.ScopeRead))
	for name, token := range map[string]string{"another client's": foreign, "a wider": write} {
		if _, ok := w.works(token); !ok {
			t.Errorf("%s grant ended", name)
		}
	}
	document := store.Actor{Grant: &store.Grant{Client: "https://robot.example/client.json"}}
	if err := w.supersede(nil, document); err != nil { // without a transaction, because the store is not asked
		t.Error(err)
	}
}

// TestForm checks that a request must be a form of at most 16 KB in which no parameter is repeated. The query of the
// URL is ignored.
func TestForm(t *testing.T) {
	w := newWorld(t)
	client := w.register(landing)
	right := formOf([]string{"grant_type", codeGrant, "client_id", client, "code", "x", "code_verifier", proof})
	basic := func(user, password string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	}
	for name, c := range map[string]struct {
		media, body, code string
		header            []string
	}{
		"JSON":                      {"application/json", `{}`, invalidRequest, nil},
		"no media type":             {"", right, invalidRequest, nil},
		"capital letters":           {"Application/X-WWW-Form-Urlencoded ; charset=utf-8", right, invalidGrant, nil},
		"broken":                    {formMedia, "a=%zz", invalidRequest, nil},
		"too large":                 {formMedia, right + "&a=" + strings.Repeat("a", maxBody), invalidRequest, nil},
		"given twice":               {formMedia, right + "&code=y", invalidRequest, nil},
		"given twice the same":      {formMedia, right + "&code=x", invalidRequest, nil},
		"two resources":             {formMedia, right + "&resource=a&resource=b", invalidTarget, nil},
		"one resource, and another": {formMedia, right + "&resource=" + origin + "/mcp&resource=b", invalidTarget, nil},
		"one resource twice":        {formMedia, right + "&resource=" + origin + "/mcp&resource=" + origin + "/mcp", invalidGrant, nil},
		"Basic with the client":     {formMedia, right, invalidGrant, []string{"Authorization", basic(client, "")}},
		"Basic with another":        {formMedia, right, invalidClient, []string{"Authorization", basic("other", "")}},
		"Basic with a secret":       {formMedia, right, invalidClient, []string{"Authorization", basic(client, "secret")}},
		"Basic with a broken name":  {formMedia, right, invalidClient, []string{"Authorization", basic("%zz", "")}},
	} {
		t.Run(name, func(t *testing.T) {
			status := map[bool]int{true: 401, false: 400}[c.code == invalidClient]
			w.refused(w.send(http.MethodPost, tokenPath, c.media, c.body, c.header...), status, c.code)
		})
	}
	alone := formOf([]string{"grant_type", codeGrant, "code", "x", "code_verifier", proof})
	w.refused(w.send(http.MethodPost, tokenPath, formMedia, alone, "Authorization", basic(client, "")), 400,
		invalidGrant)
	w.refused(w.send(http.MethodPost, tokenPath+"?"+right, formMedia, ""), 401, invalidClient)
	for _, path := range []string{RegisterPath, revokePath, introspectPath} {
		a := w.send(http.MethodGet, path, "", "")
		w.refused(a, http.StatusMethodNotAllowed, invalidRequest)
		if a.header.Get("Allow") != "POST" {
			t.Errorf("GET %s allows %q", path, a.header.Get("Allow"))
		}
	}
	for _, path := range []string{revokePath, introspectPath} {
		w.refused(w.send(http.MethodPost, path, "application/json", "{}"), 400, invalidRequest)
	}
}

// TestWait checks that a client over its limit is told how long to wait, in whole seconds.
func TestWait(t *testing.T) {
	w := newWorld(t)
	w.wait = 1200 * time.Millisecond
	a := w.send(http.MethodGet, metadataPath, "", "")
	w.refused(a, http.StatusTooManyRequests, temporarilyUnavailable)
	if a.header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
}

// TestRevoke checks that a client can end its own grant with either of its tokens. For an unknown token or the token of
// another client, the answer is the same, and no grant ends (RFC 7009 §2.2).
func TestRevoke(t *testing.T) {
	w := newWorld(t)
	client, other := w.register(landing), w.register(landing)
	for _, by := range []string{"access_token", "refresh_token"} {
		tokens := w.redeem(client, w.grant(client, store.ScopeRead))
		for name, a := range map[string]answered{
			"another client": w.post(revokePath, "client_id", other, "token", tokens.str(by)),
			"another token":  w.post(revokePath, "client_id", client, "token", tokens.str(by)+"x"),
		} {
			if _, ok := w.works(tokens.str("access_token")); !ok || a.status != 200 || len(a.body) != 0 {
				t.Errorf("%s of %s: %d %v, and the grant goes on: %v", by, name, a.status, a.body, ok)
			}
		}
		for range 2 { // the second time, the token is unknown
			a := w.post(revokePath, "client_id", client, "token", tokens.str(by))
			if _, ok := w.works(tokens.str("access_token")); ok || a.status != 200 {
				t.Errorf("revoked by %s: %d, and the grant goes on: %v", by, a.status, ok)
			}
		}
	}
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error { return w.endGrant(tx, "gone", "") }); err != nil {
		t.Errorf("a grant that has ended ends again: %v", err)
	}
	w.refused(w.post(revokePath, "client_id", client), 400, invalidRequest)
	w.refused(w.post(revokePath, "token", "x"), 401, invalidClient)
}

// TestIntrospect checks that an agent is told about the tokens of its own member. Any other token is answered as
// inactive (RFC 7662 §2.2).
func TestIntrospect(t *testing.T) {
	w := newWorld(t)
	client := w.register(landing)
	tokens := w.redeem(client, w.grant(client, store.ScopeRead))
	ask := func(token string) answered {
		return w.send(http.MethodPost, introspectPath, formMedia, formOf([]string{"token", token}),
			"Authorization", "Bearer x")
	}
	anonymous := w.post(introspectPath, "token", tokens.str("access_token"))
	w.refused(anonymous, 401, invalidToken)
	if got := anonymous.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer resource_metadata=") {
		t.Errorf("without credentials: %s", got)
	}
	person := ask(tokens.str("access_token")) // a person has no token to ask with
	w.refused(person, 401, invalidToken)
	if got := person.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, `Bearer error="invalid_token", `) {
		t.Errorf("with credentials: %s", got)
	}
	w.caller, _ = w.works(tokens.str("access_token"))
	if a := ask(tokens.str("access_token")); a.body["active"] != true || a.str("token_type") != "Bearer" || a.str("client_id") != client ||
		a.body["exp"] != float64(w.now.Add(time.Hour).Unix()) || a.str("sub") != w.alice.ID || a.str("aud") != origin+"/mcp" {
		t.Errorf("an access token: %v", a.body)
	}
	if a := ask(tokens.str("refresh_token")); a.body["active"] != true || a.str("token_type") != refreshGrant ||
		a.body["exp"] != float64(w.now.Add(24*time.Hour).Unix()) || a.str("scope") != "read" {
		t.Errorf("a refresh token: %v", a.body)
	}
	stranger := *w.caller.Member
	stranger.ID = store.NewID()
	mine := ask(tokens.str("access_token") + "x")
	w.caller.Member = &stranger
	for name, a := range map[string]answered{"an unknown token": mine, "another member's": ask(tokens.str("access_token"))} {
		if a.status != 200 || len(a.body) != 1 || a.body["active"] != false {
			t.Errorf("%s: %d %v", name, a.status, a.body)
		}
	}
}
