package webtest

import (
	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
)

// inbox lets people hear of things: Alice has read what she was told, dismissed the latest of it, and is then named by Bob, who
// links two pages. Erin has muted one page and Dave follows another.
func (m *maker) inbox() {
	m.do("alice", "/inbox", actions.MarkAllRead.Name, nil)
	m.do("alice", "/inbox", actions.Dismiss.Name, param.Input{"notification": m.latest("alice")})
	m.do("erin", m.urls["talk"], actions.Mute, nil)
	m.do("dave", m.urls["standups"], actions.Follow, nil)
	m.do("bob", m.urls["talk"], actions.Comment, param.Input{"text": "@alice, could it be as in [the stand-ups](" + m.urls["standups"] + ")?"})
	m.do("scout", m.urls["standups"], actions.Comment, param.Input{"text": "A first week is planned."})
}

// latest is the key of the newest notification of somebody.
func (m *maker) latest(who string) (key string) {
	m.write(func(tx *store.Tx) error {
		b, err := tx.FindInbox(m.actors[who], "", "")
		if err == nil {
			key = b.List[0].Key()
		}
		return err
	})
	return key
}
