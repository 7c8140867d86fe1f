package web

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"net/http"
	"net/url"
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
	match  string       // If-None-Match
	form   form         //
	suffix string       // what else the bytes depend on
	values param.Input  // fills in the form of an action's own page
	whole  bool         // the values are all that was in it
	errors param.Errors // shown beside their fields
	spent  bool         // it was counted already
}

// get answers GET and HEAD for every page.
func (s *Site) get(w http.ResponseWriter, r *http.Request) {
	f := negotiate(accept(r), formHTML)
	if f == formNone {
		s.notAcceptable(w, r)
		return
	}
	query := r.URL.Query()
	at, ok := s.located(r, query)
	if !ok {
		s.fail(w, r, store.Missing())
		return
	}
	who := s.credentials(r)
	full := query.Get("full") == "1"
	g := glance{form: f, match: r.Header.Get("If-None-Match"), suffix: r.Host + strconv.FormatBool(full) + strconv.FormatBool(relative(r))}
	if at.name != "" {
		g.values = param.FromForm(at.fill, nil)
	}
	flash := s.takeFlash(w, r)
	if flash != "" {
		g.match = ""
	}
	l, err := s.wait(r, query, who, at, g)
	if err != nil {
		s.failAt(w, r, at, err)
		return
	}
	if l.seen {
		s.setLogin(w, who.login) // it lives on from when it was last used
	}
	l.left.tell(w.Header())
	if l.same {
		notModified(w, l.etag)
		return
	}
	c := s.context(r, l.by, l.org)
	c.Full, c.Message = full, flash
	if flash != "" {
		l.etag = "-"
	}
	s.write(w, r, http.StatusOK, f, &l.page, c, l.etag)
}

// wait looks at the page, and with ?wait=SECONDS&since=VERSION looks again at each change until the version is another.
func (s *Site) wait(r *http.Request, query url.Values, who credentials, at *location, g glance) (look, error) {
	seconds, err := strconv.Atoi(query.Get("wait"))
	if err != nil || seconds <= 0 || at.name != "" {
		return s.look(r.Context(), who, at, g)
	}
	g.match = ""
	timeout := time.NewTimer(time.Duration(min(seconds, 60)) * time.Second)
	defer timeout.Stop()
	for {
		l, err := s.look(r.Context(), who, at, g)
		if err != nil || l.page.Version == "" || l.page.Version != query.Get("since") {
			return l, err
		}
		g.spent = true // however often it is looked at
		changed := s.hub.next(l.org)
		if again, err := s.look(r.Context(), who, at, g); err != nil || again.page.Version != l.page.Version {
			return again, err // it changed before we listened
		}
		select {
		case <-changed:
		case <-timeout.C:
			return s.look(r.Context(), who, at, g) // the clock may have changed it meanwhile
		case <-r.Context().Done():
			return l, r.Context().Err()
		}
	}
}

// look builds the page at a location for whoever shows these credentials, from one snapshot.
func (s *Site) look(ctx context.Context, who credentials, at *location, g glance) (l look, err error) {
	stale := false
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		defer s.observe(at, tx)
		l.by, stale, err = who.actor(tx)
		if err != nil {
			return err
		}
		if l.left, err = s.spend(who, l.by, at, g); err != nil {
			return err
		}
		l.etag = s.etag(l.by, at, g, tx.Now)
		if l.etag != "" && g.match != "*" && etagMatches(g.match, l.etag) {
			l.same = true
			return nil
		}
		return s.build(tx, at, g, &l)
	})
	if err == nil && stale {
		if err := s.store.Write(ctx, func(tx *store.Tx) error { return s.touch(tx, who, l.by) }); err != nil {
			s.log.Warn("seen", "error", err) // reading goes on when nothing can be written
		} else {
			l.seen = who.login != ""
		}
	}
	return l, err
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

