// Package account holds the ways into the site: a password, a passkey, an OpenID provider, a mailed
// link to set another password or address, an invitation, the setup of an installation, and the
// consent that lets a program act for a person. They are no actions of the site map, because the
// caller is anonymous or proves their identity anew.
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
	Store   *store.Store
	Log     *slog.Logger
	Name    string        // of the installation, shown by authenticators
	BaseURL string        // scheme and host of the links in mails; with https the cookies are for HTTPS only
	Secret  []byte        // signs values that browsers keep; the same on all nodes
	OAuth   *oauth.Server // checks the requests that ask for consent
	OpenID  *OpenID       // a provider of logins; nil for none
	Mail    *SMTP         // sends the mails; nil for none
	// Mailed is called after each look for due mails, with the error that ended it. It may be nil.
	Mailed func(error)
	Site
}

// Site is the part of the site that the ways into it need.
type Site struct {
	// Origin returns scheme and host as the caller reaches the site.
	Origin func(*http.Request) string
	// Browser describes the browser that sent a request.
	Browser func(*http.Request) credential.Browser
	// Caller returns the lookup of the actor of a request in a transaction.
	Caller func(*http.Request) func(*store.Tx) (store.Actor, error)
	// Context returns the context in which a page is written for the actor.
	Context func(*http.Request, store.Actor) *page.Context
	// PageURL returns the canonical URL of the page that a path or a full URL of this site names.
	PageURL func(r *http.Request, raw string) (string, error)
	// Fail answers with an error.
	Fail func(http.ResponseWriter, *http.Request, error)
	// Event logs an event that matters for security.
	Event func(r *http.Request, event string, attrs ...any)
	// Try counts a try to sign in against the address of the request, and one of the kind against
	// the account unless the kind is empty. It returns an error after too many.
	Try func(r *http.Request, kind, account string) error
	// TrySlowly counts a try at an account after too many, and delays it. It returns an error after too many of these.
	TrySlowly func(r *http.Request, account string) error
}

// Server answers at the ways into the site. It is safe for concurrent use.
type Server struct {
	Config
	provider provider
}

// New makes a server.
func New(c Config) *Server { return &Server{Config: c} }

// LoginPath is the path of the page to sign in on.
const LoginPath = "/login"

// Mount adds the pages and endpoints to the router.
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
	m.Post("/invitations/{secret}/accept", s.acceptInvitation)
	m.Post("/invitations/{secret}/decline", s.declineInvitation)
	m.Get(credential.ResetPath("{secret}"), s.showReset)
	m.Post(credential.ResetPath("{secret}"), s.resetPassword)
	m.Get(credential.AddressPath("{secret}"), s.showAddress)
	m.Post(credential.AddressPath("{secret}"), s.changeAddress)
	for _, l := range []*linkForm{s.joinForm(), s.forgotForm()} {
		m.Get(l.path, s.showLinkForm(l))
		m.Post(l.path, s.sendLink(l))
	}
}

// secure reports that people reach the site over HTTPS.
func (s *Server) secure() bool { return strings.HasPrefix(s.BaseURL, "https://") }

// actor returns the actor of a request; false if nobody is signed in or the credentials are wrong.
// The error is that of credentials that could not be checked.
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

// clip cuts a value that came from outside, for a log.
func clip(s string, n int) string { return wire.Clip(s, n) }
