package work

import (
	"strings"

	"samepage/store"
)

// studioURL returns the path of the studio h, or of the studio with the handle if h is nil.
func studioURL(h *store.Studio, handle string) string {
	if h != nil {
		return h.URL()
	}
	return "/studios/" + handle
}

// relationOf returns the actor's relations to an object of the studio h. The parameter memberID is the id of the
// author.
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

const mostListed = 50

// listed returns the first [mostListed] elements, and whether there are more.
func listed[T any](list []T) ([]T, bool) {
	return list[:min(mostListed, len(list))], len(list) > mostListed
}

// IsHash reports whether a text has the form of the hash of a commit.
func IsHash(text string) bool { return len(text) == 40 && strings.Trim(text, "0123456789abcdef") == "" }

// Short returns the first ten digits of a hash.
func Short(hash string) string { return hash[:min(10, len(hash))] }

func cutText(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
