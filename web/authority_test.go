package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/pgtest"
	"samepage/web/webtest"
)

// TestTokensAreSubsets changes organizations at random. After every change, a token can read no more and is offered no
// more than its member. Each of its actions has exactly one journal entry. A member who leaves a studio, a narrower
// visibility and the revocation of a token take effect on the next request, also on another server.
func TestTokensAreSubsets(t *testing.T) {
	aboutContent(t)
	steps, asked, acted := 0, 0, 0
	checkHistories(t, func(rt *rapid.T) {
		m := newAuthority(t, rt)
		rt.Repeat(map[string]func(*rapid.T){
			"grant": m.grant, "revoke": m.revoke, "join": m.join, "leave": m.leave, "show": m.show, "act": m.act,
			"": func(rt *rapid.T) { steps++; asked += m.check(rt) },
		})
		acted += m.acted
	})
	if acted == 0 {
		t.Error("no token ever did anything")
	}
	t.Logf("%d steps, %d pages asked for as a token and as its member, %d comments by tokens", steps, asked, acted)
}

// authority is a world in which tokens are made and revoked at random.
type authority struct {
	w      *webtest.World
	nodes  []*webtest.World
	urls   []string
	tokens []*granted
	acted  int // number of comments by tokens
}

type granted struct {
	id, secret, member string
	grant              store.Grant
	ended              bool
}

func newAuthority(t *testing.T, rt *rapid.T) *authority {
	m := &authority{w: webtest.New(t)}
	m.nodes = []*webtest.World{m.w}
	if pgtest.Given() != "" {
		m.nodes = append(m.nodes, m.w.Node())
	}
	for _, name := range []string{"team", "commons", "plaza", "acme", "standups", "open single", "talk", "draft",
		"note draft", "note post", "note table", "commitment open", "commons open",
		"plaza open", "lab open", "result anonymous", "acme organization", "globex organization", "@bob",
		"cycle week", "dot"} {
		m.urls = append(m.urls, m.w.URL(name))
	}
	m.urls = append(m.urls, "/", "/inbox", "/studios", "/settings/tokens", "/orgs/acme/members", "/orgs/acme/journal",
		"/search?q=plants")
	return m
}

// node returns one of the servers at random.
func (m *authority) node(rt *rapid.T) *webtest.World {
	return rapid.SampledFrom(m.nodes).Draw(rt, "node")
}

func (m *authority) grant(rt *rapid.T) {
	if len(m.tokens) > 5 {
		rt.Skip()
	}
	some := func(name string, of ...string) store.Set[string] {
		if rapid.Bool().Draw(rt, "all "+name) {
			return nil
		}
		return store.Set[string](rapid.SliceOfNDistinct(rapid.SampledFrom(of), 0, len(of), rapid.ID).Draw(rt, name))
	}
	scopes := rapid.SliceOfNDistinct(rapid.SampledFrom(store.Scopes()), 0, 3, rapid.ID).Draw(rt, "scopes")
	g := &granted{member: rapid.SampledFrom([]string{"alice", "bob", "carol", "dave", "erin"}).Draw(rt, "member"),
		grant: store.Grant{Label: fmt.Sprintf("Agent %d", len(m.tokens)), Scopes: scopes,
			Kinds: some("kinds", "decision", "note", "commitment", "studio"), Public: rapid.Bool().Draw(rt, "public")}}
	by, err := m.w.Site.Person(context.Background(), "acme", g.member)
	if err == nil {
		err = m.w.Store.Write(context.Background(), func(tx *store.Tx) error {
			token, secret, err := tx.CreateToken(&by.Members[0], g.grant)
			if err == nil {
				g.id, g.secret = token.ID, secret
			}
			return err
		})
	}
	if err != nil {
		rt.Fatal(err)
	}
	m.tokens = append(m.tokens, g)
}

func (m *authority) any(rt *rapid.T) *granted {
	if len(m.tokens) == 0 {
		rt.Skip()
	}
	return rapid.SampledFrom(m.tokens).Draw(rt, "token")
}

func (m *authority) revoke(rt *rapid.T) {
	g := m.any(rt)
	if g.ended {
		rt.Skip()
	}
	if r := m.node(rt).As(g.member).JSON("/settings/tokens", "revoke_token",
		webtest.Call{Params: param.Input{"token": g.id}}); r.Status != 200 {
		rt.Fatalf("revoking: %d %s", r.Status, r.Body)
	}
	g.ended = true
}

