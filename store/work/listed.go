package work

import (
	"strings"

	"samepage/store"
)

// studioURL returns the path of the studio h. In lists h is nil, and the path is made from the given handle.
func studioURL(h *store.Studio, handle string) string {
	if h != nil {
		return h.URL()
	}
	return "/studios/" + handle
}

// relationOf returns the actor's relations to an object of the studio h. The parameter memberID is the id of the
// object's author. Within the studio, the author's agents count as the author, and the author and each [store.Keeper]
// are also [store.Chair].
func relationOf(by store.Actor, h *store.Studio, memberID string) store.Relation {
	r := h.Relation(by)
	if r&store.InStudio == 0 {
		return r
	}
	if by.In(h.OrgID).Is(memberID) {
		r |= store.Author | store.Chair
	}
	if r&store.Keeper != 0 {
		r |= store.Chair
	}
	return r
}

// mostListed is the greatest length of a list.
const mostListed = 50

// listed returns the first [mostListed] elements of a list, and whether there are more.
func listed[T any](list []T) ([]T, bool) {
	return list[:min(mostListed, len(list))], len(list) > mostListed
}

// IsHash reports whether a text has the form of the hash of a commit: 40 hexadecimal digits in lower case.
func IsHash(text string) bool { return len(text) == 40 && strings.Trim(text, "0123456789abcdef") == "" }

// Short returns the first ten digits of the hash of a commit.
func Short(hash string) string { return hash[:min(10, len(hash))] }

// cutText shortens a text to at most the given number of characters.
func cutText(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
