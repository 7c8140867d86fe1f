package account

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"samepage/actions/param"
	"samepage/actions/password"
	"samepage/store"
	"samepage/store/credential"
	"samepage/views"
	"samepage/views/page"
	"samepage/web/oauth"
	"samepage/web/wire"
)

// hashPassword hashes a password for storage. It returns [param.Errors] for a password that is too easy to guess. The
// further arguments are words that make a password easy to guess, such as the person's name and address.
func hashPassword(text string, own ...string) (string, error) {
	if wrong := password.Wrong(text, own...); wrong != "" {
		return "", param.Errors{{Field: "password", Message: wrong}}
	}
	return password.Hash(text)
}

// These are the kinds under which attempts at an account are counted. Attempts on browsers where the account has signed
// in before are counted separately, so that an attacker elsewhere cannot lock out the owner.
const (
	tryLogin = "tries for"
	tryKnown = "tries where known for"
	tryMail  = "mails for"
)

func (s *Server) loginTry(r *http.Request, account string) string {
	if s.isKnown(r, account) {
		return tryKnown
	}
	return tryLogin
}

// countTry counts an attempt of the kind at the account. It logs and returns an error after too many attempts.
func (s *Server) countTry(r *http.Request, kind, account string) error {
	err := s.Try(r, kind, account)
	if err != nil {
		s.Event(r, "sign-in limited", "account", clip(account, 254))
	}
	return err
}

// trySignIn counts an attempt to sign in. After too many attempts the call takes some seconds and returns true. It
// returns an error if the attempt must not be made at all.
func (s *Server) trySignIn(r *http.Request, account string) (slow bool, err error) {
	if err := s.countTry(r, s.loginTry(r, account), account); err == nil {
		return false, nil
	}
	return true, s.TrySlowly(r, account)
}

// loginOptions is the query of the login page. If again is set, a signed-in person proves their identity once more.
type loginOptions struct {
	next  string
	again bool
}

func (s *Server) loginOptions(r *http.Request) loginOptions {
	q := r.URL.Query()
	return loginOptions{s.nextURL(r, q.Get("next")), q.Get("again") == "1"}
}

// nextURL returns the URL to redirect to after signing in: the given one if it is of a page, an invitation or the page
// of consent here, or else the home page.
func (s *Server) nextURL(r *http.Request, raw string) string {
	switch {
	case raw == "":
		return "/"
	case isInvitation(raw):
		return raw
	}
	if asked, ok := strings.CutPrefix(raw, oauth.AuthorizePath+"?"); ok && len(raw) <= wire.MaxURL {
		if query, err := url.ParseQuery(asked); err == nil {
			return oauth.AuthorizePath + "?" + query.Encode()
		}
	}
	u, err := s.PageURL(r, raw)
	if err != nil {
		return "/"
	}
	return u
}

func (o loginOptions) url(path string) string {
	q := url.Values{}
	if o.again {
		q.Set("again", "1")
	}
	if o.next != "/" {
		q.Set("next", o.next)
	}
	return wire.WithQuery(path, q.Encode())
}

func (s *Server) loginForm(o loginOptions, email string) *page.Page {
	p := &page.Page{URL: LoginPath, Title: "Sign in", Only: true, Script: views.PasskeyScript,
		State: page.Line(page.T("For people, in a browser. Agents send a token: "), page.Link("how", "/help/agents"), page.T(".")),
		Forms: []page.Form{{Name: "login", Slot: "login", Title: "Sign in", URL: o.url(LoginPath), Fields: loginFields(email)}}}
	if s.OpenID != nil {
		p.Blocks = []page.Block{page.Para(page.Line(page.Button("Sign in with "+s.OpenID.Title(), o.url(openIDPath))))}
	}
	p.Blocks = append(p.Blocks, page.Slot{ID: "login"}, page.Para(page.Line(page.Link("Forgot your password?", "/forgot"))))
	if s.Mail != nil {
		p.Blocks = append(p.Blocks, page.Para(page.Line(page.Link("Join with your work address", "/join"))))
	}
	if o.again {
		p.Title = "Show that it is you"
		p.State = page.Line(page.Sentence("What you are about to do is sensitive, and you signed in a while ago. " +
			"Sign in once more to go on; nothing that you filled in is lost but what is secret."))
	}
	return p
}

func loginFields(email string) []param.Field {
	return []param.Field{{Name: "email", Kind: param.Text, Doc: "Your email address.", Max: 254, Fill: "username",
		Value: email},
		{Name: "password", Kind: param.Secret, Doc: "Your password.", Fill: "current-password"}}
}

