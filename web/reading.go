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

// lastRead remembers, in bounded memory, the version of each page that each agent last read. If a reading was
// forgotten, or took place on another server, the agent's edit is not checked against it.
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
	if at.name != "" || f == wire.HTML { // the page of an action does not show the blocks
		r.put(key, now)
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

// find returns the agent's last reading of a page, or the zero value if there is none.
func (r lastRead) find(by store.Actor, at *Location) reading {
	if !by.IsAgent() {
		return reading{}
	}
	return r.Get(readingKey{by.Key(), at.path})
}

// checkReading returns an error if a call is meant for an older version of the page: the version in the call, or else
// the version that the agent last read. If the agent has read that version, the error lists up to five changes since
// then, and their authors. A call without a version is accepted if the action is not [action.Action.Versioned] or the
// agent has not read the page.
func (c *Call) checkReading(tx *store.Tx, by store.Actor, ref store.Ref, versioned bool) error {
	now := strconv.FormatInt(ref.Version, 10)
	switch {
	case c.Version == now:
		return nil
	case c.Version != "" && c.Version != c.Read.version:
		return &errStale{store.Errorf(store.Conflict,
			"This page has changed: it is at version %d, you read version %s. Read it again and decide anew.",
			ref.Version, wire.Clip(c.Version, 20))}
	case c.Version == "" && !versioned, c.Read.version == "", c.Read.version == now:
		return nil
	}
	list, err := tx.ShowJournal(by, &store.Organization{ID: ref.OrgID}, store.JournalQuery{Target: ref.ID, Limit: 5}, "")
	if err != nil {
		return err
	}
	var changes []string
	for i := range list.Entries {
		if e := &list.Entries[i]; e.Seq > c.Read.head {
			changes = append(changes, e.By()+": "+e.Action+difference(e.Before, e.After))
		}
	}
	slices.Reverse(changes)
	said := ""
	if len(changes) > 0 {
		said = " Since then " + strings.Join(changes, "; ") + "."
	}
	return &errStale{store.Errorf(store.Conflict,
		"This page has changed since you read it: you read version %s, it is at version %d.%s Look at it and decide anew.",
		c.Read.version, ref.Version, said)}
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
