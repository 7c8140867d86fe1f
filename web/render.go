package web

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"samepage/actions"
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
	"samepage/web/wire"
)

// rendered is a page for one actor at one moment.
type rendered struct {
	by    store.Actor
	page  page.Page
	org   string // ID of the subject's organization, or empty
	title string // title of the subject; empty if the subject was not loaded
	etag  string // if empty, the ETag is computed from the bytes of the page
	same  bool   // whether the caller's copy is current
	left  quota
	seen  bool // whether this request recorded a use of the login

	unread int                   // number of unread notifications about the page, if the request marks them as read
	item   string                // ID of the page's item, or empty
	mark   func(*store.Tx) error // stores that the reader has the page in sight; nil if there is nothing to store

	talk   string        // version of the studio's conversation, on the studio's main page; empty for other pages
	topics []store.Topic // topics that announce a change of the page; nil if the page was built or has no version
}

// news returns a text that changes with the parts that a person's page shows beside its subject: the notifications and,
// on the main page of a studio, the end of its conversation. The text is empty for an agent.
func (out *rendered) news() string {
	if inbox := inboxVersion(out.by); inbox != "" {
		return inbox + out.talk
	}
	return ""
}

// hears sets the version of the conversation on the main page of a studio, and returns the topic that announces changes
// of the conversation. It returns nil for other pages. The argument own says that the page is the main page of its
// subject.
func (out *rendered) hears(subject any, own bool) []store.Topic {
	s, ok := subject.(*store.Studio)
	if !ok || !own {
		return nil
	}
	out.talk = "." + strconv.FormatInt(s.TalkVersion, 10)
	return []store.Topic{store.TalkTopic(s.ID)}
}

// renderOptions are the parts of a request that determine the page, beside the URL.
type renderOptions struct {
	match    string // value of If-None-Match
	unless   string // version known to the caller; the page is not built at this version
	glance   bool   // whether only the version is looked up, and the page is never built
	form     wire.Format
	host     string      // host in links
	relative bool        // whether links have no host
	full     bool        // whether no text is shortened
	values   param.Input // for the action's form
	whole    bool        // whether the values are a complete form
	errors   param.Errors
	spent    bool // whether the request was counted already
	news     bool // whether the version includes the reader's notifications
	reads    bool // whether the reader has the page in sight, so that notifications about it are marked as read
}

// render builds the page at a location for these credentials, from one snapshot of the database. It does not build the
// page if the caller's copy is current.
func (s *Site) render(ctx context.Context, creds credentials, at *Location,
	opts renderOptions) (out rendered, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		defer s.observe(at, tx)
		by, err := creds.actor(tx)
		if err != nil {
			_, err = s.charge(creds.request, by, err, store.UseRead)
			return err
		}
		by.Unlimited = s.config.Unlimited
		out.by = by
		if out.left, err = s.spend(creds, by, at, opts); err != nil || s.unchanged(at, opts, tx.Now, &out) {
			return err
		}
		return s.build(tx, at, opts, &out)
	})
	if err == nil && out.by.Unseen(s.store.Now()) {
		if err := s.store.Write(ctx, func(tx *store.Tx) error { return s.touch(tx, creds, out.by) }); err != nil {
			// pages stay readable when the database cannot be written
			s.log.Warn("the use of a login or token was not recorded", "error", err)
		} else {
			out.seen = creds.login != ""
		}
	}
	if err == nil && (out.unread > 0 || out.mark != nil) {
		s.markRead(ctx, at, &out)
	}
	return out, err
}

// unchanged sets the ETag, and reports whether the caller's copy of the page is current.
func (s *Site) unchanged(at *Location, opts renderOptions, now time.Time, out *rendered) bool {
	out.etag = s.etag(out.by, at, opts, now)
	if at.route.quiet {
		return false // the version of the subject is not known yet
	}
	return out.matches(opts)
}

func (out *rendered) matches(opts renderOptions) bool {
	out.same = out.etag != "" && opts.match != "*" && wire.Matches(opts.match, out.etag)
	return out.same
}

// spend counts a read, or a search on the search page, against the limits of the actor or of an anonymous address.
func (s *Site) spend(creds credentials, by store.Actor, at *Location, opts renderOptions) (quota, error) {
	switch {
	case opts.spent || creds.as != nil:
		return quota{limit: math.MaxInt}, nil
	case at.route.search:
		return s.charge(creds.request, by, nil, store.UseSearch)
	}
	return s.charge(creds.request, by, nil, store.UseRead)
}

