// Package web serves the site over HTTP. It maps URLs to pages, renders the pages with the forms of their actions, and
// carries out actions through one function, [Site.Do].
package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"

	"samepage/actions/action"
	"samepage/store"
	"samepage/store/credential"
	"samepage/store/memo"
	"samepage/store/seldom"
	"samepage/views/card"
	"samepage/views/page"
	"samepage/web/account"
	"samepage/web/hook"
	"samepage/web/metric"
	"samepage/web/oauth"
	"samepage/web/wire"
)

// Config configures a [Site].
type Config struct {
	// Origin is the scheme and host by which people reach the site. If it is empty, the site answers only requests from
	// this machine, and takes the host of each request as the origin.
	Origin  string
	Local   string          // scheme, host and port of the server on this machine, for links in webhooks without an Origin
	Name    string          // name of the installation; empty means Samepage
	Log     *slog.Logger    // nil means slog.Default()
	OpenID  *account.OpenID // nil if people cannot sign in at a provider
	Version string          // version of the program
	// OperatorFounds means that only the operator can create organizations. Otherwise the owner of an organization can,
	// too.
	OperatorFounds bool
	// Mail sends mails. It is nil if no mail is sent.
	Mail *account.SMTP
	// TrustedProxies are the addresses of proxies that the server trusts to set X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// Unlimited turns off the limits on the number of requests, and the one of [store.Actor].Unlimited.
	Unlimited bool
	Backups   func() *store.Backups // state of the server's own backups; nil if it makes none
	Metrics   *metric.Set           // nil if there are none
	AccessLog bool                  // whether every request is logged
	// Observe is called at the end of the transaction of each page and each action, with its number of SQL statements.
	// It may be nil.
	Observe func(path string, statements int)
	// Pause delays a request until d has passed or ctx is done. If it is nil, a timer is used.
	Pause func(ctx context.Context, d time.Duration)
	// Documents configures OAuth clients that are identified by the URL of a metadata document. Documents.Allow also
	// applies to webhooks.
	Documents oauth.Documents
	// NoWebhooks means that this server sends nothing to webhooks.
	NoWebhooks bool
}

// Site is the [http.Handler] of one installation. It is safe for concurrent use.
type Site struct {
	store    *store.Store
	config   Config
	log      *slog.Logger
	pages    *chi.Mux // used only to match paths
	bound    map[string]*BoundRoute
	order    []string // patterns in the order of their declaration
	phrases  phrases
	titles   phrases // titles of actions, by the same keys
	handler  http.Handler
	fixed    chi.Routes // the routes that are not pages
	secret   []byte     // from which [Site.formKeys] derives
	previews []byte     // signs the keys in links with a preview
	generic  string     // URL of the preview picture without the content of any page
	seal     []byte     // key for [Site.sealDigest]; never stored
	hub      *hub
	limits   *limits
	seldom   seldom.Log // log for faults that may last and recur
	lastRead lastRead
	sidebars *memo.Recent[string, surroundings] // by the ID of the user
	rooms    rooms
	pictures *memo.Memo[card.Card, *drawing]
	oauth    *oauth.Server
	account  *account.Server
	summed   atomic.Int64 // last multiple of cyclesEnd at which all digests of cycles were sent, in Unix seconds
	host     string       // of the configured origin; empty if none is configured
	meters   *meters      // nil if nothing is measured
}