// someone lets a random member try to join or leave a random studio.
func (m *authority) someone(rt *rapid.T, action string) {
	who := rapid.SampledFrom([]string{"alice", "bob", "carol", "erin", "mia"}).Draw(rt, "who")
	where := rapid.SampledFrom([]string{"team", "commons", "plaza"}).Draw(rt, "where")
	m.node(rt).As(who).PostJSON(m.w.URL(where), action, nil) // refused if the page does not offer the action
}

func (m *authority) join(rt *rapid.T)  { m.someone(rt, "join") }
func (m *authority) leave(rt *rapid.T) { m.someone(rt, "leave") }

func (m *authority) show(rt *rapid.T) {
	studio := rapid.SampledFrom([]string{"team", "commons", "plaza"}).Draw(rt, "studio")
	visible := rapid.SampledFrom([]string{"members", "organization", "public"}).Draw(rt, "to")
	if r := m.node(rt).As("alice").JSON(m.w.URL(studio), "update_studio",
		webtest.Call{Params: param.Input{"visibility": visible}}); r.Status == 500 {
		rt.Fatal(r.Body)
	}
}

// act lets a token comment, and checks that a comment has one journal entry and a refusal none.
func (m *authority) act(rt *rapid.T) {
	g := m.any(rt)
	url := m.w.URL(rapid.SampledFrom([]string{"talk", "commons open", "note post", "plaza open"}).Draw(rt, "page"))
	before := m.entries(rt)
	text := rapid.StringMatching(`[a-z]{3,8}`).Draw(rt, "text")
	r := m.node(rt).Bearer(g.secret).JSON(url, "comment", webtest.Call{Params: param.Input{"text": text}})
	after := m.entries(rt)
	switch {
	case r.Status == 200 && !g.ended:
		if len(after) != len(before)+1 || after[0] != g.id+" comment "+url {
			rt.Fatalf("after a comment the journal has %d entries more: %q", len(after)-len(before), after[0])
		}
		m.acted++
		if !slices.Contains(g.grant.Scopes, store.ScopeWrite) {
			rt.Fatalf("a token with the scopes %v commented", g.grant.Scopes)
		}
	case len(after) != len(before):
		rt.Fatalf("%d %s, and %d entries more", r.Status, r.Body, len(after)-len(before))
	case g.ended && r.Status != 401:
		rt.Fatalf("a revoked token is answered %d", r.Status)
	}
}

// entries returns the entries of Acme's journal, the newest first.
func (m *authority) entries(rt *rapid.T) (list []string) {
	db := m.w.Database()
	var rows []struct{ Token, Action, URL string }
	if err := db.Select(&rows,
		`SELECT token_id AS token, action, url FROM journal WHERE org_id = (SELECT id FROM organizations
			WHERE handle = 'acme') ORDER BY seq DESC`); err != nil {
		rt.Fatal(err)
	}
	for _, r := range rows {
		list = append(list, r.Token+" "+r.Action+" "+r.URL)
	}
	return list
}

// check compares what each token reads with what its member reads, on three random pages. It returns the number of
// pages.
func (m *authority) check(rt *rapid.T) (n int) {
	for _, g := range m.tokens {
		node := m.node(rt)
		for _, url := range rapid.SliceOfNDistinct(rapid.SampledFrom(m.urls), 3, 3, rapid.ID).Draw(rt, "pages") {
			n++
			mine, its := node.As(g.member).Get(url, "application/json"),
				node.Bearer(g.secret).Get(url, "application/json")
			if g.ended {
				if its.Status != 401 {
					rt.Fatalf("a revoked token reads %s: %d", url, its.Status)
				}
				continue
			}
			if its.Status == 200 && mine.Status != 200 {
				rt.Fatalf("%s: the token of %s reads it, who does not: %d", url, g.member, mine.Status)
			}
			var p, q jsonPage
			json.Unmarshal([]byte(mine.Body), &p)
			json.Unmarshal([]byte(its.Body), &q)
			for _, a := range q.Actions {
				if _, ok := p.action(a.Name); !ok {
					rt.Fatalf("%s: the token of %s is offered %s, who is not", url, g.member, a.Name)
				}
			}
			if org, other, _ := strings.Cut(strings.TrimPrefix(url, "/orgs/"), "/"); org == "globex" && other == "" &&
				its.Status == 200 {
				rt.Fatalf("%s is read from another organization", url)
			}
		}
	}
	return n
}
