package account

import (
	"net/http"
	"reflect"
	"time"

	"github.com/go-chi/chi/v5"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/store/credential"
	"samepage/views/page"
	"samepage/web/wire"
)

type forgotFields struct {
	Email string `param:"email,text" max:"254" as:"email" doc:"The address that you sign in with."`
}

type resetFields struct {
	Password string   `param:"password,secret" doc:"Another password of at least 8 characters."`
	Tokens   bool     `param:"tokens,flag,optional"`
	_        struct{} `doc:"Also revoke every token with which an agent acts for you."`
	_        struct{} `doc:"Do so if somebody else may know the old password."`
}

func (s *Server) forgotForm() *linkForm {
	return &linkForm{path: "/forgot", title: "Forgot your password?", name: "ask_for_reset",
		doc: "The link works once, for half an hour.", field: reflect.TypeFor[forgotFields](),
		about: "A link goes to the address that you sign in with. With it you choose another password, and all your " +
			"logins end.",
		unsent: page.Line(page.T("This server sends no mail. Ask whoever runs it: "),
			page.Mono("samepage member reset-password"), page.T(" makes another password for you.")),
		refused: "Ask whoever runs it for another password.",
		sent: "If somebody signs in here with this address and a password, a link is on its way to it. " +
			"If none comes within minutes, ask whoever runs this server.",
		queue: s.queueReset}
}

// queueReset queues the mail with the link if an account with a password has the address, and has asked for none within
// the last [againAfter].
func (s *Server) queueReset(r *http.Request, email string) error {
	s.Event(r, "password reset asked for", "account", email)
	return s.Store.Write(r.Context(), func(tx *store.Tx) error {
		// Something is written for an address without an account too, so that the time of the answer does not show
		// whether the address has an account.
		if _, err := tx.ShareUse("resets", time.Unix(0, 0), 1); err != nil {
			return err
		}
		return credential.RequestReset(tx, email, tx.Now.Add(-againAfter))
	})
}

func resetPage(secret string, in param.Input, errs param.Errors) *page.Page {
	return &page.Page{URL: "/reset", Title: "Choose another password", Only: true,
		State: page.Line(page.T("All your logins end, and you sign in with the new password. Your agents go on "+
			"unless you say so here. Passkeys and accounts elsewhere that sign you in stay: remove those that you do not know at "),
			page.Link("your account", credential.AccountURL), page.T(", once you are signed in.")),
		Forms: []page.Form{{Name: "reset", Title: "Set the password", Doc: "8 characters or more, better 15.",
			URL:    credential.ResetPath(secret),
			Fields: param.FillIn(param.Fields(reflect.TypeFor[resetFields]()), in, errs != nil), Errors: errs}}}
}

// failReset answers with err, or with a page that says how to get another link if the link is not in force.
func (s *Server) failReset(w http.ResponseWriter, r *http.Request, err error) {
	s.showDeadLink(w, r, err, &page.Page{URL: "/reset", Blocks: []page.Block{page.Para(page.Line(
		page.Sentence("It was used already, has expired, or was replaced by a later one or by another password. "),
		page.Link("Ask for another", "/forgot"), page.T(".")))}})
}

func (s *Server) showReset(w http.ResponseWriter, r *http.Request) {
	secret := chi.URLParam(r, "secret")
	if _, err := s.findReset(r, secret); err != nil {
		s.failReset(w, r, err)
		return
	}
	w.Header()["Cache-Control"] = wire.NoStore
	s.showForm(w, r, http.StatusOK, resetPage(secret, nil, nil), s.Context(r, store.Actor{}), "-")
}

// findReset returns the user of the link, or [store.NotFound] for a link that is not in force.
func (s *Server) findReset(r *http.Request, secret string) (user *store.User, err error) {
	err = s.Store.Read(r.Context(), func(tx *store.Tx) (err error) {
		user, err = credential.UserByReset(tx, secret)
		return err
	})
	return user, err
}

func (s *Server) resetPassword(w http.ResponseWriter, r *http.Request) {
	if err := wire.ParseForm(w, r); err != nil {
		s.Fail(w, r, err)
		return
	}
	secret := chi.URLParam(r, "secret")
	user, err := s.findReset(r, secret)
	if err != nil {
		s.failReset(w, r, err)
		return
	}
	in := param.FromForm(r.PostForm, nil)
	hash, err := hashPassword(r.PostForm.Get("password"), user.Email)
	if errs := param.ErrorsOf(err); errs != nil {
		w.Header()["Cache-Control"] = wire.NoStore
		s.showBadForm(w, r, store.Actor{}, resetPage(secret, in, errs), "")
		return
	}
	if err == nil {
		err = s.Store.Write(r.Context(), func(tx *store.Tx) error {
			_, err := credential.ResetPasswordByLink(tx, secret, hash)
			if err == nil && r.PostForm.Get("tokens") == "true" {
				err = revokeTokens(tx, user.ID)
			}
			return err
		})
	}
	if err != nil {
		s.failReset(w, r, err)
		return
	}
	s.Event(r, "password reset", "account", user.Email)
	s.clearLogin(w)
	wire.SetFlash(w, "Your password is set. Sign in with it.", s.secure())
	http.Redirect(w, r, LoginPath, http.StatusSeeOther)
}

// revokeTokens revokes every token that acts for the user, in every organization.
func revokeTokens(tx *store.Tx, userID string) error {
	list, err := tx.UserTokens(userID)
	if err != nil {
		return err
	}
	for i := range list {
		m, err := tx.TokenMember(list[i].ID)
		if err != nil {
			return err
		}
		if err := actions.EndToken(tx, m.InPerson(), list[i].ID, "with another password"); err != nil {
			return err
		}
	}
	return nil
}