// etag names the bytes of a page without making them: nothing that members are shown of their organization changes without an
// entry in its journal, but for what is theirs alone, and what the clock changes, which it does by the whole minute.
func (s *Site) etag(by store.Actor, at *location, g glance, now time.Time) string {
	if len(by.Members) == 0 {
		return ""
	}
	h := fnv.New128a()
	var n [20]byte
	text := func(p string) { h.Write([]byte(p)); h.Write(n[:1]) }
	text(s.config.Version)
	text(by.Key())
	if by.IsAgent() && by.Grant.Client != "" { // of one grant there are tokens with fewer scopes
		text(by.Grant.Scopes.String())
	}
	text(at.url())
	text(g.suffix)
	h.Write([]byte{byte(g.form), 0})
	for i := range by.Members {
		for _, v := range [...]int64{by.Members[i].Head, by.Members[i].Own} {
			h.Write(append(strconv.AppendInt(n[1:1], v, 36), 0))
		}
	}
	h.Write(strconv.AppendInt(n[1:1], now.Unix()/60, 36))
	return quoted(h.Sum(nil))
}

func etagMatches(header, etag string) bool {
	if header == "" {
		return false
	}
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		if tag == etag || tag == "*" {
			return true
		}
	}
	return false
}

// context is what the writers know beside the page of an organization, or of none. Times are put into words to the minute, as the
// ETag promises.
func (s *Site) context(r *http.Request, by store.Actor, org string) *page.Context {
	c := &page.Context{Origin: s.origin(r), Now: s.store.Now().UTC().Truncate(time.Minute), As: by.Name(), Home: "/", Site: s.config.Name,
		Signed: !by.Anonymous() && !by.IsAgent(), Insecure: !s.secure() && !loopback(r.Host), Picture: s.generic}
	if by.Member != nil {
		c.Zone = zone(by)
	}
	if relative(r) {
		c.Origin = ""
	}
	if by.Anonymous() {
		c.Nav = []page.Inline{page.Link("Help", "/help"), page.Link("Sign in", "/login")}
		return c
	}
	if c.Signed {
		c.Search = searchURL
		if r.URL.Path == searchURL {
			c.Sought = r.URL.Query().Get("q")
		}
	}
	everywhere := org == "" && len(by.Members) > 1 // the page is of all that they are in
	var all []string
	for i := range by.Members {
		m := &by.Members[i]
		u := "/orgs/" + m.Org
		if i < maxSwitch {
			c.Orgs = append(c.Orgs, page.Link(m.OrgName, u))
		}
		if m.OrgID == org || len(by.Members) == 1 {
			c.Org = u
		}
		all = append(all, "@"+m.Handle+" of "+m.OrgName)
	}
	if len(by.Members) > maxSwitch {
		c.Orgs = append(c.Orgs, page.Link("All", orgsURL))
	}
	if everywhere {
		c.As = strings.Join(all, ", ")
	}
	inbox := "Inbox"
	if unread := by.Unread(); unread > 0 {
		inbox += " (" + strconv.Itoa(unread) + ")"
	}
	c.Nav = append(c.Nav, page.Link(inbox, "/inbox"))
	c.Nav = append(c.Nav, page.Link("Help", "/help"))
	if c.Signed {
		if len(by.Members) > 0 {
			c.Nav = append(c.Nav, page.Link("Tokens", by.TokensURL()))
		}
		c.Nav = append(c.Nav, page.Link("Account", store.AccountURL))
	}
	switch {
	case everywhere:
		c.Nav = append(c.Nav, page.Link("You", "/whoami"))
	case by.Member != nil:
		c.Nav = append(c.Nav, page.Link("@"+by.Member.Handle, by.Member.URL()))
	}
	return c
}

// maxSwitch is how many organizations the header offers to switch to.
const maxSwitch = 5

// relative reports that links are wanted root-relative: agents over MCP have no use for our origin.
func relative(r *http.Request) bool { return r.Header.Get("Prefer") == "relative-links" }

// abbreviated finds what a shortened id stands for: one page is redirected to, several are named.
func (s *Site) abbreviated(tx *store.Tx, by store.Actor, at *location, err error) error {
	id := at.arg("id")
	if at.place.kind == "" || store.KindOf(err) != store.NotFound || len(id) >= store.IDLength || !store.IsIDPrefix(id) {
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
