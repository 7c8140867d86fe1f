package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"samepage/actions/param"
	"samepage/actions/password"
	"samepage/store"
	"samepage/views"
	"samepage/views/page"
	"samepage/web/oauth"
	"samepage/web/wire"
)

// HashPassword hashes a password for storage, unless it is too easy to guess: [param.Errors]. Own are words of whom it is for.
func HashPassword(text string, own ...string) (string, error) {
	if why := password.Wrong(text, own...); why != "" {
		return "", param.Errors{{Field: "password", Message: why}}
	}
	return password.Hash(text)
}

// try counts one try of a kind at an account from where a request comes from. Too many: [errLimited].
func (s *Site) try(r *http.Request, kind, account string) error {
	_, err := s.limits.take(s.tries(r), allowance{counted{what: kind, whose: wire.Clip(account, 254)}, accountTries})
	if err != nil {
		s.event(r, "sign-in limited", "account", wire.Clip(account, 254))
	}
	return err
}

// The kinds of tries. Those on browsers on which somebody signed in to the account before are counted apart, so that nobody
// can lock them out by trying elsewhere.
const (
	tryLogin = "tries for"
	tryKnown = "tries where known for"
	tryMail  = "mails for"
)

// knownFor is how long a browser is known after somebody signed in on it.
const knownFor = 180 * 24 * time.Hour

// loginTry is the kind of a try to sign in to an account.
func (s *Site) loginTry(r *http.Request, account string) string {
	if c, err := r.Cookie(s.cookieName() + "-known"); err == nil && hmac.Equal([]byte(c.Value), []byte(s.knownBrowser(account))) {
		return tryKnown
	}
	return tryLogin
}

// knownBrowser is what a browser keeps that somebody has signed in on. It signs nobody in.
func (s *Site) knownBrowser(account string) string {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte("known browser\x00" + account))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

// browser is where a request comes from.
func (s *Site) browser(r *http.Request) store.Browser {
	return store.Browser{Agent: wire.Clip(strings.ToValidUTF8(strings.ReplaceAll(r.UserAgent(), "\x00", ""), "\uFFFD"), 300), Address: s.address(r)}
}

// nextPage is where to go after signing in: a page of ours, or home.
func (s *Site) nextPage(r *http.Request, raw string) string {
	switch {
	case raw == "":
		return "/"
	case secretPath(raw):
		return raw
	}
	if asked, ok := strings.CutPrefix(raw, oauth.AuthorizePath+"?"); ok && len(raw) <= wire.MaxURL {
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

// arrival is what a request to sign in says beside who it is: where to go on to, and that somebody signed in proves anew who
// they are.
type arrival struct {
	next  string
	again bool
}

func (s *Site) arrivalOf(r *http.Request) arrival {
	q := r.URL.Query()
	return arrival{s.nextPage(r, q.Get("next")), q.Get("again") == "1"}
}

func (e arrival) url() string {
	q := url.Values{}
	if e.again {
		q.Set("again", "1")
	}
	if e.next != "/" {
		q.Set("next", e.next)
	}
	return wire.WithQuery("/login", q.Encode())
}

// loginForm is the page to sign in on; email is filled in.
func (s *Site) loginForm(e arrival, email string) *page.Page {
	p := &page.Page{URL: "/login", Title: "Sign in", Only: true, Script: views.PasskeyScript,
		State: page.Line(page.T("People sign in here, in a browser. Agents send a token: "), page.Link("how", "/help/agents"), page.T(".")),
		Forms: []page.Form{{Name: "login", Title: "Sign in", Doc: "Use the email address and password of your account.", URL: e.url(), Fields: loginFields(email)}}}
	if o := s.config.OpenID; o != nil {
		p.Blocks = []page.Block{page.Para(page.Line(page.Button("Sign in with "+o.name(), openIDLink(e))))}
	}
	p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Forgot your password?", "/forgot"))))
	if s.config.Mail != nil {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Join with your work address", "/join"))))
	}
	if e.again {
		p.Title = "Show that it is you"
		p.State = page.Line(page.Sentence("What you are about to do is sensitive, and you signed in a while ago. Sign in once more to go on; nothing that you filled in is lost but what is secret."))
	}
	return p
}

func loginFields(email string) []param.Field {
	return []param.Field{{Name: "email", Kind: param.Text, Doc: "Your email address.", Max: 254, Fill: "username", Value: email},
		{Name: "password", Kind: param.Secret, Doc: "Your password.", Fill: "current-password"}}
}

func (s *Site) loginPage(w http.ResponseWriter, r *http.Request) {
	by, known := s.whoAsks(r)
	e, email := s.arrivalOf(r), ""
	if known && e.again {
		if err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
			email, err = tx.UserEmail(by.UserID)
			return err
		}); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	s.showForm(w, r, http.StatusOK, s.loginForm(e, email), s.context(r, by, ""), "")
}

func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	if err := wire.ParseForm(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	email := strings.ToLower(strings.TrimSpace(r.PostForm.Get("email")))
	e := s.arrivalOf(r)
	if err := s.try(r, s.loginTry(r, email), email); err != nil {
		s.fail(w, r, err)
		return
	}
	var user *store.User
	err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		user, err = tx.UserByEmail(email)
		return err
	})
	if err != nil && store.CodeOf(err) != store.NotFound {
		s.fail(w, r, err)
		return
	}
	hash := ""
	if err == nil {
		hash = user.Password
	}
	if !password.Matches(r.PostForm.Get("password"), hash) {
		s.event(r, "sign-in refused", "account", wire.Clip(email, 254))
		c := s.context(r, store.Actor{}, "")
		c.Failure = "That email address and password do not belong together. Try again."
		p := s.loginForm(e, email)
		f := wire.AnswerFormat(r)
		forBrowsers(p, f)
		wire.WritePage(w, r, http.StatusUnprocessableEntity, f, p, c, "-")
		return
	}
	s.signIn(w, r, user.ID, e.next, s.store.Now())
}

// startLogin begins a login of the user on this browser, and ends the one that was there.
func (s *Site) startLogin(w http.ResponseWriter, r *http.Request, userID string, proved time.Time) error {
	var secret, email string
	if err := s.store.Write(r.Context(), func(tx *store.Tx) (err error) {
		if c := s.credentials(r); c.login != "" { // whoever was signed in on this browser is not any more
			if err := tx.DeleteLogin(c.login); err != nil {
				return err
			}
		}
		if secret, err = tx.CreateLogin(userID, s.browser(r), proved); err != nil {
			return err
		}
		email, err = tx.UserEmail(userID)
		return err
	}); err != nil {
		return err
	}
	s.event(r, "signed in", "by", "user:"+userID)
	s.setLogin(w, secret)
	http.SetCookie(w, &http.Cookie{Name: s.cookieName() + "-known", Value: s.knownBrowser(email), Path: "/", HttpOnly: true, Secure: s.secure(),
		SameSite: http.SameSiteLaxMode, MaxAge: int(knownFor.Seconds())})
	return nil
}

// signIn signs a user in who has shown who they are, by means that prove it as of a time; zero if they do not prove enough.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request, userID, next string, proved time.Time) {
	if err := s.startLogin(w, r, userID, proved); err != nil {
		s.fail(w, r, err)
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (s *Site) logout(w http.ResponseWriter, r *http.Request) {
	if c := s.credentials(r); c.login != "" {
		if err := s.store.Write(r.Context(), func(tx *store.Tx) error { return tx.DeleteLogin(c.login) }); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	s.event(r, "signed out")
	s.clearLogin(w)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
