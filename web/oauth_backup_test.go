package web_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jmoiron/sqlx"

	"samepage/store"
	"samepage/store/archive"
	"samepage/store/credential"
	"samepage/store/keyfile"
	"samepage/store/pgtest"
	"samepage/web"
	"samepage/web/webtest"
)

// stolen is the content of a backup in the hands of a thief.
type stolen struct {
	ids     []string            // IDs of signing keys
	private []*ecdsa.PrivateKey // every cell that can be read as a private key
	cells   int
}

// steal reads every cell of every table of a backup.
func steal(t *testing.T, path string) (s stolen) {
	t.Helper()
	db, err := sqlx.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var tables []string
	if err := db.Select(&tables, `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'`); err != nil {
		t.Fatal(err)
	}
	if err := db.Select(&s.ids, `SELECT id FROM oauth_keys`); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		rows, err := db.Queryx(`SELECT * FROM ` + table)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			cells, err := rows.SliceScan()
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cells {
				s.cells++
				s.private = append(s.private, privateKeys(c)...)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// privateKeys returns the private keys that a cell contains, in the encodings PKCS #8 and SEC 1 or as raw bytes.
func privateKeys(cell any) (list []*ecdsa.PrivateKey) {
	var data []byte
	switch v := cell.(type) {
	case []byte:
		data = v
	case string:
		data = []byte(v)
	}
	if k, err := x509.ParsePKCS8PrivateKey(data); err == nil {
		if k, ok := k.(*ecdsa.PrivateKey); ok {
			list = append(list, k)
		}
	}
	if k, err := x509.ParseECPrivateKey(data); err == nil {
		list = append(list, k)
	}
	if k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), data); err == nil {
		list = append(list, k)
	}
	return list
}

// forge signs Alice's token again with every private key found, under the ID of every signing key.
func (s stolen) forge(f *tokenForger) (tokens []string) {
	for _, id := range s.ids {
		for _, k := range s.private {
			tokens = append(tokens, f.make(func(fake *forgery) {
				fake.header, fake.key, fake.method = map[string]any{"typ": "at+jwt", "kid": id}, k, jwt.SigningMethodES256
				fake.claims = maps.Clone(fake.claims)
				fake.claims["jti"] = "stolen"
			}))
		}
	}
	return tokens
}

// TestStolenBackup checks that nothing in a backup can sign a token. A backup with the key file restores the keys.
func TestStolenBackup(t *testing.T) {
	slow(t)
	pgtest.Folder(t, "pg_dump makes the backups of a server, and the keys are in no table")
	f := newTokenForger(t)
	dir := t.TempDir()
	plain, whole := filepath.Join(dir, "plain"), filepath.Join(dir, "whole")
	if _, err := archive.Backup(t.Context(), f.w.Store, plain, nil); err != nil {
		t.Fatal(err)
	}
	loot := steal(t, plain)
	if len(loot.ids) == 0 || loot.cells < 1000 {
		t.Fatalf("the thief read %d cells and %d ids of keys", loot.cells, len(loot.ids))
	}
	for _, token := range loot.forge(f) {
		if r := f.p.reads(token); r.Status != http.StatusUnauthorized {
			t.Errorf("a token made from a backup is answered: %d", r.Status)
		}
	}
	if text, err := os.ReadFile(plain); err != nil || strings.Contains(string(text), "samepage-keys-1") {
		t.Errorf("the backup has the keys: %v", err)
	}
	keys, err := keyfile.Read(f.w.Store.KeysFile())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Backup(t.Context(), f.w.Store, whole, keys); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "restored")
	if _, err := archive.Restore(t.Context(), whole, folder); err != nil {
		t.Fatal(err)
	}
	if brought, err := archive.RestoreKeys(t.Context(), whole, filepath.Join(folder, keyfile.Name)); !brought || err != nil {
		t.Fatalf("%t %v", brought, err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, store.FileName)); err != nil ||
		strings.Contains(string(text), "samepage-keys-1") {
		t.Errorf("the restored database has the keys: %v", err)
	}
	p := *f.p
	p.w = f.w.On(folder)
	if r := p.reads(f.real); r.Status != http.StatusOK {
		t.Errorf("restored with its keys, the token is refused: %d", r.Status)
	}
}

// TestRestoredWithoutKeys checks that a server does not start on a database without its keys. After the command
// samepage keys replace, only the access tokens are no longer valid, as that command says.
func TestRestoredWithoutKeys(t *testing.T) {
	pgtest.Folder(t, "pg_restore puts a server's backup back")
	w := webtest.New(t)
	p := newProgram(t, w)
	had := p.tokens("alice", "read write")
	backup, folder := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "restored")
	if _, err := archive.Backup(t.Context(), w.Store, backup, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Restore(t.Context(), backup, folder); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), folder, store.Options{Clock: w.Clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	// First there is no file of keys, and then there is the file of another installation.
	for _, there := range []*keyfile.Keys{nil, keyfile.New()} {
		if there != nil {
			if err := there.Install(st.KeysFile()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := web.New(t.Context(), st, web.Config{}); store.CodeOf(err) != store.Unavailable ||
			!strings.Contains(err.Error(), "samepage keys replace") {
			t.Fatalf("without its keys it starts: %v", err)
		}
	}
	if _, err := credential.ReplaceKeys(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	n := w.On(folder)
	q := *p
	q.w = n
	if r := q.reads(had.Access); r.Status != http.StatusUnauthorized {
		t.Errorf("an access token of the former keys: %d", r.Status)
	}
	renewed, r := q.ask(q.renewal(had.Refresh))
	if r.Status != http.StatusOK || q.reads(renewed.Access).Status != http.StatusOK {
		t.Errorf("the client does not renew its token: %d %s", r.Status, r.Body)
	}
	for what, path := range map[string]string{"an invitation": w.Invitation("acme link"), "a preview": w.Link("link to standups")} {
		then, now := w.As("anonymous").Get(path, "text/html"), n.As("anonymous").Get(path, "text/html")
		if now.Status != http.StatusOK || then.Body != now.Body {
			t.Errorf("%s has changed: %d, then %d", what, then.Status, now.Status)
		}
	}
	if r := n.As("alice").Get("/settings/account", "text/html"); r.Status != http.StatusOK {
		t.Errorf("Alice's login: %d", r.Status)
	}
	if r := n.As("scribe").Get("/studios/team", "text/markdown"); r.Status != http.StatusOK {
		t.Errorf("a token made by hand: %d", r.Status)
	}
	vote := w.URL("open anonymous")
	if r := n.As("scribe").PostJSON(vote, "retract_vote", map[string]any{"receipt": w.Receipt(vote)}); r.Status != http.StatusOK {
		t.Errorf("the receipt of an anonymous ballot: %d %s", r.Status, r.Body)
	}
}
