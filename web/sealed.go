package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// sealedLife is how long somebody may take to come back with what was sealed for them.
const sealedLife = 10 * time.Minute

// sealed is what a browser keeps for us while somebody shows elsewhere who they are: on an authenticator, at a provider. It
// can read it and cannot change it.
type sealed struct {
	Purpose string
	At      time.Time
	Content json.RawMessage
}

// sealUp makes text of something that [Site.unseal] gives back for the same purpose.
func (s *Site) sealUp(purpose string, content any) (string, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	if text, err = json.Marshal(sealed{purpose, s.store.Now(), text}); err != nil {
		return "", err
	}
	body := base64.RawURLEncoding.EncodeToString(text)
	return body + "." + s.mark(body), nil
}

// unseal reports whether a text was sealed here, for this purpose and not too long ago, and what was.
func (s *Site) unseal(purpose, text string, content any) bool {
	body, mark, ok := strings.Cut(text, ".")
	if !ok || !hmac.Equal([]byte(mark), []byte(s.mark(body))) {
		return false
	}
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return false
	}
	var v sealed
	if json.Unmarshal(raw, &v) != nil || v.Purpose != purpose || s.store.Now().Sub(v.At) > sealedLife {
		return false
	}
	return json.Unmarshal(v.Content, content) == nil
}

func (s *Site) mark(body string) string {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte("sealed\x00" + body))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