func (s *Server) showLogin(w http.ResponseWriter, r *http.Request) {
	by, known, err := s.actor(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	o, email := s.loginOptions(r), ""
	if !known {
		begun := false
		if err := s.Store.Read(r.Context(), func(tx *store.Tx) (err error) {
			begun, err = tx.HasUsers()
			return err
		}); err != nil {
			s.Fail(w, r, err)
			return
		}
		if !begun {
			s.showForm(w, r, http.StatusOK, notSetUp(), s.Context(r, by), "-")
			return
		}
	}
	if known && o.again {
		if err := s.Store.Read(r.Context(), func(tx *store.Tx) (err error) {
			email, err = tx.UserEmail(by.UserID)
			return err
		}); err != nil {
			s.Fail(w, r, err)
			return
		}
	}
	c, tag := s.Context(r, by), ""
	if c.Message = wire.TakeFlash(w, r, s.secure()); c.Message != "" {
		tag = "-"
	}
	s.showForm(w, r, http.StatusOK, s.loginForm(o, email), c, tag)
}

// notSetUp returns the page in place of the sign-in page while nobody can sign in yet.
func notSetUp() *page.Page {
	return &page.Page{URL: LoginPath, Title: "This workspace is not set up yet", Only: true,
		State: page.Line(page.T("Nobody can sign in yet. The server printed a link when it started: whoever opens that first " +
			"makes the organization and an account.")),
		Blocks: []page.Block{page.Para(page.Line(page.T("Each start prints another link, and only the last one works.")))}}
}

// ShowLoginFor answers with the sign-in page in place of the page at the URL, with the preview of that page.
func (s *Server) ShowLoginFor(w http.ResponseWriter, r *http.Request, url string, preview *page.Preview,
	zone *time.Location) {
	p := s.loginForm(loginOptions{next: url}, "")
	p.Preview, p.Zone = preview, zone
	s.showForm(w, r, http.StatusOK, p, s.Context(r, store.Actor{}), "")
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	if err := wire.ParseForm(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	email := strings.ToLower(strings.TrimSpace(r.PostForm.Get("email")))
	o := s.loginOptions(r)
	slow, err := s.trySignIn(r, email)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	var user *store.User
	err = s.Store.Read(r.Context(), func(tx *store.Tx) (err error) {
		user, err = tx.UserByEmail(email)
		return err
	})
	if err != nil && store.CodeOf(err) != store.NotFound {
		s.Fail(w, r, err)
		return
	}
	hash := "" // comparing with an empty hash takes as long as with any other
	if err == nil {
		hash = user.Password
	}
	if !password.Matches(r.PostForm.Get("password"), hash) {
		s.Event(r, "sign-in refused", "account", clip(email, 254))
		c := s.Context(r, store.Actor{})
		c.Failure = "That email address and password do not belong together. Try again."
		if slow {
			c.Failure += " There were many tries at this account, so this one took some seconds; your next is looked at in a minute."
		}
		p := s.loginForm(o, email)
		f := wire.AnswerFormat(r)
		formsForBrowsers(p, f)
		wire.WritePage(w, r, http.StatusUnprocessableEntity, f, p, c, "-")
		return
	}
	s.signIn(w, r, user.ID, hash, o.next, s.Store.Now())
}

// startLogin starts a login of the user on this browser and ends the browser's previous login. The argument hash is the
// stored hash of the password that the user has given, or empty for another way to sign in. If the password has changed
// since, startLogin returns [store.Conflict]. The argument proved is when the user last proved their identity; the zero
// time means never.
func (s *Server) startLogin(w http.ResponseWriter, r *http.Request, userID, hash string, proved time.Time) error {
	var secret, email string
	if err := s.Store.Write(r.Context(), func(tx *store.Tx) (err error) {
		if hash != "" {
			if err := credential.KeepPassword(tx, userID, hash); err != nil {
				return err
			}
		}
		if old := s.Login(r); old != "" {
			if err := credential.DeleteLogin(tx, old); err != nil {
				return err
			}
		}
		if secret, err = credential.CreateLogin(tx, userID, s.Browser(r), proved); err != nil {
			return err
		}
		email, err = tx.UserEmail(userID)
		return err
	}); err != nil {
		return err
	}
	s.Event(r, "signed in", "by", "user:"+userID)
	s.SetLogin(w, secret)
	s.setKnown(w, email)
	return nil
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request, userID, hash, next string, proved time.Time) {
	if err := s.startLogin(w, r, userID, hash, proved); err != nil {
		s.Fail(w, r, err)
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if secret := s.Login(r); secret != "" {
		if err := s.Store.Write(r.Context(), func(tx *store.Tx) error { return credential.DeleteLogin(tx, secret) }); err != nil {
			s.Fail(w, r, err)
			return
		}
	}
	s.Event(r, "signed out")
	s.clearLogin(w)
	http.Redirect(w, r, LoginPath, http.StatusSeeOther)
}
