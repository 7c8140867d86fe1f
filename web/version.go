package web

import (
	"slices"
	"strconv"
	"strings"

	"samepage/store"
)

// basis says how the version of a page is computed.
type basis int

const (
	bySubject  basis = iota // version of the page's subject, if it has one
	byOwn                   // changes that only the actor sees
	byJournals              // changes that only the actor sees, and every change in the actor's organizations
)

// version returns the version of a page for an actor. It also returns the topics that are announced when the version,
// or the actor's access to the page, may have changed. A page without a version has the empty string, and a request
// cannot wait for its change.
func (at *Location) version(by store.Actor, ref store.Ref) (version string, topics []store.Topic) {
	switch {
	case at.name != "" || at.list || at.route.version == bySubject:
		if ref.Version == 0 {
			return "", nil
		}
		version, topics = strconv.FormatInt(ref.Version, 10), ref.Topics()
	case at.route.version == byOwn:
		version = perMembership(by, func(m *store.Member) string { return strconv.FormatInt(m.Own, 10) })
		topics = by.OwnTopics()
	default:
		version = perMembership(by, func(m *store.Member) string {
			return strconv.FormatInt(m.Head, 10) + "." + strconv.FormatInt(m.Own, 10)
		})
		topics = slices.Concat(by.JournalTopics(), by.OwnTopics())
	}
	return version, append(topics, by.AccessTopics()...)
}

// perMembership joins a counter of each of the actor's memberships into one text.
func perMembership(by store.Actor, counter func(*store.Member) string) string {
	list := make([]string, len(by.Members))
	for i := range by.Members {
		list[i] = counter(&by.Members[i])
	}
	return strings.Join(list, "-")
}
