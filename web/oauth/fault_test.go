package oauth

import (
	"crypto/ed25519"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/keyfile"
)

// lose renames a table, so that every statement on it fails.
func (w *world) lose(table string) {
	w.t.Helper()
	if err := w.Store.Write(w.t.Context(), func(tx *store.Tx) error {
		return tx.Exec("ALTER TABLE " + table + " RENAME TO lost")
	}); err != nil {
		w.t.Fatal(err)
	}
}

// TestServerFaults checks that a fault of the server is answered as a server error. A client that is told that its
// grant is invalid would discard the grant.
func TestServerFaults(t *testing.T) {
	for name, ask := range map[string]func(w *world, client, code string) answered{
		"a code": func(w *world, client, code string) answered {
			w.lose("oauth_grants")
			return w.redeem(client, code)
		},
		"a code that is used twice": func(w *world, client, code string) answered {
			w.redeem(client, code)
			w.lose("agents")
			return w.redeem(client, code)
		},
		"a grant that ends another": func(w *world, client, code string) answered {
			w.redeem(client, w.grant(client, store.ScopeRead))
			w.lose("journal")
			return w.redeem(client, code)
		},
		"a grant that is given back": func(w *world, client, code string) answered {
			token := w.redeem(client, code).str("access_token")
			w.lose("journal")
			a := w.post(revokePath, "client_id", client, "token", token)
			if _, ok := w.works(token); !ok {
				w.t.Error("it ended, and the journal does not say so")
			}
			return a
		},
		"a client": func(w *world, _, _ string) answered {
			w.lose("oauth_clients")
			return w.send(http.MethodPost, RegisterPath, "application/json", `{"redirect_uris":["`+landing+`"]}`)
		},
		"credentials": func(w *world, client, code string) answered {
			token := w.redeem(client, code).str("access_token")
			w.broken = errors.New("the site is broken")
			return w.send(http.MethodPost, introspectPath, formMedia, formOf([]string{"token", token}),
				"Authorization", "Bearer x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			client := w.register(landing)
			w.refused(ask(w, client, w.grant(client, store.ScopeRead)), 500, "server_error")
		})
	}
	w := newWorld(t)
	w.broken = store.Missing()
	w.refused(w.send(http.MethodPost, introspectPath, formMedia, "token=x", "Authorization", "Bearer x"), 401,
		invalidToken)
}

// TestForeignKeys checks that a node with other keys than the database cannot create a signing key, and cannot sign.
func TestForeignKeys(t *testing.T) {
	w := newWorld(t)
	client, own := w.register(landing), w.Keys
	w.Keys = keyfile.New()
	early := w.redeem(client, w.grant(client, store.ScopeRead))
	w.refused(early, http.StatusServiceUnavailable, temporarilyUnavailable)
	w.Keys = own
	if a := w.redeem(client, w.grant(client, store.ScopeRead)); a.status != 200 {
		t.Errorf("the keys of the database: %d %v", a.status, a.body)
	}
	w.Keys = keyfile.New()
	w.refused(w.redeem(client, w.grant(client, store.ScopeRead)), 500, "server_error")
	if !strings.Contains(w.log.String(), "sealed with other keys") {
		t.Errorf("the log says %s", w.log.String())
	}
}

// TestDamagedKeys checks that a signing key must be an elliptic curve key that this node can decrypt. While any of the
// keys is not, no token can be checked.
func TestDamagedKeys(t *testing.T) {
	w := newForger(t)
	_, other, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(other)
	if err != nil {
		t.Fatal(err)
	}
	seal := func(text []byte) credential.SigningKey {
		return credential.SigningKey{ID: "k", Sealed: w.Keys.Seal(keyPurpose, "k", text)}
	}
	foreign := seal(der)
	foreign.ID = "other"
	for want, k := range map[string]credential.SigningKey{
		"other keys than those of this node": foreign, "signing key k: asn1": seal([]byte("x")),
		"not an elliptic curve key": seal(der),
	} {
		if got, err := parseKey(w.Keys, k); err == nil || !strings.Contains(err.Error(), want) || got.private != nil {
			t.Errorf("read as %+v: %v, want %q", got.SigningKey, err, want)
		}
	}
	next := seal(der)
	next.MadeAt, next.SignsAt = store.At(w.now), store.At(w.now.Add(time.Hour))
	if err := w.Store.Write(t.Context(), func(tx *store.Tx) error {
		return credential.AddSigningKey(tx, next, store.At(w.now.Add(keyNotice)))
	}); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(keysFresh)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if _, err := w.Verify(r, w.real); !errors.Is(err, ErrUnchecked) {
		t.Errorf("beside a key that cannot be read: %v", err)
	}
}
