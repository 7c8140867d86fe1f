package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// TestCodeOnce redeems a code a hundred times at the same time. One request gets tokens. The other requests could be
// those of a thief, so the tokens are revoked.
func TestCodeOnce(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	code := p.code("alice", "read write")
	got := inParallel(100, func(int) (tokens, *webtest.Response) { return p.ask(p.redemption(code)) })
	var won []tokens
	for _, g := range got {
		switch {
		case g.response.Status == http.StatusOK:
			won = append(won, g.tokens)
		case g.response.Status != http.StatusBadRequest || g.tokens.Error != "invalid_grant":
			t.Fatalf("%d %s", g.response.Status, g.response.Body)
		}
	}
	if len(won) != 1 {
		t.Fatalf("%d redeemed the code", len(won))
	}
	if r := p.reads(won[0].Access); r.Status != http.StatusUnauthorized {
		t.Errorf("after the code was redeemed twice its token still works: %d", r.Status)
	}
	if again, r := p.ask(p.renewal(won[0].Refresh)); r.Status != http.StatusBadRequest ||
		again.Error != "invalid_grant" {
		t.Errorf("and so does its refresh token: %d %s", r.Status, r.Body)
	}
	if journal := w.As("alice").Get("/orgs/acme/journal?full=1", "text/markdown").Body; !strings.Contains(journal,
		"revoke_token") && !strings.Contains(journal, "Revoke a token") &&
		!strings.Contains(journal, "redeemed twice") {
		t.Error("the journal does not say why")
	}
}

type reply struct {
	tokens   tokens
	response *webtest.Response
}

// inParallel calls ask n times at the same time.
func inParallel(n int, ask func(i int) (tokens, *webtest.Response)) []reply {
	list := make([]reply, n)
	var begin, done sync.WaitGroup
	begin.Add(1)
	for i := range n {
		done.Go(func() {
			begin.Wait()
			list[i].tokens, list[i].response = ask(i)
		})
	}
	begin.Done()
	done.Wait()
	return list
}

// TestRefresh uses a refresh token fifty times at the same time. All requests get the same, valid successor. A use of
// the old token after the grace period ends the grant.
func TestRefresh(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	first := p.tokens("alice", "read write")
	got := inParallel(50, func(int) (tokens, *webtest.Response) { return p.ask(p.renewal(first.Refresh)) })
	successor := got[0].tokens.Refresh
	for _, g := range got {
		if g.response.Status != http.StatusOK || g.tokens.Refresh != successor || successor == first.Refresh {
			t.Fatalf("%d %s, not the successor %s", g.response.Status, g.response.Body, successor)
		}
	}
	if n := len(w.Rows("oauth_refreshes")); n != 2 {
		t.Fatalf("%d refresh tokens", n)
	}
	w.Clock.Advance(credential.RefreshGrace)
	if again, _ := p.ask(p.renewal(first.Refresh)); again.Refresh != successor {
		t.Error("at the end of the grace it is another")
	}
	third, _ := p.ask(p.renewal(successor))
	if r := p.reads(third.Access); third.Refresh == "" || r.Status != http.StatusOK {
		t.Fatalf("the successor does not go on: %v", third)
	}
	w.Clock.Advance(time.Millisecond)
	if again, r := p.ask(p.renewal(first.Refresh)); r.Status != http.StatusBadRequest ||
		again.Error != "invalid_grant" {
		t.Errorf("after the grace: %d %s", r.Status, r.Body)
	}
	for name, r := range map[string]*webtest.Response{"the access token": p.reads(third.Access),
		"the first": p.reads(first.Access)} {
		if r.Status != http.StatusUnauthorized {
			t.Errorf("%s outlives its family: %d", name, r.Status)
		}
	}
	for _, refresh := range []string{successor, third.Refresh} {
		if again, r := p.ask(p.renewal(refresh)); r.Status != http.StatusBadRequest || again.Error != "invalid_grant" {
			t.Errorf("a refresh token outlives its family: %d %s", r.Status, r.Body)
		}
	}
}

// TestGrantEnds checks that a grant ends at the time that the member chose, however often it is refreshed. No access
// token lives longer than the grant.
func TestGrantEnds(t *testing.T) {
	slow(t)
	w := webtest.New(t)
	p := newProgram(t, w)
	got := p.tokens("alice", "read") // the grant lasts seven days
	for range 7*24 - 1 {
		w.Clock.Advance(time.Hour)
		if r := p.reads(got.Access); r.Status != http.StatusUnauthorized {
			t.Fatal("an access token lives longer than an hour")
		}
		var r *webtest.Response
		if got, r = p.ask(p.renewal(got.Refresh)); r.Status != http.StatusOK {
			t.Fatal(r.Status, r.Body)
		}
	}
	w.Clock.Advance(30 * time.Minute)
	got, _ = p.ask(p.renewal(got.Refresh))
	if got.ExpiresIn != 1800 || p.reads(got.Access).Status != http.StatusOK {
		t.Fatalf("half an hour before the end: %v", got)
	}
	w.Clock.Advance(30 * time.Minute)
	if r := p.reads(got.Access); r.Status != http.StatusUnauthorized {
		t.Errorf("at the end: %d", r.Status)
	}
	if got, r := p.ask(p.renewal(got.Refresh)); r.Status != http.StatusBadRequest || got.Error != "invalid_grant" {
		t.Errorf("at the end: %d %s", r.Status, r.Body)
	}
}

