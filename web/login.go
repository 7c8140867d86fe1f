package web

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"

	"github.com/alexedwards/argon2id"

	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
	"samepage/web/oauth"
)

// passwordCost is argon2id with 19 MiB and two passes (OWASP password storage cheat sheet).
var passwordCost = &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// HashPassword hashes a password of 8 to 200 characters for storage.
func HashPassword(password string) (string, error) {
	if n := len([]rune(password)); n < 8 || n > 200 {
		return "", param.Errors{{Field: "password", Message: "A password has 8 to 200 characters."}}
	}
	return argon2id.CreateHash(password, passwordCost)
}

// logins guards signing in: so many tries a minute for an account and for an address, and no more hashing at once than
// there are processors, because each try takes 19 MiB.
type logins struct {
	limits  *limits
	hashing chan struct{}
}

// nobody is what to compare a password with where there is no such account, so that both take as long: the form of a hash
// (RFC 9106), and the hash of nothing.
var nobody = fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", passwordCost.Memory, passwordCost.Iterations, passwordCost.Parallelism,
	base64.RawStdEncoding.EncodeToString(make([]byte, passwordCost.SaltLength)), base64.RawStdEncoding.EncodeToString(make([]byte, passwordCost.KeyLength)))

func newLogins(l *limits) *logins {
	return &logins{limits: l, hashing: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// try counts one try to sign in to an account from an address. Too many: [errLimited].
func (l *logins) try(account, address string) error {
	_, err := l.limits.take(allowance{"tries from " + address, addressTries}, allowance{"tries for " + clip(account, 254), accountTries})
	return err
}

func (l *logins) matches(password, hash string) bool {
	l.hashing <- struct{}{}
	defer func() { <-l.hashing }()
	if hash == "" {
		argon2id.ComparePasswordAndHash(password, nobody)
		return false
	}
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	return ok && err == nil
}

// nextPage is where to go after signing in: a page of ours, or home.
func (s *Site) nextPage(r *http.Request, raw string) string {
	if raw == "" {
		return "/"
	}
	if asked, ok := strings.CutPrefix(raw, oauth.AuthorizePath+"?"); ok && len(raw) <= maxURL {
		if query, err := url.ParseQuery(asked); err == nil {
			return oauth.AuthorizePath + "?" + query.Encode()
		}
	}
	at, err := s.resolve(raw, s.origin(r))
	if err != nil {
		return "/"
	}
	return at.url()
}

func (s *Site) loginForm(next string) *page.Page {
	u := "/login"
	if next != "" && next != "/" {
		u += "?next=" + url.QueryEscape(next)
	}
	return &page.Page{URL: "/login", Title: "Sign in", Only: true, Public: true,
		State: page.Line(page.T("People sign in here, in a browser. Agents send a token: "), page.Link("how", "/help/agents"), page.T(".")),
		Forms: []page.Form{{Name: "login", Title: "Sign in", Doc: "Use the email address and password of your account.", URL: u, Fields: []param.Field{
			{Name: "email", Kind: param.Text, Doc: "Your email address.", Max: 254, Fill: "username"}, {Name: "password", Kind: param.Secret, Doc: "Your password.", Fill: "current-password"}}}}}
}

func (s *Site) loginPage(w http.ResponseWriter, r *http.Request) {
	f := negotiate(accept(r), formHTML)
	if f == formNone {
		noForm(w)
		return
	}
	by, _ := s.whoAsks(r)
	p := s.loginForm(s.nextPage(r, r.URL.Query().Get("next")))
	forBrowsers(p, f)
	s.write(w, r, http.StatusOK, f, p, s.context(r, by), "")
}

// forBrowsers leaves the form to browsers. Signing in is no action, and agents would try to take it.
func forBrowsers(p *page.Page, f form) {
	if f != formHTML {
		p.Forms = nil
	}
}

func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	if err := parseForm(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	email := strings.ToLower(strings.TrimSpace(r.PostForm.Get("email")))
	next := s.nextPage(r, r.URL.Query().Get("next"))
	if err := s.logins.try(email, s.address(r)); err != nil {
		s.event(r, "sign-in limited", "account", email)
		s.fail(w, r, err)
		return
	}
	var user *store.User
	err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		user, err = tx.UserByEmail(email)
		return err
	})
	if err != nil && store.KindOf(err) != store.NotFound {
		s.fail(w, r, err)
		return
	}
	hash := ""
	if err == nil {
		hash = user.Password
	}
	if !s.logins.matches(r.PostForm.Get("password"), hash) {
		s.event(r, "sign-in refused", "account", email)
		c := s.context(r, store.Actor{})
		c.Failure = "That email address and password do not belong together. Try again."
		p := s.loginForm(next)
		p.Forms[0].Fields[0].Value = email
		f := answerForm(r)
		forBrowsers(p, f)
		s.write(w, r, http.StatusUnprocessableEntity, f, p, c, "-")
		return
	}
	s.signIn(w, r, user.ID, next)
}

func (s *Site) signIn(w http.ResponseWriter, r *http.Request, userID, next string) {
	var secret string
	if err := s.store.Write(r.Context(), func(tx *store.Tx) (err error) {
		if c := s.credentials(r); c.login != "" { // whoever was signed in on this browser is not any more
			if err := tx.DeleteLogin(c.login); err != nil {
				return err
			}
		}
		secret, err = tx.CreateLogin(userID)
		return err
	}); err != nil {
		s.fail(w, r, err)
		return
	}
	s.setLogin(w, secret)
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (s *Site) logout(w http.ResponseWriter, r *http.Request) {
	if c := s.credentials(r); c.login != "" {
		if err := s.store.Write(r.Context(), func(tx *store.Tx) error { return tx.DeleteLogin(c.login) }); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	s.clearLogin(w)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
