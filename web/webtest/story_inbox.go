package webtest

import (
	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/governance"
)

// inbox adds notifications: Alice has read hers and dismissed the latest before others come. Erin has muted one page,
// and Dave follows another.
func (m *maker) inbox() {
	m.do("alice", "/inbox", actions.MarkAllRead.Name, nil)
	m.do("alice", "/inbox", actions.Dismiss.Name, param.Input{"notification": m.latest("alice")})
	m.do("erin", m.urls["talk"], actions.Mute, nil)
	m.do("dave", m.urls["standups"], actions.Follow, nil)
	m.do("bob", m.urls["standups"], actions.SaveTemplate, nil)
	m.do("bob", m.urls["talk"], actions.Comment,
		param.Input{"text": "@alice, could it be as in [the stand-ups](" + m.urls["standups"] + ")?"})
	m.do("bob", m.urls["talk"], actions.Attach,
		param.Input{"file": param.Upload{Name: "Agenda.txt", Data: []byte("1. Welcome\n2. *Anything* else?\n")}})
	m.do("erin", m.urls["talk"], actions.Attach,
		param.Input{"file": param.Upload{Name: "dot.png", Data: dot}, "name": "A dot"})
	m.write(func(tx *store.Tx) error {
		d, err := governance.FindDecision(tx, m.actors["bob"], "team", m.urls["talk"][len("/studios/team/d/"):])
		if err != nil {
			return err
		}
		files, err := tx.AttachedFiles(d.Common())
		for i, name := range []string{"agenda", "dot"} {
			m.urls[name], m.names[files[i].ID] = files[i].URL(), name
		}
		return err
	})
	m.do("scout", m.urls["standups"], actions.Comment, param.Input{"text": "A first week is planned."})
}

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

var dot = []byte(
	"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
		"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82")
