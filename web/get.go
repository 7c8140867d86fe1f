package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

func (s *Site) get(w http.ResponseWriter, r *http.Request, at *Location, query url.Values) {
	if streams(r) {
		s.stream(w, r, at, query)
		return
	}
	f := wire.PageFormat(r)
	if f == wire.None {
		s.chargeCallers(s.notAcceptable)(w, r)
		return
	}
	creds := s.credentials(r)
	opts := renderOptions{form: f, match: r.Header.Get("If-None-Match"), host: r.Host, relative: relative(r),
		full: query.Get("full") == "1", reads: f == wire.HTML && r.Method == http.MethodGet && !prefetches(r)}
	flash := wire.TakeFlash(w, r, s.secure())
	if flash != "" {
		opts.match = ""
	}
	out, err := s.wait(w, r, query, creds, at, opts)
	visitOf(w).setActor(out.by)
	if err != nil {
		s.failAt(w, r, at, err)
		return
	}
	if out.seen {
		s.account.SetLogin(w, creds.login) // each recorded use of a login extends it
	}
	out.left.setHeaders(w.Header())
	if out.same {
		wire.NotModified(w, out.etag)
		return
	}
	c := s.context(r, out.by, out.org)
	s.lastRead.note(out.by, at, out.page.Version, c, f)
	c.Full, c.Message, c.News = opts.full, flash, out.news()
	if flash != "" {
		out.etag = "-"
	}
	wire.WritePage(w, r, http.StatusOK, f, &out.page, c, out.etag)
}

// context returns the data for writing a page of the organization org, which may be empty. The context's Now is rounded
// down to the minute, because the ETag of a page changes only with the minute.
func (s *Site) context(r *http.Request, by store.Actor, org string) *page.Context {
	c := &page.Context{Origin: s.origin(r), Address: s.origin(r), Now: s.store.Now().UTC().Truncate(time.Minute), As: by.Name(), Home: "/",
		Site:     s.config.Name,
		Assets:   assets,
		Insecure: !s.secure() && !loopback(r.Host), Picture: s.generic}
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
	if everywhere := org == "" && len(by.Members) > 1; everywhere { // the page covers all organizations of the actor
		var all []string
		for i := range by.Members {
			all = append(all, "@"+by.Members[i].Handle+" of "+by.Members[i].OrgName)
		}
		c.As = strings.Join(all, ", ")
	}
	if !by.IsAgent() && wire.PageFormat(r) == wire.HTML {
		c.Key = func(call string) string { return s.formKeys(by, r.URL.Path, "").of(call) }
		c.Side = s.sidebar(r, by, org)
		if r.URL.Path == searchURL {
			c.Sought = r.URL.Query().Get("q")
		}
	}
	return c
}

const maxSwitch = 5

// relative reports whether the caller, such as the MCP tools, asks for links without the origin.
func relative(r *http.Request) bool { return r.Header.Get("Prefer") == "relative-links" }
