package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/store"
	"samepage/views/card"
	"samepage/views/page"
	"samepage/web/wire"
)

// previewable is a subject that says what links to its pages show.
type previewable interface{ Previews() string }

// shows is what a link to a page shows to whoever may know of the page. The title is that of pages which have no preview of
// their own. It is nil for pages that show what they are: those of no studio.
func (s *Site) shows(at *location, subject action.Subject, title string) *page.Preview {
	p, ok := subject.(previewable)
	if !ok {
		return nil
	}
	own := at.route.preview
	switch level := p.Previews(); {
	case level == store.PreviewOff:
		return &page.Preview{}
	case level == store.PreviewTitle && own != nil:
		v := own(subject)
		return &page.Preview{Title: v.Title}
	case level == store.PreviewTitle:
		return &page.Preview{Title: title}
	case own == nil:
		return nil
	}
	v := own(subject)
	v.Image = pictureURL(at.path, s.card(&v, subject))
	return &v
}

// card is what the picture of a preview shows; of nil, the generic one.
func (s *Site) card(v *page.Preview, subject action.Subject) card.Card {
	switch of := subject.(type) {
	case actions.Item:
		return card.Of(v, store.Location(of.Common().Studio.Zone), s.config.Name)
	default:
		return card.Of(v, nil, s.config.Name)
	}
}

// unlocked is what a link with a key shows of a page to somebody who may not see it, and the page's subject: nil for any other
// key, and then it is as if there were none. A key opens the address of one item and nothing under it.
func (s *Site) unlocked(r *http.Request, at *location) (*page.Preview, action.Subject, error) {
	key := r.URL.Query().Get(store.PreviewKey)
	if key == "" || r.Method != http.MethodGet || at == nil || at.route.preview == nil || at.name != "" || at.list || !store.SignedPreviewKey(s.secret, at.arg("id"), key) {
		return nil, nil, nil
	}
	var v *page.Preview
	var subject action.Subject
	err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		if subject, err = at.route.find(tx, store.System(), at); err != nil {
			return err
		}
		item, ok := subject.(actions.Item)
		if !ok {
			return store.Missing()
		}
		if ok, err = tx.Unlocks(item.Common(), key); err != nil || !ok {
			return err
		}
		if v = s.shows(at, subject, ""); v.Title == "" {
			v = nil
		}
		return nil
	})
	if err != nil || v == nil {
		if store.CodeOf(err) == store.NotFound {
			err = nil
		}
		return nil, nil, err
	}
	v.URL = store.PreviewURL(at.path, key)
	if v.Image != "" {
		v.Image = store.PreviewURL(v.Image, key)
	}
	return v, subject, nil
}

// signInToSee answers a link with a key: with the form to sign in on, whose head shows the preview. It reports whether it did.
func (s *Site) signInToSee(w http.ResponseWriter, r *http.Request, at *location) bool {
	v, subject, err := s.unlocked(r, at)
	if err != nil {
		s.log.Warn("preview", "error", err)
	}
	if v == nil {
		return false
	}
	s.account.ShowLoginFor(w, r, at.path, v, store.Location(subject.(actions.Item).Common().Studio.Zone))
	return true
}

// withoutKey is a query without the key of a link: it opens nothing where it is sent on to.
func withoutKey(raw string) string {
	if raw == "" {
		return ""
	}
	var kept []string
	for pair := range strings.SplitSeq(raw, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err != nil || name != store.PreviewKey {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}

// oembed tells programs what a link to a public page shows (https://oembed.com, of the type link). Every other page is the same.
func (s *Site) oembed(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if f := q.Get("format"); f != "" && f != "json" {
		plain(w, http.StatusNotImplemented, "text/plain; charset=utf-8", "only format=json\n")
		return
	}
	missing := func() {
		wire.WriteJSON(w, http.StatusNotFound, map[string]any{"error": jsonError{Code: "not_found", Message: "That is no page which everybody can see."}})
	}
	at, err := s.resolve(q.Get("url"), s.origin(r))
	if err != nil || at.name != "" || at.list {
		if _, err := s.limits.take(s.crowd(r)); err != nil {
			s.fail(w, r, err)
			return
		}
		missing()
		return
	}
	l, err := s.render(r.Context(), credentials{request: r}, at, renderOptions{form: wire.HTML})
	if _, limited := errors.AsType[*errLimited](err); limited {
		s.fail(w, r, err)
		return
	}
	if err != nil || !l.page.Embeds() {
		missing()
		return
	}
	c := s.context(r, l.by, l.org)
	c.Zone = l.page.Zone
	title, _ := l.page.Card(c)
	image := c.Picture
	answer := map[string]any{"type": "link", "version": "1.0", "title": title, "provider_name": s.config.Name, "provider_url": c.Origin + "/", "cache_age": 300}
	if v := l.page.Preview; v != nil {
		if v.Image != "" {
			image = v.Image
		}
		if v.By != "" {
			answer["author_name"] = v.By
		}
	}
	if fits(q.Get("maxwidth"), card.Width) && fits(q.Get("maxheight"), card.Height) {
		answer["thumbnail_url"], answer["thumbnail_width"], answer["thumbnail_height"] = c.Origin+image, card.Width, card.Height
	}
	wire.WriteJSON(w, http.StatusOK, answer)
}