// build finds the subject of the page and renders the page with its forms.
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
		out.etag = "" // the page also depends on changes that do not change the ETag
	}
	if p.quiet {
		if out.etag = versioned(out.etag, ref.Version); p.version != BySubject {
			out.etag = ""
		}
		if out.matches(opts) {
			return nil
		}
	}
	if opts.reads && ref.URL == at.path && at.name == "" && !at.list {
		if i, ok := subject.(actions.Item); ok {
			out.item = i.Common().ID
		}
		if out.unread, err = tx.UnreadOn(out.by, out.item, at.path); err != nil {
			return err
		}
		if p.inSight != nil && !out.by.IsAgent() {
			out.mark = p.inSight(out.by, subject, at)
		}
	}
	out.title = ref.Title
	version, topics, err := at.version(tx, out.by, ref)
	if err != nil {
		return err
	}
	talks := out.hears(subject, ref.URL == at.path)
	if opts.glance || version != "" && version == opts.unless {
		if out.topics, out.page.Version = topics, version; opts.news && version != "" && out.news() != "" {
			out.topics, out.page.Version = slices.Concat(topics, out.by.OwnTopics(), talks), version+page.NewsMark+out.news()
		}
		return nil
	}
	if at.name != "" || at.list {
		return s.buildAction(tx, out, at, subject, version, opts)
	}
	if out.page, err = p.view(tx, out.by, subject, at); err != nil {
		return err
	}
	out.page.URL, out.page.Version = at.url(), version
	if err := s.addNotes(tx, at, ref, out); err != nil {
		return err
	}
	if opts.form == wire.HTML && out.org != "" {
		if err := s.linkNames(tx, out); err != nil {
			return err
		}
	}
	if out.page.Public {
		out.page.Preview = s.previewOf(at, subject, out.page.Title)
	}
	if err := s.addActions(tx, out, at, subject, version); err != nil {
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

// addNotes adds notes on ignored parts of the page's address, and on its actions that wait for approval.
func (s *Site) addNotes(tx *store.Tx, at *Location, ref store.Ref, out *rendered) error {
	notes := notesOf(at.odd)
	if len(at.route.decls) > 0 && ref.StudioID != "" && out.by.Member != nil && ref.Kind != "approval" {
		held, err := tx.PendingOn(out.by, at.path)
		if err != nil {
			return err
		}
		for i := range held {
			notes = append(notes, page.Para(views.Pending(out.by, &held[i])))
		}
	}
	out.page.Blocks = page.WithNotes(out.page.Blocks, notes...)
	return nil
}

func notesOf(sentences []string) (notes []page.Block) {
	for _, s := range sentences {
		notes = append(notes, page.Para(page.Line(page.Sentence(s))))
	}
	return notes
}

// linkNames adds links to the members and the pages that the page's texts mention.
func (s *Site) linkNames(tx *store.Tx, out *rendered) error {
	named, err := tx.FindNamed(out.by, out.org, out.page.Texts)
	if err != nil {
		return err
	}
	out.page.Names = map[string]page.Name{}
	for _, handle := range named.Members {
		out.page.Names["@"+handle] = page.Name{URL: store.MemberURL(out.by.Member.Org, handle)}
	}
	for i := range named.Items {
		u := named.Items[i].URL()
		out.page.Names[u] = page.Name{URL: u, Title: named.Items[i].Title}
	}
	tried := map[string]bool{}
	for text := range out.page.Texts {
		for _, path := range store.Paths(text) {
			if len(tried) == maxPaths {
				return nil
			}
			key := strings.ToLower(path)
			if _, known := out.page.Names[key]; known || tried[key] {
				continue
			}
			tried[key] = true
			to, err := s.named(tx, out, path)
			if err != nil {
				return err
			}
			if to.URL != "" {
				out.page.Names[key] = to
			}
		}
	}
	return nil
}

// maxPaths is the maximum number of paths in a page's texts for which the server looks for a page that is not an item.
const maxPaths = 10

// named returns the name of the page with this path. The name is empty if there is no such page, if the reader may not
// see it, or if it is in another organization than the page in out.
func (s *Site) named(tx *store.Tx, out *rendered, path string) (page.Name, error) {
	var none page.Name
	at, err := s.resolve(path)
	if err != nil || at.name != "" || at.list {
		return none, nil
	}
	subject, err := at.route.find(tx, out.by, at)
	if err != nil {
		if isNo(err) {
			err = nil
		}
		return none, err
	}
	ref := subject.Ref()
	if ref.OrgID != out.org || ref.URL != at.path {
		return none, nil
	}
	return page.Name{URL: ref.URL, Title: ref.Title}, nil
}

// offersWithMoreScopes returns the actions that an agent could take with more scopes, if its client can ask for scopes.
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

// resolveShortID looks for the item of a shortened ID. It returns a [moved] with the matching items, or err if there
// are none.
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

// moved is the error for a URL that stands for other pages, such as a shortened ID or the URL of a [Route] that is
// moving. The answer redirects to a single such page, or links to several.
type moved struct {
	to   []page.Inline
	urls []string
}

func (m *moved) Error() string {
	return "Several pages begin like this. Choose one."
}

// isNo reports whether the error refuses a page to the actor, or sends the actor to another address. After any other
// error it is not known whether the actor may see the page.
func isNo(err error) bool {
	_, elsewhere := isMoved(err)
	return elsewhere || store.IsRefusal(err)
}

func isMoved(err error) (*moved, bool) { return errors.AsType[*moved](err) }

// observe reports the number of SQL statements of a transaction.
func (s *Site) observe(at *Location, tx *store.Tx) {
	if s.config.Observe != nil {
		s.config.Observe(at.url(), tx.Queries)
	}
}
