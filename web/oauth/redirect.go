package oauth

import (
	"net/url"
	"regexp"
	"strconv"
)

// maxRedirect is the longest address that an answer is sent to, in bytes.
const maxRedirect = 500

// loopback is an address of a program on the person's own machine. Such programs listen on any port that is free (RFC 8252
// §7.3), also under the name localhost, since that is what clients use.
var loopback = regexp.MustCompile(`^http://(127\.0\.0\.1|\[::1\]|localhost)(?::([0-9]{1,5}))?([/?].*)?$`)

// remote is an address of a program elsewhere.
var remote = regexp.MustCompile(`^https://[A-Za-z0-9.-]+(?::([0-9]{1,5}))?([/?].*)?$`)

// plain are the characters that a URI is written in (RFC 3986), but for those of a fragment.
var plain = regexp.MustCompile(`^[A-Za-z0-9:/?@!$&'()*+,;=._~%\[\]-]+$`)

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
		return false
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
