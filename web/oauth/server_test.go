package oauth

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/keyfile"
	"samepage/store/pgtest"
)

const (
	origin   = "https://page.example"
	landing  = "http://127.0.0.1:8123/callback"
	proof    = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // the code verifier of RFC 7636, appendix B
	proofSum = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" // its challenge
)

// world is an authorization server with a store, a clock and Alice, and fakes in place of the site.
type world struct {
	*Server
	t      testing.TB
	mux    *chi.Mux
	now    time.Time
	alice  *store.Member
	caller store.Actor   // actor of a request with credentials
	broken error         // error of looking up the actor; nil if that succeeds
	wait   time.Duration // time that a client must wait; zero if no limit is exceeded
	log    bytes.Buffer
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), mux: chi.NewMux()}
	where := t.TempDir()
	if pgtest.Given() != "" {
		where = pgtest.Database(t)
	}
	st, err := store.Open(t.Context(), where, store.Options{Clock: func() time.Time { return w.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := st.Write(t.Context(), func(tx *store.Tx) (err error) {
		_, w.alice, err = tx.CreateOrganization("acme", "Acme", "UTC",
			store.NewMember{Handle: "alice", Name: "Alice", Email: "alice@acme.example", PasswordHash: "x"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	keys := keyfile.New()
	if err := st.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Instance("keys", func() []byte { return []byte(keys.Fingerprint()) })
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.Server = New(Config{Store: st, Keys: keys, Log: slog.New(slog.NewTextHandler(&w.log, nil)),
		Origin: func(*http.Request) string { return origin },
		Wait:   func(*http.Request) time.Duration { return w.wait },
		Caller: func(r *http.Request) func(tx *store.Tx) (store.Actor, error) {
			return func(*store.Tx) (store.Actor, error) {
				if r.Header.Get("Authorization") == "" {
					return store.Actor{}, store.Errorf(store.Unauthenticated, "Sign in.")
				}
				return w.caller, w.broken
			}
		}})
	w.Mount(w.mux)
	return w
}

type answered struct {
	status int
	header http.Header
	body   map[string]any
}

func (a answered) str(key string) string { s, _ := a.body[key].(string); return s }

// send sends a request with a body of a media type.
func (w *world) send(method, path, media, body string, header ...string) answered {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.mux.ServeHTTP(rec, r)
	a := answered{status: rec.Code, header: rec.Header()}
	if rec.Body.Len() > 0 {
		if err := json.Unmarshal(rec.Body.Bytes(), &a.body); err != nil {
			w.t.Fatalf("%s %s: %s: %v", method, path, rec.Body, err)
		}
	}
	return a
}

const formMedia = "application/x-www-form-urlencoded"

// post sends a form. Pairs of names and values follow the path; a later value replaces an earlier one, and an empty one
// leaves the name out.
func (w *world) post(path string, pairs ...string) answered {
	w.t.Helper()
	return w.send(http.MethodPost, path, formMedia, formOf(pairs))
}

func formOf(pairs []string) string {
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			form.Del(pairs[i])
		}
	}
	return form.Encode()
}

// refused checks the code of an OAuth error and its status (RFC 6749, section 5.2).
func (w *world) refused(a answered, status int, code string) {
	w.t.Helper()
	if a.status != status || a.str("error") != code || a.header.Get("Cache-Control") != "no-store" {
		w.t.Errorf("answered %d %v, want %d %s", a.status, a.body, status, code)
	}
}

// register registers a client and returns its ID.
func (w *world) register(redirects ...string) string {
	w.t.Helper()
	text, _ := json.Marshal(map[string]any{"client_name": "Robot", "redirect_uris": redirects})
	a := w.send(http.MethodPost, RegisterPath, "application/json", string(text))
	if a.status != http.StatusCreated || a.str("client_id") == "" {
		w.t.Fatalf("registered: %d %v", a.status, a.body)
	}
	return a.str("client_id")
}

// grant has Alice grant a client access for a day, and returns the code.
func (w *world) grant(client string, scopes ...store.Scope) string {
	w.t.Helper()
	sum := sha256.Sum256([]byte(proof))
	if got := base64.RawURLEncoding.EncodeToString(sum[:]); got != proofSum {
		w.t.Fatalf("the challenge is %s", got)
	}
	var code string
	if err := w.Store.Write(w.t.Context(), func(tx *store.Tx) error {
		c, err := credential.FindClient(tx, client)
		if err != nil {
			return err
		}
		_, code, err = credential.GrantAccess(tx, w.alice, credential.Consent{Client: c, Redirect: landing,
			Host: "127.0.0.1", Challenge: proofSum, Grant: store.Grant{Label: "Robot", Scopes: scopes,
				Expires: store.At(w.now.Add(24 * time.Hour))}})
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	return code
}

// redeem exchanges a code for tokens. The pairs of names and values replace parameters of a valid request.
func (w *world) redeem(client, code string, pairs ...string) answered {
	w.t.Helper()
	return w.post(tokenPath, append([]string{"grant_type", codeGrant, "client_id", client, "code", code,
		"code_verifier", proof, "redirect_uri", landing}, pairs...)...)
}

func (w *world) refresh(client, token string, pairs ...string) answered {
	w.t.Helper()
	return w.post(tokenPath, append([]string{"grant_type", refreshGrant, "client_id", client, "refresh_token", token},
		pairs...)...)
}

// works reports whether an access token is accepted, and returns its agent.
func (w *world) works(token string) (by store.Actor, ok bool) {
	w.t.Helper()
	access, err := w.Verify(httptest.NewRequestWithContext(w.t.Context(), http.MethodGet, "/", nil), token)
	if err != nil {
		return by, false
	}
	err = w.Store.Read(w.t.Context(), func(tx *store.Tx) (err error) {
		by, err = access.Actor(tx)
		return err
	})
	return by, err == nil
}
