package web

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

// rendered is a page for one actor at one moment.
type rendered struct {
	by   store.Actor
	page page.Page
	org  string // its changes may change the page
	etag string // empty if it must be computed from the bytes
	same bool   // the caller's copy is current
	left quota
	seen bool // this request recorded the use of the login

	topics []store.Topic // set if the page was not built because the caller has its version
}

// renderOptions are the parts of a request that determine its page beside the URL.
type renderOptions struct {
	match    string // If-None-Match
	unless   string // the version at which the page is not built
	form     wire.Format
	host     string       // the host in links
	relative bool         // links have no host
	full     bool         // no text is cut short
	values   param.Input  // the values of the action's form
	whole    bool         // the values are the complete form
	errors   param.Errors // shown beside their fields
	spent    bool         // the request has been counted already
}

// render builds the page at a location for these credentials, from one snapshot. If the caller's
// copy is current, it costs only the lookup of the actor.
func (s *Site) render(ctx context.Context, creds credentials, at *Location,
	opts renderOptions) (out rendered, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		defer s.observe(at, tx)
		by, err := creds.actor(tx)
		if err != nil {
			return s.countStranger(creds.request, err)
		}
		out.by = by
		if out.left, err = s.spend(creds, by, at, opts); err != nil || s.unchanged(at, opts, tx.Now, &out) {
			return err
		}
		return s.build(tx, at, opts, &out)
	})
	if err == nil && out.by.Unseen(s.store.Now()) {
		if err := s.store.Write(ctx, func(tx *store.Tx) error { return s.touch(tx, creds, out.by) }); err != nil {
			s.log.Warn("the use of a login or token was not recorded", "error", err) // pages stay readable when the database is read-only
		} else {
			out.seen = creds.login != ""
		}
	}
	return out, err
}

// unchanged reports whether the caller's copy of the page is current.
func (s *Site) unchanged(at *Location, opts renderOptions, now time.Time, out *rendered) bool {
	out.etag = s.etag(out.by, at, opts, now)
	out.same = out.etag != "" && opts.match != "*" && wire.Matches(opts.match, out.etag)
	return out.same
}

// spend counts a read against the limits.
func (s *Site) spend(creds credentials, by store.Actor, at *Location, opts renderOptions) (quota, error) {
	switch {
	case opts.spent || creds.as != nil:
		return quota{limit: math.MaxInt}, nil
	case by.Anonymous():
		return s.limits.take(s.addressAllowances(creds.request)...)
	case at.route.search:
		return s.limits.spend(by, store.UseSearch)
	}
	return s.limits.spend(by, store.UseRead)
}

// build finds the subject, and renders the page with its forms.
func (s *Site) build(tx *store.Tx, at *Location, opts renderOptions, out *rendered) error {
	p := at.route
	subject, err := p.find(tx, out.by, at)
	if err != nil {
		return s.resolveShortID(tx, out.by, at, err)
	}
	ref := subject.Ref()
	if p.moving && ref.URL != at.path {
		return &moved{urls: []string{ref.URL + strings.TrimPrefix(at.url(), at.path)}}
	}
	if out.org = ref.OrgID; out.org != "" {
		out.by = out.by.In(out.org)
	}
	if p.wide || out.org != "" && out.by.Member == nil {
		out.etag = "" // it depends on journals of other organizations
	}
	version, topics := at.version(out.by, ref)
	if version != "" && version == opts.unless {
		out.topics = topics
		return nil
	}
	if at.name != "" || at.list {
		return s.buildAction(tx, out, at, subject, version, opts)
	}
	if out.page, err = p.view(tx, out.by, subject, at); err != nil {
		return err
	}
	out.page.URL, out.page.Version = at.url(), version
	if opts.form == wire.HTML && out.org != "" {
		if err := s.linkNames(tx, out); err != nil {
			return err
		}
	}
	if out.page.Public {
		out.page.Preview = s.previewOf(at, subject, out.page.Title)
	}
	out.page.Forms = s.forms(at, subject, out.by, version)
	if out.page.People, err = p.forPeople(tx, out.by, at, subject); err != nil {
		return err
	}
	if names := p.offersWithMoreScopes(out.by, subject); len(names) > 0 {
		scopes := strings.ReplaceAll(out.by.Grant.Scopes.String(), " ", ", ")
		out.page.Blocks = append(out.page.Blocks, page.Para(page.Line(
			page.Sentence("Your token only carries the scopes "+scopes+
				". With others you could take these actions here: "),
			page.Mono(strings.Join(names, ", ")),
			page.Sentence(". Take one, and your client asks @"+out.by.Member.Handle+" for more."))))
	}
	return nil
}

// linkNames adds links for the members and items that the page's prose mentions.
func (s *Site) linkNames(tx *store.Tx, out *rendered) error {
	named, err := tx.FindNamed(out.by, out.org, out.page.Texts)
	if err != nil {
		return err
	}
	if len(named.Members)+len(named.Items) == 0 {
		return nil
	}
	out.page.Names = map[string]page.Name{}
	for _, handle := range named.Members {
		out.page.Names["@"+handle] = page.Name{URL: store.MemberURL(out.by.Member.Org, handle)}
	}
	for i := range named.Items {
		u := named.Items[i].URL()
		out.page.Names[u] = page.Name{URL: u, Title: named.Items[i].Title}
	}
	return nil
}

// offersWithMoreScopes returns the actions that more scopes would open to an agent, if its client can ask for
// them.
func (p *BoundRoute) offersWithMoreScopes(by store.Actor, subject action.Subject) (names []string) {
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

// resolveShortID resolves a shortened id: to a redirect for one match, to links for several.
func (s *Site) resolveShortID(tx *store.Tx, by store.Actor, at *Location, err error) error {
	id := at.Arg("id")
	if at.route.kind == "" || store.CodeOf(err) != store.NotFound || len(id) >= store.IDLength ||
		!store.IsIDPrefix(id) {
		return err
	}
	studio, serr := tx.FindStudio(by, at.Arg("studio"))
	if serr != nil {
		return err
	}
	list, serr := tx.ItemsByPrefix(by.In(studio.OrgID), studio, at.route.kind, id)
	if serr != nil || len(list) == 0 {
		return err
	}
	m := &moved{}
	rest := strings.TrimPrefix(at.url(), store.ItemURL(studio.Handle, at.route.kind, id))
	for i := range list {
		m.to = append(m.to, page.Link(list[i].Title, list[i].URL()+rest))
		m.urls = append(m.urls, list[i].URL()+rest)
	}
	return m
}

// moved is a shortened id, or a temporary name of a subject, with the pages that it may mean.
type moved struct {
	to   []page.Inline
	urls []string
}

func (m *moved) Error() string {
	return "Several pages begin like this. Choose one."
}

func isMoved(err error) (*moved, bool) { return errors.AsType[*moved](err) }
