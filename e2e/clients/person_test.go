package clients

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3" // to change deadlines directly in the database
)

// person is a member who signs in over HTTP, without a browser.
type person struct {
	w      *world
	name   string
	header http.Header
}

// signIn signs a person of the demo in.
func (w *world) signIn(name string) *person {
	w.t.Helper()
	email, password := w.as(name)
	client := &http.Client{Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.PostForm(w.url+"/login", url.Values{"email": {email}, "password": {password}})
	if err != nil {
		w.t.Fatal(err)
	}
	resp.Body.Close()
	cookie, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	_, secret, _ := strings.Cut(cookie, "=")
	if resp.StatusCode != http.StatusSeeOther || secret == "" {
		w.t.Fatalf("%s does not sign in: %d", name, resp.StatusCode)
	}
	w.secrets = append(w.secrets, secret)
	return &person{w, name, http.Header{"Cookie": {cookie}}}
}

// done is the JSON answer to an action.
type done struct{ Message, URL, Secret string }

// tries takes an action. It returns the status, the answer, and the answer's text.
func (p *person) tries(page, action string, params map[string]any) (status int, answer done, text string) {
	p.w.t.Helper()
	body, err := json.Marshal(map[string]any{"params": params})
	if err != nil {
		p.w.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.w.t.Context(), http.MethodPost, p.w.url+page+"/actions/"+action,
		bytes.NewReader(body))
	if err != nil {
		p.w.t.Fatal(err)
	}
	req.Header = p.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.w.t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		p.w.t.Fatal(err)
	}
	_ = json.Unmarshal(said, &answer) // an error has none of these fields, so the answer stays empty
	return resp.StatusCode, answer, string(said)
}

// does takes an action, which must succeed, and returns the answer.
func (p *person) does(page, action string, params map[string]any) done {
	p.w.t.Helper()
	status, answer, text := p.tries(page, action, params)
	if status != http.StatusOK {
		p.w.t.Fatalf("@%s: %s on %s is answered with %d: %s", p.name, action, page, status, text)
	}
	return answer
}

// reads returns a page in a media type, such as "text/markdown".
func (p *person) reads(page, form string) string {
	p.w.t.Helper()
	header := p.header.Clone()
	header.Set("Accept", form)
	return p.w.ask(page, header).body
}

// governs creates a token with which an agent takes part in topics and elections. The actions in asks need approval.
func (w *world) governs(member, label string, asks ...string) string {
	w.t.Helper()
	args := []string{"token", "create", "--member", member, "--label", label, "--scopes", "read,write,governance"}
	for _, a := range asks {
		args = append(args, "--asks", a)
	}
	secret := strings.TrimSpace(w.run(args...))
	w.secrets = append(w.secrets, secret)
	return secret
}

// passes moves the deadline of an item into the past.
func (w *world) passes(item string) {
	w.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(w.data, "samepage.db")+"?_busy_timeout=10000")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	result, err := db.ExecContext(w.t.Context(), `UPDATE items SET due_at = ? WHERE id = ? AND due_at > 0`,
		time.Now().Add(-time.Second).UnixMilli(), item[strings.LastIndexByte(item, '/')+1:])
	if err != nil {
		w.t.Fatal(err)
	}
	if n, err := result.RowsAffected(); n != 1 || err != nil {
		w.t.Fatalf("%s has no deadline: %d, %v", item, n, err)
	}
}
