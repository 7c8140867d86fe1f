package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

// get answers GET for every page.
func (s *Site) get(w http.ResponseWriter, r *http.Request, at *location, query url.Values) {
	f := wire.PageFormat(r)
	if f == wire.None {
		s.notAcceptable(w, r)
		return
	}
	who := s.credentials(r)
	opts := renderOptions{form: f, match: r.Header.Get("If-None-Match"), host: r.Host, relative: relative(r), full: query.Get("full") == "1"}
	if at.name != "" {
		opts.values = param.FromForm(at.fill, nil)
	}
	flash := wire.TakeFlash(w, r, s.secure())
	if flash != "" {
		opts.match = ""
	}
	out, err := s.wait(r, query, who, at, opts)
	if err != nil {
		s.failAt(w, r, at, err)
		return
	}
	if out.seen {
		s.account.SetLogin(w, who.login) // it lives on from when it was last used
	}
	out.left.setHeaders(w.Header())
	if out.same {
		wire.NotModified(w, out.etag)
		return
	}
	c := s.context(r, out.by, out.org)
	c.Full, c.Message = opts.full, flash
	if flash != "" {
		out.etag = "-"
	}
	wire.WritePage(w, r, http.StatusOK, f, &out.page, c, out.etag)
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