// TestUnredeemed checks that a code that is not redeemed within a minute leaves no grant.
func TestUnredeemed(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	code := p.code("alice", "read")
	w.Clock.Advance(credential.CodeLife)
	if got, r := p.ask(p.redemption(code)); r.Status != http.StatusBadRequest || got.Error != "invalid_grant" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if page := w.As("alice").Get("/settings/tokens", "text/markdown").Body; strings.Contains(page, "Robbie") {
		t.Errorf("the grant stands:\n%s", page)
	}
}

// TestWrongRedemptions checks that wrong requests to redeem a code are refused and leave the code usable.
func TestWrongRedemptions(t *testing.T) {
	w := webtest.New(t)
	p, other := newProgram(t, w), newProgram(t, w)
	code := p.code("alice", "read")
	for name, c := range map[string]struct {
		spoil func(url.Values)
		want  string
	}{
		"no grant type":      {func(f url.Values) { f.Del("grant_type") }, "invalid_request"},
		"another grant type": {func(f url.Values) { f.Set("grant_type", "password") }, "unsupported_grant_type"},
		"client credentials": {func(f url.Values) { f.Set("grant_type", "client_credentials") },
			"unsupported_grant_type"},
		"no client":      {func(f url.Values) { f.Del("client_id") }, "invalid_client"},
		"a secret":       {func(f url.Values) { f.Set("client_secret", "x") }, "invalid_client"},
		"another client": {func(f url.Values) { f.Set("client_id", other.id) }, "invalid_grant"},
		"no code":        {func(f url.Values) { f.Del("code") }, "invalid_grant"},
		"another code": {func(f url.Values) { f.Set("code", "sp_c_"+strings.Repeat("x", 43)) },
			"invalid_grant"},
		"a code in another case": {func(f url.Values) { f.Set("code", strings.ToUpper(code)) }, "invalid_grant"},
		"no verifier":            {func(f url.Values) { f.Del("code_verifier") }, "invalid_request"},
		"a short verifier":       {func(f url.Values) { f.Set("code_verifier", "short") }, "invalid_request"},
		"another verifier": {func(f url.Values) { f.Set("code_verifier", strings.Repeat("other----", 5)) },
			"invalid_grant"},
		"the challenge": {func(f url.Values) {
			f.Set("code_verifier", p.question("read").Get("code_challenge"))
		}, "invalid_grant"},
		"a verifier with a space": {func(f url.Values) { f.Set("code_verifier", p.verifier+" ") }, "invalid_request"},
		"another redirect": {func(f url.Values) { f.Set("redirect_uri", "http://127.0.0.1:7778/callback") },
			"invalid_grant"},
		"another resource": {func(f url.Values) { f.Set("resource", webtest.Origin) }, "invalid_target"},
		"two resources": {func(f url.Values) { f.Add("resource", "https://elsewhere.example/mcp") },
			"invalid_target"},
		"two codes":             {func(f url.Values) { f.Add("code", code) }, "invalid_request"},
		"two clients":           {func(f url.Values) { f.Add("client_id", p.id) }, "invalid_request"},
		"more than was granted": {func(f url.Values) { f.Set("scope", "read write") }, "invalid_scope"},
		"a refresh token as code": {func(f url.Values) {
			f.Set("grant_type", "refresh_token")
			f.Set("refresh_token", code)
		}, "invalid_grant"},
		"an access token refreshed": {func(f url.Values) {
			f.Set("grant_type", "refresh_token")
			f.Set("refresh_token", w.Token("scribe"))
		}, "invalid_grant"},
	} {
		form := p.redemption(code)
		c.spoil(form)
		got, r := p.ask(form)
		status := map[string]int{"invalid_client": 401}[c.want]
		if status == 0 {
			status = 400
		}
		if r.Status != status || got.Error != c.want || got.Access != "" || got.ErrorDescription == "" {
			t.Errorf("%s: %d %s, not %s", name, r.Status, r.Body, c.want)
		}
	}
	for name, r := range map[string]*webtest.Response{
		"in the address": requestBody(w.As("anonymous"), "POST", "/oauth/token?"+p.redemption(code).Encode(),
			"", formMedia),
		"as JSON": requestBody(w.As("anonymous"), "POST", "/oauth/token",
			`{"grant_type":"authorization_code"}`, jsonMedia),
		"from elsewhere": post(w, "/oauth/token", p.redemption(code), "Origin: https://elsewhere.example",
			"Sec-Fetch-Site: cross-site"),
		"with GET": request(w.As("anonymous"), "GET", "/oauth/token?"+p.redemption(code).Encode()),
		"too long": post(w, "/oauth/token", url.Values{"code": {strings.Repeat("x", 20<<10)}}),
	} {
		if r.Status < 300 || strings.Contains(r.Body, "access_token") {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	// The header has an empty password, as some libraries send it, and the scope is narrower than the grant.
	form := p.redemption(code)
	form.Del("client_id")
	form.Set("scope", "read")
	r := post(w, "/oauth/token", form, "Authorization: Basic "+basic(p.id, ""))
	if r.Status != http.StatusOK {
		t.Errorf("the code was spent: %d %s", r.Status, r.Body)
	}
}

// TestNarrowing checks that a token may have fewer scopes than the grant, and never more.
func TestNarrowing(t *testing.T) {
	w := webtest.New(t)
	p := newProgram(t, w)
	got := p.tokens("alice", "read write governance")
	if got.Scope != "read write governance" {
		t.Fatal(got.Scope)
	}
	form := p.renewal(got.Refresh)
	form.Set("scope", "read")
	narrow, _ := p.ask(form)
	comment := func(token string) int {
		return requestBody(w.As("anonymous"), "POST", w.URL("standups")+"/actions/comment",
			`{"params":{"text":"Hello"}}`, jsonMedia, "Authorization: Bearer "+token).Status
	}
	if narrow.Scope != "read" || comment(narrow.Access) != http.StatusForbidden ||
		comment(got.Access) != http.StatusOK {
		t.Errorf("narrowed to %q, it comments: %d", narrow.Scope, comment(narrow.Access))
	}
	// Both tokens read the same page, but the page offers them different actions.
	etag := func(token string) string {
		return request(w.As("anonymous"), "GET", w.URL("standups"), "Accept: text/markdown",
			"Authorization: Bearer "+token).Header.Get("Etag")
	}
	if etag(narrow.Access) == etag(got.Access) || etag(got.Access) == "" {
		t.Errorf("with fewer scopes the page has the same ETag %s", etag(got.Access))
	}
	wide, _ := p.ask(p.renewal(narrow.Refresh))
	if wide.Scope != "read write governance" || comment(wide.Access) != http.StatusOK {
		t.Errorf("the next one has %q", wide.Scope)
	}
	// The person leaves out some of the requested scopes.
	said, _ := p.answer("alice", p.question("read write governance"),
		url.Values{"it_may": {"governance"}, "label": {"Robbie"}, "lasts": {"30"}})
	less, _ := p.ask(p.redemption(said.Get("code")))
	if less.Scope != "read governance" || comment(less.Access) != http.StatusForbidden {
		t.Errorf("allowed to govern alone, it has %q", less.Scope)
	}
	// The person cannot give more than was requested.
	if said, r := p.answer("alice", p.question("read"), url.Values{"it_may": {"write"}, "label": {"Robbie"},
		"lasts": {"30"}}); r.Status != http.StatusUnprocessableEntity || said != nil {
		t.Errorf("more than asked for: %d %v", r.Status, said)
	}
}

// TestFilesWithStaleKeys downloads a file with a signed token while one connection to the database is left. The
// download succeeds, because the server reads the keys for signed tokens before the transaction of a file begins.
// If a download held two connections at once, downloads would wait for each other, until the deadline of the
// request.
func TestFilesWithStaleKeys(t *testing.T) {
	pgtest.Folder(t, "it knows the number of the connections to a folder")
	w := webtest.New(t)
	p := newProgram(t, w)
	access := p.tokens("alice", "read").Access
	file := filesOf(t, w, "talk")["Agenda.txt"]
	w.Clock.Advance(2 * time.Minute)
	var held, done sync.WaitGroup
	release := make(chan struct{})
	for range min(max(runtime.GOMAXPROCS(0), 2), 8) - 1 {
		held.Add(1)
		done.Go(func() {
			if err := w.Store.Read(t.Context(), func(*store.Tx) error {
				held.Done()
				<-release
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	held.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, "GET", webtest.Origin+file+"/download", nil)
	r.Header.Set("Authorization", "Bearer "+access)
	rec := httptest.NewRecorder()
	w.Site.ServeHTTP(rec, r)
	if rec.Code != http.StatusOK {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	close(release)
	done.Wait()
}
