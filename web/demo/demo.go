// Package demo fills an empty installation with an example workspace: people, agents, votes by every method, and votes
// of the Debian project.
package demo

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
	"samepage/web/account"
)

// debian has ten votes of the Debian project, 2003 to 2010, with their published ballots (see
// actions/tally/testdata/README.md).
//
//go:embed debian.json
var debian []byte

// Password is the password of all people in the demo. It is public, because the demo is for trying Samepage on one's
// own machine.
const Password = "samepage-demo"

const organization = "meadow"

// World lists the accounts, the tokens and two of the studios of the demo.
type World struct {
	Logins  []Login  `json:"logins"`
	Tokens  []Token  `json:"tokens"`
	Studios []string `json:"studios"`
}

// Login is the login of one person.
type Login struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	Member   string `json:"member"`
}

// Token is the token of one agent.
type Token struct {
	Label  string   `json:"label"`
	Member string   `json:"member"`
	Scopes []string `json:"scopes"`
	Token  string   `json:"token"`
}

var people = []struct{ handle, name string }{
	{"alice", "Alice Anders"}, {"bob", "Bob Baker"}, {"carol", "Carol Chen"}, {"dave", "Dave Dogan"},
	{"erin", "Erin Eze"}, {"frank", "Frank Fischer"},
}

var agents = []struct{ label, member, scopes string }{
	{"Scribe", "alice", "read,write,governance"}, {"Scout", "bob", "read,write"}, {"Reader", "carol", "read"},
}

func email(handle string) string { return handle + "@meadow.example" }

// Make fills the data folder dir with a demo. Its story takes three weeks and ends now, by the options' clock if they
// have one. Make adds nothing if the folder has an organization.
func Make(ctx context.Context, dir string, o store.Options) (err error) {
	now := time.Now
	if o.Clock != nil {
		now = o.Clock
	}
	c := &clock{end: now()}
	c.now = c.end.Add(-21 * day)
	o.Clock = c.Now
	st, err := store.Open(ctx, dir, o)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := st.Close(); err == nil {
			err = cerr
		}
	}()
	taken := false
	err = st.Read(ctx, func(tx *store.Tx) error {
		list, err := tx.Organizations()
		taken = len(list) > 0
		return err
	})
	if err != nil || taken {
		return err
	}
	site, err := web.New(ctx, st, web.Config{})
	if err != nil {
		return err
	}
	_, err = seed(ctx, site, st, c)
	return err
}

// Seed fills an empty installation with a demo in which everything happens at the present moment. If the demo exists
// already, Seed makes new tokens for its agents, and revokes their tokens that are older than a day. If there is
// another organization but not the demo with all its people, the error is [store.Conflict].
func Seed(ctx context.Context, site *web.Site, st *store.Store) (World, error) {
	return seed(ctx, site, st, nil)
}

func seed(ctx context.Context, site *web.Site, st *store.Store, c *clock) (World, error) {
	s := &seeder{ctx: ctx, site: site, store: st, clock: c, end: st.Now(), actors: map[string]store.Actor{}}
	if c != nil {
		s.end = c.end
	}
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
	if !fresh {
		if err := s.retire(); err != nil {
			return World{}, err
		}
	}
	for _, a := range agents {
		secret, err := site.IssueToken(ctx, s.actors[a.member],
			web.Issue{Label: a.label, Scopes: a.scopes, Expires: "30d", Public: true})
		if err != nil {
			return World{}, err
		}
		by, err := s.agent(secret)
		if err != nil {
			return World{}, err
		}
		s.actors[a.label] = by
		w.Tokens = append(w.Tokens, Token{a.label, a.member, strings.Fields(by.Grant.Scopes.String()), secret})
	}
	if !fresh {
		return w, nil
	}
	s.fill()
	return w, s.err
}

// seeder takes the actions of the story. It keeps the first error and does nothing after that.
type seeder struct {
	ctx    context.Context
	site   *web.Site
	store  *store.Store
	clock  *clock    // nil if everything happens at one moment
	end    time.Time // end of the story; deadlines are relative to it
	actors map[string]store.Actor
	err    error
}

// found makes the organization and its members. It returns false if they exist already.
func (s *seeder) found() (fresh bool, err error) {
	err = s.store.Write(s.ctx, func(tx *store.Tx) error {
		list, err := tx.Organizations()
		if err != nil {
			return err
		}
		if len(list) > 0 {
			return mustBeDemo(tx)
		}
		fresh = true
		_, owner, err := account.Found(tx,
			account.Founding{Organization: "Meadow Cooperative", Handle: organization, Zone: "Europe/Berlin",
				Name: people[0].name, Member: people[0].handle, Email: email(people[0].handle), Password: Password})
		if err != nil {
			return err
		}
		by := store.Actor{UserID: owner.UserID, Members: []store.Member{*owner}}
		for _, p := range people[1:] {
			if _, err := account.Enroll(tx, by.In(owner.OrgID), p.handle, p.name, email(p.handle),
				Password); err != nil {
				return err
			}
		}
		return nil
	})
	return fresh, err
}

func mustBeDemo(tx *store.Tx) error {
	for _, p := range people {
		m, err := tx.FindMember(store.System(), organization, p.handle)
		if err == nil {
			var user *store.User
			if user, err = tx.UserByEmail(email(p.handle)); err == nil && user.ID == m.UserID {
				continue
			}
		}
		if err != nil && store.CodeOf(err) != store.NotFound {
			return err
		}
		return store.Errorf(store.Conflict,
			"there is an organization here already; choose an empty folder for the demo with --data")
	}
	return nil
}

// retire revokes the active tokens of the demo's agents, so that lists of tokens do not grow. It leaves the tokens of
// the last day, which may still be in use.
func (s *seeder) retire() error {
	var old []string
	err := s.store.Read(s.ctx, func(tx *store.Tx) error {
		list, err := tx.AllTokens()
		for _, t := range slices.Backward(list) { // the newest first, like the lists on pages
			for _, a := range agents {
				if t.OrgID == s.actors[a.member].Member.OrgID && t.Label == a.label && t.Member == a.member &&
					t.State() == "active" && tx.Now.Sub(t.CreatedAt.Time) > day {
					old = append(old, t.ID)
				}
			}
		}
		return err
	})
	for _, id := range old {
		if err == nil {
			err = s.site.RevokeToken(s.ctx, id)
		}
	}
	return err
}

func (s *seeder) agent(secret string) (by store.Actor, err error) {
	err = s.store.Read(s.ctx, func(tx *store.Tx) error {
		by, err = tx.ActorByToken(secret)
		return err
	})
	return by, err
}

// do takes an action and returns the URL that the action leads to.
func (s *seeder) do(by, url, action string, in param.Input) string {
	return s.why(by, url, action, in, "")
}

func (s *seeder) why(by, url, action string, in param.Input, why string) string {
	if s.err != nil {
		return url
	}
	return s.take(by, url, action, in, why).URL
}

func (s *seeder) take(by, url, action string, in param.Input, why string) web.Outcome {
	if s.err != nil {
		return web.Outcome{}
	}
	if s.clock != nil {
		s.clock.step()
		s.site.CloseDue(s.ctx)
	}
	out, err := s.site.Do(s.ctx, web.As(s.actors[by]), web.Call{URL: url, Action: action, Params: in, Why: why})
	if err != nil {
		s.err = fmt.Errorf("%s: %s on %s: %w", by, action, url, err)
	}
	return out
}
