//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"samepage/e2e/bench/world"
	"samepage/store"
	"samepage/store/governance"
)

// These are the version of PocketBase that is measured, and the credentials of its accounts.
const (
	peerModule  = "github.com/pocketbase/pocketbase"
	peerVersion = "v0.36.8"
	peerEmail   = "alice@acme.example"
	peerSecret  = "bench-password"
)

// These are the relations that a request to PocketBase expands for a decision's page. The product's page contains the
// results, which a client could count from the ballots.
const (
	withoutBallots = "author,options_via_decision,comments_via_decision.author"
	withBallots    = withoutBallots + ",ballots_via_decision"
)

// peer measures gate 11: the page of one decision, compared with the same content from PocketBase, a server with the
// same language and database. The comparison favours PocketBase: it has no other rows, an index on each relation, no
// log of requests, and an access rule that needs no query.
func (b *bench) peer(ctx context.Context) error {
	const measure = "PocketBase's for the same content"
	pocket, err := b.pocketBase(ctx)
	if err != nil {
		b.add(result{Gate: 11, Measure: "requests/s ÷ " + measure, Verdict: missing, Beside: err.Error()})
		return nil
	}
	defer b.end(pocket)
	content, err := readContent(ctx, b.large)
	if err != nil {
		return err
	}
	theirs, easier, err := fillPeer(ctx, pocket, content)
	if err != nil {
		return fmt.Errorf("fill PocketBase: %w", err)
	}
	server, err := b.serve(b.large.Folder)
	if err != nil {
		return err
	}
	defer b.end(server)
	ours := page("markdown", server, b.large, b.large.Small)
	sizes := [2]int{}
	if sizes[0], err = content.in(ours, fmt.Sprintf("%d of ", len(content.ballots))); err != nil {
		return err
	}
	if sizes[1], err = content.in(theirs, content.marks()...); err != nil {
		return err
	}
	c, err := b.compare(many(manyConns), ours, theirs, easier)
	if err != nil {
		return b.refuse(11, "requests/s ÷ "+measure, err)
	}
	rates := func(i int) float64 {
		return c.median(func(r *round) float64 { return r.own[0].rate() / r.own[i].rate() })
	}
	b.least(11, "requests/s ÷ "+measure, rates(1), 3.5, "", fmt.Sprintf(
		"%s, %d bytes; without the ballots %s", c.beside(0), sizes[0], short(rates(2))))
	b.most(11, "CPU per request ÷ "+measure, c.between(0, 1), 0.25, "", fmt.Sprintf(
		"PocketBase %s %s, %d bytes; without the ballots %s", peerVersion, c.beside(1), sizes[1], short(c.between(0, 2))))
	return nil
}

func (b *bench) pocketBase(ctx context.Context) (*process, error) {
	program := exec.CommandContext(ctx, "go", "install", peerModule+"/examples/base@"+peerVersion)
	program.Dir = b.folder
	program.Env = append(os.Environ(), "GOBIN="+b.folder, "GOFLAGS=")
	if out, err := program.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return nil, fmt.Errorf("%s cannot be had from the module proxy: %w: %s", peerModule, err, lines[len(lines)-1])
	}
	folder, base := filepath.Join(b.folder, "pocketbase"), filepath.Join(b.folder, "base")
	if out, err := exec.CommandContext(ctx, base, "superuser", "upsert", peerEmail, peerSecret,
		"--dir", folder).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("a superuser of PocketBase: %w\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0") // PocketBase does not report the port that it gets for port 0
	if err != nil {
		return nil, err
	}
	addr := free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, err
	}
	return b.keep(startWith(nil, "Server started at http://", base, "serve", "--http", addr, "--dir", folder,
		"--hooksWatch=false", "--automigrate=false"))
}

type content struct {
	decision *governance.Decision
	ballots  []governance.Ballot
	comments []store.Comment
}

// readContent reads the decision of gates 1 to 5. No server may have the world open.
func readContent(ctx context.Context, w *world.World) (*content, error) {
	st, err := store.Open(ctx, w.Folder, store.Options{})
	if err != nil {
		return nil, err
	}
	c := &content{}
	err = st.Read(ctx, func(tx *store.Tx) error {
		by, err := tx.ActorByToken(w.Token)
		if err != nil {
			return err
		}
		if c.decision, err = governance.FindDecision(tx, by, world.Studio, w.Small[strings.LastIndex(w.Small, "/")+1:]); err != nil {
			return err
		}
		page, err := governance.ShowDecision(tx, by, c.decision)
		if err != nil {
			return err
		}
		c.comments = page.Newest
		c.ballots, err = governance.Ballots(tx, c.decision, "", 1000)
		return err
	})
	return c, errors.Join(err, st.Close())
}

// marks returns the marks of each ballot as PocketBase's answers contain them.
func (c *content) marks() (list []string) {
	for _, ballot := range c.ballots {
		list = append(list, fmt.Sprintf(`"marks":%q`, ballot.Marks))
	}
	return list
}

