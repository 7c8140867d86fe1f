package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"samepage/store"
	"samepage/store/memo"
	"samepage/views/page"
	"samepage/web/wire"
)

// lastRead remembers, in bounded memory, the version of each page that each agent last read. A reading that was
// forgotten, or took place on another server, is unknown.
type lastRead struct {
	*memo.Recent[readingKey, reading]
}

func newLastRead() lastRead { return lastRead{memo.NewRecent[readingKey, reading](20_000)} }

type readingKey struct{ actor, path string }

// reading is the version of a page, with the last sequence number of the organization's journal at that time.
type reading struct {
	version string // empty if the page is not about one subject
	head    int64
	parts   []page.Part // blocks that the agent has read
	unknown bool        // whether this stands for a reading that may have been forgotten
}

// mostParts is the maximum number of blocks in a reading.
const mostParts = 32

// note remembers the version of a page that an agent reads, and also its blocks once the page is written as Markdown.
func (r lastRead) note(by store.Actor, at *Location, version string, c *page.Context, f wire.Format) {
	if !by.IsAgent() || by.Member == nil || at.list {
		return
	}
	if at.route.version != BySubject {
		version = ""
	}
	key, now := readingKey{by.Key(), strings.Clone(at.path)}, reading{version: version, head: by.Member.Head}
	r.put(key, now)
	if at.name != "" || f == wire.HTML { // the page of an action does not show the blocks
		return
	}
	c.Shown = func(parts []page.Part) {
		now.parts = slices.Clone(parts[:min(len(parts), mostParts)])
		r.put(key, now)
	}
}

// put stores a reading. A reading without blocks keeps those of the reading before.
func (r lastRead) put(key readingKey, now reading) {
	r.Put(key, func(last reading) reading {
		if now.parts == nil {
			now.parts = last.parts
		}
		return now
	})
}

// find returns the agent's last reading of a page. The zero value is for people.
func (r lastRead) find(by store.Actor, at *Location) reading {
	if !by.IsAgent() {
		return reading{}
	}
	found := r.Get(readingKey{by.Key(), at.path})
	found.unknown = found.head == 0
	return found
}

// checkReading returns an error if a call is meant for an older version of the page: the version in the call, or else
// the version that the agent last read. If the agent has read that version, the error lists the last changes since
// then, and their authors. A call without a version is accepted if the action is not [action.Action.Versioned]. If the
// reading of an agent is unknown, the call is refused if others have changed the page since the agent's last change.
func (c *Call) checkReading(tx *store.Tx, by store.Actor, ref store.Ref, versioned bool) error {
	now := strconv.FormatInt(ref.Version, 10)
	switch {
	case c.Version == now:
		return nil
	case c.Version != "" && c.Version != c.Read.version:
		return &errStale{store.Errorf(store.Conflict,
			"This page has changed: it is at version %d, you read version %s. Read it again and decide anew.",
			ref.Version, wire.Clip(c.Version, 20))}
	case c.Version == "" && !versioned, c.Read.version == now, c.Read.version == "" && !c.Read.unknown:
		return nil
	}
	list, err := lastChanges(tx, by, ref, c.Read.head)
	switch {
	case err != nil:
		return err
	case c.Read.unknown && len(list) == 0:
		return nil
	case c.Read.unknown:
		return &errStale{store.Errorf(store.Conflict,
			"It is not known whether you have read this page as it is now, at version %d.%s Look at it and decide anew, "+
				"or send if_version.", ref.Version, sayChanges(" Last came ", list))}
	}
	return &errStale{store.Errorf(store.Conflict,
		"This page has changed since you read it: you read version %s, it is at version %d.%s Look at it and decide anew.",
		c.Read.version, ref.Version, sayChanges(" Since then ", list))}
}

// lastChanges lists up to five journal entries about an item after the one with the number since, newest first. If
// since is 0, the list ends before the last change of the caller's token.
func lastChanges(tx *store.Tx, by store.Actor, ref store.Ref, since int64) ([]store.Entry, error) {
	list, err := tx.ShowJournal(by, &store.Organization{ID: ref.OrgID}, store.JournalQuery{Target: ref.ID, Limit: 5}, "")
	if err != nil {
		return nil, err
	}
	end := slices.IndexFunc(list.Entries, func(e store.Entry) bool {
		return e.Seq <= since || since == 0 && e.TokenID == by.Token
	})
	if end < 0 {
		return list.Entries, nil
	}
	return list.Entries[:end], nil
}

// sayChanges returns a sentence that begins with the words begin and names changes and their authors, oldest first. It
// is empty if there are none.
func sayChanges(begin string, newestFirst []store.Entry) string {
	var changes []string
	for i := range newestFirst {
		e := &newestFirst[len(newestFirst)-1-i]
		changes = append(changes, e.By()+": "+e.Action+difference(e.Before, e.After))
	}
	if len(changes) == 0 {
		return ""
	}
	return begin + strings.Join(changes, "; ") + "."
}

// difference describes the fields in which two journal records of an item differ, with both values.
func difference(before, after *string) string {
	if before == nil || after == nil {
		return ""
	}
	var was, is map[string]json.RawMessage
	if json.Unmarshal([]byte(*before), &was) != nil || json.Unmarshal([]byte(*after), &is) != nil {
		return ""
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if !bytes.Equal(was[name], is[name]) && name != "version" {
			list = append(list, fmt.Sprintf("%s from %s to %s", name, shortValue(was[name]), shortValue(is[name])))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

func shortValue(v json.RawMessage) string {
	if len(v) == 0 {
		return "nothing"
	}
	return wire.Clip(string(v), 120)
}
