package web

import (
	"net/http"
	"reflect"
	"time"

	"github.com/go-chi/chi/v5"

	"samepage/actions"
	"samepage/actions/param"
	"samepage/store"
	"samepage/views/page"
	"samepage/web/wire"
)

// Setting another password with a link from one's mail is like signing in, no action: whoever does it is nobody here yet. The
// secret in the address is neither in the page, nor in a link to it, nor in a log.

// forgetting is what somebody says who has lost their password.
type forgetting struct {
	Email string `param:"email,text" max:"254" doc:"The address that you sign in with."`
}

// choosing is what somebody says with a link from their mail.
type choosing struct {
	Password string `param:"password,secret" doc:"Another password of at least 8 characters."`
	Tokens   bool   `param:"tokens,flag,optional" doc:"Also revoke every token with which an agent acts for you. Do so if somebody else may know the old password."`
}

func (s *Site) forgetting() *byMail {
	return &byMail{path: "/forgot", title: "Forgot your password?", name: "ask_for_reset", doc: "The link works once, for half an hour.", field: reflect.TypeFor[forgetting](),
		about:   "A link goes to the address that you sign in with. With it you choose another password, and all your logins end.",
		unsent:  page.Line(page.T("This server sends no mail. Ask whoever runs it: "), page.Mono("samepage member reset-password"), page.T(" makes another password for you.")),
		refused: "Ask whoever runs it for another password.",
		sent:    "If somebody signs in here with this address and a password, a link is on its way to it. If none comes within minutes, ask whoever runs this server.",
		queue: func(r *http.Request, email string) error {
			s.event(r, "password reset asked for", "account", email)
			return s.store.Write(r.Context(), func(tx *store.Tx) error {
				if _, err := tx.ShareUse("resets", time.Unix(0, 0), 1); err != nil { // something is written whether there is an account or not, so that both take as long
					return err
				}
				return tx.RequestReset(email, tx.Now.Add(-againAfter))
			})
		}}
}

func resetForm(secret string, in param.Input, errs param.Errors) *page.Page {
	return &page.Page{URL: "/reset", Title: "Choose another password", Only: true,
		State: page.Line(page.T("All your logins end, and you sign in with the new password. Your agents go on unless you say so here.")),
		Forms: []page.Form{{Name: "reset", Title: "Set the password", Doc: "8 characters or more, better 15.", URL: store.ResetPath(secret),
			Fields: param.FillIn(param.Fields(reflect.TypeFor[choosing]()), in, errs != nil), Errors: errs}}}
}

// noReset answers for a link that is not in force, or anything else that is wrong.
func (s *Site) noReset(w http.ResponseWriter, r *http.Request, err error) {
	s.notInForce(w, r, err, &page.Page{URL: "/reset",
		Blocks: []page.Block{page.Para(page.Line(page.Sentence("It was used already, has expired, or was replaced by a later one. "), page.Link("Ask for another", "/forgot"), page.T(".")))}})
}

// resetPage answers GET /reset/{secret}.
func (s *Site) resetPage(w http.ResponseWriter, r *http.Request) {
	secret := chi.URLParam(r, "secret")
	if err := s.store.Read(r.Context(), func(tx *store.Tx) error {
		_, err := tx.UserByReset(secret)
		return err
	}); err != nil {
		s.noReset(w, r, err)
		return
	}
	w.Header()["Cache-Control"] = wire.NoStore
	s.showForm(w, r, http.StatusOK, resetForm(secret, nil, nil), s.context(r, store.Actor{}, ""), "-")
}

// reset answers POST /reset/{secret}.
func (s *Site) reset(w http.ResponseWriter, r *http.Request) {
	if err := wire.ParseForm(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	secret := chi.URLParam(r, "secret")
	var user *store.User
	err := s.store.Read(r.Context(), func(tx *store.Tx) (err error) {
		user, err = tx.UserByReset(secret)
		return err
	})
	if err != nil {
		s.noReset(w, r, err)
		return
	}
	in := param.FromForm(r.PostForm, nil)
	hash, err := HashPassword(r.PostForm.Get("password"), user.Email)
	if errs := param.ErrorsOf(err); errs != nil {
		w.Header()["Cache-Control"] = wire.NoStore
		s.badForm(w, r, store.Actor{}, resetForm(secret, in, errs), badFields)
		return
	}
	if err == nil {
		err = s.store.Write(r.Context(), func(tx *store.Tx) error {
			_, err := tx.Reset(secret, hash)
			if err == nil && r.PostForm.Get("tokens") == "true" {
				err = endTokens(tx, user.ID)
			}
			return err
		})
	}
	if err != nil {
		s.noReset(w, r, err)
		return
	}
	s.event(r, "password reset", "account", user.Email)
	s.clearLogin(w)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// endTokens revokes every token that acts for a user, in all of their organizations.
func endTokens(tx *store.Tx, userID string) error {
	list, err := tx.UserTokens(userID)
	if err != nil {
		return err
	}
	for i := range list {
		m, err := tx.TokenMember(list[i].ID)
		if err != nil {
			return err
		}
		by := store.Actor{UserID: userID, Members: []store.Member{*m}, Member: m}
		t, err := tx.RevokeToken(by, list[i].ID)
		if err != nil {
			return err
		}
		if _, err = tx.Journal(by, store.Change{Action: actions.RevokeToken.Name, Target: t.Ref(), Before: list[i].Record(), After: t.Record(), Why: "with another password"}); err != nil {
			return err
		}
	}
	return nil
}

// resetMail is what a mail with a link to set another password says.
func resetMail(link string) (subject, body string) {
	return "Choose another password", "Somebody, perhaps you, asked for another password for your account.\n\nOpen this link to choose one. It works once, for half an hour:\n\n" + link +
		"\n\nIf it was not you, do nothing: your password stays as it is.\n"
}