// New returns a site on a store. It returns an error if the configured origin is wrong, or if the store or its keys
// cannot be used. It panics if a route, an action or a noun is declared wrongly.
func New(ctx context.Context, st *store.Store, c Config) (*Site, error) {
	c.Name = cmp.Or(c.Name, "Samepage")
	s := &Site{store: st, config: c, log: c.Log, pages: chi.NewMux(), bound: map[string]*BoundRoute{},
		phrases: phrases{}, titles: phrases{}, hub: newHub(),
		rooms: newRooms(), pictures: newPictures(), lastRead: newLastRead(), sidebars: newSidebars(), seal: make([]byte, 32)}
	rand.Read(s.seal) // never fails
	s.limits = newLimits(st.Now, store.OnServer(st.Path()), c.Unlimited)
	s.meters = s.newMeters(c.Metrics)
	s.log = cmp.Or(s.log, slog.Default())
	s.seldom.To = s.log
	s.generic = pictureURL("", s.card(nil, nil))
	if c.Origin != "" {
		u, err := url.Parse(c.Origin)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" {
			return nil, fmt.Errorf("origin %q: give scheme and host, such as https://example.org", c.Origin)
		}
		s.host = u.Host
	}
	keys, err := credential.Keys(ctx, st)
	if err != nil {
		return nil, err
	}
	st.UseKeys(keys)
	st.UseOutgoing(func(u *url.URL) string { return hook.Problem(c.Documents.Allow, u) })
	s.secret = keys.Derive("forms")
	err = st.Write(ctx, func(tx *store.Tx) (err error) {
		s.previews, err = tx.Instance(store.PreviewSecret, func() []byte {
			b := make([]byte, 32)
			rand.Read(b) // never fails
			return b
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("secret of previews: %w", err)
	}
	s.oauth = oauth.New(oauth.Config{Store: st, Origin: s.origin, Keys: keys, Log: s.log,
		Documents: c.Documents, Caller: s.caller, Wait: s.oauthWait})
	s.account = account.New(account.Config{Store: st, Log: s.log, Name: c.Name, BaseURL: c.Origin, Secret: keys.Derive("accounts"),
		OAuth: s.oauth, OpenID: c.OpenID, Mail: c.Mail, Site: s.forAccount(),
		Mailed: func(err error) { s.meters.job(jobMail, err) }})
	checkNouns()
	for _, p := range s.siteMap() {
		s.place(p)
	}
	if list := action.Unplaced(s.offers); len(list) > 0 {
		panic(fmt.Sprintf("actions on no page: %v", list))
	}
	if list := action.Undescribed(); len(list) > 0 {
		panic(fmt.Sprintf("nouns that nothing describes: %v", list))
	}
	s.handler = s.routes()
	st.Watch(s.hub.announced)
	return s, nil
}

func (s *Site) offers(name string) bool {
	for _, p := range s.bound {
		if slices.ContainsFunc(p.decls, func(d action.Decl) bool { return d.Name == name }) {
			return true
		}
	}
	return false
}

func (s *Site) forAccount() account.Site {
	return account.Site{Origin: s.origin, Browser: s.browser, Caller: s.caller, Fail: s.fail,
		Event: s.event, Try: s.countAttempt, TrySlowly: s.slowAttempt, MayRead: s.mayRead,
		Context: func(r *http.Request, by store.Actor) *page.Context { return s.context(r, by, "") },
		PageURL: func(r *http.Request, raw string) (string, error) {
			at, err := s.resolve(raw, s.origin(r))
			if err != nil {
				return "", err
			}
			return at.url(), nil
		}}
}

// Account returns the server for the pages of package account.
func (s *Site) Account() *account.Server { return s.account }

// routes returns the handler for all requests. Requests that are not for pages go to a second router.
func (s *Site) routes() http.Handler {
	m := chi.NewMux()
	m.Use(routeNamed)
	list := []endpoint{
		{"/healthz", free, s.healthz},
		{"/readyz", free, s.readyz},
		{"/robots.txt", free, s.robots},
		{"/.well-known/*", byAddress, s.unknown},
		{"/llms.txt", free, s.llms},
		{"/static/*", free, static},
		{"/avatars/{name}", free, s.avatar},
		{"/sitemap.xml", byAddress, s.sitemap},
		{"/files/{file}/download", byCaller, s.download},
		{"/oembed", byCaller, s.oembed},
		{picturesURL + "{name}", byAddress, s.genericPicture},
	}
	for _, pattern := range s.order {
		if f := s.bound[pattern].file; f != nil {
			list = append(list, endpoint{pattern + f.suffix, byCaller, s.file(f)})
		}
		if s.bound[pattern].preview != nil {
			list = append(list, endpoint{pattern + picturesURL + "{name}", byAddress, s.picture})
		}
	}
	for i := range journalFiles {
		f := &journalFiles[i]
		list = append(list, endpoint{"/orgs/{org}/journal." + f.suffix, byCaller, s.takeJournal(f)})
	}
	for _, e := range list {
		m.Method(http.MethodGet, e.pattern, s.counted(e.pattern, e.cost, e.answer))
	}
	s.oauth.Mount(m) // counts requests by oauthWait, because OAuth has its own format of errors
	m.Group(func(g chi.Router) {
		g.Use(s.countStrangers)
		s.account.Mount(g)
	})
	m.NotFound(s.chargeCallers(s.notFound))
	m.MethodNotAllowed(s.chargeCallers(s.methodNotAllowed))
	s.fixed = m
	return s.guard(http.NewCrossOriginProtection(), s.router(s.strangersBodies(m)))
}

func (s *Site) router(fixed http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead { // net/http omits the body of the answer
			get := *r
			get.Method = http.MethodGet
			r = &get
		}
		query := r.URL.Query()
		at, ok := s.locate(r.URL.Path, query)
		if ok {
			visitOf(w).setPage(at.route.pattern)
		}
		switch {
		case !ok:
			fixed.ServeHTTP(w, r)
		case r.Method == http.MethodGet:
			s.get(w, r, at, query)
		case r.Method == http.MethodPost && at.name != "":
			s.post(w, r, at)
		default:
			s.chargeCallers(s.methodNotAllowed)(w, r)
		}
	})
}

