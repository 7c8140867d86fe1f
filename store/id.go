package store

import (
	"crypto/rand"
	"strings"
	"time"

	"samepage/store/db"
)

// crockford is Crockford's base32 alphabet in lower case: no i, l, o or u.
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// IDLength is the number of characters of an id, PrefixLength the least number of a prefix that stands for one.
const (
	IDLength     = 10
	PrefixLength = 4
)

// NewID returns a random id of [IDLength] characters (50 bits), unique in its table and valid in a URL.
func NewID() string { return RandomText(IDLength) }

// RandomText returns n random characters, 5 bits each.
func RandomText(n int) string {
	b := make([]byte, n)
	rand.Read(b) // crypto/rand never returns an error; it ends the process instead
	for i := range b {
		b[i] = crockford[b[i]&31]
	}
	return string(b)
}

// IsIDPrefix reports that s is an id or a prefix of one.
func IsIDPrefix(s string) bool {
	if len(s) < PrefixLength || len(s) > IDLength {
		return false
	}
	for i := range len(s) {
		if strings.IndexByte(crockford, s[i]) < 0 {
			return false
		}
	}
	return true
}

// Time is a time as the database stores it.
type Time = db.Time

// At returns t in UTC, to the millisecond.
func At(t time.Time) Time { return db.At(t) }

// ActionURL returns the path to which an action of a page is posted, which is also the action's own page;
// for the empty name, the path of the page's list of actions.
func ActionURL(page, name string) string {
	if page == "/" {
		page = ""
	}
	if name == "" {
		return page + "/actions"
	}
	return page + "/actions/" + name
}
