package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"samepage/store"
	"samepage/web/oauth"
	"samepage/web/wire"
)

// credentials are what a request shows of its caller. Every transaction, of a page and of an action, looks them up anew: a revoked
// token or a lost membership counts on the very next request.
type credentials struct {
	token   string        // bearer
	access  *oauth.Access // what a signed bearer says; nil if that is not valid
	login   string        // cookie
	request *http.Request // that showed them; nil with as
	as      *store.Actor
}

// As are the credentials of an actor that needs none: the scheduler, the operator at the command line.
func As(by store.Actor) credentials { return credentials{as: &by} }

func (s *Site) credentials(r *http.Request) credentials {
	if h := r.Header.Get("Authorization"); h != "" {
		c := credentials{token: "?", request: r} // another scheme is nobody we know
		if scheme, token, _ := strings.Cut(h, " "); strings.EqualFold(scheme, "Bearer") {
			c.token = strings.TrimSpace(token)
			if oauth.IsAccess(c.token) {
				c.access, _ = s.oauth.Verify(r, c.token)
			}
		}
		return c
	}
	return credentials{login: s.account.Login(r), request: r}
}

// browser describes the browser, or the program, that sent a request.
func (s *Site) browser(r *http.Request) store.Browser {
	agent := strings.ToValidUTF8(strings.ReplaceAll(r.UserAgent(), "\x00", ""), "\uFFFD")
	return store.Browser{Agent: wire.Clip(agent, 300), Address: s.address(r)}
}

// touch writes down that a login or a token was used, at most every [store.SeenEvery].
func (s *Site) touch(tx *store.Tx, who credentials, by store.Actor) error {
	b := s.browser(who.request)
	if who.login != "" {
		return tx.TouchLogin(who.login, b)
	}
	return tx.TouchToken(by.Token, wire.Clip(b.Address, 60), wire.Clip(b.Agent, 60))
}

var errBadToken = store.Errorf(store.Unauthenticated, "This token is not valid: unknown, paused, expired or revoked. Ask its member for a new one.")

// actor looks the credentials up. A wrong token is an error; a wrong or missing login is nobody.
func (c credentials) actor(tx *store.Tx) (by store.Actor, err error) {
	switch {
	case c.as != nil:
		return *c.as, nil
	case c.token != "":
		if c.access != nil {
			by, err = c.access.Actor(tx)
		} else {
			by, err = tx.ActorByToken(c.token)
		}
		if store.CodeOf(err) == store.NotFound {
			err = errBadToken
		}
	case c.login != "":
		by, err = tx.ActorByLogin(c.login)
		if store.CodeOf(err) == store.NotFound {
			err = nil
		}
	}
	return by, err
}

// caller is who sent a request, for whoever has a transaction.
func (s *Site) caller(r *http.Request) func(*store.Tx) (store.Actor, error) {
	who := s.credentials(r)
	return func(tx *store.Tx) (store.Actor, error) {
		by, err := who.actor(tx)
		return by, err
	}
}

// Authenticate names the principal of a bearer token for the MCP endpoint.
func (s *Site) Authenticate(r *http.Request) (string, bool) {
	c := s.credentials(r)
	if c.token == "" {
		return "", false
	}
	key := ""
	err := s.store.Read(r.Context(), func(tx *store.Tx) error {
		if c.access == nil {
			var err error
			key, err = tx.KeyByToken(c.token)
			return err
		}
		by, err := c.access.Actor(tx)
		key = by.Key()
		return err
	})
	return key, err == nil
}

// Challenge says to the MCP endpoint's callers without a valid token how to get one.
func (s *Site) Challenge(r *http.Request) string { return s.oauth.ChallengeParams(r) }

// StepUp gives the WWW-Authenticate header for an action whose scope the caller's signed token lacks, so that its client can
// ask the member for more: empty if the token has it, or if no scope would help. Without a page the action may be that of any,
// and all that might be meant is asked for. It is nil where nobody can be asked: the token was made by hand.
func (s *Site) StepUp(r *http.Request) func(page, action string) (challenge string) {
	c := s.credentials(r)
	if c.access == nil {
		return nil
	}
	return func(page, action string) string {
		routes := slices.Collect(maps.Values(s.bound))
		if page != "" {
			at, err := s.resolve(page)
			if err != nil {
				return ""
			}
			routes = []*boundRoute{at.route}
		}
		var by store.Actor
		if err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
			by, err = c.access.Actor(tx)
			return err
		}); err != nil {
			return ""
		}
		var lacks store.Set[store.Scope]
		for _, p := range routes {
			if i := p.index(action); i >= 0 && !p.decls[i].HumanOnly && !by.Has(p.decls[i].Scope) {
				lacks = append(lacks, p.decls[i].Scope)
			}
		}
		if len(lacks) == 0 {
			return ""
		}
		return s.oauth.StepUp(r, append(lacks, by.Grant.Scopes...))
	}
}
