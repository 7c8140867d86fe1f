package web

import (
	"slices"
	"strconv"
	"strings"

	"samepage/store"
)

// basis is what the version of a page counts.
type basis int

const (
	bySubject  basis = iota // the changes of the page's subject, if it counts any
	byOwn                   // the changes of what only the actor sees
	byJournals              // these, and every change in the actor's organizations
)

// version is that of a page for an actor, with the topics that are announced when it may be another one or the actor may no longer
// read the page. A page without a version has the empty string, and nobody waits for it.
func (at *location) version(by store.Actor, ref store.Ref) (version string, topics []store.Topic) {
	switch {
	case at.name != "" || at.list || at.route.version == bySubject:
		if ref.Version == 0 {
			return "", nil
		}
		version, topics = strconv.FormatInt(ref.Version, 10), ref.Topics()
	case at.route.version == byOwn:
		version = joined(by, func(m *store.Member) string { return strconv.FormatInt(m.Own, 10) })
		topics = by.OwnTopics()
	default:
		version = joined(by, func(m *store.Member) string {
			return strconv.FormatInt(m.Head, 10) + "." + strconv.FormatInt(m.Own, 10)
		})
		topics = slices.Concat(by.JournalTopics(), by.OwnTopics())
	}
	return version, append(topics, by.AccessTopics()...)
}

// joined is a counter of the actor in each organization, as one text.
func joined(by store.Actor, counter func(*store.Member) string) string {
	list := make([]string, len(by.Members))
	for i := range by.Members {
		list[i] = counter(&by.Members[i])
	}
	return strings.Join(list, "-")
}
