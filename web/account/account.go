// Package account holds the pages with which a person gets access: signing in, mailed links, invitations, the setup of
// an installation, and consent to programs. Unlike other pages, these pages have forms for browsers and no actions.
package account

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"samepage/store"
	"samepage/store/credential"
	"samepage/views/page"
	"samepage/web/oauth"
	"samepage/web/wire"
)

// Config is the configuration of a [Server].
type Config struct {
	Store *store.Store
	Log   *slog.Logger
	Name  string // name of the installation, which authenticators and the subjects of digests show
	// BaseURL is the scheme and host for links in mails. With https, cookies are sent over HTTPS only.
	BaseURL string
	Secret  []byte // key of signatures in cookies, forms and links; the same on all nodes
	OAuth   *oauth.Server
	OpenID  *OpenID // nil if people cannot sign in at a provider
	Mail    *SMTP   // nil if no mail is sent
	// Mailed, if set, is called after each uninterrupted run of [Server.SendMail] with the joined errors of the run, or
	// nil. Mails that could not be delivered are not among the errors.
	Mailed func(error)
	Site
}

// Site holds the functions of the site that this package needs.
type Site struct {
	// Origin returns the scheme and host by which the caller reaches the site.
	Origin  func(*http.Request) string
	Browser func(*http.Request) credential.Browser
	// Caller returns a function that finds the actor of a request in a transaction.
	Caller  func(*http.Request) func(*store.Tx) (store.Actor, error)
	Context func(*http.Request, store.Actor) *page.Context
	// PageURL returns the canonical URL of a page, given as a path or as a full URL of this site.
	PageURL func(r *http.Request, raw string) (string, error)
	Fail    func(http.ResponseWriter, *http.Request, error)
	// Event logs an event that matters for security.
	Event func(r *http.Request, event string, attrs ...any)
	// MayRead reports whether the person may read the page with this path now.
	MayRead func(tx *store.Tx, by store.Actor, path string) (bool, error)
	// Try counts an attempt to sign in against the IP address of the client and, unless the kind is empty, against the
	// account. Each kind is counted separately. Try returns an error after too many attempts.
	Try func(r *http.Request, kind, account string) error
	// TrySlowly counts and delays an attempt at an account that has had too many attempts. It returns an error after
	// too many delayed attempts.
	TrySlowly func(r *http.Request, account string) error
}

// Server serves the pages of this package. It is safe for concurrent use.
type Server struct {
	Config
	provider provider
}

// New returns a server with this configuration.
func New(c Config) *Server { return &Server{Config: c} }

// LoginPath is the path of the sign-in page.
const LoginPath = "/login"

// Mount adds the pages and endpoints of this package to the router.
func (s *Server) Mount(m chi.Router) {
	m.Get(LoginPath, s.showLogin)
	m.Post(LoginPath, s.login)
	m.Post("/logout", s.logout)
	m.Post(LoginPath+"/passkey/options", s.withPasskeys(s.beginPasskeyLogin))
	m.Post(LoginPath+"/passkey", s.withPasskeys(s.finishPasskeyLogin))
	m.Post(credential.AccountURL+"/passkeys/options", s.withPasskeys(s.beginPasskey))
	m.Post(credential.AccountURL+"/passkeys", s.withPasskeys(s.addPasskey))
	if s.OpenID != nil {
		m.Get(openIDPath, s.beginOpenID)
		m.Get(returnPath, s.finishOpenID)
	}
	m.Get(oauth.AuthorizePath, s.showConsent)
	m.Post(oauth.AuthorizePath, s.giveConsent)
	m.Post(refusePath, s.refuseConsent)
	m.Get("/setup", s.showSetup)
	m.Post("/setup", s.setUp)
	m.Get("/invitations/{secret}", s.showInvitation)
	m.Get("/invitations/{secret}/decline", s.showDecline)
	m.Post("/invitations/{secret}/accept", s.acceptInvitation)
	m.Post("/invitations/{secret}/decline", s.declineInvitation)
	m.Get(credential.ResetPath("{secret}"), s.showReset)
	m.Post(credential.ResetPath("{secret}"), s.resetPassword)
	m.Get(credential.AddressPath("{secret}"), s.showAddress)
	m.Post(credential.AddressPath("{secret}"), s.changeAddress)
	m.Get(StopPath+"{key}", s.showStop)
	m.Post(StopPath+"{key}", s.stop)
	for _, l := range []*linkForm{s.joinForm(), s.forgotForm()} {
		m.Get(l.path, s.showLinkForm(l))
		m.Post(l.path, s.sendLink(l))
	}
}

func (s *Server) secure() bool { return strings.HasPrefix(s.BaseURL, "https://") }

// actor returns the actor of a request. It returns false if nobody is signed in or the credentials are not valid, and
// an error only if the credentials could not be checked.
func (s *Server) actor(r *http.Request) (by store.Actor, known bool, err error) {
	find := s.Caller(r)
	err = s.Store.Read(r.Context(), func(tx *store.Tx) (err error) {
		by, err = find(tx)
		return err
	})
	if code := store.CodeOf(err); err != nil && (code == store.NotFound || code == store.Unauthenticated) {
		return store.Actor{}, false, nil
	}
	return by, err == nil && !by.Anonymous(), err
}

func clip(s string, n int) string { return wire.Clip(s, n) }
