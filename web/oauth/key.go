package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/http"
	"sync"
	"time"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/keyfile"
)

// These are the times of signing keys. A key signs for at least KeyLife. The next key is published a day before it
// begins to sign, so that every program with a copy of the public keys has it in time. A key stays valid until the last
// token that it signed has expired.
const (
	KeyLife    = 90 * 24 * time.Hour
	keyNotice  = 24 * time.Hour
	keyOverlap = AccessLife + time.Minute
	// keysFresh is how long a node relies on its copy of the keys.
	keysFresh  = time.Minute
	keyPurpose = "signing keys"
)

type keyring struct {
	mu   sync.Mutex
	read time.Time
	keys map[string]key
}

type key struct {
	credential.SigningKey
	private *ecdsa.PrivateKey
}

func (k key) ended(now time.Time) bool { return !k.EndsAt.IsZero() && !now.Before(k.EndsAt.Time) }

func parseKey(keys *keyfile.Keys, k credential.SigningKey) (key, error) {
	der, err := keys.Open(keyPurpose, k.ID, k.Sealed)
	if err != nil {
		return key{}, fmt.Errorf("signing key %s was sealed with other keys than those of this node: %w", k.ID, err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return key{}, fmt.Errorf("signing key %s: %w", k.ID, err)
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return key{}, fmt.Errorf("signing key %s: not an elliptic curve key", k.ID)
	}
	return key{k, private}, nil
}

// verifyingKey returns the public key with this ID. The error wraps [ErrUnchecked] only if the keys cannot be read.
func (s *Server) verifyingKey(ctx context.Context, id string) (*ecdsa.PublicKey, error) {
	now := s.Store.Now()
	s.keys.mu.Lock()
	k, ok := s.keys.keys[id]
	stale := now.Sub(s.keys.read).Abs() >= keysFresh
	s.keys.mu.Unlock()
	if !ok || stale {
		keys, err := s.readKeys(ctx)
		if err != nil {
			return nil, err
		}
		k, ok = keys[id]
	}
	if !ok || k.ended(now) {
		return nil, newFault(invalidToken, "unknown key")
	}
	return &k.private.PublicKey, nil
}

func (s *Server) readKeys(ctx context.Context) (map[string]key, error) {
	keys := map[string]key{}
	err := s.Store.Read(ctx, func(tx *store.Tx) error {
		list, err := credential.SigningKeys(tx)
		for _, k := range list {
			if keys[k.ID], err = parseKey(s.Keys, k); err != nil {
				return err
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnchecked, err)
	}
	s.keys.mu.Lock()
	s.keys.keys, s.keys.read = keys, s.Store.Now()
	s.keys.mu.Unlock()
	return keys, nil
}

// signingKey returns the key that signs at present. It makes the first key, and the successor of a key that soon stops
// signing.
func signingKey(tx *store.Tx, keys *keyfile.Keys) (key, error) {
	list, err := credential.SigningKeys(tx)
	if err != nil {
		return key{}, err
	}
	if len(list) == 0 || needsSuccessor(tx, list[0]) {
		if _, err := tx.Serialize(store.Actor{}, "oauth keys"); err != nil {
			return key{}, err
		}
		if list, err = credential.SigningKeys(tx); err != nil {
			return key{}, err
		}
	}
	switch {
	case len(list) == 0:
		err = addKey(tx, keys, tx.Now)
	case needsSuccessor(tx, list[0]):
		err = addKey(tx, keys, tx.Now.Add(keyNotice))
	default:
		return current(tx, keys, list)
	}
	if err != nil {
		return key{}, err
	}
	if list, err = credential.SigningKeys(tx); err != nil {
		return key{}, err
	}
	return current(tx, keys, list)
}

// needsSuccessor reports whether the newest key k stops signing within keyNotice.
func needsSuccessor(tx *store.Tx, k credential.SigningKey) bool {
	return tx.Now.Sub(k.SignsAt.Time) >= KeyLife-keyNotice
}

func current(tx *store.Tx, keys *keyfile.Keys, list []credential.SigningKey) (key, error) {
	for _, k := range list {
		if !tx.Now.Before(k.SignsAt.Time) {
			return parseKey(keys, k)
		}
	}
	return key{}, fmt.Errorf("no key signs yet")
}

func addKey(tx *store.Tx, keys *keyfile.Keys, signs time.Time) error {
	if err := credential.MustBeNoted(tx, keys); err != nil {
		return err
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	id := store.NewID()
	return credential.AddSigningKey(tx, credential.SigningKey{ID: id, Sealed: keys.Seal(keyPurpose, id, der),
		MadeAt: store.At(tx.Now), SignsAt: store.At(signs)}, store.At(signs.Add(keyOverlap)))
}

// ReplaceKeys replaces all signing keys at once, which is the remedy after a key has leaked. Within a minute, all nodes
// refuse the old access tokens. A client gets a new one with its refresh token.
func ReplaceKeys(tx *store.Tx, keys *keyfile.Keys) error {
	if err := credential.RemoveSigningKeys(tx); err != nil {
		return err
	}
	return addKey(tx, keys, tx.Now)
}

// jwks answers with the public keys as a JSON Web Key Set (RFC 7517).
func (s *Server) jwks(w http.ResponseWriter, r *http.Request) {
	keys, err := s.readKeys(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	type jwk struct {
		Type  string `json:"kty"`
		Use   string `json:"use"`
		Alg   string `json:"alg"`
		ID    string `json:"kid"`
		Curve string `json:"crv"`
		X     string `json:"x"`
		Y     string `json:"y"`
	}
	list := []jwk{}
	for _, k := range keys {
		point, err := k.private.PublicKey.Bytes() // the byte 4, then both coordinates
		if err != nil {
			s.fail(w, err)
			return
		}
		half := len(point) / 2
		list = append(list, jwk{"EC", "sig", signing.Alg(), k.ID, "P-256", base64.RawURLEncoding.EncodeToString(
			point[1 : half+1]), base64.RawURLEncoding.EncodeToString(point[half+1:])})
	}
	described(w, map[string]any{"keys": list})
}
