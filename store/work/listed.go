package work

import (
	"strings"

	"samepage/store"
)

// studioURL returns the path of a studio, or in lists, where the studio is nil, the path for its handle.
func studioURL(h *store.Studio, handle string) string {
	if h != nil {
		return h.URL()
	}
	return "/studios/" + handle
}

// relationOf returns the relation of the actor to a thing of the studio that belongs to a member. Its author is that
// member, also in the person of an agent. The author and the keepers of the studio are its chair.
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

// mostListed is the number of things on one list.
const mostListed = 50

// listed returns the first [mostListed] of a list, and whether there are more.
func listed[T any](list []T) ([]T, bool) {
	return list[:min(mostListed, len(list))], len(list) > mostListed
}

// IsHash reports whether a text is the hash of a commit.
func IsHash(text string) bool { return len(text) == 40 && strings.Trim(text, "0123456789abcdef") == "" }

// Short returns the beginning of the hash of a commit.
func Short(hash string) string { return hash[:min(10, len(hash))] }
