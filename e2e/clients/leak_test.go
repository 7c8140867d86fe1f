package clients

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"samepage/store/pgtest"
)

// secretive matches every secret of the product. Tokens, codes and refresh tokens have a prefix, and signed access
// tokens have the form of a JWT.
var secretive = regexp.MustCompile(`\bsp_(?:[a-z]_)?[0-9a-zA-Z]{20,}|\beyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}`)

// record collects a server's output.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	os.Stderr.Write(p)
	return r.b.Write(p)
}

func (r *record) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.b.Bytes())
}

// keepsSecrets fails the test if a used secret is in the server's log, in its database, or in another file of its
// folder. The server must have stopped.
func (w *world) keepsSecrets(log *record) {
	w.t.Helper()
	w.keepsFrom("the log", log.bytes())
	if w.data == "" {
		var rows bytes.Buffer
		if err := pgtest.Dump(strings.TrimPrefix(w.at, "SAMEPAGE_DATABASE="), &rows); err != nil || rows.Len() == 0 {
			w.t.Errorf("%d bytes of the database were read: %v", rows.Len(), err)
		}
		w.keepsFrom("the database", rows.Bytes())
		return
	}
	err := filepath.WalkDir(w.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		w.keepsFrom(path, data)
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

func (w *world) keepsFrom(where string, data []byte) {
	w.t.Helper()
	if found := secretive.Find(data); found != nil {
		w.t.Errorf("%s has a secret that begins with %.6s", where, found)
	}
	var secrets []string
	for _, l := range w.demo.Logins {
		secrets = append(secrets, l.Password)
	}
	for _, t := range w.demo.Tokens {
		secrets = append(secrets, t.Token)
	}
	for _, s := range append(secrets, w.secrets...) {
		if s != "" && bytes.Contains(data, []byte(s)) {
			w.t.Errorf("%s has a secret in it that begins with %.6s", where, s)
		}
	}
}

var linked = regexp.MustCompile(`(?:\]\(|href=")(/[^)"#]*|http://127[^)"#]*)`)

// TestSecretsAreShownOnce signs in, makes a token, and reads all pages as a person and as an agent.
// No page and no address may contain a secret, except that the token is shown once after it was
// made.
func TestSecretsAreShownOnce(t *testing.T) {
	t.Parallel()
	w := unserved(t)
	w.serve()
	who := w.demo.Logins[0]
	client := &http.Client{
		Timeout:       30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.PostForm(w.url+"/login", url.Values{"email": {who.Email}, "password": {who.Password}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	cookie, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	if resp.StatusCode != http.StatusSeeOther || cookie == "" {
		t.Fatalf("signing in: %d", resp.StatusCode)
	}
	_, secret, _ := strings.Cut(cookie, "=")
	w.secrets = append(w.secrets, secret, w.newToken("alice", "Passer-by"))
	req, _ := http.NewRequest(http.MethodPost, w.url+"/settings/tokens/actions/create_token",
		strings.NewReader(`{"params": {"label": "Made here", "scopes": ["read"]}, "idempotency_key": "once"}`))
	req.Header = http.Header{"Cookie": {cookie}, "Content-Type": {"application/json"}}
	if resp, err = client.Do(req); err != nil {
		t.Fatal(err)
	}
	var made struct{ Secret string }
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil || made.Secret == "" {
		t.Fatalf("making a token: %d %v", resp.StatusCode, err)
	}
	resp.Body.Close()
	w.secrets = append(w.secrets, made.Secret)
	pages := 0
	for form, header := range map[string]http.Header{"text/html": {"Cookie": {cookie}, "Accept": {"text/html"}},
		"text/markdown": {"Authorization": {"Bearer " + w.token("Scribe")}, "Accept": {"text/markdown"}}} {
		queue, seen := []string{"/"}, map[string]bool{"/": true}
		for len(queue) > 0 && len(seen) < 1500 {
			path := queue[0]
			queue = queue[1:]
			g := w.ask(path, header)
			pages++
			// The demo's password is public, so it is removed from the text first.
			w.keepsFrom(form+" of "+path, []byte(strings.ReplaceAll(g.body, who.Password, "")))
			for _, m := range linked.FindAllStringSubmatch(g.body, -1) {
				next := strings.TrimPrefix(strings.ReplaceAll(m[1], "&amp;", "&"), w.url)
				if strings.HasPrefix(next, "/") && !seen[next] &&
					!strings.Contains(next, "/download") && !strings.HasPrefix(next, "/static") {
					w.keepsFrom("an address", []byte(next))
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
	}
	if pages < 300 {
		t.Errorf("only %d pages were read", pages)
	}
	t.Logf("%d pages read", pages)
}
