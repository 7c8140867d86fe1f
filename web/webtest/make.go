package webtest

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/store/pgtest"
	"samepage/web"
)

// maker makes the world by taking the actions of the story. It keeps the first error, and then does nothing more.
type maker struct {
	fixtures
	ctx    context.Context
	store  *store.Store
	site   *web.Site
	clock  *Clock
	actors map[string]store.Actor
	// version is the version that the page of an action must have, or empty for any version.
	version string
	err     error
}

// Tables are SQL statements that create tables for one package's tests. They apply to all worlds that are made
// afterwards, so a test sets Tables before it makes its first world.
var Tables []string

// Tell makes the whole world once more, in the database at dir. It calls opened with the store before the first action.
func Tell(dir string, opened func(*store.Store)) error {
	_, err := tell(dir, "", opened)
	return err
}

// tell makes the world of a chapter in the database at dir. The empty chapter means the whole story.
func tell(dir, chapter string, opened func(*store.Store)) (fixtures, error) {
	m := &maker{ctx: context.Background(), clock: &Clock{now: Start.Add(-48 * time.Hour)},
		actors: map[string]store.Actor{"clock": store.System()},
		fixtures: fixtures{urls: map[string]string{}, secrets: map[string]secret{"anonymous": {}},
			names: map[string]string{}, receipts: map[string]string{}, secretsOf: map[string]string{},
			linksTo: map[string]string{}}}
	var err error
	if m.store, err = store.Open(m.ctx, dir, store.Options{Clock: m.clock.Now, Keys: pgtest.Keys(dir)}); err != nil {
		return m.fixtures, err
	}
	defer m.store.Close()
	opened(m.store)
	if m.site, err = web.New(m.ctx, m.store,
		web.Config{Origin: Origin, Log: slog.New(slog.DiscardHandler)}); err != nil {
		return m.fixtures, err
	}
	m.err = m.store.Write(m.ctx, func(tx *store.Tx) error {
		for _, table := range Tables {
			if err := tx.Exec(table); err != nil {
				return err
			}
		}
		return nil
	})
	m.people()
	m.tokens()
	m.studios()
	m.chapter(chapter)
	m.unconfirmed()
	m.clock.Set(Start)
	m.signIn()
	return m.fixtures, m.err
}

// write runs fn in its own transaction, a minute after the previous action.
func (m *maker) write(fn func(tx *store.Tx) error) {
	if m.err == nil {
		m.clock.Advance(time.Minute)
		m.err = m.store.Write(m.ctx, fn)
	}
}

func (m *maker) get(dst any, query string, args ...any) {
	if m.err == nil {
		m.err = m.store.Read(m.ctx, func(tx *store.Tx) error { return tx.Get(dst, query, args...) })
	}
}

// do takes an action, a minute after the previous one, and returns the URL that the action leads to.
func (m *maker) do(by, url, action string, in param.Input) string {
	return m.why(by, url, action, in, "")
}

func (m *maker) why(by, url, action string, in param.Input, why string) string {
	if m.err != nil {
		return url
	}
	m.clock.Advance(time.Minute)
	out, err := m.site.Do(m.ctx, web.As(m.actors[by]),
		web.Call{URL: url, Action: action, Params: in, Why: why, Version: m.version})
	if err != nil {
		m.err = fmt.Errorf("%s: %s on %s: %w", by, action, url, err)
	}
	if out.Unlinked && out.Secret != "" {
		m.receipts[url] = out.Secret
	}
	return out.URL
}

// tick takes an action as the scheduler, without moving the clock.
func (m *maker) tick(url, action string) {
	if m.err == nil {
		_, m.err = m.site.Do(m.ctx, web.As(store.System()), web.Call{URL: url, Action: action})
	}
}

// person adds a person as an actor, or adds another membership if the person is an actor already.
func (m *maker) person(name, org string) {
	if m.err != nil {
		return
	}
	by, err := m.site.Person(m.ctx, org, name)
	if err != nil {
		m.err = err
		return
	}
	if known, ok := m.actors[name]; ok {
		by.Members = append(known.Members, by.Members...)
		by.Member = &by.Members[0]
	}
	m.actors[name] = by
	url := "@" + name
	if _, taken := m.urls[url]; taken {
		url += " " + org
	}
	m.urls[url] = "/orgs/" + org + "/members/" + name
}

// agent issues a token, and adds the agent as an actor with the given name.
func (m *maker) agent(name, by string, i web.Issue) {
	if m.err != nil {
		return
	}
	m.clock.Advance(time.Minute)
	token, err := m.site.IssueToken(m.ctx, m.actors[by], i)
	if err != nil {
		m.err = fmt.Errorf("token of %s: %w", i.Label, err)
		return
	}
	m.secrets[name] = secret{token: token}
	m.err = m.store.Read(m.ctx, func(tx *store.Tx) error {
		actor, err := tx.ActorByToken(token)
		m.actors[name] = actor
		m.names[actor.Token], m.names[actor.Agent.ID] = "token-"+name, "agent-"+name
		if err == nil {
			m.urls["agent "+name] = store.AgentURL(actor.Member.Org, actor.Agent.ID)
		}
		return err
	})
}

// These are the browsers on which people of the world sign in. Alice signs in on both.
var (
	laptop = credential.Browser{Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
		Address: "192.0.2.1"}
	phone = credential.Browser{Agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 " +
		"(KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1", Address: "2001:db8::7"}
)

// passkey adds a passkey to a person's account. No authenticator can use it.
func (m *maker) passkey(tx *store.Tx, name, called string) error {
	if err := credential.CreatePasskey(tx, &credential.Account{UserID: m.actors[name].UserID}, called, []byte(called),
		"{}"); err != nil {
		return err
	}
	k, err := credential.PasskeyByCredential(tx, []byte(called))
	m.names[k.ID] = "passkey-" + name
	return err
}

// signIn gives every person a login and records a use of every token. Alice also gets a login on her phone, a passkey
// and a connected account at an OpenID provider.
func (m *maker) signIn() {
	for name, by := range m.actors {
		if by.System || m.err != nil {
			continue
		}
		m.err = m.store.Write(m.ctx, func(tx *store.Tx) error {
			if by.IsAgent() {
				return tx.TouchToken(by.Token, "192.0.2.7", "agent/1.0")
			}
			login, err := credential.CreateLogin(tx, by.UserID, laptop, tx.Now)
			m.secrets[name] = secret{login: login, user: by.UserID}
			m.names[credential.LoginID(login)] = "login-" + name
			return err
		})
	}
	m.clock.Advance(-time.Hour)
	m.write(func(tx *store.Tx) error {
		login, err := credential.CreateLogin(tx, m.actors["alice"].UserID, phone, tx.Now)
		m.names[credential.LoginID(login)] = "login-alice-phone"
		if err != nil {
			return err
		}
		if err := m.passkey(tx, "alice", "Phone"); err != nil {
			return err
		}
		return credential.ConnectIdentity(tx, m.actors["alice"].UserID, "https://id.example", "248289761001", "alice@home.example")
	})
}
