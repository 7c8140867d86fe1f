package account

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"samepage/store"
	"samepage/store/credential"
	"samepage/views/page"
	"samepage/web/wire"
)

// A change of the address takes effect when the form behind the link that was mailed to the new address is sent. The
// link proves that the person reads the mail of that address, so they need not be signed in.

// failAddress answers with err, or with a page that says how to get another link if the link is not in force.
func (s *Server) failAddress(w http.ResponseWriter, r *http.Request, err error) {
	s.showDeadLink(w, r, err, &page.Page{URL: "/address", Public: true, Blocks: []page.Block{page.Para(page.Line(
		page.Sentence("It was used already, has expired, was cancelled, or was replaced by a later one. You can ask for another at "),
		page.Link("your account", credential.AccountURL), page.T(".")))}})
}

func (s *Server) showAddress(w http.ResponseWriter, r *http.Request) {
	secret := chi.URLParam(r, "secret")
	var c *credential.AddressChange
	if err := s.Store.Read(r.Context(), func(tx *store.Tx) (err error) {
		c, err = credential.AddressBySecret(tx, secret)
		return err
	}); err != nil {
		s.failAddress(w, r, err)
		return
	}
	p := page.Page{URL: "/address", Title: "Another address to sign in with", Only: true, Public: true,
		State: page.Line(page.T("From then on you sign in with "), page.Strong(c.Email),
			page.T(", and no longer with the address until now.")),
		Forms: []page.Form{{Name: "confirm", Title: "Sign in with it from now on",
			Doc: "Your password stays, and so do your logins.", URL: credential.AddressPath(secret)}}}
	w.Header()["Cache-Control"] = wire.NoStore
	s.showForm(w, r, http.StatusOK, &p, s.Context(r, store.Actor{}), "-")
}

func (s *Server) changeAddress(w http.ResponseWriter, r *http.Request) {
	var c *credential.AddressChange
	if err := s.Store.Write(r.Context(), func(tx *store.Tx) (err error) {
		c, err = credential.ChangeAddress(tx, chi.URLParam(r, "secret"))
		return err
	}); err != nil {
		s.failAddress(w, r, err)
		return
	}
	s.Event(r, "email address changed", "by", "user:"+c.UserID, "account", c.Email)
	s.setFlash(w, "You sign in with "+c.Email+" from now on.")
	http.Redirect(w, r, credential.AccountURL, http.StatusSeeOther)
}
