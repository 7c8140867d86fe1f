package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"samepage/store"
	"samepage/store/keyfile"
)

// signing is the only algorithm for signatures of access tokens: ECDSA on P-256 with SHA-256.
var signing = jwt.SigningMethodES256

// accessType is the typ in the header of an access token (RFC 9068 §2.1). It keeps tokens that are signed for another
// use from being accepted as access tokens.
const accessType = "at+jwt"

// Access holds the claims of a valid access token. The token's rights also depend on the grant at the time of use.
type Access struct {
	jwt.RegisteredClaims
	Client string `json:"client_id"`
	Scope  string `json:"scope"`
	Grant  string `json:"grant"`

	key string // ID of the signing key
}

// IsAccess reports whether a bearer token has the three parts of a signed token (JWT).
func IsAccess(token string) bool { return strings.Count(token, ".") == 2 }

// sign creates an access token for the agent with these scopes. It expires after [AccessLife], or earlier with the
// grant.
func sign(tx *store.Tx, keys *keyfile.Keys, by store.Actor, issuer, resource string,
	scopes store.Set[store.Scope]) (token string, expires time.Time, err error) {
	k, err := signingKey(tx, keys)
	if err != nil {
		return "", expires, err
	}
	expires = tx.Now.Add(AccessLife)
	if end := by.Grant.Expires; !end.IsZero() && end.Before(expires) {
		expires = end.Time
	}
	t := jwt.NewWithClaims(signing, Access{
		RegisteredClaims: jwt.RegisteredClaims{Issuer: issuer, Audience: jwt.ClaimStrings{resource},
			Subject: by.MemberID(), ID: store.NewID() + store.NewID() + store.NewID(),
			IssuedAt: jwt.NewNumericDate(tx.Now), NotBefore: jwt.NewNumericDate(tx.Now),
			ExpiresAt: jwt.NewNumericDate(expires)},
		Client: by.Grant.Client, Scope: scopes.String(), Grant: by.Token,
	})
	t.Header["typ"], t.Header["kid"] = accessType, k.ID
	token, err = t.SignedString(k.private)
	return token, expires, err
}

// ErrUnchecked is wrapped by the error of [Server.Verify] if the signing keys could not be read. Such an error says
// nothing about the token.
var ErrUnchecked = errors.New("the signing keys could not be read")

// Verify checks the signature, type, issuer, audience and times of an access token. It remembers valid signatures,
// because checking one is slow. Verify does not check that the grant still exists; [Access.Actor] does. Every error
// that does not wrap [ErrUnchecked] means that the token is not valid.
func (s *Server) Verify(r *http.Request, token string) (*Access, error) {
	sum := sha256.Sum256([]byte(token))
	a, known := s.signatures.get(sum)
	if !known {
		a = &Access{}
		parser := jwt.NewParser(jwt.WithValidMethods([]string{signing.Alg()}), jwt.WithStrictDecoding(),
			jwt.WithoutClaimsValidation())
		if _, err := parser.ParseWithClaims(token, a, func(t *jwt.Token) (any, error) {
			return s.keyOf(r.Context(), t, a)
		}); err != nil {
			return nil, err
		}
	}
	if _, err := s.verifyingKey(r.Context(), a.key); err != nil {
		return nil, err
	}
	validator := jwt.NewValidator(jwt.WithIssuer(s.Origin(r)), jwt.WithAudience(s.Resource(r)),
		jwt.WithExpirationRequired(), jwt.WithNotBeforeRequired(), jwt.WithIssuedAt(), jwt.WithTimeFunc(s.Store.Now))
	if err := validator.Validate(a); err != nil {
		return nil, err
	}
	if len(a.Audience) != 1 || a.Grant == "" || a.Client == "" || a.Subject == "" || a.ID == "" {
		return nil, errors.New("a claim is missing")
	}
	if !known {
		s.signatures.add(sum, a)
	}
	return a, nil
}

type signatures struct {
	mu    sync.RWMutex
	known map[[sha256.Size]byte]*Access
}

// maxSignatures is the largest number of remembered tokens. All of them are forgotten before one more is added.
const maxSignatures = 10_000

func (m *signatures) get(sum [sha256.Size]byte) (*Access, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	a, ok := m.known[sum]
	return a, ok
}

func (m *signatures) add(sum [sha256.Size]byte, a *Access) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= maxSignatures || m.known == nil {
		m.known = map[[sha256.Size]byte]*Access{}
	}
	m.known[sum] = a
}

// keyOf returns the public key with the ID in the token's header, and stores the ID in a. It refuses a header of
// another type, or with another number of fields than this server writes.
func (s *Server) keyOf(ctx context.Context, t *jwt.Token, a *Access) (any, error) {
	if typ, _ := t.Header["typ"].(string); typ != accessType {
		return nil, errors.New("not an access token")
	}
	if len(t.Header) != 3 {
		return nil, errors.New("unknown header")
	}
	a.key, _ = t.Header["kid"].(string)
	return s.verifyingKey(ctx, a.key)
}

// Actor returns the agent of a valid access token, with the scopes that are both in the token and in its grant. The
// error is [store.NotFound] if the grant has ended, or is not that of the client and the member in the token.
func (a *Access) Actor(tx *store.Tx) (store.Actor, error) {
	by, err := tx.ActorByGrant(a.Grant)
	if err != nil {
		return store.Actor{}, err
	}
	if by.Grant.Client != a.Client || by.MemberID() != a.Subject {
		return store.Actor{}, store.Missing()
	}
	by.Grant.Scopes = commonScopes(by.Grant.Scopes, strings.Fields(a.Scope))
	return by, nil
}

func commonScopes(has store.Set[store.Scope], to []string) store.Set[store.Scope] {
	both := store.Set[store.Scope]{}
	for _, scope := range to {
		if s := store.Scope(scope); slices.Contains(has, s) && !slices.Contains(both, s) {
			both = append(both, s)
		}
	}
	return both
}
