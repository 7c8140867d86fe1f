package oauth

import (
	"net/url"
	"regexp"
	"strconv"
	"sync"
)

// maxRedirect is the length of the longest redirect address, and of the longest URL of a metadata document, in bytes.
const maxRedirect = 500

// loopbackRedirect matches the addresses of programs on the person's own machine, which listen at any free port (RFC
// 8252 §7.3). The name localhost is accepted because clients use it.
var loopbackRedirect = regexp.MustCompile(`^http://(127\.0\.0\.1|\[::1\]|localhost)(?::([0-9]{1,5}))?([/?].*)?$`)

// remoteRedirect matches redirect addresses with HTTPS. Their host is a name or an IPv4 address.
var remoteRedirect = regexp.MustCompile(`^https://[A-Za-z0-9.-]+(?::([0-9]{1,5}))?([/?].*)?$`)

// privateRedirect matches redirect addresses such as cursor://… and com.example.app:/…. Their scheme is a private-use
// one (RFC 8252 §7.1) unless [reservedSchemes] matches it.
var privateRedirect = regexp.MustCompile(`^([a-z][a-z0-9+.-]{2,39}):/{1,3}[A-Za-z0-9]`)

// reservedSchemes matches schemes that have a meaning for browsers or operating systems, so that no program can own
// them.
var reservedSchemes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(about|acct|blob|cid|content|data|feed|file|filesystem|ftps?|git|https?|imaps?|intent|jar|` +
			`javascript|ldaps?|livescript|mailto|mhtml|mid|mocha|mms|news|nfs|nntp|pop|rdp|resource|rtsps?|` +
			`search|sftp|shell|sips?|smb|sms(to)?|ssh|tel(net)?|urn|vbscript|view-source|vnc|wss?|wyciwyg|` +
			`(chrome|chromium|devtools|edge|moz|opera|brave|safari|help|microsoft|ms|search-ms|x-apple|` +
			`android|itms|hcp|res)([.+-].*)?)$`)
})

// uriCharacters matches text that has only the characters of a URI (RFC 3986) without a fragment.
var uriCharacters = regexp.MustCompile(`^[A-Za-z0-9:/?@!$&'()*+,;=._~%\[\]-]+$`)

// privateScheme returns the scheme of a redirect address if it is a private-use one, or else the empty string.
func privateScheme(to string) string {
	m := privateRedirect.FindStringSubmatch(to)
	if m == nil || reservedSchemes().MatchString(m[1]) {
		return ""
	}
	return m[1]
}

// goodRedirect reports whether an answer may be sent to an address: one with HTTPS, a loopback address, or one in a
// private-use URI scheme. A port in one of the first two must be from 1 to 65535.
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

// sameRedirect reports whether the requested address equals the registered one. For loopback addresses the port may
// differ (RFC 8252 §7.3).
func sameRedirect(registered, asked string) bool {
	if registered == asked {
		return true
	}
	a, b := loopbackRedirect.FindStringSubmatch(registered), loopbackRedirect.FindStringSubmatch(asked)
	return a != nil && b != nil && a[1] == b[1] && a[3] == b[3]
}

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
