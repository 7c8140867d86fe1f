package web

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
)

// look is a page as one actor sees it now.
type look struct {
	by   store.Actor
	page page.Page
	org  string // whose changes may change the page
	etag string // empty if it must be made from the bytes
	same bool   // what the caller has is what there is
	left quota
	seen bool // that the login was used has just been written down
}

// glance is what a request wants of a page beside the page itself.
type glance struct {
	match    string       // If-None-Match
	form     form         //
	host     string       // that links name
	relative bool         // links name none
	full     bool         // nothing is cut short
	values   param.Input  // fills in the form of an action's own page
	whole    bool         // the values are all that was in it
	errors   param.Errors // shown beside their fields
	spent    bool         // it was counted already
}

// look builds the page at a location for these credentials, all of it from one snapshot. A caller whose copy of the page is the
// present one costs no more than the actor's own lookup.
func (s *Site) look(ctx context.Context, who credentials, at *location, g glance) (l look, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		defer s.observe(at, tx)
		by, err := who.actor(tx)
		if err != nil {
			return err
		}
		l.by = by
		if l.left, err = s.spend(who, by, at, g); err != nil || s.unchanged(at, g, tx.Now, &l) {
			return err
		}
		return s.build(tx, at, g, &l)
	})
	if err == nil && l.by.Unseen(s.store.Now()) {
		if err := s.store.Write(ctx, func(tx *store.Tx) error { return s.touch(tx, who, l.by) }); err != nil {
			s.log.Warn("seen", "error", err) // reading goes on when nothing can be written
		} else {
			l.seen = who.login != ""
		}
	}
	return l, err
}

// unchanged reports that the caller's copy of the page is the present one.
func (s *Site) unchanged(at *location, g glance, now time.Time, l *look) bool {
	l.etag = s.etag(l.by, at, g, now)
	l.same = l.etag != "" && g.match != "*" && etagMatches(g.match, l.etag)
	return l.same
}

// spend counts a reading.
func (s *Site) spend(who credentials, by store.Actor, at *location, g glance) (quota, error) {
	switch {
	case g.spent || who.as != nil:
		return quota{limit: math.MaxInt}, nil
	case by.Anonymous():
		return s.limits.take(s.crowd(who.request))
	case at.place.search:
		return s.limits.spend(by, store.UseSearch)
	}
	return s.limits.spend(by, store.UseRead)
}

// build finds and shows the page and what is on offer there.
func (s *Site) build(tx *store.Tx, at *location, g glance, l *look) error {
	p := at.place
	subject, err := p.find(tx, l.by, at)
	if err != nil {
		return s.abbreviated(tx, l.by, at, err)
	}
	ref := subject.Ref()
	if p.moving && ref.URL != at.path {
		return &moved{urls: []string{ref.URL + strings.TrimPrefix(at.url(), at.path)}}
	}
	if l.org = ref.OrgID; l.org != "" {
		l.by = l.by.In(l.org)
	}
	if p.wide || l.org != "" && l.by.Member == nil {
		l.etag = "" // it changes with the journals of organizations that are not the actor's
	}
	if at.name != "" || at.list {
		return s.buildAction(l, at, subject, g)
	}
	if l.page, err = p.view(tx, l.by, subject, at); err != nil {
		return err
	}
	l.page.URL = at.url()
	if g.form == formHTML && l.org != "" {
		if err := s.name(tx, l); err != nil {
			return err
		}
	}
	if l.page.Public {
		l.page.Preview = s.shows(at, subject, l.page.Title)
	}
	if l.page.Version == "" && ref.Version > 0 {
		l.page.Version = strconv.FormatInt(ref.Version, 10)
	}
	l.page.Forms = s.forms(at, subject, l.by, l.page.Version)
	if names := p.withMore(l.by, subject); len(names) > 0 {
		l.page.Blocks = append(l.page.Blocks, page.Para(page.Line(page.Sentence("Your token only carries the scopes "+strings.ReplaceAll(l.by.Grant.Scopes.String(), " ", ", ")+
			". With others you could take these actions here: "), page.Mono(strings.Join(names, ", ")), page.Sentence(". Take one, and your client asks @"+l.by.Member.Handle+" for more."))))
	}
	return nil
}

// name gives the page links for what its prose calls by name.
func (s *Site) name(tx *store.Tx, l *look) error {
	named, err := tx.Named(l.by, l.org, l.page.Texts)
	if err != nil {
		return err
	}
	if len(named.Members)+len(named.Items) == 0 {
		return nil
	}
	l.page.Names = map[string]page.Name{}
	for _, handle := range named.Members {
		l.page.Names["@"+handle] = page.Name{URL: store.MemberURL(l.by.Member.Org, handle)}
	}
	for i := range named.Items {
		u := named.Items[i].URL()
		l.page.Names[u] = page.Name{URL: u, Title: named.Items[i].Title}
	}
	return nil
}

// withMore names what an agent whose client can ask for more scopes could do here with all of them.
func (p *place) withMore(by store.Actor, subject action.Subject) (names []string) {
	if !by.IsAgent() || by.Grant.Client == "" {
		return nil
	}
	grant := *by.Grant
	grant.Scopes = store.Scopes()
	more := by
	more.Grant = &grant
	for i := range p.offers(more, subject) {
		if !by.Has(p.decls[i].Scope) {
			names = append(names, p.decls[i].Name)
		}
	}
	return names
}

// abbreviated finds what a shortened id stands for: one page is redirected to, several are named.
func (s *Site) abbreviated(tx *store.Tx, by store.Actor, at *location, err error) error {
	id := at.arg("id")
	if at.place.kind == "" || store.CodeOf(err) != store.NotFound || len(id) >= store.IDLength || !store.IsIDPrefix(id) {
		return err
	}
	studio, serr := tx.FindStudio(by, at.arg("studio"))
	if serr != nil {
		return err
	}
	list, serr := tx.ItemsByPrefix(by.In(studio.OrgID), studio, at.place.kind, id)
	if serr != nil || len(list) == 0 {
		return err
	}
	m := &moved{}
	rest := strings.TrimPrefix(at.url(), store.ItemURL(studio.Handle, at.place.kind, id))
	for i := range list {
		m.to = append(m.to, page.Link(list[i].Title, list[i].URL()+rest))
		m.urls = append(m.urls, list[i].URL()+rest)
	}
	return m
}

// moved is a shortened id, or a name for what is permanent under another: where it may lead.
type moved struct {
	to   []page.Inline
	urls []string
}

func (m *moved) Error() string {
	return "Several pages begin like this. Choose one."
}

func isMoved(err error) (*moved, bool) { return errors.AsType[*moved](err) }
