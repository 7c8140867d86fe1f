package oauth

import (
	"net/url"
	"regexp"
	"strconv"
	"sync"
)

// maxRedirect is the length of the longest redirect, in bytes.
const maxRedirect = 500

// loopbackRedirect matches the redirects of programs on the person's own machine. Such programs listen on
// any free port (RFC 8252 §7.3), and clients also use the name localhost.
var loopbackRedirect = regexp.MustCompile(`^http://(127\.0\.0\.1|\[::1\]|localhost)(?::([0-9]{1,5}))?([/?].*)?$`)

// remoteRedirect matches the redirects of programs elsewhere.
var remoteRedirect = regexp.MustCompile(`^https://[A-Za-z0-9.-]+(?::([0-9]{1,5}))?([/?].*)?$`)

// privateRedirect matches redirects in a scheme that a program has registered on the person's device (RFC
// 8252 §7.1), such as cursor://… or com.example.app:/….
var privateRedirect = regexp.MustCompile(`^([a-z][a-z0-9+.-]{2,39}):/{1,3}[A-Za-z0-9]`)

// reservedSchemes matches schemes with a meaning for browsers or operating systems. No program can own them.
var reservedSchemes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(about|acct|blob|cid|content|data|feed|file|filesystem|ftps?|git|https?|imaps?|intent|jar|` +
			`javascript|ldaps?|livescript|mailto|mhtml|mid|mocha|mms|news|nfs|nntp|pop|rdp|resource|rtsps?|` +
			`search|sftp|shell|sips?|smb|sms(to)?|ssh|tel(net)?|urn|vbscript|view-source|vnc|wss?|wyciwyg|` +
			`(chrome|chromium|devtools|edge|moz|opera|brave|safari|help|microsoft|ms|search-ms|x-apple|` +
			`android|itms|hcp|res)([.+-].*)?)$`)
})

// uriCharacters matches the characters of a URI (RFC 3986) without a fragment.
var uriCharacters = regexp.MustCompile(`^[A-Za-z0-9:/?@!$&'()*+,;=._~%\[\]-]+$`)

// privateScheme returns the private scheme of a redirect; empty if it has none.
func privateScheme(to string) string {
	m := privateRedirect.FindStringSubmatch(to)
	if m == nil || reservedSchemes().MatchString(m[1]) {
		return ""
	}
	return m[1]
}

// goodRedirect reports whether an answer may be sent to an address: over HTTPS, or to a program on
// the person's machine.
func goodRedirect(to string) bool {
	if _, err := url.Parse(to); err != nil || len(to) > maxRedirect || !uriCharacters.MatchString(to) {
		return false
	}
	port := ""
	if m := loopbackRedirect.FindStringSubmatch(to); m != nil {
		port = m[2]
	} else if m := remoteRedirect.FindStringSubmatch(to); m != nil {
		port = m[1]
	} else {
		return privateScheme(to) != ""
	}
	n, err := strconv.Atoi(port)
	return port == "" || err == nil && n > 0 && n < 1<<16
}

// sameRedirect reports whether a redirect is a registered one. The port of a program on the
// person's machine may differ.
func sameRedirect(registered, asked string) bool {
	if registered == asked {
		return true
	}
	a, b := loopbackRedirect.FindStringSubmatch(registered), loopbackRedirect.FindStringSubmatch(asked)
	return a != nil && b != nil && a[1] == b[1] && a[3] == b[3]
}

// withParams returns the redirect with the parameters in its query.
func withParams(redirect string, says url.Values) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return redirect // unreachable: goodRedirect has parsed it
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += says.Encode()
	return u.String()
}
