package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"samepage/store"
)

// answer carries out a call, or returns the stored answer to an earlier call with the same key.
func (s *Site) answer(tx *store.Tx, by store.Actor, at *Location, call Call) (Outcome, error) {
	if call.Key == "" || call.DryRun {
		return s.act(tx, by, at, call)
	}
	digest := digestOf(call.URL, call.Action, call.Params)
	key := call.Key
	if call.Loose {
		key += "." + hex.EncodeToString(digest[:8])
	}
	prior, err := tx.FindAnswer(by, key)
	switch {
	case err == nil && !s.mayRepeat(prior.Call, digest, call):
		return Outcome{}, store.Errorf(store.Conflict,
			"This idempotency key was used for another call within 24 hours. Choose a new key.")
	case err == nil:
		var first storedAnswer
		err := json.Unmarshal([]byte(prior.Text), &first)
		if err != nil || call.Within == 0 || tx.Now.Sub(first.At) <= call.Within {
			return s.repeated(call, first, prior.Call), err
		}
	case store.CodeOf(err) != store.NotFound:
		return Outcome{}, err
	}
	out, err := s.act(tx, by, at, call)
	// A loose key contains a digest of the call. For an unlinked call the digest must not be stored, so the answer is
	// not stored either.
	if err != nil || out.Unlinked && call.Loose {
		return out, err
	}
	if out.Unlinked {
		digest = s.sealDigest(digest, call)
	}
	text, err := json.Marshal(storedAnswer{out, tx.Now, out.Secret != ""})
	if err != nil {
		return out, err
	}
	return out, tx.KeepAnswer(by, key, store.Answer{Call: digest, Text: string(text)})
}

type storedAnswer struct {
	Outcome
	At     time.Time `json:"at"`
	Showed bool      `json:"showed,omitempty"` // whether the answer had a secret, which is not stored
}

// repeated returns the stored answer to a call that was carried out before, marked as repeated.
func (s *Site) repeated(call Call, first storedAnswer, prior []byte) Outcome {
	out := first.Outcome
	out.repeated = true
	if call.Loose {
		out.Message += " This call came before, so nothing was done again."
	}
	if call.Within > 0 {
		out.Message += " If you mean it a second time, send an idempotency_key of your own."
	}
	if first.Showed {
		out.Message += " That was the first call with this key; the secret that its answer showed once is stored nowhere."
	}
	if len(prior) == sealedLength && !s.sealedHere(prior) {
		out.Message += " Another server, or this one before a restart, took the first call, so it cannot be told whether " +
			"this call has the same values. Those of the first count; to send others, use a new key."
	}
	return out
}

func digestOf(parts ...any) []byte {
	text, err := json.Marshal(parts) // json.Marshal sorts the keys of maps
	if err != nil {
		text = []byte(err.Error())
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

// sealedLength is the length of the result of [Site.sealDigest], which is two digests and an HMAC.
const sealedLength = 3 * sha256.Size

// sealDigest returns the digest that the database stores for a call that is Unlinked in its [Outcome], such as an
// anonymous ballot. A ballot has few possible values, so an attacker could find the one that has a given plain digest
// by trying all of them. Therefore the digest is keyed with the seal, a random key of the process that is never stored.
// A process with another seal can compare only the page and the action.
func (s *Site) sealDigest(digest []byte, call Call) []byte {
	h := hmac.New(sha256.New, s.seal)
	h.Write(digest)
	id := sha256.Sum256(s.seal)
	return h.Sum(append(digestOf(call.URL, call.Action), id[:]...))
}

func (s *Site) sealedHere(sealed []byte) bool {
	id := sha256.Sum256(s.seal)
	return string(sealed[sha256.Size:2*sha256.Size]) == string(id[:])
}

// mayRepeat reports whether a call is the same as the earlier call with the digest `prior`. If another process sealed
// that digest, mayRepeat compares only the page and the action.
func (s *Site) mayRepeat(prior, digest []byte, call Call) bool {
	switch {
	case len(prior) != sealedLength:
		return string(prior) == string(digest)
	case s.sealedHere(prior):
		return string(prior) == string(s.sealDigest(digest, call))
	}
	return string(prior[:sha256.Size]) == string(digestOf(call.URL, call.Action))
}
