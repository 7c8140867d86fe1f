package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/views/page"
	"samepage/web/wire"
)

// get answers GET for every page.
func (s *Site) get(w http.ResponseWriter, r *http.Request, at *Location, query url.Values) {
	f := wire.PageFormat(r)
	if f == wire.None {
		s.chargeCallers(s.notAcceptable)(w, r)
		return
	}
	creds := s.credentials(r)
	opts := renderOptions{form: f, match: r.Header.Get("If-None-Match"), host: r.Host, relative: relative(r),
		full: query.Get("full") == "1"}
	if at.name != "" {
		opts.values = param.FromForm(at.fill, nil)
	}
	flash := wire.TakeFlash(w, r, s.secure())
	if flash != "" {
		opts.match = ""
	}
	out, err := s.wait(w, r, query, creds, at, opts)
	visitOf(w).from(out.by)
	if err != nil {
		s.failAt(w, r, at, err)
		return
	}
	if out.seen {
		s.account.SetLogin(w, creds.login) // each use of a login extends it
	}
	out.left.setHeaders(w.Header())
	if out.same {
		wire.NotModified(w, out.etag)
		return
	}
	s.lastRead.note(out.by, at, out.page.Version)
	c := s.context(r, out.by, out.org)
	c.Full, c.Message = opts.full, flash
	if flash != "" {
		out.etag = "-"
	}
	wire.WritePage(w, r, http.StatusOK, f, &out.page, c, out.etag)
}

// context returns the data that writing a page needs beside the page itself. The page belongs to the organization org,
// or to none if org is empty. Now is rounded down to the minute, because the ETag of a page changes only with the
// minute.
func (s *Site) context(r *http.Request, by store.Actor, org string) *page.Context {
	c := &page.Context{Origin: s.origin(r), Address: s.origin(r), Now: s.store.Now().UTC().Truncate(time.Minute), As: by.Name(), Home: "/",
		Site:   s.config.Name,
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
	everywhere := org == "" && len(by.Members) > 1 // the page covers all organizations of the actor
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
		c.Nav = append(c.Nav, page.Link("Account", credential.AccountURL))
	}
	switch {
	case everywhere:
		c.Nav = append(c.Nav, page.Link("You", "/whoami"))
	case by.Member != nil:
		c.Nav = append(c.Nav, page.Link("@"+by.Member.Handle, by.Member.URL()))
	}
	return c
}

// maxSwitch is the largest number of organizations that the header of a page lists.
const maxSwitch = 5

// relative reports whether the caller asks for links without the origin, as the MCP tools do.
func relative(r *http.Request) bool { return r.Header.Get("Prefer") == "relative-links" }
