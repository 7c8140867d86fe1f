// Package demo fills an empty installation with a lively workspace, all of it through the ordinary write path, so that
// whoever tries Samepage finds people, agents, votes of every method and real elections.
package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
)

// Ten votes of the Debian project, 2003 to 2010, with their ballots as published (see actions/tally/testdata/README.md).
//
//go:embed debian.json
var debian []byte

// Password is what everybody in the demo signs in with. A demo is for trying, on one's own machine.
const Password = "samepage-demo"

const organization = "meadow"

// World is what has been made: who can sign in, and what agents act with.
type World struct {
	Logins  []Login  `json:"logins"`
	Tokens  []Token  `json:"tokens"`
	Studios []string `json:"studios"`
}

// Login is somebody who can sign in.
type Login struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	Member   string `json:"member"`
}

// Token is what an agent acts with.
type Token struct {
	Label  string   `json:"label"`
	Member string   `json:"member"`
	Scopes []string `json:"scopes"`
	Token  string   `json:"token"`
}

var people = []struct{ handle, name string }{
	{"alice", "Alice Anders"}, {"bob", "Bob Baker"}, {"carol", "Carol Chen"}, {"dave", "Dave Dogan"}, {"erin", "Erin Eze"}, {"frank", "Frank Fischer"},
}

var agents = []struct{ label, member, scopes string }{
	{"Scribe", "alice", "read,write,governance"}, {"Scout", "bob", "read,write"}, {"Reader", "carol", "read"},
}

func email(handle string) string { return handle + "@meadow.example" }

// Seed fills an empty installation and makes fresh tokens for its agents. Run again it makes only the tokens. An
// installation with another organization is left alone: that is an error.
func Seed(ctx context.Context, site *web.Site, st *store.Store) (World, error) {
	s := &seeder{ctx: ctx, site: site, store: st, actors: map[string]store.Actor{}}
	fresh, err := s.found()
	if err != nil {
		return World{}, err
	}
	w := World{Studios: []string{"team", "debian"}}
	for _, p := range people {
		w.Logins = append(w.Logins, Login{email(p.handle), Password, p.handle})
		if s.actors[p.handle], err = site.Person(ctx, organization, p.handle); err != nil {
			return World{}, err
		}
	}
	for _, a := range agents {
		secret, err := site.IssueToken(ctx, s.actors[a.member], a.label, a.scopes, "30d")
		if err != nil {
			return World{}, err
		}
		by, err := s.agent(secret)
		if err != nil {
			return World{}, err
		}
		s.actors[a.label] = by
		scopes := make([]string, len(by.Scopes))
		for i, scope := range by.Scopes {
			scopes[i] = string(scope)
		}
		w.Tokens = append(w.Tokens, Token{a.label, a.member, scopes, secret})
	}
	if !fresh {
		return w, nil
	}
	s.fill()
	return w, s.err
}

// seeder does one thing after another and keeps the first error.
type seeder struct {
	ctx    context.Context
	site   *web.Site
	store  *store.Store
	actors map[string]store.Actor
	err    error
}

// found makes the organization and its members, unless they are there.
func (s *seeder) found() (fresh bool, err error) {
	err = s.store.Write(s.ctx, func(tx *store.Tx) error {
		list, err := tx.Organizations()
		if err != nil {
			return err
		}
		if len(list) > 0 {
			if list[0].Handle != organization {
				return errors.New("there is an organization here already; choose an empty folder for the demo with --data")
			}
			return nil
		}
		fresh = true
		_, owner, err := web.Found(tx, web.Founding{Organization: "Meadow Cooperative", Handle: organization, Zone: "Europe/Berlin",
			Name: people[0].name, Member: people[0].handle, Email: email(people[0].handle), Password: Password})
		if err != nil {
			return err
		}
		by := store.Actor{UserID: owner.UserID, Members: []store.Member{*owner}}
		for _, p := range people[1:] {
			if _, err := web.Enroll(tx, by.In(owner.OrgID), p.handle, p.name, email(p.handle), Password); err != nil {
				return err
			}
		}
		return nil
	})
	return fresh, err
}

func (s *seeder) agent(secret string) (by store.Actor, err error) {
	err = s.store.Read(s.ctx, func(tx *store.Tx) error {
		by, err = tx.ActorByToken(secret)
		return err
	})
	return by, err
}

// do takes an action as somebody and returns the URL it led to.
func (s *seeder) do(by, url, action string, in param.Input) string {
	return s.why(by, url, action, in, "")
}

func (s *seeder) why(by, url, action string, in param.Input, why string) string {
	if s.err != nil {
		return url
	}
	out, err := s.site.Do(s.ctx, web.As(s.actors[by]), web.Call{URL: url, Action: action, Params: in, Why: why})
	if err != nil {
		s.err = fmt.Errorf("%s: %s on %s: %w", by, action, url, err)
	}
	return out.URL
}
