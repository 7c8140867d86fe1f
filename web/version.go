package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"samepage/store"
)

// Basis is the data that the version of a page depends on.
type Basis int

const (
	BySubject  Basis = iota // the version of the page's subject, if it has one
	ByOwn                   // changes that only the actor sees
	ByAround                // like ByOwn, and changes in the actor's studios or of the organizations themselves
	ByJournals              // changes that only the actor sees, and every change in the actor's organizations
)

// version returns the version of a page for an actor, and the topics that are announced when the version, or the
// actor's access to the page, may have changed. The version is empty if requests cannot wait for a change of the page.
func (at *Location) version(tx *store.Tx, by store.Actor, ref store.Ref) (version string, topics []store.Topic, err error) {
	switch {
	case at.name != "" || at.list || at.route.version == BySubject:
		if ref.Version == 0 {
			return "", nil, nil
		}
		version, topics = strconv.FormatInt(ref.Version, 10), ref.Topics()
	case at.route.version == ByOwn:
		version, topics = ownVersion(by), by.OwnTopics()
	case len(by.Members) == 0:
		return "", nil, nil
	case at.route.version == ByAround:
		around, err := tx.FindAround(by)
		if err != nil {
			return "", nil, err
		}
		version = perMembership(by, func(m *store.Member) string {
			return around.Version(m.OrgID) + "." + strconv.FormatInt(m.Own, 10)
		})
		topics = slices.Concat(around.Topics, by.OwnTopics())
	default:
		version = perMembership(by, func(m *store.Member) string {
			return strconv.FormatInt(m.Head, 10) + "." + strconv.FormatInt(m.Own, 10)
		})
		topics = slices.Concat(by.JournalTopics(), by.OwnTopics())
	}
	return version, append(topics, by.AccessTopics()...), nil
}

// ownVersion returns a version that changes with every change that only the actor sees.
func ownVersion(by store.Actor) string {
	return perMembership(by, func(m *store.Member) string { return strconv.FormatInt(m.Own, 10) })
}

// perMembership joins a counter of each of the actor's memberships into one text.
func perMembership(by store.Actor, counter func(*store.Member) string) string {
	list := make([]string, len(by.Members))
	for i := range by.Members {
		list[i] = counter(&by.Members[i])
	}
	return strings.Join(list, "-")
}

// inboxVersion returns a text that changes whenever a person gets a notification or reads one. The text is empty for an
// agent.
func inboxVersion(by store.Actor) string {
	if by.IsAgent() {
		return ""
	}
	return ownVersion(by)
}

// prefetches reports whether a browser loads the page only in advance.
func prefetches(r *http.Request) bool {
	purpose := cmp.Or(r.Header.Get("Sec-Purpose"), r.Header.Get("Purpose"), r.Header.Get("X-Moz"))
	return strings.HasPrefix(purpose, "prefetch")
}

// readingPatience is how long the answer with a page waits until the notifications about the page are marked as read.
const readingPatience = 250 * time.Millisecond

// markRead marks a person's notifications about a page as read, calls out.mark, and logs errors. The page is written
// afterwards, so its number of unread notifications does not include them.
func (s *Site) markRead(ctx context.Context, at *Location, out *rendered) {
	ctx, cancel := context.WithTimeout(ctx, readingPatience)
	defer cancel()
	var now store.Member // the reader afterwards
	if err := s.store.Write(ctx, func(tx *store.Tx) error {
		if out.unread > 0 {
			if err := tx.ReadNotifications(out.by, out.item, at.path); err != nil {
				return err
			}
		}
		if out.mark != nil {
			if err := out.mark(tx); err != nil {
				return err
			}
		}
		now = *out.by.Member
		return tx.RefreshOwn(&now)
	}); err != nil {
		// Pages stay readable when the database cannot be written. The next view of the page marks the notifications.
		s.seldom.Warn("notifications were not marked as read", "error", err)
		return
	}
	out.by.Members = slices.Clone(out.by.Members)
	for i := range out.by.Members {
		if m := &out.by.Members[i]; m.OrgID == out.org {
			m.Unread, m.Own, m.DirectUnread = now.Unread, now.Own, now.DirectUnread
		}
	}
	out.by = out.by.In(out.org)
}
