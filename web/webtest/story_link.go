package webtest

import (
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/web"
)

// links turns on the previews of links to Team's pages, and adds links with a preview, one of them revoked.
func (m *maker) links() {
	m.do("alice", m.urls["team"], actions.ChangePreviews.Name, param.Input{"previews": store.PreviewCard})
	m.share("link to standups", "bob", "standups")
	m.share("link to note", "erin", "note post")
	m.share("link to commitment", "alice", "commitment open")
	m.share("link revoked", "erin", "note post")
	m.do("alice", m.urls["note post"], actions.RevokeLink, param.Input{"link": m.linkID("link revoked")})
}

// share creates a preview link to the page of a fixture, and stores the link under a name.
func (m *maker) share(name, by, fixture string) {
	if m.err != nil {
		return
	}
	m.clock.Advance(time.Minute)
	out, err := m.site.Do(m.ctx, web.As(m.actors[by]), web.Call{URL: m.urls[fixture], Action: actions.CopyLink})
	if err != nil {
		m.err = err
		return
	}
	m.linksTo[name] = out.Secret
	m.names[m.linkID(name)] = strings.ReplaceAll(name, " ", "-")
}

// linkID returns the ID of the latest preview link to the same page as the link with this name.
func (m *maker) linkID(name string) (id string) {
	if m.err != nil {
		return ""
	}
	m.err = m.store.Read(m.ctx, func(tx *store.Tx) error {
		page, _, _ := strings.Cut(m.linksTo[name], "?")
		i, err := tx.FindItem(m.actors["alice"], page[strings.LastIndexByte(page, '/')+1:])
		if err == nil {
			err = tx.FindPreviewLinks(m.actors["alice"], i)
		}
		if err == nil {
			id = i.PreviewLinks[0].ID
		}
		return err
	})
	return id
}
