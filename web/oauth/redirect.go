package oauth

import (
	"net/url"
	"regexp"
	"strconv"
	"sync"
)

// maxRedirect is the longest address that an answer is sent to, in bytes.
const maxRedirect = 500

// loopback is an address of a program on the person's own machine. Such programs listen on any port that is free (RFC 8252
// §7.3), also under the name localhost, since that is what clients use.
var loopback = regexp.MustCompile(`^http://(127\.0\.0\.1|\[::1\]|localhost)(?::([0-9]{1,5}))?([/?].*)?$`)

// remote is an address of a program elsewhere.
var remote = regexp.MustCompile(`^https://[A-Za-z0-9.-]+(?::([0-9]{1,5}))?([/?].*)?$`)

// private is an address that a program on the person's device has registered there for itself: links with a scheme of its own
// (RFC 8252 §7.1), such as cursor://… or com.example.app:/….
var private = regexp.MustCompile(`^([a-z][a-z0-9+.-]{2,39}):/{1,3}[A-Za-z0-9]`)

// taken are schemes that mean something to browsers and systems themselves, so that no program has them for its own.
var taken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(about|acct|blob|cid|content|data|feed|file|filesystem|ftps?|git|https?|imaps?|intent|jar|javascript|ldaps?|livescript|mailto|mhtml|mid|mocha|` +
		`mms|news|nfs|nntp|pop|rdp|resource|rtsps?|search|sftp|shell|sips?|smb|sms(to)?|ssh|tel(net)?|urn|vbscript|view-source|vnc|wss?|wyciwyg|` +
		`(chrome|chromium|devtools|edge|moz|opera|brave|safari|help|microsoft|ms|search-ms|x-apple|android|itms|hcp|res)([.+-].*)?)$`)
})

// plain are the characters that a URI is written in (RFC 3986), but for those of a fragment.
var plain = regexp.MustCompile(`^[A-Za-z0-9:/?@!$&'()*+,;=._~%\[\]-]+$`)

// privateScheme is the scheme of an address that a program has registered for itself; empty if it is none.
func privateScheme(to string) string {
	m := private.FindStringSubmatch(to)
	if m == nil || taken().MatchString(m[1]) {
		return ""
	}
	return m[1]
}

// goodRedirect reports that an answer may be sent to an address at all: over HTTPS, or to a program on the person's machine.
func goodRedirect(to string) bool {
	if _, err := url.Parse(to); err != nil || len(to) > maxRedirect || !plain.MatchString(to) {
		return false
	}
	port := ""
	if m := loopback.FindStringSubmatch(to); m != nil {
		port = m[2]
	} else if m := remote.FindStringSubmatch(to); m != nil {
		port = m[1]
	} else {
		return privateScheme(to) != ""
	}
	n, err := strconv.Atoi(port)
	return port == "" || err == nil && n > 0 && n < 1<<16
}

// sameRedirect reports that an address is the one that a client has registered: the same, character for character, but for
// the port of a program on the person's machine.
func sameRedirect(registered, asked string) bool {
	if registered == asked {
		return true
	}
	a, b := loopback.FindStringSubmatch(registered), loopback.FindStringSubmatch(asked)
	return a != nil && b != nil && a[1] == b[1] && a[3] == b[3]
}

// back is where an answer goes: the redirect with what is said in its query.
func back(redirect string, says url.Values) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return redirect // it was checked
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += says.Encode()
	return u.String()
}
