package store

import (
	"crypto/rand"
	"strings"
	"time"

	"samepage/store/db"
)

// crockford is Crockford's base32 alphabet in lower case: no i, l, o or u.
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// IDLength is the number of characters of an id; PrefixLength the fewest that may stand for one.
const (
	IDLength     = 10
	PrefixLength = 4
)

// NewID returns a random id of [IDLength] characters (50 bits), unique per table and used in URLs as it is.
func NewID() string { return randomText(IDLength) }

func randomText(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand aborts the process instead
	for i := range b {
		b[i] = crockford[b[i]&31]
	}
	return string(b)
}

// IsIDPrefix reports whether s could be an id or the beginning of one.
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

// Time is a moment as the database keeps it.
type Time = db.Time

// At is t to the millisecond, in UTC.
func At(t time.Time) Time { return db.At(t) }

// ActionURL is where the action of a page is posted and has its own page; without a name, the page's list of actions.
func ActionURL(page, name string) string {
	if page == "/" {
		page = ""
	}
	if name == "" {
		return page + "/actions"
	}
	return page + "/actions/" + name
}