// guard returns a handler that sets the security headers of every answer. It refuses requests with an unknown host,
// with an ambiguous path, or, unless they only read, from another site. It redirects requests with a path that is not
// canonical.
func (s *Site) guard(csrf *http.CrossOriginProtection, next http.Handler) http.Handler {
	csrf.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.event(r, "request from another site refused", "origin", r.Header.Get("Origin"))
		s.refuse(w, r, store.Errorf(store.Forbidden,
			"This request came from another site. Open the page here and try again."))
	}))
	protected := csrf.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.recoverPanic(w, r)
		h := w.Header()
		h["Content-Security-Policy"] = contentSecurityPolicy
		h["X-Content-Type-Options"] = nosniff
		h["Referrer-Policy"] = noReferrer
		h["Cross-Origin-Opener-Policy"] = sameOrigin
		h["Cross-Origin-Resource-Policy"] = sameOrigin
		if s.secure() {
			h["Strict-Transport-Security"] = transportSecurity
		}
		if !s.HostAllowed(r) {
			s.event(r, "host refused", "host", r.Host)
			s.refuse(w, r, store.Errorf(store.Forbidden,
				"This server does not answer you under that host name. The operator sets it with --origin."))
			return
		}
		path, ok := canonical(r.URL.EscapedPath())
		if !ok || len(r.URL.RawQuery) > wire.MaxURL {
			s.refuse(w, r, store.Errorf(store.Invalid,
				"That address cannot be read in one way only. Check it, or start at /."))
			return
		}
		if path != r.URL.EscapedPath() { // the router must see the same path as locate does
			h["Vary"] = wire.VaryAccept
			http.Redirect(w, r, wire.WithQuery(path, r.URL.RawQuery), http.StatusPermanentRedirect)
			return
		}
		if bare, ok := withoutForm(path); ok && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			u := *r.URL
			u.Path, u.RawPath = bare, ""
			md := *r
			md.URL, md.Header = &u, r.Header.Clone()
			md.Header["Accept"] = []string{"text/markdown"}
			r = &md
		}
		protected.ServeHTTP(w, r)
	})
}

// recoverPanic answers a request after its handler has panicked. If an answer has begun, such as a stream or a long file,
// recoverPanic cuts the connection, so that the client does not take the answer for complete.
func (s *Site) recoverPanic(w http.ResponseWriter, r *http.Request) {
	switch p := recover(); p {
	case nil:
	case http.ErrAbortHandler:
		panic(p)
	default:
		err := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		if begun(w) {
			s.explain(r, err) // logs the error
			panic(http.ErrAbortHandler)
		}
		s.fail(w, r, err)
	}
}

var (
	contentSecurityPolicy = []string{"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
		"font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'"}
	nosniff           = []string{"nosniff"}
	noReferrer        = []string{"no-referrer"}
	sameOrigin        = []string{"same-origin"}
	transportSecurity = []string{"max-age=63072000"}
)

func (s *Site) secure() bool { return strings.HasPrefix(s.config.Origin, "https://") }

// HostAllowed reports whether the site answers a request with this Host header: the host of the configured origin, or a
// loopback name if the request comes from this machine.
func (s *Site) HostAllowed(r *http.Request) bool {
	if s.host != "" && strings.EqualFold(r.Host, s.host) {
		return true
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() || !loopback(r.Host) {
		return false
	}
	client, err := netip.ParseAddr(s.address(r)) // differs from the peer behind a trusted proxy
	return err == nil && client.IsLoopback()
}

func loopback(host string) bool {
	name := host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		name = host[:i]
	}
	if strings.EqualFold(name, "localhost") || name == "127.0.0.1" || name == "" {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && addr.IsLoopback()
}

func (s *Site) origin(r *http.Request) string {
	if s.config.Origin != "" {
		return s.config.Origin
	}
	return "http://" + r.Host
}

// Resolve returns the canonical path and query of a page. The argument raw is a path or a full URL of this site.
func (s *Site) Resolve(raw string, r *http.Request) (string, error) {
	at, err := s.resolve(raw, s.origin(r), "http://"+r.Host)
	if err != nil {
		return "", err
	}
	return at.url(), nil
}
