package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"

	"samepage/store"
)

// formKeys is the secret from which the idempotency keys of a page's forms are derived. It is nil for agents, because
// their forms have no keys.
type formKeys []byte

// formKeys returns the secret for an actor, a page and its version. The secret changes with the next entry in the
// journal of the actor's organization, and with the next change that only the actor sees. So a form has a new key after
// it was sent, even if the page has no version.
func (s *Site) formKeys(by store.Actor, url, version string) formKeys {
	if by.IsAgent() {
		return nil
	}
	head, own := int64(0), int64(0)
	if by.Member != nil {
		head, own = by.Member.Head, by.Member.Own
	}
	h := hmac.New(sha256.New, s.secret)
	for _, part := range []string{by.Key(), url, version, strconv.FormatInt(head, 10), strconv.FormatInt(own, 10)} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return h.Sum(nil)
}

func (k formKeys) of(action string) string {
	if k == nil {
		return ""
	}
	var room [128]byte
	sum := sha256.Sum256(append(append(room[:0], k...), action...))
	return string(base64.RawURLEncoding.AppendEncode(room[:0], sum[:12]))
}