// in sends one request of the target. It checks that the answer contains the title, author, options and comments of the
// decision, the comments by their first lines, and the given strings. It returns the length of the body in bytes.
func (c *content) in(t *target, voted ...string) (int, error) {
	conn, err := dial(t.server.addr)
	if err != nil {
		return 0, err
	}
	defer conn.close()
	a, err := t.ask(conn, 0)
	if err != nil {
		return 0, err
	}
	body := unchunked(a)
	must := append(voted, c.decision.Title, c.decision.Member)
	for _, o := range c.decision.Choice {
		must = append(must, o.Title)
	}
	for _, remark := range c.comments {
		line, _, _ := strings.Cut(remark.Text, "\n")
		must = append(must, line, remark.Member)
	}
	for _, text := range must {
		if !bytes.Contains(body, []byte(text)) {
			return 0, fmt.Errorf("%s: the answer lacks %q:\n%s", t.name, text, body)
		}
	}
	if len(c.ballots) == 0 || len(c.comments) == 0 {
		return 0, errors.New("the measured decision has no ballots or no comments")
	}
	return len(body), nil
}

// pocket is a client for the API of a PocketBase.
type pocket struct {
	ctx   context.Context
	url   string
	token string
}

type fields map[string]any

// call sends a request with a JSON body. An error status is an error.
func (p *pocket) call(method, path string, body fields) (fields, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(p.ctx, method, p.url+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", p.token)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	got, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", method, path, a.Status, got)
	}
	if err != nil {
		return nil, err
	}
	out := fields{}
	return out, json.Unmarshal(got, &out)
}

// login signs in to an auth collection, such as "_superusers" or "people".
func (p *pocket) login(collection string) error {
	a, err := p.call("POST", "/api/collections/"+collection+"/auth-with-password",
		fields{"identity": peerEmail, "password": peerSecret})
	if err == nil {
		p.token = fmt.Sprint(a["token"])
	}
	return err
}

// make creates a record, or a collection if the path is empty, and returns its id.
func (p *pocket) make(path string, body fields) (string, error) {
	a, err := p.call("POST", "/api/collections"+path, body)
	return fmt.Sprint(a["id"]), err
}

// collection creates a collection that every signed-in account may read, and returns its id. The map relations has the
// id of the collection to which each relation field refers.
func (p *pocket) collection(name, kind string, texts []string, relations map[string]string) (string, error) {
	rule := "@request.auth.id != ''"
	made := []fields{{"name": "created", "type": "autodate", "onCreate": true}}
	indexes := []string{}
	for _, text := range texts {
		made = append(made, fields{"name": text, "type": "text", "max": 20_000})
	}
	for field, other := range relations {
		made = append(made, fields{"name": field, "type": "relation", "collectionId": other, "maxSelect": 1})
		indexes = append(indexes, fmt.Sprintf("CREATE INDEX %s_%s ON %s (%s)", name, field, name, field))
	}
	return p.make("", fields{"name": name, "type": kind, "listRule": rule, "viewRule": rule, "fields": made, "indexes": indexes})
}

// fillPeer stores the content in PocketBase. The target whole requests all of it, and easier all except the ballots.
func fillPeer(ctx context.Context, server *process, c *content) (whole, easier *target, err error) {
	p := &pocket{ctx: ctx, url: "http://" + server.addr}
	if err := p.login("_superusers"); err != nil {
		return nil, nil, err
	}
	if _, err := p.call("PATCH", "/api/settings", fields{"logs": fields{"maxDays": 0}}); err != nil {
		return nil, nil, err
	}
	id, err := p.decide(c)
	if err != nil {
		return nil, nil, err
	}
	if err := p.login("people"); err != nil {
		return nil, nil, err
	}
	ask := func(name, relations string) *target {
		return &target{name: name, server: server, status: http.StatusOK, requests: [][]byte{request("GET",
			"/api/collections/decisions/records/"+id+"?expand="+url.QueryEscape(relations), "",
			"Authorization: "+p.token, "Accept: application/json")}}
	}
	return ask("PocketBase", withBallots), ask("PocketBase without ballots", withoutBallots), nil
}

// decide stores the content and its members, and returns the id of the decision.
func (p *pocket) decide(c *content) (string, error) {
	people, err := p.collection("people", "auth", []string{"handle"}, nil)
	if err != nil {
		return "", err
	}
	decisions, err := p.collection("decisions", "base", []string{"question", "text", "method", "results", "reasons", "closes"},
		map[string]string{"author": people})
	if err != nil {
		return "", err
	}
	for name, texts := range map[string][]string{"options": {"title"}, "ballots": {"marks", "reason"}, "comments": {"text"}} {
		if _, err := p.collection(name, "base", texts, map[string]string{"decision": decisions, "author": people}); err != nil {
			return "", err
		}
	}
	ids := map[string]string{}
	person := func(handle string) string {
		if ids[handle] == "" && err == nil {
			ids[handle], err = p.make("/people/records", fields{"handle": handle, "email": handle + "@acme.example",
				"password": peerSecret, "passwordConfirm": peerSecret})
		}
		return ids[handle]
	}
	d := c.decision
	id, derr := p.make("/decisions/records", fields{"question": d.Title, "text": d.Body, "method": d.Method,
		"results": d.Results, "reasons": d.Reasons, "closes": d.DueAt.String(), "author": person(d.Member)})
	put := func(collection, author string, body fields) {
		body["decision"], body["author"] = id, person(author)
		if err == nil {
			_, err = p.make("/"+collection+"/records", body)
		}
	}
	for _, o := range d.Choice {
		put("options", o.Member, fields{"title": o.Title})
	}
	for _, ballot := range c.ballots {
		put("ballots", ballot.Member, fields{"marks": ballot.Marks, "reason": ballot.Reason})
	}
	for _, remark := range c.comments {
		put("comments", remark.Member, fields{"text": remark.Text})
	}
	return id, errors.Join(derr, err)
}
