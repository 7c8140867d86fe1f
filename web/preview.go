package web

import (
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

// previewable is a subject with a setting for the previews of its pages.
type previewable interface{ Previews() string }

// previewOf returns the preview of a page, or nil if its subject is not [previewable]. It does not check whether the
// reader may know of the page. The preview depends on the subject's setting. With [store.PreviewOff] it is empty. With
// [store.PreviewTitle] it has only a title: that of the route's preview function, or the argument title if the route
// has no such function. With [store.PreviewCard] it is the result of the preview function, with a picture, or nil if
// the route has no such function.
func (s *Site) previewOf(at *Location, subject action.Subject, title string) *page.Preview {
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

// card returns the card for the picture of a preview, or the generic card if v is nil.
func (s *Site) card(v *page.Preview, subject action.Subject) card.Card {
	switch of := subject.(type) {
	case actions.Item:
		return card.Of(v, store.Location(of.Common().Studio.Zone), s.config.Name)
	default:
		return card.Of(v, nil, s.config.Name)
	}
}

// previewByKey returns the preview and the subject of an item if the request has a valid preview key of the item, and
// nil otherwise. A preview key is a secret in a link, with which programs that show links may fetch the preview of a
// private item. The key is valid only for the URL of the item's page, and not for the pages below that URL.
func (s *Site) previewByKey(r *http.Request, at *Location) (*page.Preview, action.Subject, error) {
	key := r.URL.Query().Get(store.PreviewKey)
	if key == "" || r.Method != http.MethodGet || at == nil || at.route.preview == nil || at.name != "" || at.list {
		return nil, nil, nil
	}
	if _, id := at.item(); !store.SignedPreviewKey(s.previews, id, key) {
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
		if v = s.previewOf(at, subject, ""); v.Title == "" {
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

// showLoginWithPreview answers with the login form and the preview if the request has a valid preview key. It reports
// whether it has answered the request.
func (s *Site) showLoginWithPreview(w http.ResponseWriter, r *http.Request, at *Location) bool {
	v, subject, err := s.previewByKey(r, at)
	if err != nil {
		s.log.Warn("a preview key cannot be checked", "error", err)
	}
	if v == nil {
		return false
	}
	s.account.ShowLoginFor(w, r, at.path, v, store.Location(subject.(actions.Item).Common().Studio.Zone))
	return true
}

// withoutKey returns the query without the preview key.
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

// oembed answers with the preview of a public page as an oEmbed link (https://oembed.com). For every other URL the
// answer is 404, so that it does not tell which private pages exist.
func (s *Site) oembed(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if f := q.Get("format"); f != "" && f != "json" {
		plain(w, http.StatusNotImplemented, "text/plain; charset=utf-8", "only format=json\n")
		return
	}
	missing := func() {
		wire.WriteJSON(w, r, http.StatusNotFound,
			map[string]any{"error": jsonError{Code: "not_found", Message: "That is no page which everybody can see."}})
	}
	at, err := s.resolve(q.Get("url"), s.origin(r))
	if err != nil || at.name != "" || at.list {
		if _, err := s.limits.take(s.addressAllowances(r)...); err != nil {
			s.fail(w, r, err)
			return
		}
		missing()
		return
	}
	l, err := s.render(r.Context(), credentials{request: r}, at, renderOptions{form: wire.HTML})
	if err != nil && !isNo(err) { // a fault, or too many requests
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
	answer := map[string]any{"type": "link", "version": "1.0", "title": title, "provider_name": s.config.Name,
		"provider_url": c.Origin + "/", "cache_age": 300}
	if v := l.page.Preview; v != nil {
		if v.Image != "" {
			image = v.Image
		}
		if v.By != "" {
			answer["author_name"] = v.By
		}
	}
	if fits(q.Get("maxwidth"), card.Width) && fits(q.Get("maxheight"), card.Height) {
		answer["thumbnail_url"] = c.Origin + image
		answer["thumbnail_width"], answer["thumbnail_height"] = card.Width, card.Height
	}
	wire.WriteJSON(w, r, http.StatusOK, answer)
}
