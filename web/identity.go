package web

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"samepage/store"
	"samepage/store/credential"
	"samepage/web/oauth"
	"samepage/web/wire"
)

// credentials are a request's proof of identity. Every transaction looks them up again, so that a revoked token or an
// ended membership takes effect at the next request.
type credentials struct {
	token   string
	access  *oauth.Access // claims of a signed bearer token; nil if the token is not signed or not valid
	err     error         // why a signed bearer token could not be checked
	login   string
	request *http.Request // request with the credentials; nil if the field as is set
	as      *store.Actor
}

// As returns credentials for an actor that needs no proof of identity, such as the scheduler or the operator at the
// command line.
func As(by store.Actor) credentials { return credentials{as: &by} }

func (s *Site) credentials(r *http.Request) credentials {
	if h := r.Header.Get("Authorization"); h != "" {
		c := credentials{token: "?", request: r} // an invalid token, which stays if the scheme is not Bearer
		if scheme, token, _ := strings.Cut(h, " "); strings.EqualFold(scheme, "Bearer") {
			c.token = strings.TrimSpace(token)
			if oauth.IsAccess(c.token) {
				var err error
				if c.access, err = s.oauth.Verify(r, c.token); errors.Is(err, oauth.ErrUnchecked) {
					c.err = err
				}
			}
		}
		return c
	}
	return credentials{login: s.account.Login(r), request: r}
}

func (s *Site) browser(r *http.Request) credential.Browser {
	agent := strings.ToValidUTF8(strings.ReplaceAll(r.UserAgent(), "\x00", ""), "\uFFFD")
	return credential.Browser{Agent: wire.Clip(agent, 300), Address: s.address(r)}
}

func (s *Site) touch(tx *store.Tx, creds credentials, by store.Actor) error {
	b := s.browser(creds.request)
	if creds.login != "" {
		return credential.TouchLogin(tx, creds.login, b)
	}
	return tx.TouchToken(by.Token, wire.Clip(b.Address, 60), wire.Clip(b.Agent, 60))
}

var errBadToken = store.Errorf(store.Unauthenticated,
	"This token is not valid: unknown, paused, expired or revoked. Ask its member for a new one.")

// actor looks up the actor with the credentials. For a wrong token the error is [store.Unauthenticated]. For a wrong or
// missing login it returns the anonymous actor. Any other error says nothing about the credentials.
func (c credentials) actor(tx *store.Tx) (by store.Actor, err error) {
	switch {
	case c.as != nil:
		return *c.as, nil
	case c.err != nil:
		return by, c.err
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
		by, err = credential.ActorByLogin(tx, c.login)
		if store.CodeOf(err) == store.NotFound {
			err = nil
		}
	}
	return by, err
}

func (s *Site) caller(r *http.Request) func(*store.Tx) (store.Actor, error) {
	return s.credentials(r).actor
}

// Authenticate returns the key of the actor of a request to the MCP endpoint, or false if the request has no valid
// token. The error is a sentence for the caller: the token could not be checked, or the client has sent too many
// requests without a valid token.
func (s *Site) Authenticate(r *http.Request) (key string, ok bool, err error) {
	c := s.credentials(r)
	if err = errBadToken; c.token != "" {
		err = s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
			if c.access == nil && c.err == nil {
				key, err = tx.KeyByToken(c.token)
				return err
			}
			by, err := c.actor(tx)
			key = by.Key()
			return err
		})
	}
	switch {
	case err == nil:
		return key, true, nil
	case refuted(err):
		_, err = s.charge(r, store.Actor{}, err, store.UseRead)
		if over, ok := errors.AsType[*errLimited](err); ok {
			return "", false, over
		}
		return "", false, nil
	}
	return "", false, errors.New(s.explain(r, err).Message)
}

// refuted reports whether an error of looking up credentials means that the credentials are wrong. Any other error
// means that they could not be checked.
func refuted(err error) bool {
	code := store.CodeOf(err)
	return code == store.NotFound || code == store.Unauthenticated
}

// Challenge returns the parameters of the WWW-Authenticate header for requests to the MCP endpoint without a valid
// token.
func (s *Site) Challenge(r *http.Request) string { return s.oauth.ChallengeParams(r) }

// StepUp returns a function that gives the WWW-Authenticate header for an action with a scope that the token lacks. The
// client then asks the member for more scopes. If the page is empty, the header asks for the scopes of all actions with
// the name. The header is empty if the token has the scope, if no scope would help, or if the page or the token's actor
// cannot be found. StepUp returns nil if the request has no signed token, because no client can extend another token.
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
			routes = []*BoundRoute{at.route}
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
