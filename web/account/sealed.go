package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// sealedLife is how long a sealed value can be unsealed.
const sealedLife = 10 * time.Minute

// sealed is a value that the browser holds for the server while a person proves their identity on an authenticator or
// at a provider. The browser can read the value but cannot change it.
type sealed struct {
	Purpose string
	At      time.Time
	Content json.RawMessage
}

// seal returns the content as signed text for a purpose.
func (s *Server) seal(purpose string, content any) (string, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	if text, err = json.Marshal(sealed{purpose, s.Store.Now(), text}); err != nil {
		return "", err
	}
	body := base64.RawURLEncoding.EncodeToString(text)
	return body + "." + s.signature(body), nil
}

// unseal reports whether the text was sealed with this installation's secret, for the same purpose and within the last
// [sealedLife]. If so, it stores the value in content.
func (s *Server) unseal(purpose, text string, content any) bool {
	body, signature, ok := strings.Cut(text, ".")
	if !ok || !hmac.Equal([]byte(signature), []byte(s.signature(body))) {
		return false
	}
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return false
	}
	var v sealed
	if json.Unmarshal(raw, &v) != nil || v.Purpose != purpose || s.Store.Now().Sub(v.At) > sealedLife {
		return false
	}
	return json.Unmarshal(v.Content, content) == nil
}

func (s *Server) signature(body string) string {
	h := hmac.New(sha256.New, s.Secret)
	h.Write([]byte("sealed\x00" + body))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
